"""Corpora in memory: logs made of texts, a store that can be steered, and engines over them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from session_query import (
    AbortSignal,
    PersistedSnapshot,
    PersistenceNotFoundError,
    SessionEvent,
    SessionHeader,
    SessionPersistence,
    SessionSources,
    SessionStore,
    StoredSession,
    StoredTail,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine

CREATED = 1_790_000_000_000


def header(session_id: str, **fields: Any) -> SessionHeader:
    """Return a header with the required fields filled in."""
    return SessionHeader(version=0, id=session_id, created_at=CREATED, **fields)


def message(text: str) -> dict[str, Any]:
    """Return the payload of a user message."""
    return {"id": "m", "role": "user", "content": [{"type": "text", "text": text}], "source": {}}


def log(*texts: str, times: Sequence[int] = ()) -> list[SessionEvent]:
    """Return a log of user messages, all on the surface."""
    return [
        SessionEvent(
            "user/message", seq, times[seq] if times else CREATED + seq, message(text), "append"
        )
        for seq, text in enumerate(texts)
    ]


@dataclass
class MemoryPersistence(SessionPersistence):
    """A store whose logs are set by a test; it counts its reads.

    ``before`` is awaited at the beginning of each read with its name, and may do anything.
    """

    name: str = "memory"
    logs: dict[str, StoredSession] = field(default_factory=dict)
    broken: dict[str, Exception] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)
    before: Callable[[str], Any] | None = None
    tails: bool = False
    """Whether it proves that a log that was put again begins as it did before."""
    tail_from: dict[str, int] = field(default_factory=dict)
    _revisions: count[int] = field(default_factory=lambda: count(1))

    @property
    def identity(self) -> str:
        return self.name

    def put(self, head: SessionHeader, events: Sequence[SessionEvent]) -> None:
        """Store a log in the place of the one of that id."""
        before = self.logs.get(head.id)
        if before is not None:
            self.tail_from[before.revision] = len(before.events)
        self.logs[head.id] = StoredSession(head, tuple(events), f"r{next(self._revisions)}")

    async def _read(self, what: str) -> None:
        self.reads.append(what)
        if self.before is not None:
            await self.before(what)

    async def list(self, signal: AbortSignal | None = None) -> Sequence[SessionHeader]:
        del signal
        await self._read("list")
        return [stored.header for stored in self.logs.values()]

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        del signal
        await self._read("list")
        return [PersistedSnapshot(one.header, one.revision) for one in self.logs.values()]

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        del signal
        await self._read(session_id)
        if session_id in self.broken:
            raise self.broken[session_id]
        if session_id not in self.logs:
            raise PersistenceNotFoundError(session_id)
        return self.logs[session_id]

    async def inspect_tail(
        self, session_id: str, since_revision: str, signal: AbortSignal | None = None
    ) -> StoredTail | None:
        del signal
        if not self.tails:
            return None
        await self._read(f"{session_id}+")
        stored, known = self.logs[session_id], self.tail_from.get(since_revision)
        return None if known is None else StoredTail(stored.events[known:], stored.revision)

    @property
    def inspections(self) -> Sequence[str]:
        """The reads that were no listings."""
        return [what for what in self.reads if what != "list"]


@asynccontextmanager
async def engine_on(
    path: Path | str,
    persistence: SessionPersistence | None = None,
    store: SessionStore | None = None,
    **settings: Any,
) -> AsyncIterator[SqliteSessionQueryEngine]:
    """Open an engine, and close it at the end."""
    sources = SessionSources(SessionStore() if store is None else store, persistence)
    async with SqliteSessionQueryEngine(sources, SqliteConfig(str(path), **settings)) as engine:
        yield engine
