"""The command, as an author types it (CONF-1, CONF-16, CONF-17)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from session_query_specs.cli import main

from ..toys import TOYS, only_toys

MODULE = """
from {toys} import *
"""


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    """Put the toy checks in the place of the suite's."""
    with only_toys():
        yield


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a directory that holds a module with the toys."""
    toys = only_toys.__module__
    (tmp_path / "toy_conformance.py").write_text(MODULE.format(toys=toys), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def typed(line: str) -> Result:
    """Return what a command line comes to."""
    return CliRunner().invoke(main, line.split(), env={"COLUMNS": "100"}, catch_exceptions=False)


@pytest.mark.requirement("CONF-1", "CONF-16")
@pytest.mark.parametrize("line", ["toy_conformance:Doubler", "run toy_conformance:Doubler"])
def test_run_needs_no_name(line: str) -> None:
    """A class alone is judged, the verdict printed, and the exit code is 0 if all holds."""
    result = typed(line)
    assert result.exit_code == 0
    assert "doubler passed: 4 passed, 1 not claimed" in result.stdout


@pytest.mark.requirement("CONF-1")
def test_options_may_come_first() -> None:
    """Without the name of a command, options may stand before the class."""
    result = typed("--profile smoke --seed 3 toy_conformance:Doubler")
    assert result.exit_code == 0
    assert "profile smoke, seed 3" in result.stdout


@pytest.mark.requirement("CONF-16")
def test_a_failure_is_code_1_and_a_card() -> None:
    """Where not all that is claimed holds, the exit code is 1, and a card says why."""
    result = typed("toy_conformance:OffBeyondNine")
    assert result.exit_code == 1
    assert "✗ SEARCH-9/order · failed" in result.stdout
    assert "whole with --html FILE" not in result.stdout


@pytest.mark.requirement("CONF-16")
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("toy_conformance:Nobody", "has no class 'Nobody'"),
        ("difff old new", "Got unexpected extra arguments"),
        ("toy_conformance:Doubler --only SEARCH-99", "SEARCH-99 matches no check"),
        ("toy_conformance:Doubler --profile fast", "'fast' is not one of"),
        ("toy_conformance:Doubler --contract 0.1", "'0.1' is not '1.0'"),
        ("toy_conformance:Doubler --known-failures no.txt", "'no.txt' does not exist"),
        ("toy_conformance:Doubler --json no/such/place.json", "No such file or directory"),
        ("smoke toy_conformance", "names no class"),
        ("toy_conformance:Doubler --replay toy_conformance.py", "toy_conformance.py: Expecting"),
    ],
)
def test_wrong_usage_is_code_2(line: str, told: str) -> None:
    """What can't be judged is told on standard error in a line, with the exit code 2."""
    result = typed(line)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


@pytest.mark.requirement("CONF-1")
def test_smoke_prints_one_line() -> None:
    """Smoke prints a single line, and its code is that of a run."""
    good, broken = typed("smoke toy_conformance:Doubler"), typed("smoke toy_conformance:Raising")
    assert (good.exit_code, good.output) == (0, "doubler: 1 of 1 hold\n")
    assert broken.exit_code == 1
    assert broken.output.count("\n") == 1
    assert "everything is broken; SEARCH-1/finds: got RuntimeError: boom 0" in broken.output


@pytest.mark.requirement("CONF-16")
def test_progress_is_shown_beside_the_report() -> None:
    """Each verdict is a line on standard error while it runs, and the report stays clean."""
    result = typed("toy_conformance:Doubler --only SEARCH-9")
    assert result.stderr == "1/2 SEARCH-9/order passed\n2/2 SEARCH-9/few passed\n"
    assert "1/2" not in result.stdout


@pytest.mark.requirement("CONF-16")
def test_files_are_written(here: Path) -> None:
    """One run writes JSON, JUnit XML and HTML, also where it fails."""
    result = typed("toy_conformance:OffBeyondNine --json r.json --junit r.xml --html r.html")
    assert result.exit_code == 1
    assert json.loads((here / "r.json").read_text("utf-8"))["where"] == (
        "toy_conformance:OffBeyondNine"
    )
    assert (here / "r.xml").read_text("utf-8").startswith("<?xml")
    assert (here / "r.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.requirement("CONF-16")
def test_a_place_for_a_report_is_tried_first(here: Path) -> None:
    """A report that can't be written is told before anything is judged, and nothing is left."""
    result = typed("toy_conformance:Doubler --json r.json --html no/such/r.html")
    assert result.exit_code == 2
    assert "no/such/r.html: No such file or directory" in result.stderr
    assert "1/5" not in result.stderr
    assert not (here / "r.json").exists()


@pytest.mark.requirement("CONF-16")
def test_a_report_that_is_lost_takes_nothing_with_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a file can't be written in the end, verdict and cards are printed all the same."""
    written = Path.write_text

    def full(path: Path, text: str, encoding: str) -> int:
        if path.name == "r.json":
            raise OSError(28, "No space left on device")
        return written(path, text, encoding)

    monkeypatch.setattr(Path, "write_text", full)
    result = typed("toy_conformance:OffBeyondNine --json r.json --junit r.xml")
    assert result.exit_code == 2
    assert "✗ SEARCH-9/order · failed" in result.stdout
    assert result.stderr.endswith("Error: r.json: No space left on device\n")
    assert (here / "r.xml").exists()


@pytest.mark.requirement("CONF-3", "CONF-16")
@pytest.mark.parametrize("command", ["run", "smoke"])
def test_a_run_that_judges_nothing_is_code_2(command: str) -> None:
    """Where nothing of what was chosen is claimed, nothing failed either; the reason is told."""
    with only_toys({"INDEX-9/forgets": TOYS["INDEX-9/forgets"]}):
        result = typed(f"{command} toy_conformance:Doubler")
    assert result.exit_code == 2
    assert "doubler not judged: 1 not claimed" in result.stdout or command == "smoke"
    assert "FAILED" not in result.stdout
    told = "nothing could be judged: INDEX-9/forgets: the provider doesn't claim forgets"
    assert told in result.stderr


@pytest.mark.requirement("CONF-4")
def test_known_failures_are_read_from_a_file(here: Path) -> None:
    """With what fails in the file, the same provider passes."""
    (here / "known.txt").write_text("SEARCH-9/order ties\nCURSOR-1 likewise\n", "utf-8")
    result = typed("toy_conformance:OffBeyondNine --known-failures known.txt")
    assert result.exit_code == 0
    assert "2 known failure" in result.stdout


@pytest.mark.requirement("CONF-10", "CONF-17")
def test_what_failed_is_judged_again(here: Path) -> None:
    """A replay judges what failed and nothing else, on the examples that it failed on."""
    typed("toy_conformance:OffBeyondNine --seed 9 --json old.json")
    result = typed("toy_conformance:OffBeyondNine --replay old.json --json new.json")
    old = json.loads((here / "old.json").read_text("utf-8"))
    new = json.loads((here / "new.json").read_text("utf-8"))
    failed = [one for one in old["results"] if one["status"] == "failed"]
    assert result.exit_code == 1
    assert new["seed"] == 9
    assert new["results"] == failed
    assert typed("toy_conformance:Doubler --replay old.json").exit_code == 0


@pytest.mark.requirement("CONF-10")
def test_a_replay_of_what_passed_is_refused() -> None:
    """A report without failures leaves nothing to replay."""
    typed("toy_conformance:Doubler --json old.json")
    result = typed("toy_conformance:Doubler --replay old.json")
    assert result.exit_code == 2
    assert "nothing failed in that run" in result.stderr


@pytest.mark.requirement("CONF-16")
def test_diff_fails_only_if_something_got_worse() -> None:
    """Better is 0, worse is 1, no report is 2; each change is named."""
    typed("toy_conformance:OffBeyondNine --json bad.json")
    typed("toy_conformance:Doubler --json good.json")
    better, worse = typed("diff bad.json good.json"), typed("diff good.json bad.json")
    assert better.exit_code == 0
    assert "better:\n  SEARCH-9/order: failed → passed" in better.stdout
    assert worse.exit_code == 1
    assert "worse:\n  SEARCH-9/order: passed → failed" in worse.stdout
    typed("toy_conformance:Doubler --only SEARCH-1 --json few.json")
    fewer = typed("diff good.json few.json")
    assert fewer.exit_code == 1
    assert "worse:\n  SEARCH-9/order: passed → not there" in fewer.stdout
    assert typed("diff good.json good.json").stdout == "no check came to anything else\n"
    assert typed("diff good.json toy_conformance.py").exit_code == 2


@pytest.mark.requirement("CONF-1")
@pytest.mark.parametrize("line", ["--help", "run --help", "smoke --help", "diff --help"])
def test_each_command_has_help(line: str) -> None:
    """Every command says what it does."""
    result = typed(line)
    assert result.exit_code == 0
    assert "Usage:" in result.stdout
