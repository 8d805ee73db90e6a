"""One task without a client, its log on stdout (HOST-9)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, TypeAlias

from session_query import (
    AbortController,
    AbortSignal,
    CwdFilter,
    LiveSession,
    SessionEvent,
    SessionSearchRequest,
    dumps,
    fold_whitespace,
)

from reference_host._diagnostics import logger
from reference_host._host import Host
from reference_host.wire import LineWriter, claimed_stdout

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
    async with claimed_stdout() as writer, opening as host:
        session = (
            host.sessions.create(cwd) if resume is None else await host.sessions.load(resume, cwd)
        )
        content = [{"type": "text", "text": task}]
        async with _printed(session.live, writer) as interrupt:
            end = await host.prompt_session(session, content, signal=interrupt)
    if end.kind == "completed":
        return _DONE
    logger.error(
        "the turn ended in %s%s",
        end.kind,
        f": {end.message}" if end.message else "",
        extra={"session_id": session.id, "code": end.code},
    )
    return _INTERRUPTED if end.kind == "aborted" else _TURN_FAILED


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
    async with claimed_stdout() as writer, opening as host:
        request = SessionSearchRequest(query, filters, limit=limit, match="any")
        page = await host.engine.search_sessions(request)
        for hit in page.items:
            best = hit.best_match
            line = f"{_on_one_line(hit.id)}\t{best.seq}\t{_on_one_line(best.snippet)}"
            await writer.write_line(line.encode())
    if page.items:
        return _DONE
    logger.error("nothing matches", extra={"session_id": None, "code": None})
    return _NOTHING_FOUND


def _on_one_line(text: str) -> str:
    """Return text that neither ends a line nor tells a terminal what to do."""
    folded = fold_whitespace(text)
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in folded)


@asynccontextmanager
async def _printed(live: LiveSession, writer: LineWriter) -> AsyncIterator[AbortSignal]:
    """Print a session while the block runs, and to the end of what it gains.

    Yields:
        What ends the turn: a signal to this process, or a reader of stdout that has gone away. A
        second one ends the printing too, which may wait for its reader for ever.

    Raises:
        OSError: stdout can't be written to.
    """
    interrupt = AbortController()
    printing = _Printing(live, writer, interrupt)
    running = asyncio.create_task(printing.run(), name="events to stdout")
    # a model that thinks for long prints nothing, so that writing would not tell
    leaving = asyncio.create_task(writer.reader_gone(), name="reader of stdout")
    leaving.add_done_callback(lambda _: interrupt.abort())

    def end() -> None:
        if interrupt.signal.aborted:
            running.cancel()
        interrupt.abort()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    unsubscribe = live.subscribe(printing.observe)
    try:
        yield interrupt.signal
    finally:
        unsubscribe()
        printing.finish()
        leaving.cancel()
        await asyncio.wait([running, leaving])
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)  # what is left is short: closing the log
    if not running.cancelled():
        running.result()


class _Printing:
    """Prints a session as it grows, in the form of its log."""

    def __init__(self, live: LiveSession, writer: LineWriter, interrupt: AbortController) -> None:
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._writer = writer
        self._interrupt = interrupt
        depth = live.header.delegation_depth or 0  # as the log has it
        self._add({"type": "session", **live.header.to_json(), "delegationDepth": depth})

    def observe(self, session: LiveSession, event: SessionEvent) -> None:
        """Print an event."""
        del session
        self._add(event.to_json())

    def finish(self) -> None:
        """End `run` when all has been printed."""
        self._lines.put_nowait(None)

    async def run(self) -> None:
        """Print until the end; a reader that has gone away ends the turn."""
        try:
            while (line := await self._lines.get()) is not None:
                await self._writer.write_line(line)
                if self._writer.gone:
                    self._interrupt.abort()
        except OSError:
            self._interrupt.abort()
            raise

    def _add(self, value: Any) -> None:
        self._lines.put_nowait(dumps(value).encode())
