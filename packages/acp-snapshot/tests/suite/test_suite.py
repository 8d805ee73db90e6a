"""A host's suite, run by pytest as a host runs it, passes and fails as it should."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from acp_snapshot.suite._checking import refuse_update_in_ci

from ..tiny import AGENT, FIRST_TURN, write_scenario

HOST: Final = """
import os
from pathlib import Path

from acp_snapshot import define_acp_snapshot_suite
from tiny import tiny

HERE = Path(__file__).parent


def examined(run):
    assert run.logs, "nothing was logged"
    assert os.environ.get("EXAMINE") != "fails", "the host's own check failed"


TestAcp = define_acp_snapshot_suite(
    launch=tiny(os.environ.get("FAULT")),
    scenarios=HERE / "scenarios",
    snapshots=HERE / "snapshots",
    examine={"query-turn": examined},
)
"""
NO_PIN: Final = FIRST_TURN.replace("pins_header = true", "")
QUERY: Final = FIRST_TURN.replace('"plain"', '"query"')
CHANGES: Final = """
about = "The tools change between two turns."
composition = "plain"
header_changes = 1

[[process]]
step = [
    { do = "initialize" },
    { do = "new_session" },
    { do = "prompt", text = "One." },
    { do = "prompt", text = "Two." },
]
"""


@dataclass(frozen=True)
class Host:
    """A folder with a suite in it."""

    folder: Path

    @property
    def snapshots(self) -> Path:
        return self.folder / "snapshots"

    def rewrite(self, name: str, old: str, new: str) -> None:
        """Change a file."""
        path = self.folder / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    def kept(self) -> dict[str, bytes]:
        """Return all snapshots."""
        paths = [path for path in self.snapshots.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.snapshots)): path.read_bytes() for path in paths}

    def test(self, *options: str, **variables: str) -> tuple[dict[str, str], str]:
        """Run pytest; return the outcome of each test, by its name, and all that was printed."""
        told = self.run(*options, **variables)
        found = re.findall(r"^(PASSED|FAILED|ERROR) \S+::(\S+)", told, re.MULTILINE)
        assert found, told
        return {name: outcome for outcome, name in found}, told

    def run(self, *options: str, **variables: str) -> str:
        """Run pytest, and return all that was printed."""
        paths = [str(AGENT.parents[1]), *filter(None, sys.path)]
        environment = {key: value for key, value in os.environ.items() if key != "CI"}
        # Only what the suite needs: no other plugin that is installed here has a say.
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        command = [sys.executable, "-m", "pytest", "-rA", "-p", "syrupy", "-W", "error"]
        done = subprocess.run(
            [*command, *options],
            check=False,
            cwd=self.folder,
            env={**environment, "PYTHONPATH": os.pathsep.join(paths), **variables},
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A suite of four scenarios and two classes whose snapshots were just made."""
    host = Host(tmp_path_factory.mktemp("updated") / "host")
    scenarios = host.folder / "scenarios"
    write_scenario(scenarios / "first-turn")
    write_scenario(scenarios / "again", NO_PIN, [{"say": "Hello again."}])
    write_scenario(scenarios / "query-turn", QUERY)
    other = [{"name": "write", "parameters": {}}]
    write_scenario(scenarios / "changes", CHANGES, [{"say": "1"}, {"say": "2", "tools": other}])
    (host.folder / "test_host.py").write_text(HOST, "utf-8")
    outcomes, told = host.test("--snapshot-update")
    assert set(outcomes.values()) == {"PASSED"}, told
    return host


@pytest.fixture
def host(updated: Host, tmp_path: Path) -> Host:
    """A copy of that suite to break."""
    return Host(Path(shutil.copytree(updated.folder, tmp_path / "host")))


@pytest.mark.requirement("SNAP-4", "SNAP-5", "SNAP-8")
def test_what_an_update_makes(host: Host) -> None:
    """Each distinct content has one readable file; a run on it passes and writes nothing."""
    before = host.kept()
    assert sorted(before) == [
        "again/header.json",
        "again/session-1.jsonl",
        "again/stdout-1.jsonl",
        "changes/header.json",
        "changes/session-1.jsonl",
        "changes/stdout-1.jsonl",
        "changes/tools-2.json",
        "first-turn/header.json",
        "first-turn/session-1.jsonl",
        "first-turn/stdout-1.jsonl",
        "first-turn/system-1.md",
        "first-turn/tools-1.json",
        "query-turn/header.json",
        "query-turn/session-1.jsonl",
        "query-turn/stdout-1.jsonl",
        "query-turn/tools-1.json",
    ]
    assert b"work in <workspace>." in before["first-turn/system-1.md"]
    placeholder = {"composition": "plain", "headers": [{"pinned_by": "first-turn"}]}
    assert json.loads(before["again/header.json"]) == placeholder
    [shown] = json.loads(before["query-turn/header.json"])["headers"]
    assert shown["system"] == "../first-turn/system-1.md"
    outcomes, told = host.test()
    assert set(outcomes.values()) == {"PASSED"}, told
    assert len(outcomes) == 4 + 6
    assert host.kept() == before


@pytest.mark.requirement("SNAP-5", "SNAP-7")
def test_a_query_tool_mounted_by_default(host: Host) -> None:
    """A tool too many breaks the pin of the class, and each other scenario's live check."""
    outcomes, told = host.test("-k", "first-turn or again", FAULT="mounts-query")
    assert outcomes["test_scenario[first-turn]"] == outcomes["test_scenario[again]"] == "FAILED"
    assert "first-turn/tools-1.json differs" in told
    assert '+     "name": "session_search"' in told
    assert "the real request header is not the one that first-turn pins for class 'plain'" in told


@pytest.mark.requirement("SNAP-5", "SNAP-6")
def test_what_no_update_hides(host: Host) -> None:
    """A header that is not the pin's, and a path of a machine, fail an update; nothing is written.

    One changed word in a schema is enough.
    """
    host.rewrite("scenarios/changes/model.json", '"2"', '"See /home/alice/notes.txt."')
    before = host.kept()
    options = ("-k", "again or changes", "--snapshot-update")
    outcomes, told = host.test(*options, FAULT="other-schema")
    assert set(outcomes.values()) == {"FAILED"}
    assert len(outcomes) == 2
    assert '+    "description": "Reads a file.",' in told
    assert '-    "description": "Reads.",' in told
    assert "real path in changes/stdout-1.jsonl: /home/alice/notes.txt.; tell `rules`" in told
    assert host.kept() == before


@pytest.mark.requirement("SNAP-6", "SNAP-8")
def test_faults_of_runs(host: Host) -> None:
    """Rubbish, unused and missing snapshots and undeclared changes fail, each in plain words."""
    (host.snapshots / "first-turn" / "old.jsonl").write_text("{}\n", "utf-8")
    (host.snapshots / "again" / "session-1.jsonl").unlink()
    host.rewrite("scenarios/query-turn/model.json", '"say"', '"print": "Loading\\n", "say"')
    host.rewrite("scenarios/changes/scenario.toml", "header_changes = 1", "")
    outcomes, told = host.test("-k", "test_scenario")
    assert set(outcomes.values()) == {"FAILED"}
    assert "unused snapshot: first-turn/old.jsonl; --snapshot-update removes it" in told
    assert "missing snapshot: again/session-1.jsonl; make it with --snapshot-update" in told
    assert "stdout carries something else than JSON-RPC: line 3 is not JSON: 'Loading'" in told
    assert "at step 3, prompt, in process 1 of scenario query-turn" in told
    assert "changed 1 times within the run, and scenario.toml declares header_changes = 0" in told


@pytest.mark.requirement("SNAP-6", "SNAP-8")
def test_an_update_of_one_scenario(host: Host) -> None:
    """An update makes what is missing and removes what is unused, where all else is well.

    What a host checks of a run beyond its snapshots is part of that.
    """
    before = host.kept()
    (host.snapshots / "query-turn" / "old.jsonl").write_text("{}\n", "utf-8")
    (host.snapshots / "first-turn" / "old.jsonl").write_text("{}\n", "utf-8")
    (host.snapshots / "first-turn" / "stdout-1.jsonl").unlink()
    outcomes, told = host.test("-k", "turn", "--snapshot-update", EXAMINE="fails")
    assert outcomes["test_scenario[first-turn]"] == "PASSED"
    assert outcomes["test_scenario[query-turn]"] == "FAILED"
    assert "the host's own check failed" in told
    assert host.kept() == {**before, "query-turn/old.jsonl": b"{}\n"}


@pytest.mark.requirement("SNAP-6")
def test_ci_never_updates(host: Host) -> None:
    """Where `CI` is set an update is refused, and nothing is written."""
    (host.snapshots / "again" / "stdout-1.jsonl").unlink()
    before = host.kept()
    outcomes, told = host.test("-k", "again", "--snapshot-update", CI="true")
    assert outcomes == {"test_scenario[again]": "FAILED"}
    assert "snapshots are not updated in CI" in told
    assert host.kept() == before


@pytest.mark.requirement("SNAP-6")
@pytest.mark.parametrize("option", ["update_snapshots", "update_new_snapshots_only", None])
def test_what_counts_as_an_update(
    monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config, option: str | None
) -> None:
    """Either of syrupy's options that write is refused in CI; a run without them is not."""
    monkeypatch.setenv("CI", "true")
    for name in ("update_snapshots", "update_new_snapshots_only"):
        monkeypatch.setattr(pytestconfig.option, name, name == option)
    refused = pytest.raises(pytest.fail.Exception) if option else nullcontext()
    with refused:
        refuse_update_in_ci(pytestconfig)


@pytest.mark.requirement("SNAP-6")
def test_faults_of_snapshots(host: Host) -> None:
    """The guards tell what lies wrong among the snapshots, whichever scenarios are run."""
    (host.snapshots / "gone").mkdir()
    (host.snapshots / "gone" / "stdout-1.jsonl").write_text("{}\n", "utf-8")
    (host.snapshots / "query-turn" / "stdout-1.jsonl").unlink()
    host.rewrite("scenarios/again/scenario.toml", "about", "pins_header = true\nabout")
    host.rewrite("snapshots/again/session-1.jsonl", '"<header-1>"', '{"system":"You are"}')
    shutil.copy(
        host.snapshots / "first-turn" / "tools-1.json", host.snapshots / "again" / "tools-1.json"
    )
    host.rewrite("snapshots/again/stdout-1.jsonl", "Hello again.", "/Users/alice/notes.txt")
    outcomes, told = host.test("-k", "not test_scenario")
    assert len(outcomes) == 6
    assert set(outcomes.values()) == {"FAILED"}
    for line in (
        "orphan directory: gone/ has no scenario; remove it",
        "missing snapshot: query-turn/stdout-1.jsonl; make it with --snapshot-update",
        "composition class 'plain' has two pins: again, first-turn",
        "unscrubbed header: again/session-1.jsonl holds a request header in full",
        "duplicated sidecar: first-turn/tools-1.json shows the same as again/tools-1.json",
        "real path in again/stdout-1.jsonl: /Users/alice/notes.txt",
    ):
        assert line in told


@pytest.mark.requirement("SNAP-2", "SNAP-8")
def test_scenarios_that_can_not_be_read(host: Host) -> None:
    """A step that nobody knows and a scenario without its file are told once, without traceback."""
    host.rewrite("scenarios/again/scenario.toml", '"initialize"', '"initialise"')
    done = host.run()
    assert done.count("unknown step 'initialise'; known: await_prompt") == 1
    assert "Traceback" not in done
    assert "pydantic" not in done
    assert "at least 1 item" not in done
    assert "_define.py" not in done
    (host.folder / "scenarios" / "again" / "scenario.toml").unlink()
    done = host.run()
    assert done.count("can't be read: No such file") == 1
    assert "_define.py" not in done
