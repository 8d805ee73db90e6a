"""The kinds of filters (FILTER-1, FILTER-4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from session_query.log import JsonValue
from session_query.query._filter_forms import Filter, RangeFilter, ValuesFilter, invalid_filter
from session_query.text import trim

__all__ = [
    "EVENT_FILTERS",
    "SESSION_FILTERS",
    "AvailabilityFilter",
    "CreatedAtFilter",
    "CwdFilter",
    "EventFilter",
    "IdFilter",
    "ParentFilter",
    "SeqFilter",
    "SessionFilter",
    "SurfaceFilter",
    "TextFilter",
    "TimeFilter",
    "TypeFilter",
]


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
    keys: ClassVar[Mapping[str, str]] = {"text": "text"}

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
