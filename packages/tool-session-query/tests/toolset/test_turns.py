"""An exclusive call of a session runs alone, parallel ones beside each other (TOOL-3)."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query import LiveSession
from tool_session_query import ToolCalls, ToolResult, session_query_toolset

from .gates import GatedEngine, idle
from .scripted import own_session


def started(
    calls: ToolCalls, session: LiveSession, name: str, *, exclusive: bool
) -> asyncio.Task[ToolResult]:
    """A call that has been made, by the name that the service knows it by."""
    if exclusive:
        call = calls.run("session_search", {"query": name, "match": "phrase"}, session)
    else:
        call = calls.run("session_event_read", {"seq": int(name)}, session)
    return asyncio.create_task(call)


@pytest.mark.requirement("TOOL-3")
def test_a_search_runs_alone_and_reads_run_together() -> None:
    """Two reads begin together, a search waits for both, and a later read for the search."""

    async def main() -> None:
        engine = GatedEngine()
        calls, session = ToolCalls(session_query_toolset(engine)), own_session()
        tasks = [
            started(calls, session, name, exclusive=exclusive)
            for name, exclusive in (("0", False), ("1", False), ("s", True), ("2", False))
        ]
        await idle()
        assert engine.log == ["+0", "+1"]
        engine.gate("0").set()
        await idle()
        assert engine.log == ["+0", "+1", "-0"]
        engine.gate("1").set()
        await idle()
        assert engine.log[3:] == ["-1", "+s"]
        engine.gate("s").set()
        await idle()
        assert engine.log[5:7] == ["-s", "+2"]
        engine.gate("2").set()
        assert [(await task).code for task in tasks] == [None] * 4

    asyncio.run(main())


@pytest.mark.requirement("TOOL-3")
def test_sessions_do_not_wait_for_each_other() -> None:
    """Searches of two sessions run side by side."""

    async def main() -> None:
        engine = GatedEngine()
        calls = ToolCalls(session_query_toolset(engine))
        sessions = own_session(), own_session()
        tasks = [
            started(calls, session, name, exclusive=True)
            for session, name in zip(sessions, ("s", "t"), strict=True)
        ]
        await idle()
        assert engine.log == ["+s", "+t"]
        for name in ("s", "t"):
            engine.gate(name).set()
        await asyncio.gather(*tasks)

    asyncio.run(main())


@pytest.mark.requirement("TOOL-3")
@pytest.mark.parametrize("exclusive", [True, False])
def test_a_call_that_gives_up_waiting_holds_nobody_up(exclusive: bool) -> None:
    """Who is cancelled before its turn leaves the queue, and asks nothing."""

    async def main() -> None:
        engine = GatedEngine()
        calls, session = ToolCalls(session_query_toolset(engine)), own_session()
        first = started(calls, session, "s", exclusive=True)
        waiting = started(calls, session, "7", exclusive=exclusive)
        last = started(calls, session, "2", exclusive=False)
        await idle()
        waiting.cancel()
        await idle()
        assert waiting.cancelled()
        engine.gate("s").set()
        engine.gate("2").set()
        await asyncio.gather(first, last)
        await calls.settled()
        assert engine.log == ["+s", "-s", "+2", "-2"]

    asyncio.run(main())


class Act(NamedTuple):
    """One step of a schedule: a call, the end of a call, or the end of patience for one."""

    kind: str
    number: int
    rounds: int


ACTS = st.lists(
    st.builds(
        Act,
        st.sampled_from(["read", "read", "search", "end", "end", "cancel"]),
        st.integers(0, 9),
        st.sampled_from([0, 0, 1, 2, 30]),
    ),
    max_size=25,
)


class Schedule:
    """Follows acts, and sees after each that no exclusive call runs beside another."""

    def __init__(self) -> None:
        self.engine = GatedEngine()
        self.calls = ToolCalls(session_query_toolset(self.engine))
        self.session = own_session()
        self.tasks: dict[str, asyncio.Task[ToolResult]] = {}

    def act(self, act: Act) -> None:
        """Do one thing."""
        names = list(self.tasks)
        if act.kind in {"read", "search"}:
            exclusive = act.kind == "search"
            name = f"{'s' if exclusive else ''}{len(names)}"
            self.tasks[name] = started(self.calls, self.session, name, exclusive=exclusive)
        elif names:
            name = names[act.number % len(names)]
            if act.kind == "end":
                self.engine.gate(name).set()
            else:
                self.tasks[name].cancel()

    def check(self) -> None:
        """See what runs now."""
        running = list(self.engine.running)
        assert len(running) <= 1 or not any(name.startswith("s") for name in running)

    async def finish(self) -> None:
        """Let all end, and see that all did, in the order in which they came."""
        for name in self.tasks:
            self.engine.gate(name).set()
        outcomes = await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        await self.calls.settled()
        assert self.engine.running == {}
        begun = [name[1:] for name in self.engine.log if name[0] == "+"]
        assert begun == [name for name in self.tasks if name in begun]
        for name, outcome in zip(self.tasks, outcomes, strict=True):
            if isinstance(outcome, ToolResult):
                assert outcome.code is None
                assert name in begun
            else:
                assert isinstance(outcome, asyncio.CancelledError)


@pytest.mark.requirement("TOOL-3")
@given(ACTS)
@example([Act("search", 0, 1), Act("end", 0, 0), Act("read", 0, 2), Act("read", 0, 0)])
def test_any_schedule_keeps_the_rules(acts: list[Act]) -> None:
    """Exclusive calls are alone, calls begin as they came, and each ends, whoever gives up."""

    async def main() -> None:
        schedule = Schedule()
        for act in acts:
            schedule.act(act)
            for _ in range(act.rounds):
                await asyncio.sleep(0)
                schedule.check()
        await schedule.finish()

    asyncio.run(main())
