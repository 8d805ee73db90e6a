"""The oracle's searches: look at everything, order it, group it, cut out a page."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from session_query import (
    AbortSignal,
    ErrorCode,
    EventDocument,
    EventHit,
    EventSearchPage,
    EventSearchRequest,
    NormalizedEventSearch,
    NormalizedSessionSearch,
    OperationQueue,
    SearchConfig,
    SessionHit,
    SessionQueryError,
    SessionRecord,
    SessionSearchPage,
    SessionSearchRequest,
    SessionSources,
    normalize_event_search,
    normalize_session_search,
)

from session_query_specs.oracle._cursors import Cursors
from session_query_specs.oracle._observing import Observed, Observing
from session_query_specs.oracle._texts import Found, Texts, Unit

__all__ = ["OracleEngine"]

R = TypeVar("R")

_SESSION: Mapping[str, Callable[[SessionRecord], object]] = {
    "id": lambda record: record.header.id,
    "cwd": lambda record: record.header.cwd,
    "parent": lambda record: record.header.parent_session,
    "created-at": lambda record: record.header.created_at,
}
_EVENT: Mapping[str, Callable[[EventDocument], object]] = {
    "seq": lambda document: document.seq,
    "time": lambda document: document.time,
    "type": lambda document: document.type,
    "surface": lambda document: document.surface,
}


class OracleEngine(Texts, Cursors, Observing):
    """A provider that keeps no index.

    Args:
        sources: where sessions come from.
        config: the settings.

    Attributes:
        kept_orders: how many orders are kept for following pages (CURSOR-4).
    """

    kept_orders: ClassVar[int] = 8

    def __init__(self, sources: SessionSources, config: SearchConfig | None = None) -> None:
        config = SearchConfig() if config is None else config
        Observing.__init__(self, sources, config)
        Cursors.__init__(self)
        self.segmentation = config.segmentation
        self.snippet_chars = config.snippet_chars
        self._queue = OperationQueue(_closed)
        self._orders: OrderedDict[tuple[bytes, str], Sequence[Found]] = OrderedDict()

    async def close(self) -> None:
        """Wait for what was accepted and refuse the rest (RECON-7)."""
        await self._queue.close()

    # -- searches -----------------------------------------------------------------------------

    def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> Coroutine[Any, Any, SessionSearchPage]:
        """Search the corpus; one hit a session (SEARCH-1)."""
        return self._search_sessions(_copied(request), signal)

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        if signal is not None:
            signal.raise_if_aborted()
        asked = normalize_session_search(request, self.config)
        self.check_cursor(asked.digest, asked.cursor)
        async with self._queue.turn(signal):
            seen = await self.observe(signal)
            generation = self.corpus_generation(seen)
            start = self.start(asked.digest, asked.cursor, generation)
            order = self.kept(
                asked.digest, generation, lambda: self.one_each(self.matches_in_corpus(asked, seen))
            )
            hits = [
                SessionHit(*self.record(seen, found), self.hit(asked, found))
                for found in self.page(order, start, asked.limit)
            ]
            next_cursor = self.next_cursor(asked, generation, start, order)
            return SessionSearchPage(tuple(hits), next_cursor)

    def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> Coroutine[Any, Any, EventSearchPage]:
        """Search one session; each match is a hit (SEARCH-2)."""
        return self._search_events(_copied(request), signal)

    async def _search_events(
        self, request: EventSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> EventSearchPage:
        if signal is not None:
            signal.raise_if_aborted()
        asked = normalize_event_search(request, self.config)
        self.check_cursor(asked.digest, asked.cursor)
        async with self._queue.turn(signal):
            header, documents, generation = await self.observe_one(asked.session_id, signal)
            start = self.start(asked.digest, asked.cursor, generation)
            order = self.kept(asked.digest, generation, lambda: self.matches_in(asked, documents))
            hits = [self.hit(asked, found) for found in self.page(order, start, asked.limit)]
            next_cursor = self.next_cursor(asked, generation, start, order)
            return EventSearchPage(header, tuple(hits), next_cursor)

    # -- what matches -------------------------------------------------------------------------

    def matches_in_corpus(self, asked: NormalizedSessionSearch, seen: Observed) -> list[Found]:
        """Return all matches of the sessions that the filters admit, strongest first."""
        documents = [
            document
            for name, own in self.visible(seen).items()
            if (record := seen.listing.record(name)) is not None
            and self.session_admitted(asked.session_filters.clauses, record)
            for document in own
        ]
        return self.matches_in(asked, documents)

    def matches_in(
        self,
        asked: NormalizedSessionSearch | NormalizedEventSearch,
        documents: Iterable[EventDocument],
    ) -> list[Found]:
        """Return the documents that match, strongest first."""
        units = self.asked_units(asked)
        found = [
            self.find(document, units, asked.query.match)
            for document in documents
            if self.event_admitted(asked.event_filters.clauses, document)
        ]
        key = self.phrase_key if asked.query.match == "phrase" else self.words_key
        return sorted((one for one in found if one is not None), key=key)

    def asked_units(
        self, asked: NormalizedSessionSearch | NormalizedEventSearch
    ) -> tuple[Unit, ...]:
        """Return what a request asks for."""
        return self.units(asked.query.normalized, asked.query.match)

    def session_admitted(
        self, clauses: Iterable[tuple[str, object]], record: SessionRecord
    ) -> bool:
        """Tell whether all filters hold for a session (FILTER-2)."""
        return all(self.session_holds(kind, asked, record) for kind, asked in clauses)

    def session_holds(self, kind: str, asked: object, record: SessionRecord) -> bool:
        """Tell whether one filter holds for a session."""
        if kind == "availability" and isinstance(asked, frozenset):
            return (record.live and "live" in asked) or (record.persisted and "persisted" in asked)
        return self.holds(asked, _SESSION[kind](record))

    def event_admitted(
        self, clauses: Iterable[tuple[str, object]], document: EventDocument
    ) -> bool:
        """Tell whether all filters hold for an event."""
        return all(self.event_holds(kind, asked, document) for kind, asked in clauses)

    def event_holds(self, kind: str, asked: object, document: EventDocument) -> bool:
        """Tell whether one filter holds for an event."""
        return self.holds(asked, _EVENT[kind](document))

    def holds(self, asked: Any, value: Any) -> bool:
        """Tell whether a value is one of several, or in a range with both ends."""
        if isinstance(asked, frozenset):
            return value in asked
        low, high = asked
        return bool((low is None or low <= value) and (high is None or value <= high))

    # -- in which order -----------------------------------------------------------------------

    def phrase_key(self, found: Found) -> tuple[Any, ...]:
        """Return the order of phrases (SEARCH-9)."""
        return (-found.spans, self.length(found), *self.tie_key(found))

    def words_key(self, found: Found) -> tuple[Any, ...]:
        """Return the order of `all` and `any` (SEARCH-13)."""
        return (-len(found.units), self.length(found), -found.spans, *self.tie_key(found))

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        """Return what decides where matches are equally strong."""
        document = found.document
        return (-document.time, document.session_id, -document.seq)

    def length(self, found: Found) -> int:
        """Return how long a text is, in code points."""
        return len(found.document.text)

    def one_each(self, order: Iterable[Found]) -> list[Found]:
        """Return the strongest match of each session (SEARCH-8)."""
        first: dict[str, Found] = {}
        for found in order:
            first.setdefault(found.document.session_id, found)
        return list(first.values())

    # -- a page -------------------------------------------------------------------------------

    def kept(
        self, digest: bytes, generation: str, made: Callable[[], Sequence[Found]]
    ) -> Sequence[Found]:
        """Return an order that is kept, or make it; the oldest is dropped (CURSOR-4)."""
        key = (digest, generation)
        if key not in self._orders:
            self._orders[key] = made()
        self._orders.move_to_end(key)
        while len(self._orders) > self.kept_orders:
            self._orders.popitem(last=False)
        return self._orders[key]

    def page(self, order: Sequence[Found], start: int, limit: int) -> Sequence[Found]:
        """Return the matches of a page."""
        return order[start : start + limit]

    def next_cursor(
        self,
        asked: NormalizedSessionSearch | NormalizedEventSearch,
        generation: str,
        start: int,
        order: Sequence[Found],
    ) -> str | None:
        """Return the cursor for what comes after a page; None at the end."""
        end = start + asked.limit
        return self.cursor(asked.digest, generation, end) if end < len(order) else None

    def record(self, seen: Observed, found: Found) -> SessionRecord:
        """Return the record of a match's session."""
        record = seen.listing.record(found.document.session_id)
        if record is None:
            raise AssertionError(found)
        return record

    def hit(self, asked: NormalizedSessionSearch | NormalizedEventSearch, found: Found) -> EventHit:
        """Return a match as the answer has it (SEARCH-3)."""
        snippet = self.snippet(found.document.text, found.start, found.end)
        return EventHit(*found.document[:5], snippet, self.matched(asked, found))

    def matched(
        self, asked: NormalizedSessionSearch | NormalizedEventSearch, found: Found
    ) -> tuple[str, ...] | None:
        """Return the units of the best block in query order; None for a phrase (SEARCH-13)."""
        if asked.query.match == "phrase":
            return None
        units = self.asked_units(asked)
        return tuple(units[unit].text for unit in found.units)


def _copied(request: R) -> R:
    """Return a request that its caller can't change any more (FILTER-3)."""
    if not isinstance(request, Mapping):
        return request
    try:
        return copy.deepcopy(request)
    except Exception:  # noqa: BLE001 - what can't be copied is refused when it is judged
        return request


def _closed() -> SessionQueryError:
    return SessionQueryError("the engine is closed", ErrorCode.INDEX_FAILED)
