"""The service: exact reads, filters and traces for every engine; searches are its providers'."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from session_query._diagnostics import Diagnostics
from session_query.cancellation import AbortSignal
from session_query.corpus import (
    EventRecord,
    EventTrace,
    LineageTrace,
    LogicalCorpus,
    SessionObservation,
    SessionRecord,
    SessionSources,
    TitleObservation,
    TitleResult,
    session_not_found,
)
from session_query.corpus._lineage import trace_lineage
from session_query.corpus._offload import Watched, offload
from session_query.corpus._titles import read_titles
from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import EventDocument
from session_query.query import _reads
from session_query.query._admission import (
    normalize_event_filters,
    normalize_session_filters,
)
from session_query.query._config import EngineConfig, SearchConfig
from session_query.query._filters import EventFilter, SessionFilter
from session_query.query._requests import EventSearchRequest, SessionSearchRequest
from session_query.query._results import (
    EventSearchPage,
    EventWindow,
    SessionLog,
    SessionSearchPage,
    SurfaceSnapshot,
)

__all__ = ["SessionQueryEngine"]

T = TypeVar("T")


class SessionQueryEngine(ABC):
    """One service over all sessions that its sources name.

    A provider implements `search_sessions` and `search_events`, and `open` and `close` if it holds
    resources; all else is here. The service is trusted: it checks nobody's authority.

    Each operation takes the `signal` of its caller. An aborted one raises its reason before
    anything else (CANCEL-2). When an operation raises, nothing that it started is running any more
    (CANCEL-3, CANCEL-4). What an operation returns is immutable, as of one moment, and shares
    nothing with its source (LOG-5). What it is given is copied when it is called (FILTER-3).

    Every operation that lists or reads stored sessions raises `SESSION_QUERY_PERSISTENCE_FAILED`
    if the store fails; every one that names a session raises `_SESSION_NOT_FOUND`,
    `_SOURCE_CONFLICT` (CORPUS-3) and `_CORRUPT_SESSION`, with the header if one was seen (ERR-4).

    Args:
        sources: where sessions come from.
        config: the settings; the defaults if left out.

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_CONFIG` for settings that are none.
    """

    def __init__(self, sources: SessionSources, config: EngineConfig | None = None) -> None:
        if config is None:
            config = EngineConfig()
        if not isinstance(config, EngineConfig):
            problem = f"config: expected an EngineConfig, got {type(config).__name__}"
            raise SessionQueryError(problem, ErrorCode.INVALID_CONFIG)
        self.config = config
        self._diagnostics = Diagnostics()
        self._corpus = LogicalCorpus(sources, self._diagnostics)

    @property
    def sources(self) -> SessionSources:
        """Where sessions come from."""
        return self._corpus.sources

    @property
    def max_limit(self) -> int:
        """The largest page that a search gives (SEARCH-11)."""
        config = self.config if isinstance(self.config, SearchConfig) else SearchConfig()
        return config.max_limit

    async def open(self) -> None:  # noqa: B027 - not every provider holds resources
        """Take up what searching needs; exact operations work without it."""

    async def close(self) -> None:  # noqa: B027 - likewise
        """Let go of it again; exact operations still work."""

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @abstractmethod
    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        """Return one page of the sessions that match, strongest first (SEARCH-1).

        Raises:
            SessionQueryError: what `normalize_session_search` raises; `SESSION_QUERY_STALE_CURSOR`,
                `_INVALID_CURSOR`, `_PERSISTENCE_FAILED`, `_INDEX_FAILED` or `_SEARCH_DISABLED`.
        """

    @abstractmethod
    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> EventSearchPage:
        """Return one page of the events of one session that match, strongest first (SEARCH-2).

        Raises:
            SessionQueryError: as `search_sessions` does, and what reading the session raises.
        """

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        """Return all sessions, newest first, then by id; no log is read (CORPUS-6)."""
        _enter(signal)
        listing = await self._corpus.observe_listing(signal)
        size = len(listing.live) + len(listing.persisted)
        return await offload(lambda _: listing.records(), size, signal)

    def filter_sessions(
        self,
        filters: Iterable[SessionFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> Coroutine[Any, Any, list[SessionRecord]]:
        """Return the sessions for which all filters hold, in the order of `list_sessions`.

        Args:
            filters: filters on sessions, as objects or as JSON (FILTER-1).
            signal: the signal of the caller.

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_FILTER`, before any source is touched.
        """
        normalized = _Given.of(partial(normalize_session_filters, filters, "filters"))

        async def answer() -> list[SessionRecord]:
            _enter(signal)
            admits = normalized.value().admits
            listing = await self._corpus.observe_listing(signal)

            def admitted(watched: Watched) -> list[SessionRecord]:
                return [record for record in watched.each(listing.records()) if admits(record)]

            size = len(listing.live) + len(listing.persisted)
            return await offload(admitted, size, signal)

        return answer()

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        """Return a complete log (READ-1).

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_SURFACE` if the log breaks a surface rule.
        """
        found = await self._corpus.observe(session_id, signal)
        return await self._compute(_reads.session_log, found, signal)

    async def list_events(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> list[EventRecord]:
        """Return the record of each event of a log, in log order (READ-1).

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_SURFACE` if the log breaks a surface rule.
        """
        found = await self._corpus.observe(session_id, signal)
        return await self._compute(_reads.event_records, found, signal)

    def filter_events(
        self,
        session_id: str,
        filters: Iterable[EventFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> Coroutine[Any, Any, list[EventDocument]]:
        """Return the events with text for which all filters hold, in log order (READ-1).

        Args:
            session_id: the session.
            filters: filters on events, as objects or as JSON (FILTER-1).
            signal: the signal of the caller.

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_FILTER`, before any source is touched;
                `SESSION_QUERY_INVALID_SURFACE` if the log breaks a surface rule.
        """
        normalized = _Given.of(partial(normalize_event_filters, filters, "filters", text=True))

        async def answer() -> list[EventDocument]:
            _enter(signal)
            admitted = normalized.value()
            found = await self._corpus.observe(session_id, signal)
            tools = self.config.unsearchable_tools
            # the number of events says nothing of the length of their texts
            return await offload(partial(_reads.documents, found, admitted, tools), None, signal)

        return answer()

    async def read_surface(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> SurfaceSnapshot:
        """Return the events on the surface, in model order (READ-1).

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_SURFACE` if the log breaks a surface rule.
        """
        found = await self._corpus.observe(session_id, signal)
        return await self._compute(_reads.surface, found, signal)

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        """Return an event and its raw neighbours; the surface is not checked (READ-2).

        Args:
            session_id: the session.
            seq: the event.
            before: how many events before it, from 0 to `read_window_max`.
            after: how many events after it, likewise.
            signal: the signal of the caller.

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_WINDOW`, before any source is touched;
                `SESSION_QUERY_EVENT_NOT_FOUND`.
        """
        _enter(signal)
        self._check_window("before", before)
        self._check_window("after", after)
        found = await self._corpus.observe(session_id, signal)
        return _reads.event_window(found, seq, before, after)

    def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> Coroutine[Any, Any, list[TitleResult]]:
        """Return one result for each unique id, in order of first occurrence (READ-3).

        A failure of one session is that session's result. An abort is one of the whole batch
        (READ-4).

        Raises:
            TypeError: `ids` is a single text, or no list of ids at all.
        """
        copied = _Given.of(partial(_listed, ids))

        async def answer() -> list[TitleResult]:
            _enter(signal)
            limit = self.config.persisted_inspect_concurrency
            return await read_titles(self._corpus, copied.value(), limit, signal)

        return answer()

    async def read_title(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> TitleObservation:
        """Return the header and title of one session (READ-3).

        Raises:
            SessionQueryError: `SESSION_QUERY_CORRUPT_SESSION` for a malformed title event too.
        """
        [result] = await self.read_titles([session_id], signal)
        if result.value is None:
            raise result.reason or AssertionError
        return result.value

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        """Return whom a session descends from and who descends from it (TRACE-1).

        Raises:
            LineageCycleError: `SESSION_QUERY_INVALID_LINEAGE`, a cycle in its ancestry (TRACE-2).
        """
        _enter(signal)
        if not isinstance(session_id, str):
            raise session_not_found(session_id)
        listing = await self._corpus.observe_listing(signal)
        if session_id in listing.conflicts:
            raise listing.conflicts[session_id]
        size = len(listing.live) + len(listing.persisted)
        return await offload(
            lambda watched: trace_lineage(session_id, watched.each(listing.records())),
            size,
            signal,
        )

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        """Return what ties an event to others of its log (TRACE-3).

        Raises:
            SessionQueryError: `SESSION_QUERY_EVENT_NOT_FOUND`, then
                `SESSION_QUERY_INVALID_SURFACE` if the log breaks a surface rule.
        """
        found = await self._corpus.observe(session_id, signal)
        return await self._compute(partial(_traced, seq), found, signal)

    async def _compute(
        self,
        fold: Callable[[SessionObservation, Watched], T],
        found: SessionObservation,
        signal: AbortSignal | None,
    ) -> T:
        return await offload(partial(fold, found), len(found.events), signal)

    def _check_window(self, name: str, count: object) -> None:
        largest = self.config.read_window_max
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= largest:
            problem = f"{name}: expected a whole number from 0 to {largest}, got {count!r:.80}"
            raise SessionQueryError(problem, ErrorCode.INVALID_WINDOW)


def _traced(seq: int, found: SessionObservation, watched: Watched) -> EventTrace:
    return _reads.event_trace(found, seq, watched)


def _listed(ids: Iterable[str]) -> list[str]:
    if isinstance(ids, (str, bytes)):
        raise TypeError("read_titles takes several ids; use read_title for one")
    return list(ids)


def _enter(signal: AbortSignal | None) -> None:
    """Raise the reason of a signal that is aborted already, before anything else (CANCEL-2)."""
    if signal is not None:
        signal.raise_if_aborted()


class _Given(Generic[T]):
    """An argument that was normalized when it was given, to be judged when it is asked for."""

    __slots__ = ("_error", "_value")

    def __init__(self, value: T | None, error: Exception | None) -> None:
        self._value = value
        self._error = error

    @classmethod
    def of(cls, normalize: Callable[[], T]) -> _Given[T]:
        """Normalize now, and keep what comes of it."""
        try:
            return cls(normalize(), None)
        except Exception as error:  # noqa: BLE001 - raised where the answer is awaited
            return cls(None, error)

    def value(self) -> T:
        """Return the normalized argument, or raise what was wrong with it."""
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]  # it is there whenever the error is not
