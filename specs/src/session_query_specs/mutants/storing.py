"""Stores with a fault, seen through a provider that has none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from typing import Any

from session_query import (
    AbortController,
    AbortSignal,
    PersistedSnapshot,
    PersistenceNotFoundError,
    SessionPersistence,
    StoredSession,
)

from session_query_specs.mutants._mutant import store_mutant
from session_query_specs.mutants._store_view import StoreView

__all__: list[str] = []


@store_mutant("CORPUS-6/order")
class ListsAllButOne(StoreView):
    """The store leaves the last log out of its list."""

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        return (await super().list_snapshots(signal))[:-1]


@store_mutant("CORPUS-6/order")
class InspectsToList(StoreView):
    """The store reads each log to list it."""

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        listed = await super().list_snapshots(signal)
        for one in listed:
            await self.inspect(one.header.id, signal)
        return listed


@store_mutant("CORPUS-4/live")
class BrokenIsMissing(StoreView):
    """The store says that a log isn't there where it can't be read."""

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        try:
            return await super().list_snapshots(signal)
        except OSError:
            return []


@store_mutant("RECON-5/left-out")
class UnreadableIsMissing(StoreView):
    """The store says that a log is gone where it can't be read."""

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        try:
            return await super().inspect(session_id, signal)
        except OSError as error:
            raise PersistenceNotFoundError(session_id) from error


@store_mutant("READ-1/reads")
class TornLogs(StoreView):
    """The store loses the last event of each log."""

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        stored = await super().inspect(session_id, signal)
        return StoredSession(stored.header, stored.events[:-1], stored.revision)


@store_mutant("RECON-1/history", "RECON-1/found")
class OneRevision(StoreView):
    """The store gives a log the same revision for ever."""

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        listed = await super().list_snapshots(signal)
        return [PersistedSnapshot(one.header, "r0") for one in listed]

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        stored = await super().inspect(session_id, signal)
        return StoredSession(stored.header, stored.events, "r0")


@store_mutant("RECON-1/history", "RECON-1/found")
class ListsOnce(StoreView):
    """The store lists what it has once, and answers so for ever."""

    def __init__(self, inner: SessionPersistence) -> None:
        super().__init__(inner)
        self._listed: Sequence[PersistedSnapshot] | None = None

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        if self._listed is None:
            self._listed = await super().list_snapshots(signal)
        return self._listed


@store_mutant("RECON-2/unchanged")
class NewRevisions(StoreView):
    """The store gives a log another revision each time that it's listed."""

    def __init__(self, inner: SessionPersistence) -> None:
        super().__init__(inner)
        self._numbers = count()

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        listed = await super().list_snapshots(signal)
        return [PersistedSnapshot(one.header, f"n{next(self._numbers)}") for one in listed]


@store_mutant("READ-3/titles")
class ReadsTwice(StoreView):
    """The store reads a log twice when it is asked once."""

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        await super().inspect(session_id, signal)
        return await super().inspect(session_id, signal)


@store_mutant("CANCEL-3/quiescent")
class LeavesItsWorkers(StoreView):
    """The store ends at once when its signal is aborted, and not what it has begun."""

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        working: asyncio.Future[Any] = asyncio.ensure_future(super().list_snapshots(signal))
        aborted = asyncio.ensure_future((signal or AbortController().signal).wait())
        await asyncio.wait({working, aborted}, return_when=asyncio.FIRST_COMPLETED)
        aborted.cancel()
        return await working if working.done() else []


@store_mutant("CANCEL-5/own-signal")
class SignalOfItsOwn(StoreView):
    """The store works with a signal that follows the one that it's given."""

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        followed = None if signal is None else AbortSignal.any(signal)
        return await super().inspect(session_id, followed)


@store_mutant("CANCEL-5/cancellation")
class NoSignal(StoreView):
    """The store doesn't hand on the signal that would tell of a cancellation."""

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        del signal
        return await super().list_snapshots()
