"""Sessions whose host died in a turn (HOST-3, LOG-25)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from reference_host.loop import rebuild_requests
from reference_host.sessions import HostSession
from session_query_specs.loop import run

from ..memory_log import WritableMemory
from ..opening import CWD, World, opened, text
from ..scripted_model import ScriptedModel, calling, saying
from ..scripted_tools import ScriptedTool, quick
from ..valid_logs import check_log


@pytest.mark.requirement("HOST-3", "LOG-25")
def test_a_session_goes_on_after_a_crash_at_any_event() -> None:
    """Cut anywhere, a log is closed when it is loaded, and its next turn is as any other."""
    model = ScriptedModel(
        calling(("c1", "dig", "1"), ("c2", "alone", "2"), ("c3", "dig", "3"), text="Well"),
        saying("That is it."),
    )
    tools = [ScriptedTool("dig", quick), ScriptedTool("alone", quick, concurrency="exclusive")]

    async def whole() -> tuple[World, HostSession]:
        async with opened(model, *tools) as made:
            session = made.host.sessions.create(CWD)
            await made.turn(session, "One")
            await made.turn(session, "Two")
            return made, session

    made, session = run(whole).result()
    log = made.durable(session)
    codes = set()
    for count in range(1, len(log) + 1):
        stored = WritableMemory()
        stored.put(session.live.header, log[:count])
        asked: list[str] = []
        codes |= run(lambda: resumed(stored, session.id, tools, asked)).result()  # noqa: B023
        events = stored.durable(session.id)
        assert [*events[:count]] == log[:count]
        [*closers] = itertools.takewhile(lambda one: one.type != "turn/start", events[count:])
        assert {one.time for one in closers} <= {log[count - 1].time}
        check_log(events)
        rebuilt = rebuild_requests(events)
        assert [rebuilt[-1].encoded()] == asked
        assert rebuilt[-1].messages[-1]["content"] == text("Go on.")
    assert codes == {None, "TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"}


async def resumed(
    stored: WritableMemory, session_id: str, tools: list[ScriptedTool], asked: list[str]
) -> set[str | None]:
    """Load a session and have a turn; return the codes of its results."""
    model = ScriptedModel()
    entered = [len(tool.entered) for tool in tools]
    async with opened(model, *tools, stored=stored, prefix="later") as made:
        session = await made.host.sessions.load(session_id, CWD)
        log: list[Any] = made.durable(session)
        check_log(log)
        assert (await made.turn(session)).kind == "completed"
        asked += model.asked
        assert [len(tool.entered) for tool in tools] == entered
        results = [event.data for event in log if event.type == "tool/result"]
        return {data.get("error", {}).get("code") for data in results}


@pytest.mark.requirement("LOG-25")
def test_reading_a_session_closes_no_turn() -> None:
    """Only taking a session up again writes; listing leaves an open turn as it is."""

    async def main() -> None:
        async with opened(ScriptedModel()) as made:
            session = made.host.sessions.create(CWD)
            await made.turn(session)
            header, log = session.live.header, made.durable(session)
        stored = WritableMemory()
        stored.put(header, log[:6])
        async with opened(ScriptedModel(), stored=stored, prefix="later") as made:
            [found], _ = await made.host.sessions.list(None)
            assert found.record.header.id == header.id
            assert [*stored.durable(header.id)] == log[:6]
            assert stored.appends == 0

    run(main).result()
