"""The SQLite provider: full-text search over the live and the stored sessions."""

from __future__ import annotations

import copy
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import count
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from session_query import (
    AbortSignal,
    ErrorCode,
    EventSearchPage,
    EventSearchRequest,
    LiveSession,
    SessionHit,
    SessionQueryEngine,
    SessionQueryError,
    SessionSearchPage,
    SessionSearchRequest,
    SessionSources,
    normalize_event_search,
    normalize_session_search,
)
from session_query.cancellation import OperationQueue

from session_query_sqlite._answer import Answer, SearchJob
from session_query_sqlite._config import SqliteConfig
from session_query_sqlite._cursors import Cursors, Position, stale
from session_query_sqlite._database import (
    DamagedIndexError,
    Database,
    ReopenedError,
    index_failed,
)
from session_query_sqlite._inspection import Progress, Turn
from session_query_sqlite._live import LiveIndex
from session_query_sqlite._observation import IndexReport, Observation
from session_query_sqlite._reconcile import Reconciler, no_turn
from session_query_sqlite._target import Target, TargetReconciler

__all__ = ["SqliteSessionQueryEngine"]

T = TypeVar("T")
R = TypeVar("R")

_logger = logging.getLogger("session_query")

_ATTEMPTS = 8
"""How often a search starts over because other processes changed the index under it."""


class SqliteSessionQueryEngine(SessionQueryEngine):
    """A :class:`SessionQueryEngine` whose full-text index is one SQLite file.

    Args:
        sources: where sessions come from.
        config: where the index is, and how it is built.

    Opening it raises ``SESSION_QUERY_INDEX_FAILED`` for a path that is not an index (INDEX-3),
    unless ``open_at`` leaves the index alone (INDEX-2).
    """

    def __init__(self, sources: SessionSources, config: SqliteConfig) -> None:
        super().__init__(sources, config)
        self._settings = config
        self._database = Database(config)
        self._queue = OperationQueue(lambda: index_failed("the engine is closed"))
        self._live = LiveIndex(config.segmentation, config.unsearchable_tools)
        self._reconciler = Reconciler(self._database, self._corpus, config, self._diagnostics)
        self._targets = TargetReconciler(self._corpus, self._reconciler)
        self._search = SearchJob(self._database, self._live, config)
        self._cursors = Cursors()
        self._generations = _Generations()

    # -- life ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open the engine, and the index with it unless ``open_at`` says otherwise (INDEX-2)."""
        await super().open()
        if self._settings.open_at == "startup":
            async with self._queue.turn():
                await self._recovering(self._opened, None)

    async def close(self) -> None:
        """Wait for what was accepted, purge what was deleted, and close (RECON-7, INDEX-9)."""
        await self._queue.close()
        if self._database.is_open:
            try:
                await self._database.run(self._database.purge, None)
            except (SessionQueryError, DamagedIndexError, ReopenedError) as error:
                _logger.warning(
                    "the index was closed without purging it: %s",
                    error,
                    extra={"session_id": "", "code": ErrorCode.INDEX_FAILED.value},
                )
            finally:
                self._live.forget()
                await self._database.run(self._database.disconnect, None)
        await super().close()

    async def _opened(self, signal: AbortSignal | None) -> None:
        if not self._database.is_open:
            await self._database.run(self._database.open, signal)

    async def _recovering(
        self,
        operation: Callable[[AbortSignal | None], Awaitable[T]],
        signal: AbortSignal | None,
        turn: Turn = no_turn,
    ) -> T:
        """Run an operation; where the file was replaced or is damaged, mend that and run it again.

        INDEX-4: a damaged index is set aside and built anew from the sources.
        """
        for _ in range(_ATTEMPTS):
            try:
                return await operation(signal)
            except ReopenedError:
                mend = self._database.reopen
            except DamagedIndexError as damage:
                _logger.warning(
                    "the index %s is damaged and is built anew: %s",
                    self._settings.path,
                    damage,
                    extra={"session_id": "", "code": ErrorCode.INDEX_FAILED.value},
                )
                mend = self._database.set_aside
            async with turn():
                self._live.forget()
                self._reconciler.forget()
                self._search.forget()
                await self._mending(mend, signal)
        raise index_failed(f"the index {self._settings.path!r} can't be mended; remove the file")

    async def _mending(self, job: Callable[[], None], signal: AbortSignal | None) -> None:
        try:
            await self._database.run(job, signal)
        except (DamagedIndexError, ReopenedError):
            return  # the operation meets it again, and counts

    async def _turn(
        self, operation: Callable[[AbortSignal | None], Awaitable[T]], signal: AbortSignal | None
    ) -> T:
        """Run an operation on the index when its turn comes (RECON-7)."""
        async with self._queue.turn(signal):

            async def opened(own: AbortSignal | None) -> T:
                await self._opened(own)
                return await operation(own)

            return await self._recovering(opened, signal)

    def _check_enabled(self, signal: AbortSignal | None) -> None:
        if signal is not None:
            signal.raise_if_aborted()
        if self._settings.open_at == "never":
            raise SessionQueryError(
                "search is disabled here (open_at is 'never'); exact reads work",
                ErrorCode.SEARCH_DISABLED,
            )

    # -- search -------------------------------------------------------------------------------

    def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> Coroutine[Any, Any, SessionSearchPage]:
        """Search the corpus; one hit a session, strongest first (SEARCH-1)."""
        return self._search_sessions(_held(request), signal)

    async def _search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None,
    ) -> SessionSearchPage:
        self._check_enabled(signal)
        search = normalize_session_search(request, self._settings)
        position = self._cursors.read(search.digest, search.cursor)

        async def operation(own: AbortSignal | None) -> SessionSearchPage:
            for _ in range(_ATTEMPTS):
                observation = await self._reconciler.reconcile(own)
                generation = self._generations.of_corpus(observation)
                self._check_generation(position, generation)
                job = partial(self._search.sessions, search, observation, generation, position)
                answer = await self._database.run(job, own)
                await self._discard_set_aside(own)
                if answer is not None:
                    return self._session_page(search.digest, observation, generation, answer)
            raise index_failed("other processes keep changing the index; try again")

        return await self._turn(operation, signal)

    def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> Coroutine[Any, Any, EventSearchPage]:
        """Search one session; every matching event, strongest first (SEARCH-2)."""
        return self._search_events(_held(request), signal)

    async def _search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None,
    ) -> EventSearchPage:
        self._check_enabled(signal)
        search = normalize_event_search(request, self._settings)
        position = self._cursors.read(search.digest, search.cursor)

        async def operation(own: AbortSignal | None) -> EventSearchPage:
            for _ in range(_ATTEMPTS):
                target = await self._targets.reconcile(search.session_id, own)
                generation = self._generations.of_target(target)
                self._check_generation(position, generation)
                job = partial(self._search.events, search, target, generation, position)
                answer = await self._database.run(job, own)
                if answer is not None:
                    hits = tuple(answer.hits)
                    cursor = self._next_cursor(search.digest, generation, answer)
                    return EventSearchPage(target.header, hits, cursor)
            raise index_failed("other processes keep changing the index; try again")

        return await self._turn(operation, signal)

    def _session_page(
        self, digest: bytes, observation: Observation, generation: str, answer: Answer
    ) -> SessionSearchPage:
        hits = []
        for hit in answer.hits:
            record = observation.listing.record(hit.session_id)
            if record is None:
                raise AssertionError(hit.session_id)
            hits.append(SessionHit(record.header, record.live, record.persisted, hit))
        return SessionSearchPage(tuple(hits), self._next_cursor(digest, generation, answer))

    def _next_cursor(self, digest: bytes, generation: str, answer: Answer) -> str | None:
        if answer.next_start is None:
            return None
        return self._cursors.issue(digest, Position(generation, answer.next_start))

    @staticmethod
    def _check_generation(position: Position | None, generation: str) -> None:
        if position is not None and position.generation != generation:
            raise stale()

    async def _discard_set_aside(self, signal: AbortSignal | None) -> None:
        if self._database.has_set_aside:
            await self._database.run(self._database.discard_set_aside, signal)

    # -- upkeep -------------------------------------------------------------------------------

    async def refresh(
        self, signal: AbortSignal | None = None, on_progress: Progress | None = None
    ) -> IndexReport:
        """Bring the index up to date on purpose and purge it (INDEX-9, INDEX-10).

        Searches may run between its transactions. ``on_progress`` is told how many of how many
        changed logs are done.
        """
        self._check_enabled(signal)
        await self._turn(_nothing, signal)

        def turn() -> AbstractAsyncContextManager[None]:
            return self._queue.turn(signal)

        async def operation(own: AbortSignal | None) -> IndexReport:
            observation = await self._reconciler.reconcile(own, on_progress, turn)
            async with turn():
                await self._discard_set_aside(own)
                await self._database.run(self._database.purge, own)
            return observation.report()

        return await self._recovering(operation, signal, turn)

    async def rebuild(self, signal: AbortSignal | None = None) -> None:
        """Empty the index: the next search or refresh indexes everything anew."""
        self._check_enabled(signal)

        async def operation(own: AbortSignal | None) -> None:
            await self._database.run(self._database.empty, own)

        await self._turn(operation, signal)


def _held(request: R) -> R:
    """Return a request that the caller can't change any more (FILTER-3); JSON is copied."""
    if not isinstance(request, Mapping):
        return request
    try:
        return copy.deepcopy(request)
    except Exception:  # noqa: BLE001 - what can't be copied is refused when it is judged
        return request


async def _nothing(_signal: AbortSignal | None) -> None:
    """Do nothing, once the index is open."""


class _Generations:
    """Names the generations that cursors are bound to (CURSOR-3)."""

    def __init__(self) -> None:
        self._names = count(1)
        self._corpus: tuple[object, ...] = ()
        self._corpus_name = ""
        self._live: WeakKeyDictionary[LiveSession, int] = WeakKeyDictionary()

    def of_corpus(self, observation: Observation) -> str:
        """Return the same name as before if nothing of the corpus has changed; O(sessions)."""
        listing, live = observation.listing, observation.live
        seen = (
            listing.binding,
            {
                name: (snapshot.header, None if name in live else snapshot.revision)
                for name, snapshot in listing.persisted.items()
            },
            {name: (self._number(view.session), len(view.events)) for name, view in live.items()},
            listing.conflicts.keys(),
            observation.failures.keys(),
        )
        if seen != self._corpus:
            self._corpus, self._corpus_name = seen, f"c{next(self._names)}"
        return self._corpus_name

    def of_target(self, target: Target) -> str:
        """Return a name that changes with the source of one session, and with nothing else."""
        if target.live is not None:
            return f"l{self._number(target.live.session)}.{len(target.live.events)}"
        return f"p{target.identity}\0{target.revision}"

    def _number(self, session: LiveSession) -> int:
        if session not in self._live:
            self._live[session] = next(self._names)
        return self._live[session]
