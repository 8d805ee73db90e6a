"""What a failure looks like, for each fault there is a provider or a store with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from rich.cells import cell_len
from session_query_specs.mutants import MUTANTS
from session_query_specs.running import Status
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from .cards import MOST_COLUMNS, RACES, card, judged, judged_again

FOLDER: Final = Path(__file__).parents[3] / "snapshots" / "specs" / Path(__file__).stem
NAMES: Final = [one.name for one in MUTANTS.values() if one.kind != "host"]


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


def test_no_file_is_left_over() -> None:
    """Each file in the folder is pinned by a test."""
    names = {
        *(f"test_a_card[{name}]" for name in NAMES),
        *(f"test_a_planted_race[{name}]" for name in RACES),
    }
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in names}
