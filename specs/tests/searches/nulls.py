"""Providers that do nothing right: they raise, refuse, find nothing, or find everything."""

# ruff: noqa: ARG002 - what is wrong often looks at nothing

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from session_query import (
    AbortSignal,
    ErrorCode,
    EventHit,
    EventSearchPage,
    EventSearchRequest,
    SessionHeader,
    SessionHit,
    SessionQueryEngine,
    SessionQueryError,
    SessionSearchPage,
    SessionSearchRequest,
    SessionSources,
    semantic_documents,
)
from session_query_specs import ProviderUnderTest, SuiteConfig

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
