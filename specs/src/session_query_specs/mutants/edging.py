"""Providers that are right but for rare values (FILTER-1, FILTER-2, SEARCH-9, RECON, ERR)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

from session_query import (
    AbortSignal,
    CorpusListing,
    ErrorCode,
    EventDocument,
    EventSearchPage,
    OperationQueue,
    PersistedSnapshot,
    SearchConfig,
    SessionQueryError,
    SessionRecord,
    fold_whitespace,
    semantic_documents,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import Found, Observed, OracleEngine

__all__: list[str] = []

_TIMES_SAID = count()


@provider_mutant("FILTER-1/exactly")
class EmptyCwdIsNone(OracleEngine):
    """Takes the empty working directory for none."""

    def session_holds(self, kind: str, asked: object, record: SessionRecord) -> bool:
        if kind == "cwd" and isinstance(asked, frozenset):
            return (record.header.cwd or None) in {value or None for value in asked}
        return super().session_holds(kind, asked, record)


@provider_mutant("FILTER-1/exactly")
class TypesByPrefix(OracleEngine):
    """Takes a type for all that begin with it."""

    def event_holds(self, kind: str, asked: object, document: EventDocument) -> bool:
        if kind == "type" and isinstance(asked, frozenset):
            return any(document.type.startswith(value) for value in asked)
        return super().event_holds(kind, asked, document)


@provider_mutant("FILTER-2/overlapping")
class LastOfAKind(OracleEngine):
    """Forgets a filter over a later one of its kind."""

    def session_admitted(
        self, clauses: Iterable[tuple[str, object]], record: SessionRecord
    ) -> bool:
        return super().session_admitted(dict(clauses).items(), record)


@provider_mutant("FILTER-2/ends")
class NoEndAtZero(OracleEngine):
    """Takes a range that ends or begins at zero for one without that end."""

    def holds(self, asked: Any, value: Any) -> bool:
        if isinstance(asked, tuple):
            asked = tuple(end or None for end in asked)
        return super().holds(asked, value)


@provider_mutant("SEARCH-9/close")
class NoTimeBeforeZero(OracleEngine):
    """Takes what was before 1970 for equally old."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        return (-max(0, found.document.time), *super().tie_key(found)[1:])


@provider_mutant("SEARCH-9/close")
class FoldsBeforeItMeasures(OracleEngine):
    """Measures texts with their white space folded."""

    def length(self, found: Found) -> int:
        return len(fold_whitespace(found.document.text))


@provider_mutant("SEARCH-9/close")
class NamesInUtf16(OracleEngine):
    """Compares the ids of sessions by their UTF-16 units."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        time, name, seq = super().tie_key(found)
        return (time, name.encode("utf-16-be", "surrogatepass"), seq)


@provider_mutant("SEARCH-9/close")
class CountsToEight(OracleEngine):
    """Counts no more than eight spans."""

    def spans(self, occurrences: Sequence[tuple[int, int]]) -> int:
        return min(8, super().spans(occurrences))


@provider_mutant("RECON-1/meanwhile")
class ListsNoMore(OracleEngine):
    """Doesn't list again once it has inspected logs."""

    async def observe(self, signal: AbortSignal | None) -> Observed:
        seen = Observed(await self._corpus.observe_listing(signal))
        for snapshot in self.changed(seen):
            await self.inspect(seen, snapshot, signal)
        return seen


@provider_mutant("RECON-1/no-end")
class TriesFiveTimes(OracleEngine):
    """Goes on trying for longer while sessions come and go."""

    async def observe(self, signal: AbortSignal | None) -> Observed:
        for _ in range(4):
            with suppress(SessionQueryError):
                return await super().observe(signal)
        return await super().observe(signal)


@provider_mutant("RECON-1/growing")
class WantsQuiet(OracleEngine):
    """Fails where logs grow while they are read, however often."""

    def must_stay(self, listing: CorpusListing) -> tuple[object, ...]:
        revisions = {name: one.revision for name, one in listing.persisted.items()}
        return (*super().must_stay(listing), revisions)


@provider_mutant("RECON-2/other-store")
class OneStoreForAll(OracleEngine):
    """Keeps logs by id and revision, whichever store they are of."""

    def identity(self, _listing: CorpusListing) -> str:
        return ""


class _OwnFailures(OracleEngine):
    """Fails searches in one session in a way of its own."""

    async def _search_events(self, request: Any, signal: AbortSignal | None) -> EventSearchPage:
        try:
            return await super()._search_events(request, signal)
        except SessionQueryError as error:
            raise self.instead(error) from self.cause(error)

    def instead(self, error: SessionQueryError) -> SessionQueryError:
        return SessionQueryError(error.message, error.code, header=error.header)

    def cause(self, error: SessionQueryError) -> BaseException | None:
        return error.__cause__


@provider_mutant("RECON-5/own-error")
class AllIsDamage(_OwnFailures):
    """Says of a log that breaks a rule of the surface that it is damaged."""

    def instead(self, error: SessionQueryError) -> SessionQueryError:
        invalid = error.code is ErrorCode.INVALID_SURFACE
        code = ErrorCode.CORRUPT_SESSION if invalid else error.code
        return SessionQueryError(error.message, code, header=error.header)


@provider_mutant("ERR-4/searches")
class SearchesWithoutHeader(_OwnFailures):
    """Doesn't say in which session a search failed."""

    def instead(self, error: SessionQueryError) -> SessionQueryError:
        return SessionQueryError(error.message, error.code)


@provider_mutant("ERR-2/searches")
class SearchesWithoutCause(_OwnFailures):
    """Doesn't say what made a search fail."""

    def cause(self, _error: SessionQueryError) -> BaseException | None:
        return None


@provider_mutant("RECON-5/remembered")
class HopesForRepair(OracleEngine):
    """Inspects a damaged revision again at each search."""

    def changed(self, seen: Observed) -> list[PersistedSnapshot]:
        changed = super().changed(seen)
        listed = seen.listing.persisted
        hoped = [one for name, one in listed.items() if self._is_hoped_for(seen, name)]
        return [*changed, *(one for one in hoped if one not in changed)]

    def _is_hoped_for(self, seen: Observed, name: str) -> bool:
        log = self.log_of(seen.listing, name)
        return log is not None and log.failure is not None and name not in seen.unread


@provider_mutant("ERR-5/left-out")
class SaysItAgain(OracleEngine):
    """Logs at each search what it leaves out."""

    def visible(self, seen: Observed) -> Mapping[str, tuple[EventDocument, ...]]:
        for name in seen.listing.persisted:
            log = self.log_of(seen.listing, name)
            if log is not None and log.failure is not None:
                self.say_left_out(name, log.failure, str(next(_TIMES_SAID)))
        return super().visible(seen)


@provider_mutant("ERR-5/left-out")
class SaysItRaw(OracleEngine):
    """Logs the words of a store as they are."""

    def say_left_out(self, session_id: str, failure: SessionQueryError, revision: str) -> None:
        if (session_id, revision) not in self.__dict__.setdefault("_said", set()):
            self.__dict__["_said"].add((session_id, revision))
            told = {"session_id": session_id, "code": failure.code.value}
            logging.getLogger("session_query").warning("left out\n\x1b[0m", extra=told)


@provider_mutant("SEARCH-5/to-its-end")
class EightTokens(OracleEngine):
    """Compares a phrase by its first eight tokens."""

    def starts(self, texts: Sequence[str], wanted: Sequence[str]) -> list[int]:
        return super().starts(texts, wanted[:8])


@provider_mutant("SEARCH-13/many")
class SixteenWords(OracleEngine):
    """Looks at the first sixteen words."""

    def units(self, query: str, match: Any) -> Any:
        return super().units(query, match)[:16]


@provider_mutant("SEARCH-13/stop-words")
class StopWordsInLowerCase(OracleEngine):
    """Knows a stop word in lower case only."""

    def is_stop_word(self, word: str) -> bool:
        return word.islower() and super().is_stop_word(word)


@provider_mutant("SEARCH-5/controls")
class RefusesControls(OracleEngine):
    """Refuses a query with control characters."""

    async def _search_events(self, request: Any, signal: AbortSignal | None) -> EventSearchPage:
        if any(char < " " for char in request["query"]):
            raise SessionQueryError("a control character", ErrorCode.INVALID_QUERY)
        return await super()._search_events(request, signal)


@provider_mutant("SEARCH-10/best-block")
class ShowsTheFirst(OracleEngine):
    """Shows the first of the words, wherever most of them are."""

    def find(self, document: EventDocument, units: Any, match: Any) -> Found | None:
        found = super().find(document, units, match)
        if found is None or match == "phrase":
            return found
        tokens = self.tokens(document.text)
        texts = [token.text for token in tokens]
        first, size = min(
            (at, len(unit.tokens)) for unit in units for at in self.starts(texts, unit.tokens)
        )
        return found._replace(start=tokens[first].start, end=tokens[first + size - 1].end)


@provider_mutant("CURSOR-1/crowd")
class ThousandAtMost(OracleEngine):
    """Finds a thousand events at most."""

    def matches_in(self, asked: Any, documents: Iterable[EventDocument]) -> list[Found]:
        return super().matches_in(asked, documents)[:1000]


@provider_mutant("CORPUS-2/found-header")
class NoPreset(OracleEngine):
    """Leaves the agent preset out of the headers of hits."""

    def record(self, seen: Observed, found: Found) -> Any:
        record = super().record(seen, found)
        return record._replace(header=replace(record.header, agent_preset=None))


@provider_mutant("LOG-24/configured")
class UsualTools(OracleEngine):
    """Hides the usual tools, whatever the settings say."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        return semantic_documents(session_id, events, SearchConfig().unsearchable_tools)


@provider_mutant("RECON-7/closed")
class OpenInOneSession(OracleEngine):
    """Goes on searching one session after it was closed."""

    async def close(self) -> None:
        await super().close()
        self._closed_once = True

    async def _search_events(self, request: Any, signal: AbortSignal | None) -> EventSearchPage:
        if getattr(self, "_closed_once", False):
            self._queue = OperationQueue(RuntimeError)
        return await super()._search_events(request, signal)


@provider_mutant("CURSOR-2/forged")
class StripsCursors(OracleEngine):
    """Takes a cursor with white space around it."""

    def check_cursor(self, digest: bytes, cursor: str | None) -> None:
        super().check_cursor(digest, cursor and cursor.strip())

    def start(self, digest: bytes, cursor: str | None, generation: str) -> int:
        return super().start(digest, cursor and cursor.strip(), generation)


@provider_mutant("LOG-24/nearest")
class OneToolForAnId(OracleEngine):
    """Takes all results of an id for those of a search, if one call of that id was one."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        hidden = {
            event.data["callId"]
            for event in events
            if event.type == "tool/call" and event.data["name"] in self.config.unsearchable_tools
        }
        results = {
            event.seq
            for event in events
            if event.type == "tool/result" and event.data["message"]["source"]["callId"] in hidden
        }
        documents = super().documents(session_id, events)
        return [document for document in documents if document.seq not in results]
