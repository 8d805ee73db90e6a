"""Search requests, as callers write them and as providers use them (SEARCH-1, SEARCH-2, CURSOR-2).

A request is made without judging it; a search judges it before it does anything else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import JsonValue
from session_query.log._json import freeze
from session_query.query._admission import (
    Clause,
    EventFilters,
    SessionFilters,
    normalize_event_filters,
    normalize_session_filters,
)
from session_query.query._config import SearchConfig
from session_query.query._filters import EventFilter, Filter, SessionFilter
from session_query.text import MatchMode, ParsedQuery, parse_query

__all__ = [
    "EventSearchRequest",
    "NormalizedEventSearch",
    "NormalizedSessionSearch",
    "SessionSearchRequest",
    "normalize_event_search",
    "normalize_session_search",
]

_MODES = ("phrase", "all", "any")


class _Request:
    """What both requests share: their JSON forms."""

    __slots__ = ()
    _json_names: ClassVar[Mapping[str, str]]

    def to_json(self) -> dict[str, JsonValue]:
        """Return the request in camelCase; what has its default is left out (JSON-1)."""
        form: dict[str, JsonValue] = {}
        for field in fields(self):  # type: ignore[arg-type]  # the subclasses are data classes
            value = getattr(self, field.name)
            if value != field.default:
                form[self._json_names[field.name]] = _plain(value)
        return form

    @classmethod
    def from_json(cls, obj: JsonValue) -> Self:
        """Read the form of `to_json`; null stands for an absent optional.

        Raises:
            SessionQueryError: what a search with the request would raise, save for a limit or a
                query that only the settings of the engine refuse.
        """
        request = cls._parsed(obj)
        normalize: Any = (
            normalize_session_search if cls is SessionSearchRequest else normalize_event_search
        )
        normalize(request, None)
        return request

    @classmethod
    def _parsed(cls, obj: object) -> Self:
        if isinstance(obj, cls):
            return obj
        if not isinstance(obj, Mapping):
            raise _invalid(f"expected a {cls.__name__} or its JSON form, got {type(obj).__name__}")
        names = {key: name for name, key in cls._json_names.items()}
        for key in obj:
            if key not in names:
                raise _invalid(f"unknown key {key!r:.80} of a {cls.__name__}")
        given = {names[key]: value for key, value in obj.items() if value is not None}
        for field in fields(cls):  # type: ignore[arg-type]  # the subclasses are data classes
            if field.name not in given and field.name in ("query", "session_id"):
                raise _invalid(f"{cls._json_names[field.name]}: missing")
        return cls(**given)


@dataclass(frozen=True, slots=True)
class SessionSearchRequest(_Request):
    """A search over the corpus (SEARCH-1).

    Args:
        query: literal text (SEARCH-5).
        session_filters: which sessions, as filters or their JSON; ANDed.
        event_filters: which events, likewise.
        limit: the page size, by default that of the engine.
        cursor: the `next_cursor` of the page before.
        match: `phrase`, `all` or `any` (SEARCH-13).
    """

    query: str
    session_filters: Iterable[SessionFilter | Mapping[str, Any]] = ()
    event_filters: Iterable[EventFilter | Mapping[str, Any]] = ()
    limit: int | None = None
    cursor: str | None = None
    match: MatchMode = "phrase"

    _json_names: ClassVar[Mapping[str, str]] = {
        "query": "query",
        "session_filters": "sessionFilters",
        "event_filters": "eventFilters",
        "limit": "limit",
        "cursor": "cursor",
        "match": "match",
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "session_filters", _copied(self.session_filters))
        object.__setattr__(self, "event_filters", _copied(self.event_filters))


@dataclass(frozen=True, slots=True)
class EventSearchRequest(_Request):
    """A search in one session (SEARCH-2).

    Args:
        session_id: the session.
        query: literal text (SEARCH-5).
        filters: which events, as filters or their JSON; ANDed.
        limit: the page size, by default that of the engine.
        cursor: the `next_cursor` of the page before.
        match: `phrase`, `all` or `any` (SEARCH-13).
    """

    session_id: str
    query: str
    filters: Iterable[EventFilter | Mapping[str, Any]] = ()
    limit: int | None = None
    cursor: str | None = None
    match: MatchMode = "phrase"

    _json_names: ClassVar[Mapping[str, str]] = {
        "session_id": "sessionId",
        "query": "query",
        "filters": "filters",
        "limit": "limit",
        "cursor": "cursor",
        "match": "match",
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "filters", _copied(self.filters))


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
    request: SessionSearchRequest | Mapping[str, Any], config: SearchConfig | None
) -> NormalizedSessionSearch:
    """Copy and check a request or its JSON; O(filter values).

    Args:
        request: what the caller gave.
        config: the settings of the engine; without them, every limit from 1 is allowed.

    Raises:
        SessionQueryError: for the first of: a request that is none, a query that can't be meant
            (`SESSION_QUERY_INVALID_QUERY`), a cursor that is no text (`_INVALID_CURSOR`), a filter
            (`_INVALID_FILTER`), the limit (`_INVALID_LIMIT`).
    """
    given = SessionSearchRequest._parsed(request)
    _check_types(given)
    query = _query(given, config)
    sessions = normalize_session_filters(given.session_filters, "session_filters")
    events = normalize_event_filters(given.event_filters, "event_filters")
    limit = _limit(given.limit, config)
    digest = _digest(("sessions",), query, limit, sessions.clauses, events.clauses)
    return NormalizedSessionSearch(query, sessions, events, limit, given.cursor, digest)


def normalize_event_search(
    request: EventSearchRequest | Mapping[str, Any], config: SearchConfig | None
) -> NormalizedEventSearch:
    """Copy and check a request or its JSON, as `normalize_session_search` does; O(filter values).

    Raises:
        SessionQueryError: also with `SESSION_QUERY_INVALID_QUERY` for a session id that is no text.
    """
    given = EventSearchRequest._parsed(request)
    _check_types(given)
    if not isinstance(given.session_id, str):
        raise _invalid(f"session_id: expected a text, got {type(given.session_id).__name__}")
    query = _query(given, config)
    events = normalize_event_filters(given.filters, "filters")
    limit = _limit(given.limit, config)
    session_id = str(freeze(given.session_id))
    digest = _digest(("events", session_id), query, limit, events.clauses)
    return NormalizedEventSearch(session_id, query, events, limit, given.cursor, digest)


def _invalid(problem: str) -> SessionQueryError:
    return SessionQueryError(problem, ErrorCode.INVALID_QUERY)


def _check_types(request: SessionSearchRequest | EventSearchRequest) -> None:
    if not isinstance(request.query, str):
        raise _invalid(f"query: expected a text, got {type(request.query).__name__}")
    if request.match not in _MODES:
        raise _invalid(f"match: {request.match!r:.80} is none of {', '.join(_MODES)}")
    if request.cursor is not None and not isinstance(request.cursor, str):
        problem = f"cursor: expected a text, got {type(request.cursor).__name__}"
        raise SessionQueryError(problem, ErrorCode.INVALID_CURSOR)


def _query(
    request: SessionSearchRequest | EventSearchRequest, config: SearchConfig | None
) -> ParsedQuery:
    segmentation = (SearchConfig() if config is None else config).segmentation
    return parse_query(request.query, request.match, segmentation)


def _limit(limit: object, config: SearchConfig | None) -> int:
    if limit is None:
        return (SearchConfig() if config is None else config).default_limit
    largest = None if config is None else config.max_limit
    if (
        not isinstance(limit, int)
        or isinstance(limit, bool)
        or limit < 1
        or (largest is not None and limit > largest)
    ):
        allowed = "at least 1" if largest is None else f"from 1 to {largest}"
        problem = f"limit: expected a whole number {allowed}, got {limit!r:.80}"
        raise SessionQueryError(problem, ErrorCode.INVALID_LIMIT)
    return limit


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


def _plain(value: object) -> JsonValue:
    if not isinstance(value, tuple):
        return value
    return [one.to_json() if isinstance(one, Filter) else _mapped(one, list) for one in value]


def _copied(filters: object) -> object:
    """Return a copy that the caller can't change; what is no list of filters stays as it is."""
    if not isinstance(filters, Iterable) or isinstance(filters, (str, bytes, Mapping)):
        return filters
    return tuple(_mapped(one, tuple) for one in filters)


def _mapped(given: object, kind: type[list[Any] | tuple[Any, ...]]) -> object:
    """Return a copy of a filter in JSON with its values as a `kind`; nothing in it is deeper."""
    if not isinstance(given, Mapping):
        return given
    return {
        key: kind(value) if isinstance(value, (list, tuple)) else value
        for key, value in given.items()
    }
