"""Calls as a host owes them: deadline, cancellation, failures as text (TOOL-3, TOOL-6, TITLE-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from session_query import AbortController, LiveSession
from tool_session_query import (
    TOOL_TIMEOUT,
    ToolCalls,
    ToolSessionQueryConfig,
    session_query_toolset,
)

from .gates import GatedEngine, ObedientEngine, StoppedClock, idle
from .scripted import LEAST, TOOLS, ScriptedEngine, answer, failure, own_session

QUERY = {"query": "a", "match": "phrase"}


class Reason(Exception):  # noqa: N818 - the reason of an abort is no error
    """Why a host ends a call."""


def calls_on(engine: ScriptedEngine, timeout: int = 30_000) -> ToolCalls:
    """The calls of a toolset with a time limit."""
    return ToolCalls(
        session_query_toolset(engine, ToolSessionQueryConfig(search_timeout_ms=timeout))
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_an_answer_is_the_text_of_the_tool(tool: str) -> None:
    """A call that succeeds has the tool's text and no code."""
    result = asyncio.run(calls_on(ScriptedEngine()).run(tool, LEAST[tool], own_session()))
    assert result.code is None
    assert result.text == answer(ScriptedEngine(), tool, LEAST[tool])


@pytest.mark.requirement("TOOL-6", "AUTH-1")
@pytest.mark.parametrize(
    ("arguments", "session", "code"),
    [
        ({"seq": 0}, None, "SESSION_QUERY_TOOL_MISSING_AGENT"),
        ({"seq": -1}, own_session(), "SESSION_QUERY_TOOL_INVALID_ARGUMENT"),
        ({"seq": 0}, own_session(), "SESSION_QUERY_INDEX_FAILED"),
    ],
    ids=["no session", "arguments", "service"],
)
def test_a_failure_is_a_text_with_its_code(
    arguments: Any, session: LiveSession | None, code: str
) -> None:
    """A call that fails is a result too, which begins with the code."""
    engine = ScriptedEngine(read_event=failure("SESSION_QUERY_INDEX_FAILED"))
    result = asyncio.run(calls_on(engine).run("session_event_read", arguments, session))
    assert result.code == code
    assert result.text.startswith(f"Error {code}: ")


@pytest.mark.requirement("TOOL-6")
def test_a_tool_that_is_none_is_a_failure_with_the_names_of_all() -> None:
    """A model that makes up a name is told the names, and nothing is asked or left running."""

    async def main() -> None:
        engine = ScriptedEngine()
        calls = calls_on(engine)
        for session in (own_session(), None):
            result = await calls.run("nonsense", {}, session)
            assert result.code == "SESSION_QUERY_TOOL_INVALID_ARGUMENT"
            assert result.text == (
                f"Error {result.code}: no such tool; there are: {', '.join(TOOLS)}"
            )
        await calls.settled()
        assert not engine.asked

    asyncio.run(main())


def run_with_stopped_clock(main: Callable[[StoppedClock], Coroutine[Any, Any, None]]) -> None:
    """Run a test on a loop of its own, whose time the test moves."""
    loop = StoppedClock()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main(loop))


@pytest.mark.requirement("TOOL-3")
@pytest.mark.parametrize("tool", ["session_search", "session_event_search"])
def test_a_deadline_comes_after_the_tool_has_settled(tool: str) -> None:
    """A search that takes too long is aborted, waited for, and told as `TOOL_TIMEOUT`."""

    async def main(loop: StoppedClock) -> None:
        engine = ObedientEngine()
        task = asyncio.create_task(calls_on(engine, 1_500).run(tool, QUERY, own_session()))
        await engine.begun.wait()
        loop.now = 1.4
        await idle()
        assert not engine.told.is_set()
        loop.now = 1.5
        await engine.told.wait()
        await idle()
        assert not task.done()
        engine.gate.set()
        result = await task
        assert engine.settled
        assert result.code == TOOL_TIMEOUT
        assert result.text == f"Error TOOL_TIMEOUT: {tool} took longer than 1.5 s and was ended."

    run_with_stopped_clock(main)


@pytest.mark.requirement("TOOL-3")
def test_a_deadline_does_not_count_the_wait_for_a_turn() -> None:
    """Time begins when the call begins: one that waited has all of it."""

    async def main(loop: StoppedClock) -> None:
        engine = GatedEngine()
        session, calls = own_session(), calls_on(engine, 1_500)
        first = asyncio.create_task(calls.run("session_event_read", {"seq": 0}, session))
        await idle()
        second = asyncio.create_task(calls.run("session_search", QUERY, session))
        await idle()
        loop.now = 3600
        await idle()
        engine.gate("a").set()
        engine.gate("0").set()
        assert [(await task).code for task in (first, second)] == [None, None]
        loop.now = 7200
        await idle()

    run_with_stopped_clock(main)


@pytest.mark.requirement("SAN-2")
def test_a_time_out_of_the_service_is_no_deadline() -> None:
    """A `TimeoutError` that the service raises by itself is a failure of the service."""
    engine = ScriptedEngine(search_sessions=TimeoutError("canary"))
    result = asyncio.run(calls_on(engine).run("session_search", QUERY, own_session()))
    assert result.code == "SESSION_QUERY_TOOL_FAILED"
    assert "canary" not in result.text


@pytest.mark.requirement("SAN-1")
@pytest.mark.parametrize("reason", [Reason("host"), TimeoutError("host")], ids=repr)
def test_a_hosts_abort_raises_its_reason(reason: Exception) -> None:
    """The reason of the host's signal comes out, when the tool has settled."""

    async def main() -> None:
        engine, controller = ObedientEngine(), AbortController()
        calls = calls_on(engine)
        call = calls.run("session_event_read", {"seq": 0}, own_session(), controller.signal)
        task = asyncio.create_task(call)
        await engine.begun.wait()
        controller.abort(reason)
        await engine.told.wait()
        await idle()
        assert not task.done()
        engine.gate.set()
        with pytest.raises(type(reason)) as caught:
            await task
        assert caught.value is reason
        assert engine.settled
        await calls.settled()

    asyncio.run(main())


@pytest.mark.requirement("TITLE-3")
@pytest.mark.parametrize("tool", TOOLS[1:2] + TOOLS[4:])
def test_a_cancellation_waits_for_what_was_started(tool: str) -> None:
    """Cancelling the task aborts the tool and ends when the tool has; a second one adds nothing."""

    async def main() -> None:
        engine = ObedientEngine()
        calls = calls_on(engine)
        arguments = QUERY if tool == "session_event_search" else {"seq": 0}
        task = asyncio.create_task(calls.run(tool, arguments, own_session()))
        await engine.begun.wait()
        task.cancel()
        await engine.told.wait()
        task.cancel()
        await idle()
        assert not task.done()
        engine.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert engine.settled

    asyncio.run(main())


def test_settled_waits_for_all_that_runs() -> None:
    """`settled` returns at once without calls, and else with the last of them, to each who asks."""

    async def main() -> None:
        engine = GatedEngine()
        calls = calls_on(engine)
        await calls.settled()
        tasks = [
            asyncio.create_task(calls.run("session_event_read", {"seq": seq}, session))
            for seq, session in ((0, own_session()), (1, own_session()))
        ]
        await idle()
        waiting = [asyncio.create_task(calls.settled()) for _ in range(3)]
        tasks[0].cancel()
        await idle()
        waiting.pop().cancel()
        engine.gate("0").set()
        await idle()
        assert not any(one.done() for one in waiting)
        engine.gate("1").set()
        await asyncio.gather(*waiting)
        assert engine.running == {}
        assert tasks[1].done() or (await tasks[1]).code is None
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())


def test_settled_waits_for_calls_that_begin_meanwhile() -> None:
    """Whoever waits for quiet gets it, also if a call follows the last one at once."""

    async def main() -> None:
        engine = GatedEngine()
        calls = calls_on(engine)

        async def two() -> None:
            for seq in (0, 1):
                await calls.run("session_event_read", {"seq": seq}, own_session())

        task = asyncio.create_task(two())
        await idle()
        waiting = asyncio.create_task(calls.settled())
        await idle()
        engine.gate("0").set()
        await idle()
        assert not waiting.done()
        engine.gate("1").set()
        await waiting
        await task

    asyncio.run(main())
