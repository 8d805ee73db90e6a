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
    """Answers from `logs`; every call takes `passes` rounds of the loop and ignores its signal.

    A key of the scripts is the name of a call, or the name and a session id: `"list"`,
    `"inspect"`, `"inspect a"`. A script that stands under a key serves every call that has it.
    """

    def __init__(
        self, logs: Iterable[tuple[SessionHeader, Sequence[SessionEvent]]] = (), *, passes: int = 1
    ) -> None:
        self.logs = {header.id: (header, list(events)) for header, events in logs}
        self.passes = passes
        self.calls: list[Call] = []
        self.running: list[Call] = []
        self.most_running = 0
        self.at_start: dict[str, Callable[[], object]] = {}
        """Called when the call has begun."""
        self.at_end: dict[str, Callable[[], object]] = {}
        """Called when the answer is made, before it is handed out."""
        self.gates: dict[str, asyncio.Event] = {}
        """The call waits for these."""
        self.failures: dict[str, BaseException] = {}
        """The call raises these instead of answering."""
        self.answers: dict[str, Any] = {}
        """The call answers with these."""
        self.wrap: Callable[[Sequence[SessionEvent]], Sequence[SessionEvent]] = tuple
        self._called = asyncio.Event()

    @property
    def identity(self) -> str:
        return f"scripted {id(self)}"

    @property
    def names(self) -> list[str]:
        """The calls so far: `list` and `inspect <id>`."""
        return [" ".join(filter(None, (call.name, call.session_id))) for call in self.calls]

    async def reached(self, count: int) -> None:
        """Wait until that many calls have begun."""
        while len(self.calls) < count:
            self._called.clear()
            await self._called.wait()

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
        keys = [f"{call.name} {call.session_id}", call.name]
        self.calls.append(call)
        self._called.set()
        self.running.append(call)
        self.most_running = max(self.most_running, len(self.running))
        try:
            self._act(self.at_start, keys)
            for key in keys:
                if key in self.gates:
                    await self.gates[key].wait()
            for _ in range(self.passes):
                await asyncio.sleep(0)
            for key in keys:
                if key in self.failures:
                    raise self.failures[key]
            scripted = [self.answers[key] for key in keys if key in self.answers]
            found = scripted[0] if scripted else answer()
            self._act(self.at_end, keys)
            return found
        finally:
            self.running.remove(call)

    def _act(self, scripts: dict[str, Callable[[], object]], keys: Iterable[str]) -> None:
        for key in keys:
            if key in scripts:
                scripts[key]()

    def _snapshots(self) -> Sequence[PersistedSnapshot]:
        return [
            PersistedSnapshot(header, str(len(events))) for header, events in self.logs.values()
        ]

    def _stored(self, session_id: str) -> StoredSession:
        header, events = self.logs[session_id]
        return StoredSession(header, self.wrap(events), str(len(events)))
