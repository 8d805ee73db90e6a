"""Corpora that change under the tools: sessions of the caller's workspace, and of others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from session_query import (
    AbortSignal,
    LiveSession,
    PersistedSnapshot,
    PersistenceNotFoundError,
    SessionEvent,
    SessionHeader,
    SessionPersistence,
    SessionSources,
    SessionStore,
    StoredSession,
)

HERE = "/srv/here"
CANARY = "xcanaryx"
"""Stands in everything that the caller may not see."""
ELSEWHERE = f"/srv/{CANARY}"
LATE = 9_876_000
"""Near it are all times of sessions that the caller may not see."""
CANARY_TIME = "T02:44:"
"""Stands in these times as they are shown."""
CALLER = "caller"

Where = Literal["live", "stored", "both"]


def header(session_id: str, cwd: str | None = HERE, **fields: Any) -> SessionHeader:
    """A header that differs from others in what is given."""
    return SessionHeader(0, session_id, fields.pop("created_at", 1_000), cwd, **fields)


def said(seq: int, text: str, operation: Any = "append") -> SessionEvent:
    """A user message, on the surface unless told otherwise."""
    content = [{"type": "text", "text": text}]
    data = {"id": "m", "role": "user", "content": content, "source": {"kind": "user"}}
    return SessionEvent("user/message", seq, 1_000 + seq, data, operation)


def titled(seq: int, title: str) -> SessionEvent:
    """A title event."""
    data = {"title": title, "messageSeqs": [], "source": {"kind": "user"}}
    return SessionEvent("session/title", seq, 1_000 + seq, data)


def step(seq: int) -> SessionEvent:
    """The beginning of a step."""
    return SessionEvent("step/start", seq, 1_000 + seq, {"turn": 1, "step": 1})


def log(*texts: str, title: str | None = None) -> list[SessionEvent]:
    """A log of user messages, and a title at its end."""
    events = [said(seq, text) for seq, text in enumerate(texts)]
    return events if title is None else [*events, titled(len(events), title)]


def broken(*texts: str) -> list[SessionEvent]:
    """A log of user messages, the last of which breaks a rule of the surface."""
    return [*log(*texts), said(len(texts), "no operation", None)]


@dataclass
class MemoryPersistence(SessionPersistence):
    """A store whose logs a test sets; `before` is called at the beginning of each read.

    Each read takes `passes` rounds of the loop, whatever its signal says.
    """

    logs: dict[str, StoredSession] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None
    passes: int = 0
    running: int = 0
    _revisions: count[int] = field(default_factory=lambda: count(1))

    @property
    def identity(self) -> str:
        return f"memory {id(self)}"

    def put(self, head: SessionHeader, events: Sequence[SessionEvent]) -> None:
        """Store a log in the place of the one of that id."""
        self.logs[head.id] = StoredSession(head, tuple(events), f"r{next(self._revisions)}")

    async def list(self, signal: AbortSignal | None = None) -> Sequence[SessionHeader]:
        return [snapshot.header for snapshot in await self.list_snapshots(signal)]

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        del signal
        await self._read()
        return [PersistedSnapshot(one.header, one.revision) for one in self.logs.values()]

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        del signal
        await self._read()
        if session_id in self.failures:
            raise self.failures[session_id]
        if session_id not in self.logs:
            raise PersistenceNotFoundError(session_id)
        return self.logs[session_id]

    async def _read(self) -> None:
        self.running += 1
        try:
            self.before()
            for _ in range(self.passes):
                await asyncio.sleep(0)
        finally:
            self.running -= 1


class Corpus:
    """Live and stored sessions, to be read by an engine and changed by a test."""

    def __init__(self) -> None:
        self.store = SessionStore(clock=lambda: 2_000)
        self.persistence = MemoryPersistence()
        self.sources = SessionSources(self.store, self.persistence)

    def put(
        self, head: SessionHeader, events: Sequence[SessionEvent], where: Where = "stored"
    ) -> None:
        """Put a session in the place of the one of that id."""
        self.remove(head.id)
        if where != "stored":
            self.store.attach(head, events)
        if where != "live":
            self.persistence.put(head, events)

    def remove(self, session_id: str) -> None:
        """Let go of a session, wherever it is."""
        if self.store.get(session_id) is not None:
            self.store.detach(session_id)
        self.persistence.logs.pop(session_id, None)
        self.persistence.failures.pop(session_id, None)

    def begin_caller(self, cwd: str | None = HERE, **fields: Any) -> LiveSession:
        """Make the caller's own session: two messages, and a third in the running step."""
        events = [said(0, "rocket launched"), said(1, "alpha"), step(2), said(3, "rocket fuel")]
        return self.store.attach(header(CALLER, cwd, **fields), events)
