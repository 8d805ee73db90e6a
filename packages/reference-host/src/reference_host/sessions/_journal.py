"""Brings the events of one live session into its store (HOST-3)."""

from __future__ import annotations

import asyncio

from session_query import (
    AbortSignal,
    LiveSession,
    PersistenceConflictError,
    PersistenceError,
    WritableSessionPersistence,
    settle,
)

from reference_host.errors import SessionError

__all__ = ["Journal"]


class Journal:
    """Writes what a session has gained, in order and one batch at a time.

    Args:
        persistence: the store.
        session: the session.
        written: how many of its events the store has already.
    """

    def __init__(
        self, persistence: WritableSessionPersistence, session: LiveSession, written: int
    ) -> None:
        self._persistence = persistence
        self._session = session
        self._written = written
        self._turn = asyncio.Lock()

    async def claim(self) -> None:
        """Take the log, before anybody is shown that the session is open.

        Raises:
            SessionError: `SESSION_OWNED_ELSEWHERE` or `SESSION_WRITE_FAILED`.
        """
        async with self._turn:
            await settle(self._write, None)

    async def flush(self) -> None:
        """Write what is not written yet; durable when this returns.

        A cancellation takes effect when the batch under way has been written.

        Raises:
            SessionError: `SESSION_OWNED_ELSEWHERE` or `SESSION_WRITE_FAILED`. The session has
                events then that its store lacks, so it must not go on.
        """
        async with self._turn:
            while self._written < len(self._session.events):
                await settle(self._write, None)

    async def _write(self, signal: AbortSignal) -> None:
        del signal  # a batch is short, and is written whole or not at all
        events = self._session.events
        header = self._session.header
        try:
            await self._persistence.append(header, events[self._written :])
        except PersistenceConflictError as error:
            problem = (
                f"session {header.id!r} is being written by another process; end that one, or fork"
                f" the session: {error}"
            )
            raise SessionError(problem, "SESSION_OWNED_ELSEWHERE") from error
        except PersistenceError as error:
            problem = (
                f"session {header.id!r} could not be written: {error}. Mend the store, and load the"
                " session again"
            )
            raise SessionError(problem, "SESSION_WRITE_FAILED") from error
        self._written = len(events)
