"""Bringing the index up to a consistent observation of the sources (RECON-1 to RECON-3)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from session_query import (
    AbortSignal,
    CorpusListing,
    Diagnostics,
    ErrorCode,
    LogicalCorpus,
    PersistedSnapshot,
    SessionPersistence,
    SessionQueryError,
)

from session_query_sqlite import _inspection
from session_query_sqlite._config import SqliteConfig
from session_query_sqlite._database import Database
from session_query_sqlite._inspection import Inspection, Progress, Turn
from session_query_sqlite._observation import Observation
from session_query_sqlite._state import StoreIndex

__all__ = ["Reconciler", "no_turn"]


@asynccontextmanager
async def no_turn() -> AsyncIterator[None]:
    """Hold nothing around a job: the caller has the turn for the whole operation."""
    yield


class Reconciler:
    """Indexes what has changed in the sources, and nothing else.

    ``turn`` of its methods is held around each job: a search has the turn of the engine's queue
    from end to end; a refresh lets searches in between (INDEX-10).
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

    async def reconcile(
        self,
        signal: AbortSignal | None,
        on_progress: Progress | None = None,
        turn: Turn = no_turn,
    ) -> Observation:
        """Observe the sources and index what has changed; return what a search may answer for.

        Raises:
            SessionQueryError: ``SESSION_QUERY_PERSISTENCE_FAILED`` where the store can't be listed,
                or where ids, headers, the mounting or the live ids change again after one retry.
        """
        done = Observation.of(await self._corpus.observe_listing(signal))
        for retry in (True, False):
            if not await self._catch_up(done, signal, on_progress, turn):
                break
            before = done.listing
            done.look_again(await self._corpus.observe_listing(signal))
            if _same_sessions(before, done.listing):
                # at last, what differs in its revision only is answered as inspected
                if not retry or not done.pending():
                    break
            elif not retry:
                raise SessionQueryError(
                    "sessions came, went or moved while the index was brought up to date, twice"
                    " in a row; try again",
                    ErrorCode.PERSISTENCE_FAILED,
                )
        return done

    async def reconcile_one(self, session_id: str, signal: AbortSignal | None) -> Observation:
        """Observe the stored sessions and index one of them if it has changed (RECON-8).

        What is wrong with it stands in the observation.
        """
        done = Observation.of(await self._corpus.observe_listing(signal))
        persistence = done.listing.binding.persistence
        if persistence is None:
            return done
        index = done.index = self.index_of(persistence)
        done.state = await self._database.run(index.refresh, signal)
        pending = [snapshot for snapshot in done.pending() if snapshot.header.id == session_id]
        if pending:
            await self._inspect(done, index, persistence, pending, signal)
            done.state = await self._database.run(index.refresh, signal)
            done.look_again(await self._corpus.observe_listing(signal))
        return done

    async def _catch_up(
        self,
        done: Observation,
        signal: AbortSignal | None,
        on_progress: Progress | None,
        turn: Turn,
    ) -> bool:
        """Index what the listing shows as changed; tell whether a log had to be inspected."""
        persistence = done.listing.binding.persistence
        if persistence is None:
            done.state = done.index = None
            return False
        index = done.index = self.index_of(persistence)
        async with turn():
            done.state = await self._database.run(index.refresh, signal)
        removed = await self._remove(done, index, signal, turn)
        self._report_remembered(done)
        pending = done.pending()
        if pending:
            await self._inspect(done, index, persistence, pending, signal, on_progress, turn)
        if pending or removed:
            async with turn():
                done.state = await self._database.run(index.refresh, signal)
        return bool(pending)

    async def _remove(
        self, done: Observation, index: StoreIndex, signal: AbortSignal | None, turn: Turn
    ) -> bool:
        """Forget what the store no longer lists; tell whether there was any."""
        gone = done.gone()
        for start in range(0, len(gone), _inspection.BATCH_SESSIONS):
            some = gone[start : start + _inspection.BATCH_SESSIONS]
            async with turn():
                await self._database.run(lambda some=some: index.remove(some), signal)  # type: ignore[misc]
            done.removed += len(some)
        return bool(gone)

    def _report_remembered(self, done: Observation) -> None:
        for name, known in ({} if done.state is None else done.state.failed).items():
            if known.failure is not None and name in done.listing.persisted:
                self._diagnostics.record(name, known.failure, known.reason or "", known.revision)

    async def _inspect(  # noqa: PLR0913, PLR0917 - all that an inspection is made of
        self,
        done: Observation,
        index: StoreIndex,
        persistence: SessionPersistence,
        pending: Sequence[PersistedSnapshot],
        signal: AbortSignal | None,
        on_progress: Progress | None = None,
        turn: Turn = no_turn,
    ) -> None:
        inspection = Inspection(
            self._database,
            index,
            persistence,
            self._diagnostics,
            self._config.unsearchable_tools,
            done,
            signal,
            turn,
        )
        await inspection.run(pending, on_progress)


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
