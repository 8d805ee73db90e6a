"""Providers that search other texts than a log has, or answer in another form (LOG, JSON-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from session_query import (
    AbortSignal,
    EventDocument,
    JsonValue,
    SessionLog,
    SessionSearchPage,
    SessionSearchRequest,
    semantic_documents,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import OracleEngine

__all__: list[str] = []


@provider_mutant("LOG-6/texts")
class NoTodos(OracleEngine):
    """Doesn't search what is to be done."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        found = super().documents(session_id, events)
        return [document for document in found if document.type != "todo/write"]


@provider_mutant("LOG-6/texts")
class SearchesAnyText(OracleEngine):
    """Searches the field `text` of events whose type has none to search."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        found = {document.seq: document for document in super().documents(session_id, events)}
        for event in events:
            data = event.to_json()["data"]
            if event.seq not in found and isinstance(data, dict) and "text" in data:
                own = (session_id, event.seq, event.type, event.time, "log-only")
                found[event.seq] = EventDocument(*own, str(data["text"]))  # type: ignore[arg-type]
        return [found[seq] for seq in sorted(found)]


@provider_mutant("LOG-12/surfaces")
class ShadowedIsCurrent(OracleEngine):
    """Takes an event that was replaced for one that is still on the surface."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        return [
            document._replace(surface="current") if document.surface == "shadowed" else document
            for document in super().documents(session_id, events)
        ]


@provider_mutant("LOG-12/surfaces")
class NeverOnSurface(OracleEngine):
    """Takes an event that never was on the surface for one that was replaced there."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        return [
            document._replace(surface="shadowed") if document.surface == "log-only" else document
            for document in super().documents(session_id, events)
        ]


@provider_mutant("LOG-23/odd-characters")
class EndsAtNul(OracleEngine):
    """Takes the first U+0000 for the end of a text."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        return [
            document._replace(text=document.text.partition("\0")[0])
            for document in super().documents(session_id, events)
        ]


@provider_mutant("LOG-23/odd-characters")
class LeavesSurrogatesOut(OracleEngine):
    """Leaves out of the search a text that can't be written as UTF-8."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        return [
            document
            for document in super().documents(session_id, events)
            if not any("\ud800" <= char <= "\udfff" for char in document.text)
        ]


@provider_mutant("LOG-24/no-echo")
class FindsItsEchoes(OracleEngine):
    """Finds the calls and the results of the search tools."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        return semantic_documents(session_id, events, ())


@provider_mutant("LOG-24/no-echo")
class NoToolAtAll(OracleEngine):
    """Finds no call and no result of any tool."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        found = super().documents(session_id, events)
        return [document for document in found if not document.type.startswith("tool/")]


class _Pythonic(SessionSearchPage):
    """A page with the names that its attributes have."""

    def to_json(self) -> dict[str, JsonValue]:
        items: list[JsonValue] = []
        for hit in self.items:
            told = hit.to_json()
            items.append({**told, "best_match": told["bestMatch"]})
        return {**super().to_json(), "items": items}


@provider_mutant("JSON-1/answers")
class SnakeCase(OracleEngine):
    """Names the best match of a session in snake_case."""

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        page = await super()._search_sessions(request, signal)
        return _Pythonic(page.items, page.next_cursor)


class _WithNull(SessionSearchPage):
    """A page that always has a next cursor."""

    def to_json(self) -> dict[str, JsonValue]:
        return {**super().to_json(), "nextCursor": self.next_cursor}


@provider_mutant("JSON-1/answers")
class NullCursor(OracleEngine):
    """Answers with null for the next cursor on the last page."""

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        page = await super()._search_sessions(request, signal)
        return _WithNull(page.items, page.next_cursor)


class _Unplain(SessionLog):
    """A log whose form in JSON has a tuple in it."""

    def to_json(self) -> dict[str, JsonValue]:
        told: dict[str, Any] = super().to_json()
        return {**told, "events": tuple(told["events"])}


@provider_mutant("JSON-1/answers")
class TupleForList(OracleEngine):
    """Answers with a tuple where JSON has a list."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        log = await super().read_session(session_id, signal)
        return _Unplain(log.header, log.events)
