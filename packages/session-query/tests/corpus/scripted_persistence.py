"""A store in memory that records its calls and does what a test scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from session_query.cancellation import AbortSignal
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence import PersistedSnapshot, SessionPersistence, StoredSession


@dataclass(frozen=True)
class Call:
    """One call of the store: its name, the session, and the signal that it got."""

    name: str
    session_id: str | None
    signal: AbortSignal | None


class ScriptedPersistence(SessionPersistence):
    """Answers from `logs`; every call takes `passes` rounds of the loop and ignores its signal."""

    def __init__(
        self, logs: Iterable[tuple[SessionHeader, Sequence[SessionEvent]]] = (), *, passes: int = 1
    ) -> None:
        self.logs = {header.id: (header, list(events)) for header, events in logs}
        self.passes = passes
        self.calls: list[Call] = []
        self.running: list[Call] = []
        self.at_start: dict[str, Callable[[], object]] = {}
        """Called when the call has begun; the key is its name and the session: `inspect a`."""
        self.wrap: Callable[[Sequence[SessionEvent]], Sequence[SessionEvent]] = tuple

    @property
    def identity(self) -> str:
        return f"scripted {id(self)}"

    def put(self, header: SessionHeader, events: Sequence[SessionEvent] = ()) -> None:
        """Store a log."""
        self.logs[header.id] = (header, list(events))

    async def list(self, signal: AbortSignal | None = None) -> Sequence[SessionHeader]:
        return [snapshot.header for snapshot in await self.list_snapshots(signal)]

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        found: Sequence[PersistedSnapshot] = await self._call(
            Call("list", None, signal), self._snapshots
        )
        return found

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        found: StoredSession = await self._call(
            Call("inspect", session_id, signal), lambda: self._stored(session_id)
        )
        return found

    async def _call(self, call: Call, answer: Callable[[], Any]) -> Any:
        self.calls.append(call)
        self.running.append(call)
        try:
            act = self.at_start.get(f"{call.name} {call.session_id}")
            if act is not None:
                act()
            for _ in range(self.passes):
                await asyncio.sleep(0)
            return answer()
        finally:
            self.running.remove(call)

    def _snapshots(self) -> Sequence[PersistedSnapshot]:
        return [
            PersistedSnapshot(header, str(len(events))) for header, events in self.logs.values()
        ]

    def _stored(self, session_id: str) -> StoredSession:
        header, events = self.logs[session_id]
        return StoredSession(header, self.wrap(events), str(len(events)))
