"""Providers that are wrong: three that do nothing right, and some with one fault each."""

# ruff: noqa: ARG002 - what is wrong often looks at nothing

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from session_query import (
    AbortSignal,
    ErrorCode,
    EventDocument,
    EventFilters,
    EventHit,
    EventSearchPage,
    EventSearchRequest,
    MatchMode,
    NormalizedSessionSearch,
    SessionHeader,
    SessionHit,
    SessionQueryEngine,
    SessionQueryError,
    SessionRecord,
    SessionSearchPage,
    SessionSearchRequest,
    SessionSources,
    Token,
    semantic_documents,
)
from session_query_specs import ProviderUnderTest, SuiteConfig
from session_query_specs.oracle import Found, Observed, OracleEngine

Request = SessionSearchRequest | EventSearchRequest | Mapping[str, Any]


class WrongProvider(ProviderUnderTest):
    """Opens an engine that is wrong and claims to be right.

    Attributes:
        engine: the class of the engine.
    """

    name: ClassVar[str] = "wrong"
    capabilities: ClassVar[Mapping[str, Any]] = {
        "ranking": "contract",
        "segmentation": ("script", "none"),
    }

    def __init__(self, engine: type[Any]) -> None:
        self.engine = engine

    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        engine: SessionQueryEngine = self.engine(sources, config)
        return engine


class Raises(SessionQueryEngine):
    """Raises whatever is asked."""

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        raise RuntimeError("nothing works")

    async def search_events(
        self, request: Any, signal: AbortSignal | None = None
    ) -> EventSearchPage:
        raise RuntimeError("nothing works")


def raising(code: ErrorCode) -> type[SessionQueryEngine]:
    """Return an engine that refuses everything with one code."""

    class Refuses(Raises):
        async def search_sessions(
            self, request: Any, signal: AbortSignal | None = None
        ) -> SessionSearchPage:
            raise SessionQueryError("no", code)

        async def search_events(
            self, request: Any, signal: AbortSignal | None = None
        ) -> EventSearchPage:
            raise SessionQueryError("no", code)

    return Refuses


class Nothing(Raises):
    """Finds nothing, whatever is asked."""

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        return SessionSearchPage(())

    async def search_events(
        self, request: Any, signal: AbortSignal | None = None
    ) -> EventSearchPage:
        return EventSearchPage(await self._header(request), ())

    async def _header(self, request: Any) -> SessionHeader:
        for record in await self.list_sessions():
            if record.header.id == request["sessionId"]:
                return record.header
        return SessionHeader(0, "somebody", 0)


class Everything(Nothing):
    """Finds everything, whatever is asked."""

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        hits = []
        for record in await self.list_sessions():
            found = await self._hits(record.header.id, request)
            hits += [SessionHit(*record, found[0])] if found else []
        return SessionSearchPage(tuple(hits))

    async def search_events(
        self, request: Any, signal: AbortSignal | None = None
    ) -> EventSearchPage:
        header = await self._header(request)
        hits = await self._hits(header.id, request) if header.id == request["sessionId"] else []
        return EventSearchPage(header, tuple(hits))

    async def _hits(self, session_id: str, request: Any) -> list[EventHit]:
        log = await self.read_session(session_id)
        words = request.get("match", "phrase") != "phrase"
        matched = (str(request["query"]),) if words else None
        return [
            EventHit(*document[:5], document.text[:240], matched)
            for document in semantic_documents(session_id, log.events)
        ]


# -- one fault each ---------------------------------------------------------------------------


class StoredShadows(OracleEngine):
    """Lets the stored log win over the live one."""

    def visible(self, seen: Observed) -> Mapping[str, tuple[EventDocument, ...]]:
        return {
            name: log.documents
            if (log := self.log_of(seen.listing, name)) is not None
            else documents[:-1]
            for name, documents in super().visible(seen).items()
        }


class OnlyCurrent(OracleEngine):
    """Searches the surface alone."""

    def event_admitted(
        self, clauses: Iterable[tuple[str, object]], document: EventDocument
    ) -> bool:
        return document.surface == "current" and super().event_admitted(clauses, document)


class AnyOrder(OracleEngine):
    """Takes the tokens of a phrase in any order."""

    def starts(self, texts: Sequence[str], wanted: Sequence[str]) -> list[int]:
        size = len(wanted)
        return [
            at
            for at in range(len(texts) - size + 1)
            if sorted(texts[at : at + size]) == sorted(wanted)
        ]


class CaseMatters(OracleEngine):
    """Compares tokens as they are written."""

    def tokens(self, text: str) -> Sequence[Token]:
        return [
            token._replace(text=text[token.start : token.end]) for token in super().tokens(text)
        ]


class CountsOverlaps(OracleEngine):
    """Counts occurrences that overlap as spans of their own."""

    def spans(self, occurrences: Sequence[tuple[int, int]]) -> int:
        return len(occurrences)


class OldestFirst(OracleEngine):
    """Breaks ties by age the wrong way round."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        _, *others = super().tie_key(found)
        return (found.document.time, *others)


class FirstSeqFirst(OracleEngine):
    """Breaks the last tie the wrong way round."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        *others, _ = super().tie_key(found)
        return (*others, found.document.seq)


class LengthInBytes(OracleEngine):
    """Measures texts in UTF-8."""

    def length(self, found: Found) -> int:
        return len(found.document.text.encode(errors="replace"))


class SpansBeforeLength(OracleEngine):
    """Orders words as phrases are ordered."""

    def words_key(self, found: Found) -> tuple[Any, ...]:
        return (-len(found.units), -found.spans, self.length(found), *self.tie_key(found))


class LargerBlocks(OracleEngine):
    """Has blocks of 65 tokens."""

    block_tokens = 65


class KeepsStopWords(OracleEngine):
    """Takes stop words for words."""

    def is_stop_word(self, word: str) -> bool:
        return False


class CutsClusters(OracleEngine):
    """Cuts snippets between any two code points."""

    def edges(self, text: str) -> list[int]:
        return [*range(len(text) + 1)]


class FiltersLast(OracleEngine):
    """Filters events after the strongest one of each session was chosen."""

    def matches_in_corpus(self, asked: NormalizedSessionSearch, seen: Observed) -> list[Found]:
        unfiltered = replace(asked, event_filters=EventFilters())
        strongest = self.one_each(super().matches_in_corpus(unfiltered, seen))
        clauses = asked.event_filters.clauses
        return [found for found in strongest if self.event_admitted(clauses, found.document)]


class ExclusiveEnds(OracleEngine):
    """Takes the upper end of a range out of it."""

    def holds(self, asked: Any, value: Any) -> bool:
        if isinstance(asked, tuple) and asked[1] is not None and value == asked[1]:
            return False
        return super().holds(asked, value)


class FirstFilterOnly(OracleEngine):
    """Looks at the first filter alone."""

    def session_admitted(
        self, clauses: Iterable[tuple[str, object]], record: SessionRecord
    ) -> bool:
        return super().session_admitted([*clauses][:1], record)


class SkipsOne(OracleEngine):
    """Skips a hit between two pages."""

    def page(self, order: Sequence[Found], start: int, limit: int) -> Sequence[Found]:
        return super().page(order, start + (start > 0), limit)


class TakesAnyCursor(OracleEngine):
    """Takes a cursor for another request."""

    def sealed(self, digest: bytes, text: str) -> str:
        return super().sealed(b"", text)


class NeverStale(OracleEngine):
    """Takes cursors of an earlier corpus."""

    def corpus_generation(self, seen: Observed) -> str:
        return "always"


class AlwaysStale(OracleEngine):
    """Lets every change kill the cursors in a session."""

    async def observe_one(
        self, session_id: str, signal: AbortSignal | None
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str]:
        seen = await self.observe(signal)
        header, documents, _ = await super().observe_one(session_id, signal)
        return header, documents, self.corpus_generation(seen)


class AllIsAny(OracleEngine):
    """Is content with any word."""

    def answers(self, match: MatchMode, found: Sequence[bool]) -> bool:
        return any(found)
