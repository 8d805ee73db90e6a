"""Sessions are taken up again, by several callers at once too (HOST-3, LOG-25)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from reference_host.errors import SessionError
from reference_host.sessions import HostSession
from session_query import (
    AbortSignal,
    PersistenceWriteError,
)
from session_query_specs.loop import ACTIONS, Action, Schedule, run, schedules, sweep

from ..memory_log import WritableMemory
from ..opening import CWD, World, world
from ..scripted_model import WAIT, ScriptedModel
from ..valid_logs import check_log, kinds
from .stored import later, stored_session


@pytest.mark.requirement("LOG-25")
def test_a_session_that_is_open_is_loaded_as_it_is() -> None:
    """Loading it again reads and writes nothing, also while its turn is running."""

    async def main() -> None:
        model = ScriptedModel([WAIT])
        async with world(model) as (made, session):
            running = asyncio.create_task(made.turn(session))
            await asyncio.sleep(1)
            reads = len(made.stored.reads)
            assert await made.host.sessions.load(session.id, CWD) is session
            assert len(made.stored.reads) == reads
            assert kinds(session.live.events)[-1] == "request/header"
            running.cancel()
            await asyncio.wait([running])
            check_log(made.durable(session))

    run(main).result()


@pytest.mark.requirement("LOG-25", "HOST-8")
@given(schedules())
def test_loads_at_once_are_one_session_whose_closers_are_written_once(schedule: Schedule) -> None:
    """Whoever has loaded it can begin a turn: the turn before is closed and durable by then."""

    async def main() -> None:
        stored, session_id = await stored_session(cut=6)
        async with later(stored) as made:

            async def load() -> HostSession:
                session: HostSession = await made.host.sessions.load(session_id, CWD)
                assert made.durable(session) == session.live.events
                check_log(made.durable(session))
                return session

            loads = [asyncio.create_task(load(), name=f"load {at}") for at in range(3)]
            first, *others = [await one for one in loads]
            assert all(one is first for one in others)
            assert kinds(made.durable(first)).count("turn/end") == 1

    ended = run(main, schedule)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])


@given(schedules())
def test_loads_at_once_that_can_not_write_all_fail(schedule: Schedule) -> None:
    """None of them gets a session that was let go of; the next load finds it as it was stored."""

    async def main() -> None:
        stored, session_id = await stored_session(cut=6)
        stored.failing = {at: PersistenceWriteError(session_id, "no space") for at in range(1, 20)}
        async with later(stored) as made:
            loads = [made.host.sessions.load(session_id, CWD) for _ in range(3)]
            found = await asyncio.gather(*loads, return_exceptions=True)
            codes = {one.code for one in found if isinstance(one, SessionError)}
            assert len([one for one in found if isinstance(one, SessionError)]) == 3
            assert codes <= {"SESSION_WRITE_FAILED", "SESSION_CLOSED"}
            stored.failing = {}
            check_log(made.durable(await made.host.sessions.load(session_id, CWD)))

    ended = run(main, schedule)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])


@pytest.mark.requirement("LOG-25")
@pytest.mark.parametrize("action", ACTIONS[1:])
def test_a_load_that_is_cancelled_at_any_step_loses_nothing(action: Action) -> None:
    """The session can be loaded again, in the same host and in another one."""
    kept: list[tuple[World, WritableMemory]] = []

    async def operation(signal: AbortSignal) -> None:
        del signal
        stored, session_id = await stored_session(cut=6)
        async with later(stored) as made:
            kept.append((made, stored))
            await made.host.sessions.load(session_id, CWD)

    for landing in sweep(operation, action):
        assert landing.problem() is None
        if kept:
            _, stored = kept[-1]

            async def again(stored: WritableMemory = stored) -> None:
                async with later(stored) as made:
                    session = await made.host.sessions.load("id-0", CWD)
                    await made.turn(session)
                    check_log(made.durable(session))

            run(again).result()
