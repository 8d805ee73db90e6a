"""A store of sessions in memory that a check can steer; no provider ever sees another one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import count

from session_query import (
    AbortSignal,
    PersistedSnapshot,
    PersistenceNotFoundError,
    SessionEvent,
    SessionHeader,
    SessionPersistence,
    StoredSession,
)

__all__ = ["MemoryPersistence"]


class MemoryPersistence(SessionPersistence):
    """Stored logs that can be put, replaced and removed at any time.

    Attributes:
        reads: what was asked, in order: `list`, or the id of the session that was inspected.
        before: awaited at the begin of each call, with the same names and the signal of the call;
            it may do anything, such as waiting, changing this store, or raising.
    """

    def __init__(self, identity: str = "memory") -> None:
        self._identity = identity
        self._logs: dict[str, StoredSession] = {}
        self._revisions = count(1)
        self.reads: list[str] = []
        self.before: Callable[[str, AbortSignal | None], Awaitable[None]] | None = None

    @property
    def identity(self) -> str:
        """Where the logs come from."""
        return self._identity

    def put(self, header: SessionHeader, events: Sequence[SessionEvent]) -> None:
        """Store a log, in the place of the one of that id."""
        revision = f"r{next(self._revisions)}"
        self._logs[header.id] = StoredSession(header, tuple(events), revision)

    def log(self, session_id: str) -> StoredSession:
        """Return a log; nothing is noted in `reads`."""
        return self._logs[session_id]

    def remove(self, session_id: str) -> None:
        """Remove a log, if there is one of that id."""
        self._logs.pop(session_id, None)

    async def list(self, signal: AbortSignal | None = None) -> Sequence[SessionHeader]:
        """Return the headers of all logs."""
        await self._enter("list", signal)
        return [stored.header for stored in self._logs.values()]

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        """Return headers and revisions of all logs."""
        await self._enter("list", signal)
        return [PersistedSnapshot(one.header, one.revision) for one in self._logs.values()]

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        """Return one log."""
        await self._enter(session_id, signal)
        if session_id not in self._logs:
            raise PersistenceNotFoundError(session_id)
        return self._logs[session_id]

    async def _enter(self, what: str, signal: AbortSignal | None) -> None:
        self.reads.append(what)
        if self.before is not None:
            await self.before(what, signal)
