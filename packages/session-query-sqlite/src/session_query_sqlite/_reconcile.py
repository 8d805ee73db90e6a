"""Bringing the index up to a consistent observation of the sources (RECON-1 to RECON-6)."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from session_query import (
    AbortSignal,
    CorpusListing,
    Diagnostics,
    ErrorCode,
    LogicalCorpus,
    PersistedSnapshot,
    SessionPersistence,
    SessionQueryError,
    StoredSession,
    StoredTail,
    translate_store_error,
)
from session_query.cancellation import map_bounded, run_blocking, settle
from session_query.log import HiddenCalls

from session_query_sqlite._config import SqliteConfig
from session_query_sqlite._database import Database
from session_query_sqlite._live import LiveView
from session_query_sqlite._rows import PreparedSession, prepare, prepare_tail
from session_query_sqlite._state import IndexState, StoreIndex

__all__ = ["IndexReport", "Observation", "Progress", "Reconciler"]

T = TypeVar("T")

_BATCH_CHARACTERS = 4_000_000
_BATCH_SESSIONS = 256
_INSPECTIONS = 2
"""Logs that are read or prepared at once, while one batch is being written."""

Progress = Callable[[int, int], None]
"""Told how many of how many logs have been brought up to date."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a reconciliation did (INDEX-10); ``skipped`` are ids with the code of what is wrong."""

    indexed: int
    removed: int
    unchanged: int
    skipped: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, object]:
        """Return ``{indexed, removed, unchanged, skipped: [[sessionId, code]]}``."""
        return {
            "indexed": self.indexed,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "skipped": [list(one) for one in self.skipped],
        }


@dataclass(slots=True)
class Observation:
    """What a search answers for: a listing, the live logs at that moment, and the index."""

    listing: CorpusListing
    live: Mapping[str, LiveView]
    state: IndexState | None
    failures: dict[str, SessionQueryError] = field(default_factory=dict)
    """Sessions that could not be read this time."""
    indexed: set[str] = field(default_factory=set)
    removed: int = 0
    index: StoreIndex | None = None

    def index_generation(self, connection: sqlite3.Connection) -> int:
        """Return the generation that the file is at now."""
        return 0 if self.index is None else self.index.generation(connection)


def no_turn() -> AbstractAsyncContextManager[None]:
    """Hold nothing between transactions: the caller has the turn for the whole operation."""

    @asynccontextmanager
    async def nothing() -> AsyncIterator[None]:
        yield

    return nothing()


class Reconciler:
    """Indexes what has changed in the sources, and nothing else.

    ``turn`` of the methods is held around each job: by default nothing, as a search has the turn
    of the engine's queue from end to end; a refresh lets searches in between (INDEX-10).
    """

    def __init__(
        self,
        database: Database,
        corpus: LogicalCorpus,
        config: SqliteConfig,
        diagnostics: Diagnostics,
    ) -> None:
        self._database = database
        self._corpus = corpus
        self._config = config
        self._diagnostics = diagnostics
        self._stores: dict[str, StoreIndex] = {}

    def forget(self) -> None:
        """Start over: the file was replaced or rebuilt."""
        self._stores.clear()

    def index_of(self, persistence: SessionPersistence) -> StoreIndex:
        """Return the rows of a store."""
        identity = persistence.identity
        found = self._stores.get(identity)
        if found is None:
            found = StoreIndex(self._database, identity, self._config.segmentation)
            self._stores[identity] = found
        return found

    def views(self, listing: CorpusListing) -> dict[str, LiveView]:
        """Take the live logs as they are; no awaiting stands between this and the listing."""
        return {name: LiveView(session, session.events) for name, session in listing.live.items()}

    # -- the whole corpus ---------------------------------------------------------------------

    async def reconcile(
        self,
        signal: AbortSignal | None,
        on_progress: Progress | None = None,
        turn: Callable[[], AbstractAsyncContextManager[None]] = no_turn,
    ) -> Observation:
        """Observe the sources and index what has changed; return what a search may answer for.

        Raises:
            SessionQueryError: ``SESSION_QUERY_PERSISTENCE_FAILED`` where the store can't be listed,
                or where ids, headers, the mounting or the live ids change again after one retry.
        """
        listing = await self._corpus.observe_listing(signal)
        done = Observation(listing, self.views(listing), None)
        for retry in (True, False):
            worked = await self._catch_up(done, signal, on_progress, turn)
            if not worked:
                return done
            before = done.listing
            done.listing = await self._corpus.observe_listing(signal)
            done.live = self.views(done.listing)
            if _same_sessions(before, done.listing):
                if not retry or not self._pending(done):
                    return done
            elif not retry:
                raise SessionQueryError(
                    "sessions came, went or moved while the index was brought up to date, twice"
                    " in a row; try again",
                    ErrorCode.PERSISTENCE_FAILED,
                )
        # what changed only in its revision is answered as inspected
        return done

    async def _catch_up(
        self,
        done: Observation,
        signal: AbortSignal | None,
        on_progress: Progress | None,
        turn: Callable[[], AbstractAsyncContextManager[None]],
    ) -> bool:
        """Index what the listing shows as changed; tell whether a log had to be inspected."""
        persistence = done.listing.binding.persistence
        if persistence is None:
            done.state = done.index = None
            return False
        index = done.index = self.index_of(persistence)
        async with turn():
            done.state = await self._database.run(index.refresh, signal)
        listed = done.listing
        gone = [
            name
            for name in done.state.sessions
            if name not in listed.persisted and name not in listed.conflicts
        ]
        while some := gone[:_BATCH_SESSIONS]:
            async with turn():
                await self._database.run(lambda some=some: index.remove(some), signal)  # type: ignore[misc]
            done.removed += len(some)
            del gone[: len(some)]
        pending = self._pending(done)
        self._report_remembered(done)
        if pending:
            await self._inspect(done, index, persistence, pending, signal, on_progress, turn)
        async with turn():
            done.state = await self._database.run(index.refresh, signal)
        return bool(pending)

    async def reconcile_one(self, session_id: str, signal: AbortSignal | None) -> Observation:
        """Observe the stored sessions and index one of them if it has changed (RECON-8).

        What is wrong with it stands in the observation.
        """
        listing = await self._corpus.observe_listing(signal)
        done = Observation(listing, {}, None)
        persistence = listing.binding.persistence
        if persistence is None:
            return done
        index = done.index = self.index_of(persistence)
        done.state = await self._database.run(index.refresh, signal)
        pending = [snapshot for snapshot in self._pending(done) if snapshot.header.id == session_id]
        if pending:
            await self._inspect(done, index, persistence, pending, signal, None, no_turn)
            done.state = await self._database.run(index.refresh, signal)
            done.listing = await self._corpus.observe_listing(signal)
        return done

    def _pending(self, done: Observation) -> list[PersistedSnapshot]:
        """Return what has to be inspected: changed logs that no live session owns (RECON-3)."""
        sessions = {} if done.state is None else done.state.sessions
        live, failures = done.listing.live, done.failures
        return [
            snapshot
            for name, snapshot in done.listing.persisted.items()
            if ((known := sessions.get(name)) is None or not known.is_of(snapshot))
            and name not in live
            and name not in failures
        ]

    def _report_remembered(self, done: Observation) -> None:
        for name, known in ({} if done.state is None else done.state.sessions).items():
            if known.failure is not None and name in done.listing.persisted:
                self._diagnostics.record(name, known.failure, known.reason or "", known.revision)

    async def _inspect(  # noqa: PLR0913 - one step of _catch_up, split for reading
        self,
        done: Observation,
        index: StoreIndex,
        persistence: SessionPersistence,
        pending: Sequence[PersistedSnapshot],
        signal: AbortSignal | None,
        on_progress: Progress | None,
        turn: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        batch: list[PreparedSession] = []
        writing = asyncio.Lock()
        finished = 0

        async def write(least: int) -> None:
            async with writing:
                characters = sum(session.characters for session in batch)
                if len(batch) < least or (
                    least > 1 and characters < _BATCH_CHARACTERS and len(batch) < _BATCH_SESSIONS
                ):
                    return
                some = batch[:]
                batch.clear()
                async with turn():
                    await self._database.run(lambda: index.store(some), signal)
                done.indexed.update(session.header.id for session in some)

        async def bring_up(snapshot: PersistedSnapshot) -> None:
            nonlocal finished
            prepared = await self._prepared(done, index, persistence, snapshot, signal, turn)
            if prepared is not None:
                batch.append(prepared)
                await write(2)
            finished += 1
            if on_progress is not None:
                on_progress(finished, len(pending))

        await map_bounded(pending, bring_up, _INSPECTIONS, signal)
        await write(1)
        if len(pending) > _BATCH_SESSIONS:
            async with turn():
                await self._database.run(self._database.truncate_log, signal)

    async def _prepared(  # noqa: PLR0913 - one step of _inspect, split for reading
        self,
        done: Observation,
        index: StoreIndex,
        persistence: SessionPersistence,
        snapshot: PersistedSnapshot,
        signal: AbortSignal | None,
        turn: Callable[[], AbstractAsyncContextManager[None]],
    ) -> PreparedSession | None:
        """Read one log; None where its tail has been added already or it can't be read now."""
        name = snapshot.header.id
        try:
            if await self._extended(done, index, persistence, snapshot, signal, turn):
                done.indexed.add(name)
                return None
            stored = await _asked(lambda own: persistence.inspect(name, own), signal)
        except _StoreFailureError as failure:
            return self._failed(done, snapshot, failure.error)
        if not stored.header.compatible_with(snapshot.header):
            failure = SessionQueryError(
                f"session {name!r} was replaced while it was read",
                ErrorCode.SOURCE_CONFLICT,
                header=snapshot.header,
            )
            done.failures[name] = failure
            self._diagnostics.record(name, failure.code, failure.message, snapshot.revision)
            return None
        prepared = await self.prepared(stored, signal)
        if prepared.failure is not None:
            self._diagnostics.record(name, prepared.failure, prepared.reason or "", stored.revision)
        return prepared

    async def prepared(self, stored: StoredSession, signal: AbortSignal | None) -> PreparedSession:
        """Fold a log in a worker thread."""
        stop = threading.Event()

        def check() -> None:
            if stop.is_set():
                raise InterruptedError

        def job() -> PreparedSession:
            tools = self._config.unsearchable_tools
            return prepare(stored.header, stored.events, stored.revision, tools, check)

        return await run_blocking(job, signal=signal, interrupt=stop.set)

    def _failed(
        self, done: Observation, snapshot: PersistedSnapshot, error: Exception
    ) -> PreparedSession | None:
        """Leave a session out: a damaged log is remembered, a failed read tried again (RECON-5)."""
        name = snapshot.header.id
        failure = translate_store_error(error, snapshot.header, after_listing=True)
        if failure.code is ErrorCode.CORRUPT_SESSION:
            self._diagnostics.record(name, failure.code, failure.message, snapshot.revision)
            return PreparedSession(
                snapshot.header, snapshot.revision, 0, (), (), failure.code, failure.message
            )
        done.failures[name] = failure
        if failure.code is not ErrorCode.SESSION_NOT_FOUND:
            self._diagnostics.record(name, failure.code, failure.message, snapshot.revision)
        return None

    async def _extended(  # noqa: PLR0913 - one step of _prepared, split for reading
        self,
        done: Observation,
        index: StoreIndex,
        persistence: SessionPersistence,
        snapshot: PersistedSnapshot,
        signal: AbortSignal | None,
        turn: Callable[[], AbstractAsyncContextManager[None]],
    ) -> bool:
        """Index only what a log has gained, where the store can prove the rest (RECON-6)."""
        name = snapshot.header.id
        known = None if done.state is None else done.state.sessions.get(name)
        if known is None or known.failure is not None or known.header != snapshot.header:
            return False

        def ask(own: AbortSignal) -> Awaitable[StoredTail | None]:
            return persistence.inspect_tail(name, known.revision, own)

        tail = await _asked(ask, signal)
        if tail is None or (tail.events and tail.events[0].seq != known.events):
            return False
        calls = HiddenCalls(self._config.unsearchable_tools, known.hidden_calls)
        added = prepare_tail(tail.events, calls)
        if added is None:
            return False
        events = known.events + len(tail.events)
        reached = PersistedSnapshot(snapshot.header, tail.revision)
        async with turn():
            return await self._database.run(
                lambda: index.extend(reached, known.revision, added, events, calls.call_ids), signal
            )


class _StoreFailureError(Exception):
    """Carries what a store raised about one session past the failures of the index."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


async def _asked(start: Callable[[AbortSignal], Awaitable[T]], signal: AbortSignal | None) -> T:
    try:
        return await settle(start, signal)
    except Exception as error:
        if signal is not None and signal.aborted:
            raise
        raise _StoreFailureError(error) from error


def _same_sessions(before: CorpusListing, after: CorpusListing) -> bool:
    """Tell whether two listings show the same mounting, ids, headers and live sessions."""
    return (
        before.binding is after.binding
        and before.live.keys() == after.live.keys()
        and all(before.live[name] is after.live[name] for name in before.live)
        and before.persisted.keys() == after.persisted.keys()
        and all(
            before.persisted[name].header == snapshot.header
            for name, snapshot in after.persisted.items()
        )
        and before.conflicts.keys() == after.conflicts.keys()
    )
