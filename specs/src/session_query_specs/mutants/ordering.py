"""Providers that order, limit or filter what they find wrongly (SEARCH-9 to SEARCH-13, FILTER)."""

# ruff: noqa: D102 - what is wrong often looks at nothing; the oracle says what each does

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from session_query import (
    AbortSignal,
    ErrorCode,
    NormalizedSessionSearch,
    SessionQueryError,
    SessionRecord,
    SessionSearchPage,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import Found, Observed, OracleEngine

__all__ = ["OwnOrder"]

_OPENED = count()


class OwnOrder(OracleEngine):
    """Has an order of its own, the newest first: no fault with `ranking="provider"`."""

    def phrase_key(self, found: Found) -> tuple[Any, ...]:
        return self.tie_key(found)

    def words_key(self, found: Found) -> tuple[Any, ...]:
        return self.tie_key(found)


@provider_mutant("SEARCH-9/workspace")
class OrderOfTheWhole(OwnOrder):
    """Lets the whole corpus decide on the order in one workspace."""

    def matches_in_corpus(self, asked: NormalizedSessionSearch, seen: Observed) -> list[Found]:
        order = super().matches_in_corpus(asked, seen)
        everything = sum(map(len, self.visible(seen).values()))
        return order[::-1] if everything % 2 else order


@provider_mutant("SEARCH-9/stable")
class OrderOfTheEngine(OracleEngine):
    """Breaks ties by something that differs between two engines over the same sources."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._backwards = next(_OPENED) % 2

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        key = super().tie_key(found)
        return (-key[0], *key[1:]) if self._backwards else key


@provider_mutant("SEARCH-9/anywhere", "SEARCH-9/order")
class LiveFirst(OracleEngine):
    """Puts live sessions before stored ones."""

    def phrase_key(self, found: Found) -> tuple[Any, ...]:
        stored = self.sources.store.get(found.document.session_id) is None
        return (stored, *super().phrase_key(found))


@provider_mutant("SEARCH-9/order")
class CountsOverlaps(OracleEngine):
    """Counts occurrences that overlap as spans of their own."""

    def spans(self, occurrences: Sequence[tuple[int, int]]) -> int:
        return len(occurrences)


@provider_mutant("SEARCH-9/order")
class OldestFirst(OracleEngine):
    """Breaks ties by age the wrong way round."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        _, *others = super().tie_key(found)
        return (found.document.time, *others)


@provider_mutant("SEARCH-9/order")
class FirstSeqFirst(OracleEngine):
    """Breaks the last tie the wrong way round."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        *others, _ = super().tie_key(found)
        return (*others, found.document.seq)


@provider_mutant("SEARCH-9/order")
class NamesWithoutCase(OracleEngine):
    """Compares the ids of sessions without their case."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        time, name, seq = super().tie_key(found)
        return (time, name.casefold(), seq)


@provider_mutant("SEARCH-9/order")
class LengthInBytes(OracleEngine):
    """Measures texts in UTF-8."""

    def length(self, found: Found) -> int:
        return len(found.document.text.encode(errors="replace"))


@provider_mutant("SEARCH-13/order")
class SpansBeforeLength(OracleEngine):
    """Orders words as phrases are ordered."""

    def words_key(self, found: Found) -> tuple[Any, ...]:
        return (-len(found.units), -found.spans, self.length(found), *self.tie_key(found))


@provider_mutant("SEARCH-13/order", "SEARCH-13/blocks")
class UnitsDoNotCount(OracleEngine):
    """Doesn't put a text with more of the words first."""

    def words_key(self, found: Found) -> tuple[Any, ...]:
        return super().words_key(found)[1:]


@provider_mutant("SEARCH-11/limit")
class OneTooMany(OracleEngine):
    """Gives one hit more than the limit."""

    def page(self, order: Sequence[Found], start: int, limit: int) -> Sequence[Found]:
        return super().page(order, start, limit + 1)


@provider_mutant("SEARCH-11/limit")
class ClampsTheLimit(OracleEngine):
    """Takes a limit that is too large for the largest one."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        limit = request.get("limit")
        if isinstance(limit, int) and limit > self.max_limit:
            request = {**request, "limit": self.max_limit}
        return await super()._search_sessions(request, signal)


@provider_mutant("SEARCH-11/limit")
class NextPageOfNothing(OracleEngine):
    """Gives a cursor after a last page that is full."""

    def next_cursor(
        self, asked: Any, generation: str, start: int, order: Sequence[Found]
    ) -> str | None:
        end = start + asked.limit
        return self.cursor(asked.digest, generation, end) if end <= len(order) else None


@provider_mutant("SEARCH-11/max-limit")
class AlwaysFiveHundred(OracleEngine):
    """Says that its largest page is the usual one, whatever the settings say."""

    @property
    def max_limit(self) -> int:
        return 500


@provider_mutant("SEARCH-12/many-values")
class AsManyAsVariables(OracleEngine):
    """Refuses filters with more values than a statement of some database has variables."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        for key in ("sessionFilters", "eventFilters"):
            for one in request.get(key, ()):
                if isinstance(one, dict) and len(one.get("values") or ()) > 32_766:  # noqa: PLR2004
                    raise SessionQueryError("too many variables", ErrorCode.INDEX_FAILED)
        return await super()._search_sessions(request, signal)


@provider_mutant("FILTER-1/kinds")
class ExclusiveEnds(OracleEngine):
    """Takes the upper end of a range out of it."""

    def holds(self, asked: Any, value: Any) -> bool:
        if isinstance(asked, tuple) and asked[1] is not None and value == asked[1]:
            return False
        return super().holds(asked, value)


@provider_mutant("FILTER-1/kinds")
class LiveIsNotPersisted(OracleEngine):
    """Takes a live session for one that isn't stored as well."""

    def session_holds(self, kind: str, asked: object, record: SessionRecord) -> bool:
        if kind == "availability" and isinstance(asked, frozenset):
            return ("live" if record.live else "persisted") in asked
        return super().session_holds(kind, asked, record)


@provider_mutant("FILTER-1/kinds")
class IgnoresParents(OracleEngine):
    """Lets every session pass a filter on parents."""

    def session_holds(self, kind: str, asked: object, record: SessionRecord) -> bool:
        return kind == "parent" or super().session_holds(kind, asked, record)


@provider_mutant("FILTER-2/combined")
class FirstFilterOnly(OracleEngine):
    """Looks at the first filter alone."""

    def session_admitted(
        self, clauses: Iterable[tuple[str, object]], record: SessionRecord
    ) -> bool:
        return super().session_admitted([*clauses][:1], record)


@provider_mutant("FILTER-2/empty")
class EmptyIsNoFilter(OracleEngine):
    """Takes an empty list of values for no filter."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        changed = _without_filters(request, lambda one: one.get("values") in ([], ()))
        return await super()._search_sessions(changed, signal)


@provider_mutant("FILTER-2/invalid")
class ForgivesFilters(OracleEngine):
    """Searches without filters where one of them can't be meant."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        try:
            return await super()._search_sessions(request, signal)
        except SessionQueryError as error:
            if error.code is not ErrorCode.INVALID_FILTER:
                raise
            return await super()._search_sessions(_without_filters(request), signal)


@provider_mutant("FILTER-2/invalid")
class LooksBeforeItJudges(OracleEngine):
    """Asks the store before it looks at the request."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        await self.observe(signal)
        return await super()._search_sessions(request, signal)


@provider_mutant("FILTER-3/copied")
class ReadsRequestsLater(OracleEngine):
    """Copies a request when the search begins, not when the call is made."""

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        return await super().search_sessions(request, signal)


@provider_mutant("FILTER-4/not-in-searches")
class TakesTextFilters(OracleEngine):
    """Takes text filters in a search, and does nothing with them."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        changed = _without_filters(request, lambda one: one.get("kind") == "text")
        return await super()._search_sessions(changed, signal)


@provider_mutant("ERR-1/requests")
class OneCodeForAll(OracleEngine):
    """Refuses every request that can't be meant with the same code."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        try:
            return await super()._search_sessions(request, signal)
        except SessionQueryError as error:
            raise SessionQueryError(str(error), ErrorCode.INVALID_QUERY) from error


@provider_mutant("ERR-1/requests")
class IgnoresUnknownKeys(OracleEngine):
    """Takes no notice of what it doesn't know in a request."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        known = {"query", "match", "limit", "cursor", "sessionFilters", "eventFilters"}
        kept = {key: value for key, value in request.items() if key in known}
        return await super()._search_sessions(kept, signal)


def _without_filters(
    request: Mapping[str, Any], drops: Callable[[dict[str, Any]], bool] = lambda _one: True
) -> dict[str, Any]:
    """Return a request without some of its filters, or without any."""
    changed = dict(request)
    for key in ("sessionFilters", "eventFilters"):
        some = changed.get(key) or []
        changed[key] = [one for one in some if not (isinstance(one, dict) and drops(one))]
        if drops({"values": None}) and drops({}):
            changed[key] = []
    return changed
