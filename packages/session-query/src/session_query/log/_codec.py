"""Lossless JSON text: strict, any nesting, integers of any length (LOG-4).

The C scanner and writer of the standard library do the work. They give up on deep nesting (their
own recursion) and on integers of over 4,300 digits (a global guard of the interpreter); such a text
or value is taken up again by a loop without recursion.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import NoReturn

from session_query.errors import JsonError
from session_query.log._parse import DIGITS_AT_ONCE, finite, parse, too_deep
from session_query.log._values import MAX_NESTING, JsonValue, describe

__all__ = ["SURROGATE", "dumps", "dumps_bytes", "loads"]

SURROGATE = re.compile("[\ud800-\udfff]")

_WRITTEN_NESTING = 2 * MAX_NESTING
"""Nothing that was read is nested this deeply: the value contains itself."""


def _refuse_constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_float=finite, parse_constant=_refuse_constant)
_encoder = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
)


def loads(text: str | bytes) -> JsonValue:
    """Parse one JSON text; bytes that are not UTF-8 read as U+FFFD (LOG-20).

    Of members with one name the last counts. Raises :class:`JsonError` for anything that is not
    exactly one JSON value: NaN and infinities, a number that overflows to one, a byte order mark,
    trailing text; and for nesting beyond :data:`MAX_NESTING`. O(length).
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        value = _decoder.decode(text)
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {error.msg} at character {error.pos}") from None
    except (RecursionError, ValueError):
        # deep nesting, or an integer longer than the interpreter's guard allows
        return parse(text)
    if len(text) > 2 * MAX_NESTING and text.count("[") + text.count("{") > MAX_NESTING:
        # a generous recursion limit let the scanner go deeper than everything else would
        _check_nesting(value)
    return value


def _check_nesting(value: JsonValue) -> None:
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, (dict, list))]:
        depth += 1
        if depth > MAX_NESTING:
            raise too_deep(MAX_NESTING)
        level = [
            inner for item in level for inner in (item.values() if type(item) is dict else item)
        ]


def dumps(value: JsonValue) -> str:
    """Write compact JSON; characters outside ASCII stay as they are, surrogates are escaped.

    Keys are taken to be text. Raises :class:`JsonError` for another value that is not JSON, one
    that contains itself included. O(size), any nesting.
    """
    try:
        text = _encoder.encode(value)
    except (RecursionError, ValueError):
        text = "".join(_write(value))
    except TypeError as error:
        raise JsonError(str(error)) from None
    if SURROGATE.search(text):
        return SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return text


def dumps_bytes(value: JsonValue) -> bytes:
    """Write compact JSON as UTF-8; see :func:`dumps`."""
    return dumps(value).encode("utf-8")


def _write(value: JsonValue) -> Iterator[str]:
    """Yield the pieces of ``value`` without recursion."""
    stack: list[tuple[Iterator[tuple[str, JsonValue]], str]] = [(iter([("", value)]), "")]
    while stack:
        members, closing = stack[-1]
        for prefix, item in members:
            yield prefix
            if isinstance(item, (dict, list, tuple)):
                if len(stack) > _WRITTEN_NESTING:
                    raise JsonError("a value that contains itself is not JSON")
                opening, end = "{}" if isinstance(item, dict) else "[]"
                yield opening
                stack.append((_members(item), end))
                break
            yield _write_scalar(item)
        else:
            stack.pop()
            yield closing


def _members(container: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Yield each member with what is written before it."""
    comma = ""
    if isinstance(container, dict):
        for key, member in container.items():
            if not isinstance(key, str):
                raise JsonError(f"an object key of type {type(key).__name__} is not JSON")
            yield f"{comma}{encode_basestring(key)}:", member
            comma = ","
    else:
        for member in container:
            yield comma, member
            comma = ","


def _write_scalar(item: JsonValue) -> str:
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int):
        return _digits(item)
    if isinstance(item, float) and math.isfinite(item):
        return float.__repr__(item)
    if isinstance(item, str):
        return encode_basestring(item)
    raise JsonError(f"{describe(item)} is not JSON")


def _digits(number: int) -> str:
    if number < 0:
        return "-" + _digits(-number)
    # 0.30103 digits a bit: an estimate that is never too small
    width = int(number.bit_length() * 0.30103) + 1
    if width <= DIGITS_AT_ONCE:
        return int.__repr__(number)
    half = width // 2
    high, low = divmod(number, 10**half)
    return _digits(high) + _digits(low).zfill(half) if high else _digits(low)
