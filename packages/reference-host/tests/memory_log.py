"""A store in memory that can be written, and that tells when it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from session_query import (
    PersistenceConflictError,
    SessionEvent,
    SessionHeader,
    WritableSessionPersistence,
)
from session_query_specs.stores import MemoryPersistence

__all__ = ["WritableMemory"]


class WritableMemory(MemoryPersistence, WritableSessionPersistence):
    """Takes a batch after some passes of the loop, as a disk would.

    Attributes:
        passes: how many.
        failing: raised for the append of a number, from 0 on, whose log stays as it was.
        held: until it is set, appends wait for it.
        appends: how many there were.
    """

    def __init__(self) -> None:
        super().__init__()
        self.passes = 1
        self.failing: dict[int, BaseException] = {}
        self.held: asyncio.Event | None = None
        self.appends = 0

    def durable(self, session_id: str) -> Sequence[SessionEvent]:
        """Return the events of a log that would outlive the process."""
        try:
            return self.log(session_id).events
        except KeyError:
            return ()

    async def append(self, header: SessionHeader, events: Sequence[SessionEvent]) -> None:
        number, self.appends = self.appends, self.appends + 1
        if self.held is not None:
            await self.held.wait()
        for _ in range(self.passes):
            await asyncio.sleep(0)
        if number in self.failing:
            raise self.failing[number]
        stored = self.durable(header.id)
        if not events:
            return  # the log is taken, and nothing is written
        if events[0].seq != len(stored):
            raise PersistenceConflictError(header.id, f"{len(stored)} events are stored")
        self.put(header, [*stored, *events])
        await asyncio.sleep(0)  # it is stored before its caller knows

    async def flush(self) -> None:
        """Do nothing: an append is durable when it returns."""
