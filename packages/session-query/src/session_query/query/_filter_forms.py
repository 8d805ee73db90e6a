"""The forms that filters have: a list of values, or a range (FILTER-2, FILTER-3, JSON-1).

A filter is made without judging it, so that every mistake comes out of the operation that the
filter is given to, as one typed error. What it is given is copied at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import JsonValue
from session_query.log._json import freeze, integral

__all__ = ["Filter", "RangeFilter", "ValuesFilter", "invalid_filter"]


def invalid_filter(where: str, problem: str) -> SessionQueryError:
    """Return the error for a filter that can't be meant (FILTER-2)."""
    return SessionQueryError(f"{where}: {problem}", ErrorCode.INVALID_FILTER)


class Filter(ABC):
    """One condition. A list of filters is ANDed (FILTER-2)."""

    __slots__ = ()
    kind: ClassVar[str]
    """The name of the filter in JSON."""
    keys: ClassVar[Mapping[str, str]]
    """The fields that go with each key in JSON."""
    required: ClassVar[bool] = True
    """Whether every key must be there."""

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
        found = cls.parse(obj, "filter")
        found.check("filter")
        return found

    @classmethod
    def parse(cls, obj: JsonValue, where: str) -> Self:
        """Make the filter that `obj` describes; its values are not checked yet.

        Raises:
            SessionQueryError: `SESSION_QUERY_INVALID_FILTER`, naming `where`, for another kind, and
                for missing, unknown and null keys.
        """
        if not isinstance(obj, Mapping):
            raise invalid_filter(where, f"a filter is an object, got {type(obj).__name__}")
        if obj.get("kind") != cls.kind:
            raise invalid_filter(where, f"expected kind {cls.kind!r}, got {obj.get('kind')!r:.80}")
        values: dict[str, Any] = {}
        for key, value in obj.items():
            if key == "kind":
                continue
            if key not in cls.keys:
                raise invalid_filter(where, f"unknown key {key!r:.80} of a {cls.kind} filter")
            if value is None:
                raise invalid_filter(where, f"{key} is null; leave it out instead")
            values[cls.keys[key]] = value
        if cls.required and len(values) < len(cls.keys):
            raise invalid_filter(where, f"{', '.join(cls.keys)} is missing")
        return cls(**values)


@dataclass(frozen=True, slots=True)
class ValuesFilter(Filter):
    """Holds where the value is one of `values`; an empty list matches nothing."""

    values: Collection[str | None]

    keys: ClassVar[Mapping[str, str]] = {"values": "values"}
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

    keys: ClassVar[Mapping[str, str]] = {"from": "from_", "to": "to"}
    required: ClassVar[bool] = False

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
