"""Reading changed logs and writing them into the index, side by side (RECON-4 to RECON-6)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from session_query import (
    AbortSignal,
    Diagnostics,
    ErrorCode,
    PersistedSnapshot,
    SessionPersistence,
    SessionQueryError,
    StoredSession,
    StoredTail,
    translate_store_error,
)
from session_query.cancellation import map_bounded, run_blocking, settle
from session_query.log import HiddenCalls

from session_query_sqlite._database import Database
from session_query_sqlite._observation import Observation
from session_query_sqlite._rows import PreparedSession, prepare, prepare_tail
from session_query_sqlite._state import StoreIndex

__all__ = ["Inspection", "Progress", "Turn"]

T = TypeVar("T")

Progress: TypeAlias = Callable[[int, int], object]
"""Told how many of how many logs have been brought up to date."""

Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]
"""Makes what is held around each job on the index."""

BATCH_CHARACTERS = 2_500_000
BATCH_SESSIONS = 256
"""A transaction takes so much text, or so many sessions, whichever comes first."""

INSPECTIONS = 2
"""Logs that are read or prepared at once, while one batch is being written."""


@dataclass(slots=True)
class Inspection:
    """One round over the logs of a store that have changed.

    Logs are read and folded while a batch of others is written, each in a worker thread.
    """

    database: Database
    index: StoreIndex
    persistence: SessionPersistence
    diagnostics: Diagnostics
    unsearchable_tools: Collection[str]
    done: Observation
    signal: AbortSignal | None
    turn: Turn

    async def run(self, pending: Sequence[PersistedSnapshot], on_progress: Progress | None) -> None:
        """Bring all pending logs up to date, and say in the observation which were and weren't."""
        batch: list[PreparedSession] = []
        writing = asyncio.Lock()
        finished = 0

        async def bring_up(snapshot: PersistedSnapshot) -> None:
            nonlocal finished
            prepared = await self._read(snapshot)
            if prepared is not None:
                batch.append(prepared)
                async with writing:
                    if _is_full(batch):
                        await self._write(batch)
            finished += 1
            if on_progress is not None:
                on_progress(finished, len(pending))

        await map_bounded(pending, bring_up, INSPECTIONS, self.signal)
        if batch:
            await self._write(batch)
        else:
            await self._merge()
        if len(pending) > BATCH_SESSIONS:
            async with self.turn():
                await self.database.run(self.database.truncate_log, self.signal)

    async def _write(self, batch: list[PreparedSession]) -> None:
        some = batch[:]
        batch.clear()
        async with self.turn():
            await self.database.run(lambda: self.index.store(some), self.signal)
        self.done.indexed.update(session.header.id for session in some)
        await self._merge()

    async def _merge(self) -> None:
        """Merge what has come together in pieces, so that no search has to look into many."""
        merging = True
        while merging:
            async with self.turn():
                merging = await self.database.run(self.database.merge_segments, self.signal)

    async def _read(self, snapshot: PersistedSnapshot) -> PreparedSession | None:
        """Read one log; None where its tail has been added already or it can't be read now."""
        name = snapshot.header.id
        try:
            if await self._extended(snapshot):
                self.done.indexed.add(name)
                return None
            stored = await self._asked(lambda own: self.persistence.inspect(name, own))
        except _StoreFailureError as failed:
            return self._failed(snapshot, failed.error)
        if not stored.header.compatible_with(snapshot.header):
            self._leave_out(
                snapshot,
                SessionQueryError(
                    f"session {name!r} was replaced while it was read",
                    ErrorCode.SOURCE_CONFLICT,
                    header=snapshot.header,
                ),
            )
            return None
        prepared = await self._prepared(stored)
        if prepared.failure is not None:
            reason = prepared.reason or ""
            self.diagnostics.record(name, prepared.failure, reason, stored.revision)
        return prepared

    async def _prepared(self, stored: StoredSession) -> PreparedSession:
        """Fold a log in a worker thread."""
        stop = threading.Event()

        def check() -> None:
            if stop.is_set():
                raise InterruptedError

        def job() -> PreparedSession:
            return prepare(stored, self.unsearchable_tools, check)

        return await run_blocking(job, signal=self.signal, interrupt=stop.set)

    async def _extended(self, snapshot: PersistedSnapshot) -> bool:
        """Index only what a log has gained, where the store can prove the rest (RECON-6)."""
        name = snapshot.header.id
        known = None if self.done.state is None else self.done.state.sessions.get(name)
        if known is None or known.failure is not None or known.header != snapshot.header:
            return False

        def ask(own: AbortSignal) -> Awaitable[StoredTail | None]:
            return self.persistence.inspect_tail(name, known.revision, own)

        tail = await self._asked(ask)
        if tail is None or (tail.events and tail.events[0].seq != known.events):
            return False
        calls = HiddenCalls(self.unsearchable_tools, known.hidden_calls)
        added = prepare_tail(tail.events, calls)
        if added is None:
            return False
        events = known.events + len(tail.events)
        reached = PersistedSnapshot(snapshot.header, tail.revision)
        async with self.turn():
            return await self.database.run(
                lambda: self.index.extend(reached, known.revision, added, events, calls.call_ids),
                self.signal,
            )

    async def _asked(self, start: Callable[[AbortSignal], Awaitable[T]]) -> T:
        try:
            return await settle(start, self.signal)
        except Exception as error:
            if self.signal is not None and self.signal.aborted:
                raise
            raise _StoreFailureError(error) from error

    def _failed(self, snapshot: PersistedSnapshot, error: Exception) -> PreparedSession | None:
        """Leave a session out: a damaged log is remembered, a failed read tried again (RECON-5)."""
        failure = translate_store_error(error, snapshot.header, after_listing=True)
        if failure.code is ErrorCode.CORRUPT_SESSION:
            name, revision = snapshot.header.id, snapshot.revision
            self.done.damaged[name] = failure
            self.diagnostics.record(name, failure.code, failure.message, revision)
            return PreparedSession.failed(snapshot, failure.code, failure.message)
        self._leave_out(snapshot, failure)
        return None

    def _leave_out(self, snapshot: PersistedSnapshot, failure: SessionQueryError) -> None:
        name = snapshot.header.id
        self.done.failures[name] = failure
        # one that is gone is not left out: the next listing doesn't name it
        if failure.code is not ErrorCode.SESSION_NOT_FOUND:
            self.diagnostics.record(name, failure.code, failure.message, snapshot.revision)


def _is_full(batch: Sequence[PreparedSession]) -> bool:
    return (
        len(batch) >= BATCH_SESSIONS
        or sum(session.characters for session in batch) >= BATCH_CHARACTERS
    )


class _StoreFailureError(Exception):
    """Carries what a store raised about one session past the failures of the index."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error
