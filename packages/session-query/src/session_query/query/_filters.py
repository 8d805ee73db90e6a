"""Filters as callers write them (FILTER-1, FILTER-3, JSON-1).

A filter is made without judging it, so that every mistake comes out of the operation that the
filter is given to, as one typed error. What it is given is copied at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import JsonValue
from session_query.log._json import freeze, integral
from session_query.text._whitespace import trim

__all__ = [
    "EVENT_FILTERS",
    "SESSION_FILTERS",
    "AvailabilityFilter",
    "CreatedAtFilter",
    "CwdFilter",
    "EventFilter",
    "Filter",
    "IdFilter",
    "ParentFilter",
    "RangeFilter",
    "SeqFilter",
    "SessionFilter",
    "SurfaceFilter",
    "TextFilter",
    "TimeFilter",
    "TypeFilter",
    "ValuesFilter",
    "filter_from_json",
    "invalid_filter",
]


def invalid_filter(where: str, problem: str) -> SessionQueryError:
    """Return the error for a filter that can't be meant (FILTER-2)."""
    return SessionQueryError(f"{where}: {problem}", ErrorCode.INVALID_FILTER)


class Filter(ABC):
    """One condition. A list of filters is ANDed (FILTER-2)."""

    __slots__ = ()
    kind: ClassVar[str]
    """The name of the filter in JSON."""

    @abstractmethod
    def to_json(self) -> dict[str, JsonValue]:
        """Return `{kind, …}`; absent ends of a range are left out (JSON-1)."""

    @abstractmethod
    def check(self, where: str) -> None:
        """Raise `SESSION_QUERY_INVALID_FILTER`, naming `where`, unless the filter makes sense."""

    @classmethod
    def from_json(cls, obj: JsonValue) -> Self:
        """Read the form of `to_json`.

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_FILTER` for anything else (FILTER-2).
        """
        found = filter_from_json(obj, {cls.kind: cls}, "filter")
        found.check("filter")
        assert isinstance(found, cls)  # noqa: S101 - the table above holds nothing else
        return found


@dataclass(frozen=True, slots=True)
class ValuesFilter(Filter):
    """Holds where the value is one of `values`; an empty list matches nothing."""

    values: Collection[str | None]

    closed: ClassVar[frozenset[str] | None] = None
    nullable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _copied(self.values))

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{kind, values}` (JSON-1)."""
        return {"kind": self.kind, "values": list(self.values)}

    def check(self, where: str) -> None:
        """Raise `SESSION_QUERY_INVALID_FILTER` unless all values are of the right kind."""
        self.unique(where)

    def unique(self, where: str) -> frozenset[str | None]:
        """Return the distinct values, checked; O(values)."""
        values = self.values
        if not isinstance(values, tuple):
            raise invalid_filter(where, f"values is a list, got {type(values).__name__}")
        kinds = {*map(type, values)} - ({type(None)} if self.nullable else set())
        for kind in kinds:
            if not issubclass(kind, str):
                allowed = "texts and null" if self.nullable else "texts"
                raise invalid_filter(where, f"values are {allowed}, got {kind.__name__}")
        unique = frozenset(values)
        if self.closed is not None and (unknown := unique - self.closed):
            known = ", ".join(sorted(self.closed))
            raise invalid_filter(where, f"{min(map(repr, unknown)):.80} is none of {known}")
        if kinds <= {str} and all(map(str.isascii, filter(None, values))):
            return unique
        # headers and events hold text with surrogate pairs joined
        return frozenset(map(freeze, unique))


@dataclass(frozen=True, slots=True)
class RangeFilter(Filter):
    """Holds from `from_` through `to`, both inclusive; an absent end doesn't bound."""

    from_: int | None = None
    to: int | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{kind, from?, to?}` (JSON-1)."""
        ends = {"from": self.from_, "to": self.to}
        return {"kind": self.kind, **{key: end for key, end in ends.items() if end is not None}}

    def check(self, where: str) -> None:
        """Raise `SESSION_QUERY_INVALID_FILTER` unless there are ends, finite and ordered."""
        self.ends(where)

    def ends(self, where: str) -> tuple[int | None, int | None]:
        """Return both ends as ints, checked."""
        low, high = _end(self.from_, f"{where}.from"), _end(self.to, f"{where}.to")
        if low is None and high is None:
            raise invalid_filter(where, "a range has a from, a to, or both")
        if low is not None and high is not None and low > high:
            raise invalid_filter(where, "from lies after to")
        return low, high


def _end(value: object, where: str) -> int | None:
    if value is None:
        return None
    number = integral(value)
    if number is None:
        raise invalid_filter(where, f"expected a whole finite number, got {value!r:.80}")
    return number


def _copied(values: object) -> object:
    """Return a copy that nobody can change; what can't be a list of values stays as it is."""
    if isinstance(values, tuple) or not isinstance(values, Iterable):
        return values
    return values if isinstance(values, (str, bytes, Mapping)) else tuple(values)


class IdFilter(ValuesFilter):
    """The session has one of these ids."""

    __slots__ = ()
    kind = "id"


class CwdFilter(ValuesFilter):
    """The session has one of these workspaces, compared as exact strings; None means none."""

    __slots__ = ()
    kind = "cwd"
    nullable = True


class CreatedAtFilter(RangeFilter):
    """The session was created in this range of epoch milliseconds."""

    __slots__ = ()
    kind = "created-at"


class ParentFilter(ValuesFilter):
    """The session has one of these parents; None means that it is a root."""

    __slots__ = ()
    kind = "parent"
    nullable = True


class AvailabilityFilter(ValuesFilter):
    """The session is available as `live`, as `persisted`, or as one of both."""

    __slots__ = ()
    kind = "availability"
    closed = frozenset({"live", "persisted"})


class SeqFilter(RangeFilter):
    """The seq of the event is in this range."""

    __slots__ = ()
    kind = "seq"


class TimeFilter(RangeFilter):
    """The time of the event is in this range of epoch milliseconds."""

    __slots__ = ()
    kind = "time"


class TypeFilter(ValuesFilter):
    """The event has one of these types; any text may be a type."""

    __slots__ = ()
    kind = "type"


class SurfaceFilter(ValuesFilter):
    """The event is `current`, `shadowed` or `log-only` (LOG-12)."""

    __slots__ = ()
    kind = "surface"
    closed = frozenset({"current", "shadowed", "log-only"})


@dataclass(frozen=True, slots=True)
class TextFilter(Filter):
    """The text of the event holds this text literally, case and white space aside (FILTER-4)."""

    text: str
    kind: ClassVar[str] = "text"

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{kind, text}` (JSON-1)."""
        return {"kind": self.kind, "text": self.text}

    def check(self, where: str) -> None:
        """Raise `SESSION_QUERY_INVALID_FILTER` unless there is a text to look for."""
        if not isinstance(self.text, str):
            raise invalid_filter(where, f"text is a text, got {type(self.text).__name__}")
        if not trim(self.text):
            raise invalid_filter(where, "text is blank")


SessionFilter: TypeAlias = (
    "IdFilter | CwdFilter | CreatedAtFilter | ParentFilter | AvailabilityFilter"
)
"""What sessions are filtered by."""

EventFilter: TypeAlias = "SeqFilter | TimeFilter | TypeFilter | SurfaceFilter | TextFilter"
"""What events are filtered by; searches take all but `TextFilter`."""

SESSION_FILTERS: Mapping[str, type[Filter]] = {
    filter_.kind: filter_
    for filter_ in (IdFilter, CwdFilter, CreatedAtFilter, ParentFilter, AvailabilityFilter)
}
EVENT_FILTERS: Mapping[str, type[Filter]] = {
    filter_.kind: filter_
    for filter_ in (SeqFilter, TimeFilter, TypeFilter, SurfaceFilter, TextFilter)
}

_FIELDS = {"from": "from_"}


def filter_from_json(obj: JsonValue, known: Mapping[str, type[Filter]], where: str) -> Filter:
    """Make the filter that `obj` describes, one of `known`; its values are not checked yet.

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_FILTER` for an unknown kind, and for missing,
            unknown and null keys.
    """
    if not isinstance(obj, Mapping):
        raise invalid_filter(where, f"a filter is an object, got {type(obj).__name__}")
    kind = obj.get("kind")
    if not isinstance(kind, str) or kind not in known:
        raise invalid_filter(where, f"kind {kind!r:.80} is none of {', '.join(known)}")
    found = known[kind]
    if issubclass(found, RangeFilter):
        allowed, needed = {"from", "to"}, set[str]()
    else:
        allowed = needed = {"text"} if issubclass(found, TextFilter) else {"values"}
    given = {key: value for key, value in obj.items() if key != "kind"}
    for key, value in given.items():
        if key not in allowed:
            raise invalid_filter(where, f"unknown key {key!r:.80} of a {kind} filter")
        if value is None:
            raise invalid_filter(where, f"{key} is null; leave it out instead")
    for key in needed - given.keys():
        raise invalid_filter(where, f"{key} is missing")
    return found(**{_FIELDS.get(key, key): value for key, value in given.items()})
