"""Providers that find the wrong things, or tell them wrongly (SEARCH-1 to SEARCH-8, SEARCH-10)."""

# ruff: noqa: ARG002 - what is wrong often looks at nothing; the oracle says what each does

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from session_query import (
    AbortSignal,
    ErrorCode,
    EventDocument,
    EventFilters,
    EventHit,
    EventSearchPage,
    MatchMode,
    NormalizedEventSearch,
    NormalizedSessionSearch,
    SessionHeader,
    SessionQueryError,
    SessionSearchPage,
    Token,
    fold_whitespace,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import Found, Observed, OracleEngine, Unit

__all__: list[str] = []

Asked = NormalizedSessionSearch | NormalizedEventSearch


@provider_mutant("SEARCH-1/finds")
class ForgetsLiveSessions(OracleEngine):
    """Searches the stored sessions of the corpus alone."""

    def visible(self, seen: Observed) -> Mapping[str, tuple[EventDocument, ...]]:
        found = super().visible(seen)
        return {name: own for name, own in found.items() if name not in seen.listing.live}


@provider_mutant("SEARCH-1/one-hit-a-session")
class HitForEachMatch(OracleEngine):
    """Gives a session one hit for each of its matches."""

    def one_each(self, order: Iterable[Found]) -> list[Found]:
        return list(order)


@provider_mutant("SEARCH-2/finds", "SEARCH-2/all-matches")
class SkipsNewestEvent(OracleEngine):
    """Leaves the last event of a log out of a search in it."""

    async def observe_one(
        self, session_id: str, signal: AbortSignal | None
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str]:
        header, documents, generation = await super().observe_one(session_id, signal)
        return header, documents[:-1], generation


@provider_mutant("SEARCH-2/all-matches")
class StrongestMatchOnly(OracleEngine):
    """Answers a search in a session with its strongest match, as one over the corpus does."""

    def matches_in(self, asked: Asked, documents: Iterable[EventDocument]) -> list[Found]:
        order = super().matches_in(asked, documents)
        return order[:1] if isinstance(asked, NormalizedEventSearch) else order


@provider_mutant("SEARCH-2/header")
class HeaderWithHitsOnly(OracleEngine):
    """Makes a header up where a search in a session finds nothing."""

    async def _search_events(self, request: Any, signal: AbortSignal | None) -> EventSearchPage:
        page = await super()._search_events(request, signal)
        return page if page.items else replace(page, header=SessionHeader(0, page.header.id, 0))


@provider_mutant("SEARCH-2/unknown")
class UnknownIsEmpty(OracleEngine):
    """Answers a search in an unknown session with no hits."""

    async def _search_events(self, request: Any, signal: AbortSignal | None) -> EventSearchPage:
        try:
            return await super()._search_events(request, signal)
        except SessionQueryError as error:
            if error.code is not ErrorCode.SESSION_NOT_FOUND:
                raise
            return EventSearchPage(SessionHeader(0, request["sessionId"], 0), ())


@provider_mutant("SEARCH-3/shape")
class MatchedForPhrases(OracleEngine):
    """Tells what matched for phrases too."""

    def matched(self, asked: Asked, found: Found) -> tuple[str, ...] | None:
        if asked.query.match == "phrase":
            return (asked.query.normalized,)
        return super().matched(asked, found)


@provider_mutant("SEARCH-3/shape")
class TimeInSeconds(OracleEngine):
    """Gives the times of hits in whole seconds."""

    def hit(self, asked: Asked, found: Found) -> EventHit:
        hit = super().hit(asked, found)
        return hit._replace(time=hit.time // 1000)


@provider_mutant("SEARCH-4/surfaces")
class OnlyCurrent(OracleEngine):
    """Searches what is on the surface alone."""

    def event_admitted(
        self, clauses: Iterable[tuple[str, object]], document: EventDocument
    ) -> bool:
        return document.surface == "current" and super().event_admitted(clauses, document)


@provider_mutant("SEARCH-4/live-shadows")
class StoredShadows(OracleEngine):
    """Lets the stored log win over the live one."""

    def visible(self, seen: Observed) -> Mapping[str, tuple[EventDocument, ...]]:
        return {
            name: log.documents
            if (log := self.log_of(seen.listing, name)) is not None
            else documents[:-1]
            for name, documents in super().visible(seen).items()
        }


@provider_mutant("SEARCH-5/phrase")
class AnyOrder(OracleEngine):
    """Takes the tokens of a phrase in any order."""

    def starts(self, texts: Sequence[str], wanted: Sequence[str]) -> list[int]:
        size = len(wanted)
        return [
            at
            for at in range(len(texts) - size + 1)
            if sorted(texts[at : at + size]) == sorted(wanted)
        ]


@provider_mutant("SEARCH-5/phrase")
class GapsInPhrases(OracleEngine):
    """Finds a phrase with another token between its first two."""

    def starts(self, texts: Sequence[str], wanted: Sequence[str]) -> list[int]:
        exact = super().starts(texts, wanted)
        if len(wanted) == 1:
            return exact
        loose = [
            at
            for at in range(len(texts) - len(wanted))
            if (texts[at], *texts[at + 2 : at + 1 + len(wanted)]) == tuple(wanted)
        ]
        return sorted({*exact, *loose})


@provider_mutant("SEARCH-5/literal")
class OperatorsInQueries(OracleEngine):
    """Takes a word that begins with a special character for an operator, and drops it."""

    def asked_units(self, asked: Asked) -> tuple[Unit, ...]:
        words = [word for word in asked.query.normalized.split(" ") if word[:1].isalnum()]
        return self.units(" ".join(words), asked.query.match)


@provider_mutant("SEARCH-5/blank")
class BlankFindsNothing(OracleEngine):
    """Answers a search for nothing with no hits."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        try:
            return await super()._search_sessions(request, signal)
        except SessionQueryError as error:
            if error.code is not ErrorCode.INVALID_QUERY:
                raise
            return SessionSearchPage(())


@provider_mutant("SEARCH-5/no-token")
class RefusesPunctuation(OracleEngine):
    """Refuses a query without tokens."""

    def asked_units(self, asked: Asked) -> tuple[Unit, ...]:
        units = super().asked_units(asked)
        if not units:
            raise SessionQueryError("nothing to look for", ErrorCode.INVALID_QUERY)
        return units


@provider_mutant("SEARCH-5/long")
class ChokesOnLongQueries(OracleEngine):
    """Raises an error of its own for a query of more than 10,000 characters."""

    def asked_units(self, asked: Asked) -> tuple[Unit, ...]:
        if len(asked.query.normalized) > 10_000:  # noqa: PLR2004 - any number of that size
            raise RecursionError("too many words")
        return super().asked_units(asked)


@provider_mutant("SEARCH-6/tokens")
class CaseMatters(OracleEngine):
    """Compares tokens as they are written."""

    def tokens(self, text: str) -> Sequence[Token]:
        return [
            token._replace(text=text[token.start : token.end]) for token in super().tokens(text)
        ]


@provider_mutant("SEARCH-6/tokens")
class PartsOfTokens(OracleEngine):
    """Finds a token in the middle of another one."""

    def starts(self, texts: Sequence[str], wanted: Sequence[str]) -> list[int]:
        if len(wanted) > 1:
            return super().starts(texts, wanted)
        return [at for at, text in enumerate(texts) if wanted[0] in text]


@provider_mutant("SEARCH-6/mixed")
class OnlyLatin(OracleEngine):
    """Sees tokens in ASCII alone."""

    def tokens(self, text: str) -> Sequence[Token]:
        return [token for token in super().tokens(text) if token.text.isascii()]


@provider_mutant("SEARCH-7/script")
class NeverSegments(OracleEngine):
    """Takes a run of a script without spaces for one token, whatever the settings say."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self.segmentation = "none"


@provider_mutant("SEARCH-7/none")
class AlwaysSegments(OracleEngine):
    """Finds parts of a script without spaces, whatever the settings say."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self.segmentation = "script"


@provider_mutant("SEARCH-8/filters-first")
class FiltersLast(OracleEngine):
    """Filters events after the strongest one of each session was chosen."""

    def matches_in_corpus(self, asked: NormalizedSessionSearch, seen: Observed) -> list[Found]:
        unfiltered = replace(asked, event_filters=EventFilters())
        strongest = self.one_each(super().matches_in_corpus(unfiltered, seen))
        clauses = asked.event_filters.clauses
        return [found for found in strongest if self.event_admitted(clauses, found.document)]


@provider_mutant("SEARCH-10/snippet")
class CutsClusters(OracleEngine):
    """Cuts snippets between any two code points."""

    def edges(self, text: str) -> list[int]:
        return [*range(len(text) + 1)]


@provider_mutant("SEARCH-10/snippet")
class SnippetOfTheBegin(OracleEngine):
    """Shows the begin of a text, wherever the match is."""

    def snippet(self, text: str, start: int, end: int) -> str:
        return super().snippet(text, 0, min(1, len(text)))


@provider_mutant("SEARCH-10/snippet")
class EllipsisOnTop(OracleEngine):
    """Adds the ellipses to a snippet that is full already."""

    def snippet(self, text: str, start: int, end: int) -> str:
        shown = super().snippet(text, start, end)
        longer = len(fold_whitespace(text)) > self.snippet_chars
        return f"{shown}…" if longer and not shown.endswith("…") else shown


@provider_mutant("SEARCH-10/snippet")
class KeepsLineBreaks(OracleEngine):
    """Leaves the white space of a short text as it is."""

    def snippet(self, text: str, start: int, end: int) -> str:
        short = len(fold_whitespace(text)) <= self.snippet_chars
        return text if short else super().snippet(text, start, end)


@provider_mutant("SEARCH-13/all")
class AllIsAny(OracleEngine):
    """Is content with any word."""

    def answers(self, match: MatchMode, found: Sequence[bool]) -> bool:
        return any(found)


@provider_mutant("SEARCH-13/any")
class AnyIsAll(OracleEngine):
    """Insists on all words."""

    def answers(self, match: MatchMode, found: Sequence[bool]) -> bool:
        return all(found)


@provider_mutant("SEARCH-13/words")
class KeepsStopWords(OracleEngine):
    """Takes stop words for words."""

    def is_stop_word(self, word: str) -> bool:
        return False


@provider_mutant("SEARCH-13/words")
class DropsAllStopWords(OracleEngine):
    """Drops stop words even where nothing remains."""

    def telling(self, words: Sequence[str]) -> Sequence[str]:
        return [word for word in words if not self.is_stop_word(word)]


@provider_mutant("SEARCH-13/matched", "SEARCH-13/blocks")
class LargerBlocks(OracleEngine):
    """Has blocks of 65 tokens."""

    block_tokens = 65


@provider_mutant("SEARCH-13/matched")
class MatchedAnywhere(OracleEngine):
    """Lists the units of the whole text in the place of those of its best block."""

    def matched(self, asked: Asked, found: Found) -> tuple[str, ...] | None:
        if asked.query.match == "phrase":
            return None
        texts = self.token_texts(found.document.text)
        return tuple(
            unit.text for unit in self.asked_units(asked) if self.starts(texts, unit.tokens)
        )


@provider_mutant("SEARCH-13/matched")
class MatchedByName(OracleEngine):
    """Lists units by the alphabet, not in query order."""

    def matched(self, asked: Asked, found: Found) -> tuple[str, ...] | None:
        matched = super().matched(asked, found)
        return matched and tuple(sorted(matched, reverse=True))
