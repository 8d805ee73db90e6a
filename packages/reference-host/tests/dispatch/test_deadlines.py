"""Tools that take too long, and calls that are cancelled, in virtual time (HOST-5)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.dispatch import Dispatcher, ToolOutcome
from reference_host.errors import ToolTimeoutError
from reference_host.tools import HostRun
from session_query import AbortController, AbortSignal
from session_query_specs.loop import Schedule, run, schedules, sweep

from ..scripted_tools import Doing, ScriptedTool, deaf, heeding, quick
from .groups import call, dispatched, dispatcher


def told(outcome: ToolOutcome) -> tuple[str | None, str | None]:
    """Return name and code of a failure."""
    failure = outcome.failure
    return (None, None) if failure is None else (failure.name, failure.code)


TIMED_OUT = ("ToolTimeoutError", "TOOL_TIMEOUT")
ABORTED = ("ToolError", "ABORTED")
NOT_DISPATCHED = ("ToolError", "ABORTED_BEFORE_DISPATCH")


def expected(tool: ScriptedTool, abort: BaseException) -> tuple[str | None, str | None]:
    """Return what a tool that was entered must have come to."""
    [reason] = tool.reasons
    if reason is None:
        return (None, None)
    return ABORTED if reason is abort else TIMED_OUT


def timed(
    runs: Dispatcher, *names: str, signal: AbortSignal | None = None
) -> tuple[list[ToolOutcome], float]:
    """Run calls of these tools; return the outcomes, and how many seconds it took."""

    async def main() -> tuple[list[ToolOutcome], float]:
        calls = [call(name, call_id=f"c{at}") for at, name in enumerate(names)]
        outcomes = await dispatched(runs, calls, signal)
        assert not asyncio.get_running_loop().timers()  # type: ignore[attr-defined]
        return outcomes, asyncio.get_running_loop().time()

    ended = run(main)
    assert (ended.left, ended.complaints) == ([], [])
    return ended.result()


@pytest.mark.requirement("HOST-5")
def test_a_tool_that_takes_too_long_is_ended() -> None:
    """The signal of its run is aborted with a `ToolTimeoutError`, and its result says so."""
    tool = ScriptedTool("dig", heeding, timeout_ms=1500)
    [outcome], seconds = timed(dispatcher(tool), "dig")
    assert told(outcome) == TIMED_OUT
    assert seconds == pytest.approx(1.5)
    [(_, entered)] = tool.entered
    assert isinstance(entered.signal.reason, ToolTimeoutError)
    assert outcome.output.text == "Error TOOL_TIMEOUT: dig took longer than 1.5 s and was ended."


@pytest.mark.requirement("HOST-5")
def test_a_tool_that_ignores_its_signal_is_waited_for() -> None:
    """The result comes when the tool has settled, and tells of the deadline all the same."""
    tool = ScriptedTool("dig", deaf, timeout_ms=1000)
    [outcome], seconds = timed(dispatcher(tool), "dig")
    assert told(outcome) == TIMED_OUT
    assert (tool.left, seconds) == (1, 60)


@pytest.mark.requirement("HOST-5")
def test_a_limit_of_its_own_counts_before_that_of_the_policy() -> None:
    """The policy's limit is for tools that have none; without either, a tool has all the time."""
    own = ScriptedTool("own", heeding, timeout_ms=2000, concurrency="exclusive")
    other = ScriptedTool("other", heeding, concurrency="exclusive")
    outcomes, seconds = timed(dispatcher(own, other, default_timeout_ms=500), "own", "other")
    assert [told(one) for one in outcomes] == [TIMED_OUT, TIMED_OUT]
    assert seconds == pytest.approx(2.5)
    [outcome], seconds = timed(dispatcher(ScriptedTool("quick", quick, timeout_ms=1)), "quick")
    assert (told(outcome), seconds) == ((None, None), 0)
    [outcome], seconds = timed(dispatcher(ScriptedTool("deaf", deaf)), "deaf")
    assert (told(outcome), seconds) == ((None, None), 60)


@pytest.mark.requirement("HOST-5")
def test_a_tool_that_times_out_ends_none_of_its_siblings() -> None:
    """Each call of a group has a deadline of its own."""
    tools = ScriptedTool("short", heeding, timeout_ms=1000), ScriptedTool("long", deaf)
    outcomes, seconds = timed(dispatcher(*tools), "short", "long")
    assert [told(one) for one in outcomes] == [TIMED_OUT, (None, None)]
    assert seconds == 60


@pytest.mark.requirement("HOST-5")
def test_what_was_cancelled_before_its_start_is_never_entered() -> None:
    """With a signal that is aborted already, every call is answered and no tool begins."""
    tool = ScriptedTool("dig", quick)
    controller = AbortController()
    controller.abort()
    outcomes, _ = timed(dispatcher(tool), "dig", "unknown", signal=controller.signal)
    assert [told(one) for one in outcomes] == [NOT_DISPATCHED, NOT_DISPATCHED]
    assert not tool.entered


async def tidying(arguments: Any, run: HostRun) -> str:
    """Heed the signal, but only after some passes."""
    del arguments
    reason = await run.signal.wait()
    for _ in range(4):
        await asyncio.sleep(0)
    raise reason


async def stubborn(arguments: Any, run: HostRun) -> str:
    """Answer as if there had been no abort."""
    del arguments
    _ = await run.signal.wait()
    return "all is well"


async def clumsy(arguments: Any, run: HostRun) -> str:
    """Fail because of the abort, in another way."""
    del arguments
    _ = await run.signal.wait()
    raise OSError("the connection is gone")


DOINGS = [heeding, tidying, stubborn, clumsy, quick, deaf]


@pytest.mark.requirement("HOST-5")
@pytest.mark.parametrize("doing", DOINGS)
def test_an_abort_at_any_step_is_told_from_a_timeout(doing: Doing) -> None:
    """What came first is the result: answer, deadline or cancellation; nothing goes on after it."""
    seen = set()
    tools: list[ScriptedTool] = []

    def operation(signal: AbortSignal) -> Any:
        tools[:] = [ScriptedTool("dig", doing, timeout_ms=1000)]
        return dispatched(dispatcher(*tools), [call("dig")], signal)

    for landing in sweep(operation, "abort"):
        [outcome] = landing.run.result()
        assert (landing.run.left, landing.run.complaints) == ([], [])
        [tool] = tools
        assert len(tool.entered) == tool.left
        if tool.entered:
            assert told(outcome) == expected(tool, landing.reason)
        else:
            assert told(outcome) == NOT_DISPATCHED
        seen.add(told(outcome)[1])
    assert {"ABORTED", "ABORTED_BEFORE_DISPATCH"} <= seen
    assert doing in {quick, heeding, stubborn, clumsy} or "TOOL_TIMEOUT" in seen


@pytest.mark.requirement("HOST-5", "HOST-8")
@given(
    st.lists(
        st.tuples(st.sampled_from(DOINGS[:-1]), st.sampled_from(["parallel", "exclusive"])),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([0, 500, 1000, 1500]),
    st.integers(0, 12),
    schedules(),
)
def test_races_of_aborts_and_deadlines_leave_nothing_running(
    shapes: list[tuple[Doing, Any]], after_ms: int, passes: int, schedule: Schedule
) -> None:
    """In every order, each call is answered by what came first for it, and all have settled."""
    controller, reason = AbortController(), ValueError()
    tools = [
        ScriptedTool(f"t{at}", doing, concurrency=concurrency, timeout_ms=1000)
        for at, (doing, concurrency) in enumerate(shapes)
    ]

    async def aborting() -> None:
        await asyncio.sleep(after_ms / 1000)
        for _ in range(passes):
            await asyncio.sleep(0)
        controller.abort(reason)

    async def main() -> list[ToolOutcome]:
        abort = asyncio.create_task(aborting(), name="abort")
        try:
            calls = [call(tool.name, call_id=tool.name) for tool in tools]
            return await dispatched(dispatcher(*tools), calls, controller.signal)
        finally:
            await abort

    ended = run(main, schedule)
    for tool, outcome in zip(tools, ended.result(), strict=True):
        assert outcome.call.id == tool.name
        assert len(tool.entered) == tool.left
        if not tool.entered:
            assert told(outcome) == NOT_DISPATCHED
        else:
            assert told(outcome) == expected(tool, reason)
    assert (ended.left, ended.complaints) == ([], [])
