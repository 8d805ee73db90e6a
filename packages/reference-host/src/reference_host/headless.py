"""One task without a client, its log on stdout (HOST-9)."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, TypeAlias

from session_query import (
    AbortController,
    CwdFilter,
    LiveSession,
    SessionEvent,
    SessionSearchRequest,
    dumps,
)

from reference_host._diagnostics import logger
from reference_host._host import Host
from reference_host.wire import LineWriter, claimed_stdio

__all__ = ["rename_session", "run_task", "search_sessions"]

Opening: TypeAlias = AbstractAsyncContextManager[Host]

_DONE: Final = 0
_TURN_FAILED: Final = 1
_INTERRUPTED: Final = 130
_NOTHING_FOUND: Final = 1


async def run_task(opening: Opening, cwd: str, task: str, resume: str | None = None) -> int:
    """Run one turn and print the header of its session, then each event, as lines of JSON.

    Args:
        opening: a host, not open yet.
        cwd: the working directory of the session.
        task: what the user says.
        resume: a session of that directory to go on in.

    Returns:
        The exit code.

    Raises:
        HostError: what opening the host or the session, or running the turn, raises.
    """
    async with (
        claimed_stdio() as (_, writer),
        opening as host,
    ):
        session = (
            host.sessions.create(cwd) if resume is None else await host.sessions.load(resume, cwd)
        )
        interrupt = AbortController()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, interrupt.abort)
        printing = _Printing(session.live, writer, interrupt)
        unsubscribe = session.live.subscribe(printing.observe)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(printing.run(), name="events to stdout")
                content = [{"type": "text", "text": task}]
                end = await host.prompt_session(session, content, signal=interrupt.signal)
                printing.finish()
        finally:
            unsubscribe()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
    if end.kind == "completed":
        return _DONE
    if end.kind == "aborted":
        return _INTERRUPTED
    logger.error(
        "the turn ended in %s%s",
        end.kind,
        f": {end.message}" if end.message else "",
        extra={"session_id": session.id, "code": end.code},
    )
    return _TURN_FAILED


async def rename_session(opening: Opening, session_id: str, title: str) -> int:
    """Give a session a title; return the exit code."""
    async with opening as host:
        await host.sessions.rename(session_id, title)
    return _DONE


async def search_sessions(opening: Opening, cwd: str | None, query: str, limit: int) -> int:
    """Print the sessions that match, strongest first: id, and seq and text of the best event.

    Returns:
        The exit code; 1 if nothing was found.

    Raises:
        SessionQueryError: `SESSION_QUERY_SEARCH_DISABLED` where no index is mounted.
    """
    filters = [] if cwd is None else [CwdFilter([cwd])]
    async with (
        claimed_stdio() as (_, writer),
        opening as host,
    ):
        request = SessionSearchRequest(query, filters, limit=limit, match="any")
        page = await host.engine.search_sessions(request)
        for hit in page.items:
            best = hit.best_match
            await writer.write_line(f"{hit.id}\t{best.seq}\t{best.snippet}".encode())
    return _DONE if page.items else _NOTHING_FOUND


class _Printing:
    """Prints a session as it grows, in the form of its log."""

    def __init__(self, live: LiveSession, writer: LineWriter, interrupt: AbortController) -> None:
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._writer = writer
        self._interrupt = interrupt
        self._add({"type": "session", **live.header.to_json()})

    def observe(self, session: LiveSession, event: SessionEvent) -> None:
        """Print an event."""
        del session
        self._add(event.to_json())

    def finish(self) -> None:
        """End `run` when all has been printed."""
        self._lines.put_nowait(None)

    async def run(self) -> None:
        """Print until the end; a reader that has gone away ends the turn."""
        while (line := await self._lines.get()) is not None:
            await self._writer.write_line(line)
            if self._writer.gone:
                self._interrupt.abort()

    def _add(self, value: Any) -> None:
        self._lines.put_nowait(dumps(value).encode())
