"""Providers with one fault each, and one that is right but for an order of its own."""

# ruff: noqa: ARG002 - what is wrong often looks at nothing

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from session_query import (
    AbortSignal,
    EventDocument,
    EventFilters,
    MatchMode,
    NormalizedSessionSearch,
    SessionHeader,
    SessionRecord,
    Token,
)
from session_query_specs.oracle import Found, Observed, OracleEngine


class OwnOrder(OracleEngine):
    """Has an order of its own, the newest first: `ranking="provider"`."""

    def phrase_key(self, found: Found) -> tuple[Any, ...]:
        return self.tie_key(found)

    def words_key(self, found: Found) -> tuple[Any, ...]:
        return self.tie_key(found)


class OrderOfTheWhole(OwnOrder):
    """Lets the whole corpus decide on the order in one workspace."""

    def matches_in_corpus(self, asked: NormalizedSessionSearch, seen: Observed) -> list[Found]:
        order = super().matches_in_corpus(asked, seen)
        everything = sum(map(len, self.visible(seen).values()))
        return order[::-1] if everything % 2 else order


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
