"""Sessions on disk that another process owns (LOG-21, LOG-25)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from reference_host import Host
from reference_host.composition import parse_composition
from session_query import JsonlPersistence, SessionEvent

from ..opening import CWD, PLAIN, text
from ..scripted_model import ScriptedModel
from ..valid_logs import check_log, kinds
from .refusals import refused

OWNER = Path(__file__).with_name("owner.py")


@asynccontextmanager
async def owned(
    state: Path, session_id: str, *events: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Let another process append events to a session and hold on to it."""
    command = [sys.executable, str(OWNER), str(state / "sessions"), session_id, *events]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"owned\n"
        yield process
    finally:
        _ = await process.communicate(b"")  # ends its input, which it waits for


async def stored_log(state: Path, session_id: str) -> list[SessionEvent]:
    """Return what is on disk."""
    async with JsonlPersistence(state / "sessions") as store:
        return [*(await store.inspect(session_id)).events]


async def with_a_turn(state: Path) -> str:
    """Store a session of one turn; return its id."""
    async with Host.open(PLAIN, state, model=ScriptedModel()) as host:
        session = host.sessions.create(CWD)
        await host.prompt_session(session, text("Hi"))
        return session.id


@pytest.mark.requirement("HOST-3", "LOG-21")
def test_nothing_is_sent_for_a_session_that_another_process_writes(tmp_path: Path) -> None:
    """It can be forked, but not loaded: nobody is shown events that its log will never have."""

    async def main() -> None:
        session_id = await with_a_turn(tmp_path)
        model = ScriptedModel()
        async with (
            owned(tmp_path, session_id, "note/own"),
            Host.open(PLAIN, tmp_path, model=model) as host,
        ):
            log = await stored_log(tmp_path, session_id)
            await refused(host.sessions.load(session_id, CWD), "SESSION_OWNED_ELSEWHERE")
            assert not model.asked
            child = await host.sessions.fork(session_id, CWD)
            await host.prompt_session(child, text("Hi"))
            check_log(await stored_log(tmp_path, child.id))
            await refused(host.sessions.rename(session_id, "x"), "SESSION_OWNED_ELSEWHERE")
            assert await stored_log(tmp_path, session_id) == log

    asyncio.run(main())


@pytest.mark.requirement("LOG-21", "LOG-25")
def test_the_turn_of_another_process_is_not_closed(tmp_path: Path) -> None:
    """Loading a session whose turn runs elsewhere is refused; once that died, it is closed."""

    async def main() -> None:
        session_id = await with_a_turn(tmp_path)
        async with Host.open(PLAIN, tmp_path, model=ScriptedModel()) as host:
            async with owned(tmp_path, session_id, "turn/start", "step/start") as process:
                log = await stored_log(tmp_path, session_id)
                await refused(host.sessions.load(session_id, CWD), "SESSION_OWNED_ELSEWHERE")
                assert await stored_log(tmp_path, session_id) == log
                process.kill()
            session = await host.sessions.load(session_id, CWD)
            closed = await stored_log(tmp_path, session_id)
            assert kinds(closed[len(log) :]) == ["step/end", "turn/end"]
            await host.prompt_session(session, text("Hi"))
            check_log(await stored_log(tmp_path, session_id))

    asyncio.run(main())


@pytest.mark.requirement("LOG-21")
def test_a_session_that_was_let_go_of_can_be_written_elsewhere(tmp_path: Path) -> None:
    """After a release another process appends to it, and then the same host loads it again."""

    async def main() -> None:
        async with Host.open(PLAIN, tmp_path, model=ScriptedModel()) as host:
            session = host.sessions.create(CWD)
            await host.prompt_session(session, text("Hi"))
            await host.sessions.release(session.id)
            async with owned(tmp_path, session.id, "note/own"):
                pass
            again = await host.sessions.load(session.id, CWD)
            assert kinds(again.live.events)[-1] == "note/own"
            await host.prompt_session(again, text("Hi"))
            check_log(await stored_log(tmp_path, session.id))

    asyncio.run(main())


@pytest.mark.requirement("HOST-1")
def test_a_host_on_disk_keeps_what_a_composition_says_where_it_says(tmp_path: Path) -> None:
    """Logs, index and spilled results are where the composition puts them."""
    composition = parse_composition("""
        prompt = "Be short."
        model = {kind = "replay", script = "none.json"}
        persistence = {root = "logs", compression = "none"}
        index = {path = "search.db"}
        tools.read = {}
        policies.spill.root = "long"
    """)

    async def main() -> None:
        async with Host.open(composition, tmp_path, model=ScriptedModel()) as host:
            await host.prompt_session(host.sessions.create(CWD), text("Find me a rocket"))
            page = await host.engine.search_sessions({"query": "rocket"})
            assert len(page.items) == 1

    asyncio.run(main())
    assert [*tmp_path.glob("logs/*/*/session.jsonl")]
    assert (tmp_path / "search.db").is_file()
    assert not (tmp_path / "sessions").exists()
