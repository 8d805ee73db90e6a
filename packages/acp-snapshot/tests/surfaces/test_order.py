"""In which order the logs of a run are shown."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
from acp_snapshot import Ending, RunPlaces, Scenario, ScenarioRun, surfaces_of
from acp_snapshot.scenario import ProcessRun
from session_query import SessionEvent, SessionHeader, StoredSession

from ..tiny import write_scenario


def _log(session: str, created_at: int) -> StoredSession:
    header = SessionHeader(0, session, created_at)
    return StoredSession(header, [SessionEvent("turn/start", 0, 0, {"turn": 0})], "1")


def _process(root: Path, *told: str) -> ProcessRun:
    messages = [{"jsonrpc": "2.0", "id": 0, "result": {"sessionId": one}} for one in told]
    stdout = "".join(f"{json.dumps(one)}\n" for one in messages).encode()
    return ProcessRun(stdout, messages, "", Ending("eof", 0, left_behind=False), root / "none")


@pytest.mark.requirement("SNAP-4")
@pytest.mark.parametrize("names", list(permutations(["aaaa", "bbbb", "cccc", "dddd"])))
def test_logs_are_shown_as_told_of(tmp_path: Path, names: tuple[str, ...]) -> None:
    """The order is that in which stdout tells of sessions, then that of their beginnings.

    Neither ids nor the order on disk have a part in it.
    """
    first, second, third, fourth = names
    scenario = Scenario.load(write_scenario(tmp_path / "order"))
    processes = (_process(tmp_path, first), _process(tmp_path, second, first))
    logs = (_log(fourth, 9), _log(third, 8), _log(second, 1), _log(first, 5), _log("seed", 0))
    places = RunPlaces.under(tmp_path / "run")
    run = ScenarioRun(scenario, places, processes, {}, logs, {"seed": 1})
    surfaces = surfaces_of(run)
    assert list(surfaces.files)[2:] == [f"session-{number}.jsonl" for number in (1, 2, 3, 4)]
    ids = [
        json.loads(surfaces.files[f"session-{n}.jsonl"].splitlines()[0])["id"] for n in (1, 2, 3, 4)
    ]
    assert ids == ["<session-1>", "<session-2>", "<session-3>", "<session-4>"]
    renamed = json.loads(surfaces.files["stdout-2.jsonl"].splitlines()[0])["result"]["sessionId"]
    assert renamed == "<session-2>"
