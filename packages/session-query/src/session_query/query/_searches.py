"""Search requests as providers use them: checked, and equal when they ask the same (CURSOR-2)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from session_query.log._json import freeze
from session_query.query._admission import (
    Clause,
    EventFilters,
    SessionFilters,
    normalize_event_filters,
    normalize_session_filters,
)
from session_query.query._config import SearchConfig
from session_query.query._requests import EventSearchRequest, SessionSearchRequest
from session_query.text import ParsedQuery

__all__ = [
    "NormalizedEventSearch",
    "NormalizedSessionSearch",
    "normalize_event_search",
    "normalize_session_search",
]


@dataclass(frozen=True, slots=True)
class NormalizedSessionSearch:
    """A checked search over the corpus.

    `digest` is equal for equal requests whatever the order of their filters and values, and takes
    no account of the cursor. It is stable in one process only.
    """

    query: ParsedQuery
    session_filters: SessionFilters
    event_filters: EventFilters
    limit: int
    cursor: str | None
    digest: bytes


@dataclass(frozen=True, slots=True)
class NormalizedEventSearch:
    """A checked search in one session; `digest` is as in `NormalizedSessionSearch`."""

    session_id: str
    query: ParsedQuery
    event_filters: EventFilters
    limit: int
    cursor: str | None
    digest: bytes


def normalize_session_search(
    request: SessionSearchRequest | Mapping[str, Any], config: SearchConfig
) -> NormalizedSessionSearch:
    """Copy and check a request or its JSON; O(filter values).

    Raises:
        SessionQueryError: for the first of: a request that is none, a mode or a query that can't be
            meant (`SESSION_QUERY_INVALID_QUERY`), a cursor that is no text (`_INVALID_CURSOR`), a
            blank query, a filter (`_INVALID_FILTER`), the limit (`_INVALID_LIMIT`).
    """
    given = SessionSearchRequest.of(request)
    given.check_types()
    query = given.parsed_query(config.segmentation)
    sessions = normalize_session_filters(given.session_filters, "session_filters")
    events = normalize_event_filters(given.event_filters, "event_filters")
    limit = given.checked_limit(config.default_limit, config.max_limit)
    digest = _digest(("sessions",), query, limit, sessions.clauses, events.clauses)
    return NormalizedSessionSearch(query, sessions, events, limit, given.cursor, digest)


def normalize_event_search(
    request: EventSearchRequest | Mapping[str, Any], config: SearchConfig
) -> NormalizedEventSearch:
    """Copy and check a request or its JSON, as `normalize_session_search` does; O(filter values).

    Raises:
        SessionQueryError: also with `SESSION_QUERY_INVALID_QUERY` for a session id that is no text.
    """
    given = EventSearchRequest.of(request)
    given.check_types()
    query = given.parsed_query(config.segmentation)
    events = normalize_event_filters(given.filters, "filters")
    limit = given.checked_limit(config.default_limit, config.max_limit)
    # as the ids of headers are: surrogate pairs joined
    session_id = str(freeze(given.session_id))
    digest = _digest(("events", session_id), query, limit, events.clauses)
    return NormalizedEventSearch(session_id, query, events, limit, given.cursor, digest)


def _digest(
    scope: tuple[str, ...], query: ParsedQuery, limit: int, *filters: tuple[Clause, ...]
) -> bytes:
    parts = (scope, query.normalized, query.match, limit, *map(_unordered, filters))
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


def _unordered(clauses: tuple[Clause, ...]) -> list[str]:
    """Return the clauses in a form that doesn't depend on any order; O(values)."""
    return sorted({repr((kind, _fingerprint(asked))) for kind, asked in clauses})


def _fingerprint(asked: object) -> object:
    if not isinstance(asked, frozenset):
        return asked
    # Sorting 125,000 values would hold up the loop. Nothing is at stake but the answer to a caller
    # who mixes up two requests of one engine, so 64 bits will do.
    return len(asked), hash(asked)
