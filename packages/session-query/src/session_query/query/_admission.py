"""Filters as operations use them: checked, combined, and cheap to ask (FILTER-2, SEARCH-12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from session_query.corpus import SessionRecord
from session_query.log._json import SAFE_INTEGER
from session_query.query._filter_forms import Filter, RangeFilter, ValuesFilter, invalid_filter
from session_query.query._filters import EVENT_FILTERS, SESSION_FILTERS, TextFilter

__all__ = [
    "Clause",
    "EventBounds",
    "EventFilters",
    "SessionFilters",
    "normalize_event_filters",
    "normalize_session_filters",
]

Clause: TypeAlias = "tuple[str, object]"
"""The kind of a filter and what it asks for: a frozen set, a pair of ends, or a text."""

_Values: TypeAlias = "frozenset[str | None]"


def normalize_session_filters(filters: object, where: str = "session_filters") -> SessionFilters:
    """Copy, check and combine filters on sessions, given as objects or as JSON.

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_FILTER`, naming the place under `where`.
    """
    return SessionFilters(_clauses(filters, SESSION_FILTERS, where))


def normalize_event_filters(
    filters: object, where: str = "event_filters", *, text: bool = False
) -> EventFilters:
    """Copy, check and combine filters on events; `text` allows `TextFilter` among them.

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_FILTER`, naming the place under `where`.
    """
    known = EVENT_FILTERS
    if not text:
        known = {kind: found for kind, found in known.items() if found is not TextFilter}
    return EventFilters(_clauses(filters, known, where))


def _clauses(filters: object, known: Mapping[str, type[Filter]], where: str) -> tuple[Clause, ...]:
    if not isinstance(filters, Iterable) or isinstance(filters, (str, bytes, Mapping)):
        raise invalid_filter(where, f"expected a list of filters, got {type(filters).__name__}")
    return tuple(_clause(given, known, f"{where}[{index}]") for index, given in enumerate(filters))


def _clause(given: object, known: Mapping[str, type[Filter]], where: str) -> Clause:
    if isinstance(given, Filter):
        kind: object = given.kind
    elif isinstance(given, Mapping):
        kind = given.get("kind")
    else:
        raise invalid_filter(where, f"a filter is an object, got {type(given).__name__}")
    if not isinstance(kind, str) or kind not in known:
        raise invalid_filter(where, f"kind {kind!r:.80} is none of {', '.join(known)}")
    found = given if isinstance(given, Filter) else known[kind].parse(given, where)
    where = f"{where} ({kind})"
    if isinstance(found, ValuesFilter):
        return kind, found.unique(where)
    if isinstance(found, RangeFilter):
        return kind, found.ends(where)
    found.check(where)
    return kind, found.text if isinstance(found, TextFilter) else None


class SessionFilters:
    """Session filters that were copied and checked; asking about a record costs O(1).

    Clauses on one property are intersected when the object is made: O(values).
    """

    __slots__ = ("_created", "_cwds", "_ids", "_needs", "_parents", "clauses", "nothing")

    def __init__(self, clauses: Sequence[Clause] = ()) -> None:
        self.clauses = tuple(clauses)
        """The clauses in the caller's order, for a digest."""
        self._ids = _common(self.clauses, "id")
        self._cwds = _common(self.clauses, "cwd")
        self._parents = _common(self.clauses, "parent")
        self._created = _overlap(self.clauses, "created-at")
        # A record may be live and persisted, so that two clauses can demand both.
        self._needs = _sets(self.clauses, "availability")
        self.nothing = (
            any(found is not None and not found for found in (self._ids, self._cwds, self._parents))
            or not all(self._needs)
            or _is_empty(self._created)
        )
        """Whether no session can be admitted."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no clause, so that every session is admitted."""
        return not self.clauses

    def admits(self, record: SessionRecord) -> bool:
        """Tell whether all clauses hold for a record; O(1)."""
        if self.nothing:
            return False
        header = record.header
        low, high = self._created
        return (
            (self._ids is None or header.id in self._ids)
            and (self._cwds is None or header.cwd in self._cwds)
            and (self._parents is None or header.parent_session in self._parents)
            and (low is None or low <= header.created_at)
            and (high is None or header.created_at <= high)
            and all(
                (record.live and "live" in need) or (record.persisted and "persisted" in need)
                for need in self._needs
            )
        )


@dataclass(frozen=True, slots=True)
class EventBounds:
    """All clauses on events but texts, as one range and one set for each property.

    None does not bound. The ends are within ±(2**53 - 1), as seqs and times are. With `nothing`, no
    event can be admitted, whatever the other fields say.
    """

    seq_from: int | None = None
    seq_to: int | None = None
    time_from: int | None = None
    time_to: int | None = None
    types: _Values | None = None
    surfaces: _Values | None = None
    nothing: bool = False

    def admits(self, seq: int, type: str, time: int, surface: str) -> bool:  # noqa: A002 - as in records
        """Tell whether an event lies within the bounds; O(1)."""
        return not (
            self.nothing
            or (self.seq_from is not None and seq < self.seq_from)
            or (self.seq_to is not None and seq > self.seq_to)
            or (self.time_from is not None and time < self.time_from)
            or (self.time_to is not None and time > self.time_to)
            or (self.types is not None and type not in self.types)
            or (self.surfaces is not None and surface not in self.surfaces)
        )


class EventFilters:
    """Event filters that were copied and checked."""

    __slots__ = ("clauses", "compiled", "texts")

    def __init__(self, clauses: Sequence[Clause] = ()) -> None:
        self.clauses = tuple(clauses)
        """The clauses in the caller's order, for a digest."""
        self.texts = tuple(str(asked) for kind, asked in self.clauses if kind == "text")
        """The texts that must all be found (FILTER-4)."""
        seq, time = _overlap(self.clauses, "seq"), _overlap(self.clauses, "time")
        types, surfaces = _common(self.clauses, "type"), _common(self.clauses, "surface")
        self.compiled = EventBounds(
            *_clamped(seq),
            *_clamped(time),
            types,
            surfaces,
            nothing=any(map(_is_empty, (seq, time)))
            or any(found is not None and not found for found in (types, surfaces)),
        )
        """The intersection of all clauses but texts."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no clause, so that every event is admitted."""
        return not self.clauses


_Ends: TypeAlias = "tuple[int | None, int | None]"


def _sets(clauses: Sequence[Clause], kind: str) -> list[_Values]:
    return [asked for name, asked in clauses if name == kind and isinstance(asked, frozenset)]


def _common(clauses: Sequence[Clause], kind: str) -> _Values | None:
    """Return the values that all clauses of a kind name; None where there is no such clause."""
    sets = sorted(_sets(clauses, kind), key=len)
    if len(sets) < 2:  # noqa: PLR2004 - nothing to intersect, and a set may be large
        return sets[0] if sets else None
    return sets[0].intersection(*sets[1:])


def _overlap(clauses: Sequence[Clause], kind: str) -> _Ends:
    pairs = [asked for name, asked in clauses if name == kind and isinstance(asked, tuple)]
    lows = [low for low, _ in pairs if low is not None]
    highs = [high for _, high in pairs if high is not None]
    return max(lows, default=None), min(highs, default=None)


def _is_empty(ends: _Ends) -> bool:
    low, high = ends
    return (
        (low is not None and low > SAFE_INTEGER)
        or (high is not None and high < -SAFE_INTEGER)
        or (low is not None and high is not None and low > high)
    )


def _clamped(ends: _Ends) -> _Ends:
    """Return ends that fit into 64 bits; no seq or time lies beyond them (LOG-1, LOG-3)."""
    low, high = ends
    return (
        None if low is None else max(-SAFE_INTEGER, min(low, SAFE_INTEGER)),
        None if high is None else max(-SAFE_INTEGER, min(high, SAFE_INTEGER)),
    )
