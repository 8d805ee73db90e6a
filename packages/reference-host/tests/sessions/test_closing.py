"""Sessions are let go of, and nothing of them is lost."""

from __future__ import annotations

import asyncio

import pytest
from reference_host.errors import SessionError
from reference_host.sessions import HostSession
from session_query import (
    AbortSignal,
    PersistenceWriteError,
    SessionEvent,
)
from session_query_specs.loop import ACTIONS, Action, run, sweep

from ..memory_log import WritableMemory
from ..opening import CWD, World, opened, world
from ..scripted_model import WAIT, ScriptedModel, calling, saying
from ..scripted_tools import ScriptedTool, deaf
from ..valid_logs import check_log, kinds
from .refusals import refused
from .stored import later


def test_nothing_else_is_done_to_a_session_while_its_turn_runs() -> None:
    """Another turn, a fork, a rename and a release are refused, and the turn goes on."""

    async def main() -> None:
        async with world(ScriptedModel([WAIT])) as (made, session):
            sessions = made.host.sessions
            running = asyncio.create_task(made.turn(session))
            await asyncio.sleep(1)
            await refused(made.turn(session), "SESSION_BUSY")
            await refused(sessions.fork(session.id, CWD), "SESSION_BUSY")
            await refused(sessions.rename(session.id, "x"), "SESSION_BUSY")
            await refused(sessions.release(session.id), "SESSION_BUSY")
            running.cancel()
            await asyncio.wait([running])
            assert running.cancelled()
            await sessions.release(session.id)
            check_log(made.durable(session))

    run(main).result()


def test_no_turn_begins_in_a_session_that_is_being_let_go_of() -> None:
    """While its last events are written it is busy, and then it is closed."""

    async def main() -> None:
        async with world(ScriptedModel()) as (made, session):
            await made.turn(session)
            made.stored.held = asyncio.Event()
            session.live.append("note/own", {})
            releasing = asyncio.create_task(made.host.sessions.release(session.id))
            await asyncio.sleep(1)
            await refused(made.turn(session), "SESSION_BUSY")
            await refused(made.host.sessions.release(session.id), "SESSION_BUSY")
            made.stored.held.set()
            await releasing
            await refused(made.turn(session), "SESSION_CLOSED")
            await refused(made.host.sessions.release(session.id), "SESSION_NOT_FOUND")
            assert kinds(made.durable(session))[-1] == "note/own"

    run(main).result()


def test_a_turn_whose_session_is_closed_meanwhile_says_so() -> None:
    """It ends with an error, what is stored of it can be loaded, and no task is left."""

    async def main() -> None:
        async with world(ScriptedModel([*saying("half")[:1], WAIT])) as (made, session):
            running = asyncio.create_task(made.turn(session))
            await asyncio.sleep(1)
            await made.host.sessions.close()
            running.cancel()
            await asyncio.wait([running])
        async with later(made.stored) as again:
            loaded = await again.host.sessions.load(session.id, CWD)
            check_log(again.durable(loaded))

    ended = run(main)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])

    async def working() -> None:
        tool = ScriptedTool("dig", deaf)
        async with world(ScriptedModel(calling(("c1", "dig", "{}"))), tool) as (made, session):
            running = asyncio.create_task(made.turn(session))
            await asyncio.sleep(1)
            await made.host.sessions.close()
            await refused(running, "SESSION_CLOSED")
            assert tool.left == 1

    run(working).result()


def test_closing_writes_what_is_left_of_every_session() -> None:
    """One that can't be written is told of, and stops none of the others."""

    async def main() -> None:
        stored = WritableMemory()
        async with opened(ScriptedModel(), stored=stored) as made:
            kept = [made.host.sessions.create(f"/{at}") for at in range(3)]
            for session in kept:
                await made.turn(session)
                session.live.append("note/own", {})
            stored.failing[stored.appends + 1] = PersistenceWriteError(kept[1].id, "no space")
            with pytest.RaisesGroup(SessionError):
                await made.host.sessions.close()
            ends = [kinds(made.durable(session))[-1] for session in kept]
            assert ends == ["note/own", "turn/end", "note/own"]
            assert not any(session.live.is_live for session in kept)

    run(main).result()


@pytest.mark.parametrize("action", ACTIONS[1:])
def test_closing_is_not_stopped_by_a_cancellation(action: Action) -> None:
    """Wherever it lands, every session is written."""
    kept: list[tuple[list[SessionEvent], HostSession, World]] = []

    async def operation(signal: AbortSignal) -> None:
        del signal
        kept.clear()
        async with opened(ScriptedModel()) as made:
            for at in range(2):
                session = made.host.sessions.create(f"/{at}")
                session.live.append("note/own", {})
                kept.append(([], session, made))

    for landing in sweep(operation, action):
        assert landing.problem() is None
        for _, session, made in kept:
            assert kinds(made.durable(session)) == ["note/own"], landing.step
