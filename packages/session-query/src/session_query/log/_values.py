"""What a JSON value is here, and how two of them compare (LOG-3, LOG-4)."""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = [
    "MAX_DEPTH",
    "MAX_NESTING",
    "SAFE_INTEGER",
    "JsonValue",
    "describe",
    "equal",
    "integral",
    "safe_integral",
    "same",
]

JsonValue: TypeAlias = Any
"""None, bool, int, finite float, str, list and dict with str keys, nested."""

MAX_DEPTH = 10_000
"""Event data that is nested deeper is refused; LOG-4 asks for at least 2,000 levels."""

MAX_NESTING = MAX_DEPTH + 16
"""The deepest JSON that is read or copied: room for the objects that are put around event data."""

SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON implementation holds exactly."""

_SHOWN_CHARACTERS = 80
_SHOWN_BITS = 128


def integral(value: JsonValue) -> int | None:
    """Return ``value`` as an int where it is one, an integral float included; else None (LOG-3)."""
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return None


def safe_integral(value: JsonValue) -> int | None:
    """Return ``value`` as an int that every JSON implementation holds exactly; else None."""
    number = integral(value)
    return number if number is not None and -SAFE_INTEGER <= number <= SAFE_INTEGER else None


def equal(left: JsonValue, right: JsonValue) -> bool:
    """Compare as ``==`` does, at any nesting; O(size)."""
    return _compare(left, right, strict=False)


def same(left: JsonValue, right: JsonValue) -> bool:
    """Compare JSON values: key order aside, and ``true`` apart from 1; O(size), any nesting."""
    return _compare(left, right, strict=True)


def _compare(left: JsonValue, right: JsonValue, *, strict: bool) -> bool:
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pending.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif one != other or (strict and isinstance(one, bool) is not isinstance(other, bool)):
            return False
    return True


def describe(value: object) -> str:
    """Name a value in an error message: short, and safe for any value, huge or deep ones too."""
    if value is None or isinstance(value, (bool, float)):
        return repr(value)
    if isinstance(value, int):
        bits = value.bit_length()
        return repr(value) if bits <= _SHOWN_BITS else f"an integer of {bits} bits"
    if isinstance(value, str):
        return repr(value[:_SHOWN_CHARACTERS]) + ("…" if len(value) > _SHOWN_CHARACTERS else "")
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else f"a value of type {type(value).__name__}"
