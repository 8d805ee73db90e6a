"""Every block of the guide to composing a host runs, and shows what the guide says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from reference_host.composition import parse_composition
from reference_host.models import ReplayModel

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "compose-a-host.md").read_text("utf-8")
BLOCK = re.compile(r"<!-- ([\w-]+) -->\n```\w+\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)
BLOCKS = {mark: block for mark, block, _ in BLOCK.findall(GUIDE)}
SHOWN = {mark: shown for mark, _, shown in BLOCK.findall(GUIDE) if shown}


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command of this environment; CI's own variables don't count."""
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    folder = str(Path(sys.executable).parent)
    return subprocess.run(
        list(command),
        cwd=cwd,
        env={**environment, "PATH": folder + os.pathsep + environment["PATH"], "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_no_block_of_the_guide_is_left_out() -> None:
    """Each block has a mark, and each that prints something shows it."""
    assert GUIDE.count("\n```") == 2 * (len(BLOCKS) + len(SHOWN))
    assert list(SHOWN) == ["run-commands", "composed-host", "conformance"]


@pytest.mark.requirement("HOST-9")
def test_the_commands_print_what_is_shown(tmp_path: Path) -> None:
    """A task prints its log, and people find it; times and ids are of their own run."""
    (tmp_path / "script.json").write_text(BLOCKS["replay-script"], "utf-8")
    task, search = BLOCKS["run-commands"].splitlines()
    done = run("sh", "-c", task, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    shown, got = json.loads(SHOWN["run-commands"]), json.loads(done.stdout)
    assert {**got, "time": shown["time"]} == shown
    found = run("sh", "-c", search, cwd=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert re.fullmatch(r"[0-9a-f-]{36}\t\d+\tLook around\n", found.stdout)


@pytest.mark.requirement("HOST-1")
def test_the_composition_is_one() -> None:
    """Each key of it is known, and `prompt` and `[model]` are the only ones that must be there."""
    composition = parse_composition(BLOCKS["composition"])
    assert composition.tools.session_query is not None
    assert composition.tools.session_query.max_search_results == 20
    model = BLOCKS["composition"].partition("[persistence]")[0]
    assert parse_composition(model).index is None
    asking = parse_composition(BLOCKS["composition"] + BLOCKS["permission"]).policies.permission
    assert asking is not None
    assert asking.ask == ("read",)


@pytest.mark.requirement("HOST-7")
def test_the_script_is_one(tmp_path: Path) -> None:
    """Each kind of chunk that is shown can be played."""
    (tmp_path / "script.json").write_text(BLOCKS["chunks"], "utf-8")
    assert ReplayModel.of_file(tmp_path / "script.json").config["provider"] == "replay"


@pytest.mark.requirement("HOST-1", "HOST-4")
def test_the_program_prints_what_is_shown() -> None:
    """A composer's program with a tool of its own runs as it stands."""
    done = run(sys.executable, "-W", "error", "-c", BLOCKS["composed-host"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == SHOWN["composed-host"]


@pytest.mark.requirement("HOST-8")
def test_the_host_works_with_the_conformance_suite() -> None:
    """The command that is shown says what is shown."""
    done = run("sh", "-c", BLOCKS["conformance"])
    assert (done.returncode, done.stdout) == (0, SHOWN["conformance"])


@pytest.mark.requirement("SNAP-8")
def test_the_snapshot_suite_runs_as_shown(tmp_path: Path) -> None:
    """The module and the scenario of the guide make snapshots, and pass on them afterwards."""
    (tmp_path / "test_my_agent.py").write_text(BLOCKS["snapshots"], "utf-8")
    scenario = tmp_path / "scenarios" / "first-turn"
    scenario.mkdir(parents=True)
    (scenario / "scenario.toml").write_text(BLOCKS["scenario"], "utf-8")
    (scenario / "model.json").write_text(BLOCKS["replay-script"], "utf-8")
    pytest_command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    made = run(*pytest_command, "--snapshot-update", cwd=tmp_path)
    assert made.returncode == 0, made.stdout
    again = run(*pytest_command, cwd=tmp_path)
    assert again.returncode == 0, again.stdout
    assert "7 passed" in again.stdout
