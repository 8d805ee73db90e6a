"""What the reference host says, logs and asks its model, pinned (SNAP-7)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest
from acp_snapshot import ScenarioRun, define_acp_snapshot_suite
from reference_host.loop import rebuild_requests
from session_query import JsonlPersistence, SessionSources, SessionStore
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine
from tool_session_query import ToolCalls, session_query_toolset

from .launching import launch

ROOT: Final = Path(__file__).resolve().parents[4]


async def answer_of(run: ScenarioRun, tool: str, arguments: object) -> str:
    """What a tool answers when it's asked directly, over the logs that a run left."""
    store = SessionStore()
    sources = SessionSources(store, JsonlPersistence(run.places.state / "sessions"))
    async with SqliteSessionQueryEngine(sources, SqliteConfig(":memory:")) as engine:
        calls = ToolCalls(session_query_toolset(engine))
        caller = store.create(cwd=str(run.places.workspace))
        return (await calls.run(tool, arguments, caller)).text


def the_whole_result_is_kept(run: ScenarioRun) -> None:
    """What was spilled is the answer of the tool, byte for byte, and what is shown fits the cap."""
    [kept] = (run.places.state / "spill").glob("session-*/*")
    asked = {"session_id": "delivery-77aa", "seq": 6}
    whole = asyncio.run(answer_of(run, "session_event_read", asked))
    assert kept.read_bytes() == whole.encode()
    [log] = [log for log in run.logs if log.header.id == run.sessions["main"]]
    [result] = [event for event in log.events if event.type == "tool/result"]
    data: Any = result.data
    assert data["meta"]["spill"]["bytes"] == len(whole.encode())
    [block] = data["message"]["content"][0]["content"]
    assert data["meta"]["spill"]["locator"] in block["text"]
    assert len(block["text"].encode()) <= 32_768


def the_log_makes_the_requests(run: ScenarioRun) -> None:
    """The log alone gives each request that the model was sent, byte for byte (HOST-3)."""
    recorded = [
        line for process in run.processes for line in process.record.read_text("utf-8").splitlines()
    ]
    assert recorded
    [log] = [log for log in run.logs if log.header.id == run.sessions["main"]]
    assert [request.encoded() for request in rebuild_requests(log.events)] == recorded
    assert all(json.loads(line)["messages"] for line in recorded)


TestSnapshots = pytest.mark.requirement("SNAP-7", "SPILL-3")(
    define_acp_snapshot_suite(
        launch=launch,
        scenarios=ROOT / "fixtures/scenarios",
        snapshots=ROOT / "snapshots/reference-host",
        examine={
            "spilled-read": the_whole_result_is_kept,
            "search-trace-read": the_log_makes_the_requests,
            "resumed": the_log_makes_the_requests,
            "crashed": the_log_makes_the_requests,
        },
    )
)
