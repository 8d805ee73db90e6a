"""Engines that a test can watch and interrupt."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from session_query import (
    AbortSignal,
    EventHit,
    EventSearchPage,
    EventSearchRequest,
    EventTrace,
    EventWindow,
    LineageTrace,
    Matcher,
    NormalizedEventSearch,
    NormalizedSessionSearch,
    SearchConfig,
    SessionFilter,
    SessionHit,
    SessionQueryEngine,
    SessionRecord,
    SessionSearchPage,
    SessionSearchRequest,
    SessionSources,
    TitleResult,
    normalize_event_search,
    normalize_session_search,
    snippet,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine

T = TypeVar("T")


class ScriptedEngine(SessionQueryEngine):
    """Searches log by log, without an index; a cursor is the number of hits before it."""

    config: SearchConfig

    def __init__(self, sources: SessionSources, config: SearchConfig) -> None:
        super().__init__(sources, config)

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        search = normalize_session_search(request, self.config)
        hits = []
        for record in await self.list_sessions(signal):
            if search.session_filters.admits(record):
                found = await self._matches(record.id, search, signal)
                hits += [SessionHit(*record, best_match=hit) for hit in found[:1]]
        start = int(search.cursor or 0)
        end = start + search.limit
        return SessionSearchPage(tuple(hits[start:end]), str(end) if end < len(hits) else None)

    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> EventSearchPage:
        search = normalize_event_search(request, self.config)
        header = (await self.read_surface(search.session_id, signal)).header
        hits = await self._matches(search.session_id, search, signal)
        start = int(search.cursor or 0)
        end = start + search.limit
        cursor = str(end) if end < len(hits) else None
        return EventSearchPage(header, tuple(hits[start:end]), cursor)

    async def _matches(
        self,
        session_id: str,
        search: NormalizedSessionSearch | NormalizedEventSearch,
        signal: AbortSignal | None,
    ) -> list[EventHit]:
        matcher = Matcher(search.query)
        hits = []
        for found in await self.filter_events(session_id, (), signal):
            match = matcher.measure(found.text)
            place = (found.seq, found.type, found.time, found.surface)
            if match is not None and search.event_filters.compiled.admits(*place):
                text = snippet(found.text, (match.start, match.end), 80)
                units = None if search.query.match == "phrase" else match.matched
                hits.append(EventHit(session_id, *place, text, units))
        return hits


@dataclass(frozen=True)
class Call:
    """A call of an engine: its name, and what was asked."""

    name: str
    given: tuple[object, ...]


def _nothing(_number: int) -> None:
    pass


class WatchedEngine(SessionQueryEngine):
    """Passes what the tools ask on to another engine, and writes it down.

    `before` and `after` are called around each call with its number; `passes` is how many rounds of
    the loop a call waits besides, whatever its signal says.
    """

    def __init__(self, inner: SessionQueryEngine, passes: int = 0) -> None:
        super().__init__(inner.sources, inner.config)
        self.inner = inner
        self.passes = passes
        self.calls: list[Call] = []
        self.signals: set[AbortSignal | None] = set()
        self.running = 0
        self.before: Callable[[int], object] = _nothing
        self.after: Callable[[int], object] = _nothing

    @property
    def names(self) -> list[str]:
        """The names of the calls so far."""
        return [call.name for call in self.calls]

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        asked = self.inner.search_sessions
        return await self._passed(
            "search_sessions", signal, lambda: asked(request, signal), request
        )

    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> EventSearchPage:
        asked = self.inner.search_events
        return await self._passed("search_events", signal, lambda: asked(request, signal), request)

    async def filter_sessions(
        self,
        filters: Iterable[SessionFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> list[SessionRecord]:
        asked, given = self.inner.filter_sessions, tuple(filters)
        return await self._passed("filter_sessions", signal, lambda: asked(given, signal), *given)

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        asked, given = self.inner.read_titles, tuple(ids)
        return await self._passed("read_titles", signal, lambda: asked(given, signal), *given)

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        asked = self.inner.trace_session
        return await self._passed(
            "trace_session", signal, lambda: asked(session_id, signal), session_id
        )

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        asked, given = self.inner.trace_event, (session_id, seq)
        return await self._passed("trace_event", signal, lambda: asked(*given, signal), *given)

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        asked, given = self.inner.read_event, (session_id, seq, before, after)
        return await self._passed("read_event", signal, lambda: asked(*given, signal), *given)

    async def _passed(
        self,
        name: str,
        signal: AbortSignal | None,
        answer: Callable[[], Awaitable[T]],
        *given: object,
    ) -> T:
        number = len(self.calls)
        self.calls.append(Call(name, given))
        self.signals.add(signal)
        self.running += 1
        try:
            self.before(number)
            for _ in range(self.passes):
                await asyncio.sleep(0)
            return await answer()
        finally:
            self.running -= 1
            self.after(number)


@asynccontextmanager
async def watched(
    sources: SessionSources, kind: str = "sqlite", **settings: Any
) -> AsyncIterator[WatchedEngine]:
    """Open an engine, `sqlite` in memory or `scripted`, and watch it."""
    if kind == "scripted":
        yield WatchedEngine(ScriptedEngine(sources, SearchConfig(**settings)))
        return
    config = SqliteConfig(":memory:", **settings)
    async with SqliteSessionQueryEngine(sources, config) as engine:
        yield WatchedEngine(engine)
