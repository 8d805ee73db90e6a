"""Turns that are ended from outside, at any step (HOST-3, HOST-5)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_host.composition import parse_composition
from reference_host.errors import SessionError
from reference_host.sessions import HostSession
from session_query import (
    AbortController,
    AbortSignal,
    PersistenceConflictError,
    PersistenceWriteError,
    SessionEvent,
)
from session_query_specs.loop import ACTIONS, Action, Schedule, run, schedules, sweep

from ..memory_log import WritableMemory
from ..opening import World, opened, text, world
from ..scripted_model import WAIT, ScriptedModel, calling, saying
from ..scripted_tools import ScriptedTool, deaf, heeding, quick
from ..valid_logs import check_log, check_requests, kinds, results, sent_in_turns

LIMITED = parse_composition(
    'prompt = "Be short."\n[model]\nkind = "replay"\nscript = "none.json"\n'
    "[policies.deadline]\ndefault_timeout_ms = 1000\n"
)


class Turn:
    """A turn with an answer, calls of every kind, and another answer, in a host of its own."""

    def __init__(self) -> None:
        self.model = ScriptedModel(
            calling(("c1", "dig", "1"), ("c2", "wait", "{}"), ("c3", "alone", "3"), text="Well"),
            saying("That", " is it."),
        )
        self.tools = [
            ScriptedTool("dig", quick),
            ScriptedTool("wait", heeding),
            ScriptedTool("alone", quick, concurrency="exclusive"),
        ]
        self.opened: list[tuple[World, HostSession]] = []

    async def run(self, signal: AbortSignal) -> str:
        """Run it; return how it ended."""
        async with world(self.model, *self.tools, composition=LIMITED) as found:
            self.opened.append(found)
            made, session = found
            return (await made.turn(session, signal=signal)).kind

    def check(self) -> list[SessionEvent]:
        """See that all is as it should be, now that it has ended; return its log."""
        if not self.opened:
            return []
        [(made, session)] = self.opened
        log = made.durable(session)
        assert log == session.live.events
        check_log(log)
        check_requests(log, self.model.asked)
        for tool in self.tools:
            assert len(tool.entered) == tool.left
        entered = {f"c{at}" for at, tool in enumerate(self.tools, 1) if tool.entered}
        codes = results(log)
        assert entered == {one for one, code in codes.items() if code != "ABORTED_BEFORE_DISPATCH"}
        return log

    def goes_on(self) -> None:
        """See that the session can be taken up by another host."""
        [(before, ended)] = self.opened

        async def main() -> None:
            async with opened(ScriptedModel(), stored=before.stored, prefix="later") as made:
                session = await made.host.sessions.load(ended.id, None)
                assert (await made.turn(session)).kind == "completed"
                check_log(made.durable(session))

        run(main).result()


@pytest.mark.requirement("HOST-3", "HOST-5", "HOST-8")
@pytest.mark.parametrize("action", ACTIONS)
def test_a_turn_that_is_ended_at_any_step_is_closed(action: Action) -> None:
    """Wherever it lands, tools have settled, calls are answered, the turn is closed and stored."""
    turns: list[Turn] = []

    def operation(signal: AbortSignal) -> Any:
        turns.append(Turn())
        return turns[-1].run(signal)

    ends = set()
    for landing in sweep(operation, action):
        ended, turn = landing.run, turns[-1]
        assert (ended.left, ended.complaints) == ([], []), landing.step
        if action == "abort":
            ends.add(ended.result())
        else:
            assert isinstance(ended.error, asyncio.CancelledError), landing.step
        if log := turn.check():
            [(_, kind)] = sent_in_turns(log)
            ends.add(kind)
            if not landing.step % 10:
                turn.goes_on()
    assert ends == {"aborted", "completed"}


@pytest.mark.requirement("HOST-3", "HOST-8")
@settings(max_examples=60)
@given(st.integers(0, 120), st.sampled_from(ACTIONS), schedules())
def test_so_it_is_in_any_order_of_tasks(step: int, action: Action, schedule: Schedule) -> None:
    """As above, when the tasks of the turn run in another order."""
    turns: list[Turn] = []

    def operation(signal: AbortSignal) -> Any:
        turns.append(Turn())
        return turns[-1].run(signal)

    for landing in sweep(operation, action, schedule, only=step):
        assert (landing.run.left, landing.run.complaints) == ([], [])
        _ = turns[-1].check()


@pytest.mark.requirement("HOST-3", "HOST-5")
def test_a_model_that_is_silent_is_ended_by_an_abort() -> None:
    """What it has said is kept as an interrupted answer; its calls, which nobody ran, are not."""
    model = ScriptedModel([*calling(("c1", "dig", "{}"), text="Well")[:-1], WAIT])
    controller = AbortController()

    async def main() -> None:
        async with world(model, ScriptedTool("dig", quick)) as (made, session):
            asyncio.get_running_loop().call_later(10, controller.abort)
            assert (await made.turn(session, signal=controller.signal)).kind == "aborted"
            log: list[Any] = made.durable(session)
            check_log(log)
            [answer] = [event.data for event in log if event.type == "assistant/message"]
            assert answer["interrupted"] is True
            assert answer["message"]["content"] == text("Well")

    ended = run(main)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])


@pytest.mark.requirement("HOST-5")
def test_a_cancelled_task_waits_for_a_tool_that_does_not_heed() -> None:
    """The task that runs a turn ends when the tool has, and the turn is logged as aborted."""
    tool = ScriptedTool("dig", deaf)

    async def main() -> None:
        async with world(ScriptedModel(calling(("c1", "dig", "{}"))), tool) as (made, session):
            running = asyncio.create_task(made.turn(session))
            asyncio.get_running_loop().call_later(10, running.cancel)
            await asyncio.wait([running])
            assert running.cancelled()
            assert asyncio.get_running_loop().time() == 60
            assert results(made.durable(session)) == {"c1": "ABORTED"}
            check_log(made.durable(session))
            assert not session.busy

    run(main).result()


@pytest.mark.requirement("HOST-3")
@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (PersistenceWriteError("id-0", "no space"), "SESSION_WRITE_FAILED"),
        (PersistenceConflictError("id-0", "taken"), "SESSION_OWNED_ELSEWHERE"),
    ],
)
@pytest.mark.parametrize("append", range(5))
def test_a_write_that_fails_stops_the_turn_where_it_is(
    failure: Exception, code: str, append: int
) -> None:
    """Nothing is sent or entered that is not stored.

    The session is closed, and can be loaded again, its turn closed as after a crash.
    """
    turn = Turn()

    async def main() -> None:
        stored = WritableMemory()
        stored.failing[append] = failure
        async with world(turn.model, *turn.tools, composition=LIMITED, stored=stored) as found:
            made, session = found
            asked = 0

            def see(_: object) -> None:
                nonlocal asked
                asked += 1
                assert made.durable(session) == session.live.events

            turn.model.on_request = see
            with pytest.raises(SessionError) as raised:
                await made.turn(session)
            assert raised.value.code == code
            assert not session.live.is_live
            assert all(len(tool.entered) == tool.left for tool in turn.tools)
            with pytest.raises(SessionError) as raised:
                await made.turn(session)
            assert raised.value.code == "SESSION_CLOSED"
            if not append:  # there is nothing to load
                assert (asked, made.durable(session)) == (0, [])
                return
            turn.model.on_request = lambda _: None
            again = await made.host.sessions.load(session.id, None)
            check_log(made.durable(again))
            assert "interrupted" in repr(made.durable(again)[-1].data)
            assert (await made.turn(again)).kind == "completed"
            check_log(made.durable(again))

    ended = run(main)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])


@pytest.mark.requirement("HOST-3")
def test_a_store_that_hangs_holds_the_turn_up_and_nothing_is_lost() -> None:
    """A cancellation during a write takes effect when it has ended."""

    async def main() -> None:
        stored = WritableMemory()
        stored.held = asyncio.Event()
        async with world(ScriptedModel(), stored=stored) as (made, session):
            running = asyncio.create_task(made.turn(session))
            await asyncio.sleep(1)
            assert stored.appends == 1
            running.cancel()
            await asyncio.sleep(1)
            assert not running.done()
            stored.held.set()
            await asyncio.wait([running])
            assert running.cancelled()
            assert kinds(made.durable(session))[-2:] == ["step/end", "turn/end"]
            check_log(made.durable(session))

    run(main).result()


@pytest.mark.requirement("HOST-3")
def test_a_turn_is_closed_when_its_loop_is_shut_down() -> None:
    """Where every task is cancelled at once, the log says that the turn was interrupted."""
    tool = ScriptedTool("dig", heeding)

    async def main() -> None:
        async with world(ScriptedModel(calling(("c1", "dig", "{}"))), tool) as (made, session):
            running = asyncio.create_task(made.turn(session))
            await asyncio.sleep(1)
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                _ = task.cancel()
            await asyncio.wait([running])
            assert running.cancelled()
            check_log(session.live.events)
            assert sent_in_turns(session.live.events)[0][1] == "interrupted"
            assert tool.left == 1
        assert made.durable(session) == session.live.events

    ended = run(main)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])
