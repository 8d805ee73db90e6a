"""An engine for tests of what every engine has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from session_query.cancellation import AbortSignal
from session_query.corpus import SessionSources
from session_query.live import LiveSession, SessionStore
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence import SessionPersistence
from session_query.query import (
    EventSearchPage,
    EventSearchRequest,
    SessionQueryEngine,
    SessionSearchPage,
    SessionSearchRequest,
)


class ExactEngine(SessionQueryEngine):
    """An engine that can't search."""

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        raise NotImplementedError

    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> EventSearchPage:
        raise NotImplementedError


def engine_over(
    persistence: SessionPersistence | None = None,
    live: Iterable[tuple[SessionHeader, Iterable[SessionEvent]]] = (),
) -> ExactEngine:
    """An engine over a store and some live sessions."""
    store = SessionStore()
    for header, events in live:
        store.attach(header, events)
    return ExactEngine(SessionSources(store, persistence))


def attach(
    engine: SessionQueryEngine, header: SessionHeader, events: Iterable[SessionEvent] = ()
) -> LiveSession:
    """Make a session live behind the engine's back."""
    return engine.sources.store.attach(header, events)
