"""Search requests as callers write them (SEARCH-1, SEARCH-2, JSON-1).

A request is made without judging it; a search judges it before it does anything else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self

from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import JsonValue
from session_query.query._admission import normalize_event_filters, normalize_session_filters
from session_query.query._filter_forms import Filter
from session_query.query._filters import EventFilter, SessionFilter
from session_query.text import MatchMode, ParsedQuery, Segmentation, parse_query

__all__ = ["EventSearchRequest", "SearchRequest", "SessionSearchRequest"]


class SearchRequest(ABC):
    """What both requests share."""

    __slots__ = ()
    query: str
    limit: int | None
    cursor: str | None
    match: MatchMode
    _json_names: ClassVar[Mapping[str, str]]

    @abstractmethod
    def check_filters(self) -> None:
        """Raise `SESSION_QUERY_INVALID_FILTER` unless all filters make sense."""

    def check_types(self) -> None:
        """Raise the error for what is neither filter nor limit, and of the wrong type."""
        if not isinstance(self.query, str):
            raise invalid_request(f"query: expected a text, got {type(self.query).__name__}")
        if self.match not in ("phrase", "all", "any"):
            raise invalid_request(f"match: {self.match!r:.80} is none of phrase, all, any")
        if self.cursor is not None and not isinstance(self.cursor, str):
            problem = f"cursor: expected a text, got {type(self.cursor).__name__}"
            raise SessionQueryError(problem, ErrorCode.INVALID_CURSOR)

    def parsed_query(self, segmentation: Segmentation) -> ParsedQuery:
        """Return what the query asks for; raise `SESSION_QUERY_INVALID_QUERY` (SEARCH-5)."""
        return parse_query(self.query, self.match, segmentation)

    def checked_limit(self, default: int, largest: int | None) -> int:
        """Return the page size; raise `SESSION_QUERY_INVALID_LIMIT` (SEARCH-11)."""
        limit: Any = self.limit
        if limit is None:
            return default
        whole = isinstance(limit, int) and not isinstance(limit, bool)
        if not whole or limit < 1 or (largest is not None and limit > largest):
            allowed = "at least 1" if largest is None else f"from 1 to {largest}"
            problem = f"limit: expected a whole number {allowed}, got {limit!r:.80}"
            raise SessionQueryError(problem, ErrorCode.INVALID_LIMIT)
        return int(limit)

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
            SessionQueryError: what a search with the request would raise, save for a limit that
                only the settings of the engine refuse.
        """
        request = cls.of(obj)
        request.check_types()
        request.parsed_query("script")
        request.check_filters()
        request.checked_limit(1, None)
        return request

    @classmethod
    def of(cls, given: object) -> Self:
        """Return the request that is given as such or as JSON; its values are not checked yet."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            raise invalid_request(f"expected a {cls.__name__} or its JSON form, got {kind}")
        names = {key: name for name, key in cls._json_names.items()}
        for key in given:
            if key not in names:
                raise invalid_request(f"unknown key {key!r:.80} of a {cls.__name__}")
        values = {names[key]: value for key, value in given.items() if value is not None}
        for field in fields(cls):  # type: ignore[arg-type]  # the subclasses are data classes
            if field.default is MISSING and field.name not in values:
                raise invalid_request(f"{cls._json_names[field.name]}: missing")
        return cls(**values)


@dataclass(frozen=True, slots=True)
class SessionSearchRequest(SearchRequest):
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

    def check_filters(self) -> None:
        """Raise `SESSION_QUERY_INVALID_FILTER` unless all filters make sense."""
        normalize_session_filters(self.session_filters, "session_filters")
        normalize_event_filters(self.event_filters, "event_filters")


@dataclass(frozen=True, slots=True)
class EventSearchRequest(SearchRequest):
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

    def check_types(self) -> None:
        """Raise the error for what is neither filter nor limit, and of the wrong type."""
        if not isinstance(self.session_id, str):
            kind = type(self.session_id).__name__
            raise invalid_request(f"session_id: expected a text, got {kind}")
        SearchRequest.check_types(self)

    def check_filters(self) -> None:
        """Raise `SESSION_QUERY_INVALID_FILTER` unless all filters make sense."""
        normalize_event_filters(self.filters, "filters")


def invalid_request(problem: str) -> SessionQueryError:
    """Return the error for a request that can't be meant."""
    return SessionQueryError(problem, ErrorCode.INVALID_QUERY)


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
