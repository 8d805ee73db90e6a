"""The JSON parser for what the C scanner gives up on: deep nesting, and very long integers."""

from __future__ import annotations

import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed lacks it

from session_query.errors import JsonError
from session_query.log._values import MAX_NESTING, JsonValue

__all__ = ["DIGITS_AT_ONCE", "finite", "parse", "too_deep"]

DIGITS_AT_ONCE = 600
"""The interpreter's guard against long conversions can't be set below 640 digits."""

_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_SPACE = re.compile(r"[ \t\n\r]*")
_LITERALS = (("true", True), ("false", False), ("null", None))


def finite(digits: str) -> float:
    """Read a number with a fraction or exponent; :class:`JsonError` where it overflows."""
    number = float(digits)
    if math.isinf(number):
        raise JsonError(f"the number {digits[:40]} is too large for a float")
    return number


def too_deep(limit: int) -> JsonError:
    """Return the error for a value that is nested too deeply."""
    return JsonError(f"nested more than {limit} levels deep")


def parse(text: str) -> JsonValue:
    """Parse one JSON text without recursion; slower than the C scanner, O(length)."""
    stack: list[tuple[list[JsonValue] | dict[str, JsonValue], str]] = []
    position = _skip(text, 0)
    while True:
        value, position, opened = _value(text, position)
        while not opened:
            position = _skip(text, position)
            if not stack:
                if position != len(text):
                    raise _error("extra data", position)
                return value
            container, key = stack.pop()
            if isinstance(container, list):
                container.append(value)
                closing = "]"
            else:
                container[key] = value
                closing = "}"
            mark = text[position : position + 1]
            position += 1
            if mark == closing:
                value = container
                continue
            if mark != ",":
                raise _error(f"expected ',' or {closing!r}", position - 1)
            value, opened = container, True
        if len(stack) >= MAX_NESTING:
            raise too_deep(MAX_NESTING)
        key, position = _slot(text, position, value)
        stack.append((value, key))


def _value(text: str, position: int) -> tuple[JsonValue, int, bool]:
    """Read a scalar or an empty container, or else open a container: the last part tells."""
    char = text[position : position + 1]
    if char not in ("[", "{"):
        return (*_scalar(text, position), False)
    position = _skip(text, position + 1)
    container: JsonValue = [] if char == "[" else {}
    if text[position : position + 1] == ("]" if char == "[" else "}"):
        return container, position + 1, False
    return container, position, True


def _slot(text: str, position: int, container: JsonValue) -> tuple[str, int]:
    """Go to the next member of an open container; the key is empty for a list."""
    position = _skip(text, position)
    if isinstance(container, list):
        return "", position
    if text[position : position + 1] != '"':
        raise _error("expected a property name", position)
    key, position = _string(text, position)
    position = _skip(text, position)
    if text[position : position + 1] != ":":
        raise _error("expected ':'", position)
    return key, _skip(text, position + 1)


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _string(text: str, position: int) -> tuple[str, int]:
    try:
        value, end = scanstring(text, position + 1, True)  # noqa: FBT003 - its only signature
    except json.JSONDecodeError as error:
        raise _error(error.msg, error.pos) from None
    return str(value), int(end)


def _scalar(text: str, position: int) -> tuple[JsonValue, int]:
    if text[position : position + 1] == '"':
        return _string(text, position)
    for literal, value in _LITERALS:
        if text.startswith(literal, position):
            return value, position + len(literal)
    match = _NUMBER.match(text, position)
    if match is None:
        raise _error("expected a value", position)
    whole, fraction, exponent = match.groups()
    if fraction is None and exponent is None:
        return _integer(whole), match.end()
    return finite(match.group()), match.end()


def _integer(digits: str) -> int:
    if digits.startswith("-"):
        return -_integer(digits[1:])
    if len(digits) <= DIGITS_AT_ONCE:
        return int(digits)
    half = len(digits) // 2
    return int(_integer(digits[:-half]) * 10**half + _integer(digits[-half:]))


def _error(what: str, position: int) -> JsonError:
    return JsonError(f"not JSON: {what} at character {position}")
