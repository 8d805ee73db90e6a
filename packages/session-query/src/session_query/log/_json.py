"""Lossless JSON: strict parsing, any nesting, integers of any length, and frozen values (LOG-4).

The C scanner of the standard library does the work; it gives up on deep nesting (its own recursion)
and on integers of over 4,300 digits (a global guard of the interpreter). Both are legal in a log,
so such a text is parsed again by a loop without recursion. Writing works the same way.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring  # type: ignore[attr-defined]
from typing import Any, NoReturn, TypeAlias

__all__ = [
    "MAX_DEPTH",
    "FrozenDict",
    "FrozenList",
    "JsonError",
    "JsonValue",
    "dumps",
    "dumps_bytes",
    "freeze",
    "integral",
    "loads",
    "safe_integral",
    "same",
    "thaw",
]

JsonValue: TypeAlias = Any
"""None, bool, int, finite float, str, list and dict with str keys, nested."""

MAX_DEPTH = 10_000
"""Deeper nesting is refused with a :class:`JsonError`; LOG-4 asks for at least 2,000."""

_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_SPACE = re.compile(r"[ \t\n\r]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS_PER_STEP = 4_000


class JsonError(ValueError):
    """Raised when a text or value is not lossless JSON; the message says what and where."""


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is not JSON"
    raise JsonError(msg)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        msg = f"the number {digits[:40]} is too large for a float"
        raise JsonError(msg)
    return number


_decoder = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
_encoder = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
)


def loads(text: str | bytes) -> JsonValue:
    """Parse one JSON text; bytes that are not UTF-8 read as U+FFFD (LOG-20).

    Raises :class:`JsonError` for anything that is not exactly one JSON value: NaN and infinities,
    a number that overflows to one, a byte order mark, trailing text. O(length).
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        return _decoder.decode(text)
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        msg = f"not JSON: {error.msg} at character {error.pos}"
        raise JsonError(msg) from None
    except (RecursionError, ValueError):
        # deep nesting, or an integer longer than the interpreter's guard allows
        return _parse(text)


def _integer(digits: str) -> int:
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    if len(digits) <= _DIGITS_PER_STEP:
        return sign * int(digits)
    half = len(digits) // 2
    return sign * (_integer(digits[:half]) * 10 ** (len(digits) - half) + _integer(digits[half:]))


def _digits(number: int) -> str:
    if number < 0:
        return "-" + _digits(-number)
    # 3.33 bits a digit: an estimate that is never too small
    width = int(number.bit_length() * 0.30103) + 1
    if width <= _DIGITS_PER_STEP:
        return int.__repr__(number)
    half = width // 2
    high, low = divmod(number, 10**half)
    return _digits(high) + _digits(low).zfill(half) if high else _digits(low)


def _parse(text: str) -> JsonValue:  # noqa: C901, PLR0912, PLR0915 - one state machine, read as a whole
    """Parse without recursion; slower than the C scanner, and only called where that gives up."""
    stack: list[tuple[list[JsonValue] | dict[str, JsonValue], str]] = []
    position = _skip(text, 0)
    while True:
        char = text[position : position + 1]
        container: list[JsonValue] | dict[str, JsonValue]
        value: JsonValue
        if char in ("[", "{") and char:
            if len(stack) >= MAX_DEPTH:
                msg = f"nested more than {MAX_DEPTH} levels deep"
                raise JsonError(msg)
            container = [] if char == "[" else {}
            position = _skip(text, position + 1)
            if text[position : position + 1] != ("]" if char == "[" else "}"):
                key = ""
                if char == "{":
                    key, position = _key(text, position)
                stack.append((container, key))
                continue
            value, position = container, position + 1
        else:
            value, position = _scalar(text, position)
        while True:
            position = _skip(text, position)
            if not stack:
                if position != len(text):
                    msg = f"not JSON: extra data at character {position}"
                    raise JsonError(msg)
                return value
            container, key = stack.pop()
            closing = "]"
            if isinstance(container, list):
                container.append(value)
            else:
                container[key] = value
                closing = "}"
            mark = text[position : position + 1]
            if mark == closing:
                value, position = container, position + 1
                continue
            if mark != ",":
                msg = f"not JSON: expected ',' or {closing!r} at character {position}"
                raise JsonError(msg)
            position = _skip(text, position + 1)
            if closing == "}":
                key, position = _key(text, position)
            stack.append((container, key))
            break


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _key(text: str, position: int) -> tuple[str, int]:
    if text[position : position + 1] != '"':
        msg = f"not JSON: expected a property name at character {position}"
        raise JsonError(msg)
    key, position = _string(text, position)
    position = _skip(text, position)
    if text[position : position + 1] != ":":
        msg = f"not JSON: expected ':' at character {position}"
        raise JsonError(msg)
    return key, _skip(text, position + 1)


def _string(text: str, position: int) -> tuple[str, int]:
    try:
        value, end = scanstring(text, position + 1, True)  # noqa: FBT003 - the scanner's own signature
    except json.JSONDecodeError as error:
        msg = f"not JSON: {error.msg} at character {error.pos}"
        raise JsonError(msg) from None
    return str(value), int(end)


def _scalar(text: str, position: int) -> tuple[JsonValue, int]:
    if text[position : position + 1] == '"':
        return _string(text, position)
    for literal, value in (("true", True), ("false", False), ("null", None)):
        if text.startswith(literal, position):
            return value, position + len(literal)
    match = _NUMBER.match(text, position)
    if match is None:
        msg = f"not JSON: expected a value at character {position}"
        raise JsonError(msg)
    whole, fraction, exponent = match.groups()
    if fraction is None and exponent is None:
        return _integer(whole), match.end()
    return _finite(match.group()), match.end()


def dumps(value: JsonValue) -> str:
    """Write compact JSON; characters outside ASCII stay as they are, surrogates are escaped.

    Raises :class:`JsonError` for a value that is not JSON. O(size), any nesting.
    """
    try:
        text = _encoder.encode(value)
    except (RecursionError, ValueError):
        text = "".join(_write(value))
    except TypeError as error:
        raise JsonError(str(error)) from None
    if _SURROGATE.search(text):
        return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return text


def dumps_bytes(value: JsonValue) -> bytes:
    """Write compact JSON as UTF-8; see :func:`dumps`."""
    return dumps(value).encode("utf-8")


def _write(value: JsonValue) -> Iterable[str]:
    """Yield the pieces of ``value`` without recursion."""
    pending: list[tuple[bool, JsonValue]] = [(False, value)]
    while pending:
        literal, item = pending.pop()
        if literal:
            yield item
        elif isinstance(item, Mapping):
            parts: list[tuple[bool, JsonValue]] = [(True, "{")]
            for index, (key, member) in enumerate(item.items()):
                if not isinstance(key, str):
                    msg = f"an object key of type {type(key).__name__} is not JSON"
                    raise JsonError(msg)
                comma = "," if index else ""
                parts += [(True, f"{comma}{encode_basestring(key)}:"), (False, member)]
            pending.extend(reversed([*parts, (True, "}")]))
        elif isinstance(item, (list, tuple)):
            parts = [(True, "[")]
            for index, member in enumerate(item):
                parts += [(True, ","), (False, member)] if index else [(False, member)]
            pending.extend(reversed([*parts, (True, "]")]))
        else:
            yield _write_scalar(item)


def _write_scalar(item: JsonValue) -> str:
    if item is None or isinstance(item, bool):
        return {None: "null", True: "true", False: "false"}[item]
    if isinstance(item, int):
        return _digits(item)
    if isinstance(item, float):
        if not math.isfinite(item):
            msg = f"{item!r} is not JSON"
            raise JsonError(msg)
        return float.__repr__(item)
    if isinstance(item, str):
        return str(encode_basestring(item))
    msg = f"a value of type {type(item).__name__} is not JSON"
    raise JsonError(msg)


def _refuse(self: object, *_args: object, **_kwargs: object) -> NoReturn:
    msg = "the value is frozen; make a detached copy with to_json() or thaw()"
    raise TypeError(msg)


class FrozenDict(dict[str, Any]):
    """A JSON object that can't be changed; equal to, and written like, a plain dict (LOG-5)."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (freeze, (thaw(self),))


class FrozenList(list[Any]):
    """A JSON array that can't be changed; equal to, and written like, a plain list (LOG-5)."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse  # type: ignore[assignment]
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse  # type: ignore[assignment]

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (freeze, (thaw(self),))


def freeze(value: JsonValue) -> JsonValue:
    """Copy ``value`` into frozen JSON, checking it on the way; O(size), any nesting.

    Raises :class:`JsonError` naming the type of the first value that is not JSON: NaN, infinities,
    keys that are not text, sets, bytes, objects; and for nesting beyond :data:`MAX_DEPTH`.
    """
    return _copy(value, FrozenDict, FrozenList)


def thaw(value: JsonValue) -> JsonValue:
    """Copy JSON into plain dicts and lists that share nothing with ``value``; O(size)."""
    return _copy(value, dict, list)


def _copy(
    value: JsonValue, new_dict: type[dict[str, Any]], new_list: type[list[Any]]
) -> JsonValue:
    kind = type(value)
    if not issubclass(kind, (dict, list, tuple, Mapping)):
        return _scalar_copy(value)
    put, add = dict.__setitem__, list.append
    root = new_dict() if issubclass(kind, Mapping) else new_list()
    stack: list[tuple[Any, Any, int]] = [(value, root, 1)]
    while stack:
        source, target, depth = stack.pop()
        if depth > MAX_DEPTH:
            msg = f"nested more than {MAX_DEPTH} levels deep"
            raise JsonError(msg)
        is_dict = isinstance(target, dict)
        for key, item in source.items() if is_dict else enumerate(source):
            copied: JsonValue
            if isinstance(item, Mapping):
                copied = new_dict()
                stack.append((item, copied, depth + 1))
            elif isinstance(item, (list, tuple)):
                copied = new_list()
                stack.append((item, copied, depth + 1))
            else:
                copied = _scalar_copy(item)
            if not is_dict:
                add(target, copied)
            elif isinstance(key, str):
                put(target, _text(key), copied)
            else:
                msg = f"an object key of type {type(key).__name__} is not JSON"
                raise JsonError(msg)
    return root


def _scalar_copy(value: JsonValue) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return value if type(value) is int else int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            msg = f"{value!r} is not JSON"
            raise JsonError(msg)
        return value if type(value) is float else float(value)
    msg = f"a value of type {type(value).__name__} is not JSON"
    raise JsonError(msg)


def _text(value: str) -> str:
    if type(value) is not str:
        value = str.__str__(value)
    if not value.isascii() and _SURROGATE.search(value):
        # a high and a low surrogate that stand together are one character everywhere else
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return value


def integral(value: JsonValue) -> int | None:
    """Return ``value`` as an int where it is one, an integral float included; else None (LOG-3)."""
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


SAFE_INTEGER = 2**53 - 1


def safe_integral(value: JsonValue) -> int | None:
    """Return ``value`` as an int that every JSON implementation holds exactly; else None."""
    number = integral(value)
    return number if number is not None and -SAFE_INTEGER <= number <= SAFE_INTEGER else None


def same(left: JsonValue, right: JsonValue) -> bool:
    """Tell whether two JSON values are equal, key order aside; O(size), any nesting."""
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if one.keys() != other.keys():
                return False
            pending.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif isinstance(one, bool) is not isinstance(other, bool) or one != other:
            return False
    return True
