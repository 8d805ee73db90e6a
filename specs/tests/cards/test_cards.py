"""What a failure looks like, for each fault there is a provider or a store with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from rich.cells import cell_len
from session_query_specs.mutants import MUTANTS
from session_query_specs.running import Status
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from .cards import MOST_COLUMNS, card, judged, judged_again

FOLDER: Final = Path(__file__).parents[3] / "snapshots" / "specs" / Path(__file__).stem
NAMES: Final = [one.name for one in MUTANTS.values() if one.kind != "host"]
SHOWN: Final = (
    "AncestorsFromTheRoot",
    "BlankFindsNothing",
    "CaseMatters",
    "FirstSourceOnly",
    "LastForBeyond",
    "OldestFirst",
    "OldestSessionFirst",
    "OnlyCurrent",
    "SnippetOfTheBegin",
    "UnknownIsEmpty",
)
"""Mutants whose fault shows where a call is made as it stands, of ten requirements."""
RACES: Final = {
    "AbandonsOnAbort": ("CANCEL-3/swept", "abort", "it left running"),
    "LeavesItsWorkers": ("CANCEL-3/swept", "abort", "still running: list()"),
    "BeginsAfterAbort": ("CANCEL-3/swept", "abort", "begun later"),
    "FinishesTheBatch": ("CANCEL-3/swept", "abort", "inspect('s4')"),
    "AbandonsOnCancel": ("CANCEL-4/swept", "cancel", "it left running"),
}


class _File(SingleFileSnapshotExtension):
    """One readable file for each snapshot, under the name that the test gives it."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:  # noqa: ARG003 - the signature is syrupy's
        return str(FOLDER)


@pytest.fixture
def pinned(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The text that is pinned for a test, in a file of its name."""
    return snapshot.use_extension(_File)


def _told(lines: list[str]) -> str:
    """Return a card as a text that any file and any terminal takes, or fail."""
    text = "\n".join(lines)
    assert all(char == "\n" or char.isprintable() for char in text), ascii(text)
    return text


@pytest.mark.requirement("CONF-11", "CONF-15")
@pytest.mark.parametrize("name", NAMES)
def test_a_card(name: str, pinned: SnapshotAssertion) -> None:
    """The failure of each mutant reads as it did, and but for its script fits a screen."""
    mutant = MUTANTS[name]
    lines = card(mutant, judged(mutant, mutant.checks[0]))
    script = lines.index("Reproduction:")
    again = lines.index("Again:")
    assert script + len(lines) - again <= 50
    assert max(map(cell_len, lines)) <= MOST_COLUMNS
    assert _told(lines) == pinned


def _shown_by(script: str, folder: Path) -> str:
    """Return what a script prints, or how it ends."""
    path = folder / "reproduction.py"
    path.write_text(script, "utf-8")
    environment = {
        **os.environ,
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    ran = subprocess.run(
        [sys.executable, path], check=False, capture_output=True, env=environment, timeout=60
    )
    assert ran.returncode == 0, ascii(ran.stderr)
    return ran.stdout.decode()


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize("name", SHOWN)
def test_a_script_shows_the_failure(name: str, tmp_path: Path) -> None:
    """The script of a card prints something else than it does of a provider without the fault."""
    mutant = MUTANTS[name]
    finding = judged(mutant, mutant.checks[0]).finding
    assert finding is not None
    module, _, cls = mutant.where.partition(":")
    own, right = f"from {module} import {cls}\n", "from session_query_specs.oracle import Oracle"
    assert finding.script.count(own) == 1
    expected = finding.script.replace(own, f"{right} as {cls}\n")
    assert _shown_by(finding.script, tmp_path) != _shown_by(expected, tmp_path)


@pytest.mark.requirement("CONF-9", "CONF-10", "CONF-11")
@pytest.mark.parametrize("name", RACES)
def test_a_planted_race(name: str, pinned: SnapshotAssertion) -> None:
    """A race is found in a quick run, told with its schedule, and found again by its seed."""
    check, action, got = RACES[name]
    mutant = MUTANTS[name]
    found = judged(mutant, check)
    assert found.status is Status.FAILED
    assert found.finding is not None
    assert got in found.finding.got
    schedule = [line.partition(". ")[2].strip() for line in found.finding.schedule]
    assert schedule[0] == "main runs"
    assert action in schedule
    lines = card(mutant, found)
    assert card(mutant, judged_again(mutant, check)) == lines
    assert f"--only {check} --profile quick --seed 0" in lines[-1]
    assert _told(lines) == pinned


def test_the_scripts_are_of_different_requirements() -> None:
    """Ten requirements are broken by the mutants whose scripts are run."""
    assert len({MUTANTS[name].requirement for name in SHOWN}) == len(SHOWN) == 10


def test_no_file_is_left_over() -> None:
    """Each file in the folder is pinned by a test."""
    names = {
        *(f"test_a_card[{name}]" for name in NAMES),
        *(f"test_a_planted_race[{name}]" for name in RACES),
    }
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in names}
