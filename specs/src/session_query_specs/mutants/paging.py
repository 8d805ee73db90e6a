"""Providers that follow pages wrongly, or take the wrong cursors (CURSOR-1 to CURSOR-4)."""

# ruff: noqa: ARG002 - what is wrong often looks at nothing; the oracle says what each does

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from session_query import (
    AbortSignal,
    ErrorCode,
    EventDocument,
    EventSearchPage,
    LiveSession,
    SessionHeader,
    SessionQueryError,
    SessionSearchPage,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import Found, Observed, OracleEngine

__all__: list[str] = []


@provider_mutant("CURSOR-1/pages")
class SkipsOne(OracleEngine):
    """Skips a hit between two pages."""

    def page(self, order: Sequence[Found], start: int, limit: int) -> Sequence[Found]:
        return super().page(order, start + (start > 0), limit)


@provider_mutant("CURSOR-1/pages")
class RepeatsOne(OracleEngine):
    """Begins a page with the last hit of the one before."""

    def page(self, order: Sequence[Found], start: int, limit: int) -> Sequence[Found]:
        return super().page(order, start - (start > 0), limit)


@provider_mutant("CURSOR-1/pages")
class EmptyLastPage(OracleEngine):
    """Gives a cursor for a page on which nothing is."""

    def next_cursor(
        self, asked: Any, generation: str, start: int, order: Sequence[Found]
    ) -> str | None:
        end = start + asked.limit
        return self.cursor(asked.digest, generation, end) if end <= len(order) else None


@provider_mutant("CURSOR-2/request", "CURSOR-2/scope")
class TakesAnyCursor(OracleEngine):
    """Takes a cursor of another request."""

    def sealed(self, digest: bytes, text: str) -> str:
        return super().sealed(b"", text)


@provider_mutant("CURSOR-2/request")
class CursorForAnyLimit(OracleEngine):
    """Takes a cursor with another limit."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        changed = dict(request)
        limit = changed.pop("limit", None)
        if limit is not None and changed.get("cursor") is not None:
            changed["limit"] = self._limits.get(changed["cursor"], limit)
        elif limit is not None:
            changed["limit"] = limit
        page = await super()._search_sessions(changed, signal)
        if page.next_cursor is not None and "limit" in changed:
            self._limits[page.next_cursor] = changed["limit"]
        return page

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._limits: dict[str, int] = {}


@provider_mutant("CURSOR-2/forged")
class NoSeal(OracleEngine):
    """Doesn't look at the seal of a cursor until it knows the generation."""

    def check_cursor(self, digest: bytes, cursor: str | None) -> None:
        if cursor is not None and not cursor.partition(".")[0].isdigit():
            super().check_cursor(digest, cursor)


@provider_mutant("CURSOR-2/instance")
class OneSecretForAll(OracleEngine):
    """Seals cursors as every other engine does."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._secret = bytes(16)


@provider_mutant("CURSOR-2/same-request")
class RequestsByTheLetter(OracleEngine):
    """Takes the same request with its filters in another order for another one."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._asked: dict[str, str] = {}

    async def _search_events(self, request: Any, signal: AbortSignal | None) -> EventSearchPage:
        told = repr({key: value for key, value in request.items() if key != "cursor"})
        cursor = request.get("cursor")
        if self._asked.get(cursor, told) != told:
            raise SessionQueryError("another request", ErrorCode.INVALID_CURSOR)
        page = await super()._search_events(request, signal)
        if page.next_cursor is not None:
            self._asked[page.next_cursor] = told
        return page


@provider_mutant("CURSOR-3/corpus")
class NeverStale(OracleEngine):
    """Takes cursors of an earlier corpus."""

    def corpus_generation(self, seen: Observed) -> str:
        return "always"


@provider_mutant("CURSOR-3/corpus")
class CountsSessions(OracleEngine):
    """Sees that sessions come and go, and not that their logs grow."""

    def corpus_generation(self, seen: Observed) -> str:
        return repr((sorted(seen.listing.persisted), sorted(seen.listing.live)))


@provider_mutant("CURSOR-3/corpus")
class SameStoreMountedAgain(OracleEngine):
    """Takes a store that is mounted again for the same mounting."""

    def number(self, thing: object) -> int:
        return super().number(thing) if isinstance(thing, LiveSession) else 0


@provider_mutant("CURSOR-3/own-session")
class TargetNeverStale(OracleEngine):
    """Takes cursors in a session that has changed."""

    async def observe_one(
        self, session_id: str, signal: AbortSignal | None
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str]:
        header, documents, _ = await super().observe_one(session_id, signal)
        return header, documents, "always"


@provider_mutant("CURSOR-3/own-session")
class LivingIsStored(OracleEngine):
    """Doesn't notice that a session is live no more, while its log stays as it was."""

    async def observe_one(
        self, session_id: str, signal: AbortSignal | None
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str]:
        header, documents, _ = await super().observe_one(session_id, signal)
        return header, documents, repr(documents)


@provider_mutant("CURSOR-3/other-sessions")
class AlwaysStale(OracleEngine):
    """Lets every change kill the cursors in a session."""

    async def observe_one(
        self, session_id: str, signal: AbortSignal | None
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str]:
        seen = await self.observe(signal)
        header, documents, _ = await super().observe_one(session_id, signal)
        return header, documents, self.corpus_generation(seen)


@provider_mutant("CURSOR-4/evicted")
class ForgetsSearches(OracleEngine):
    """Lets a cursor go stale when others have searched since."""

    def start(self, digest: bytes, cursor: str | None, generation: str) -> int:
        start = super().start(digest, cursor, generation)
        if cursor is not None and (digest, generation) not in self._orders:
            raise SessionQueryError("the search is forgotten", ErrorCode.STALE_CURSOR)
        return start


@provider_mutant("CURSOR-4/evicted")
class InspectsForOldCursors(OracleEngine):
    """Inspects every log again where an order is kept no more."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        if request.get("cursor") is not None and len(self._orders) == self.kept_orders:
            self._logs.clear()
        return await super()._search_sessions(request, signal)
