"""Frozen JSON: values that look and compare like plain ones, and can't be changed (LOG-5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import NoneType
from typing import Any, NoReturn, final

from session_query.errors import JsonError
from session_query.log._codec import SURROGATE, dumps, loads
from session_query.log._parse import too_deep
from session_query.log._values import MAX_DEPTH, MAX_NESTING, JsonValue, describe, equal

__all__ = ["FrozenDict", "FrozenList", "freeze", "freeze_data", "thaw"]


def _refuse(_self: object, *_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError("the value is frozen; change a detached copy, such as to_json() gives")


@final
class FrozenDict(dict[str, Any]):
    """A JSON object that can't be changed; equal to, and written like, a plain dict (LOG-5).

    Whatever it is made of is copied, and frozen at every level.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> FrozenDict:
        """Take what ``dict`` takes; see :func:`freeze` for the errors."""
        frozen: FrozenDict = freeze(dict(*args, **kwargs))
        return frozen

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # `dict.__init__` would add to a value that is frozen already
        del args, kwargs

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __eq__(self, other: object) -> bool:
        return equal(self, other) if isinstance(other, dict) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not equal(self, other) if isinstance(other, dict) else NotImplemented

    __hash__ = None  # like a dict's

    def __repr__(self) -> str:
        try:
            return dict.__repr__(self)
        except (RecursionError, ValueError):  # too deep, or an integer beyond the guard
            return "{...}"

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (_thawed, (dumps(self),))


@final
class FrozenList(list[Any]):
    """A JSON array that can't be changed; equal to, and written like, a plain list (LOG-5).

    Whatever it is made of is copied, and frozen at every level.
    """

    __slots__ = ()

    def __new__(cls, *args: Any) -> FrozenList:
        """Take what ``list`` takes; see :func:`freeze` for the errors."""
        frozen: FrozenList = freeze(list(*args))
        return frozen

    def __init__(self, *args: Any) -> None:
        # `list.__init__` would refill a value that is frozen already
        del args

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __eq__(self, other: object) -> bool:
        return equal(self, other) if isinstance(other, list) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not equal(self, other) if isinstance(other, list) else NotImplemented

    __hash__ = None  # like a list's

    def __repr__(self) -> str:
        try:
            return list.__repr__(self)
        except (RecursionError, ValueError):  # too deep, or an integer beyond the guard
            return "[...]"

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (_thawed, (dumps(self),))


# The only way to an instance whose members are put in later; never handed out before that.
_new_dict: Callable[[], dict[str, Any]] = partial(dict.__new__, FrozenDict)
_new_list: Callable[[], list[Any]] = partial(list.__new__, FrozenList)


def _thawed(text: str) -> JsonValue:
    return freeze(loads(text))


def freeze(value: JsonValue) -> JsonValue:
    """Copy ``value`` into frozen JSON, checking it on the way; O(size), any nesting.

    A frozen value is returned as it is. Raises :class:`JsonError` naming the first value that is
    not JSON: NaN, infinities, keys that are not text, sets, bytes, objects; and for nesting beyond
    :data:`MAX_NESTING`. A high and a low surrogate that stand together become one character, since
    that is how they are read back.
    """
    if type(value) is FrozenDict or type(value) is FrozenList:
        return value
    return _copy(value, _new_dict, _new_list, MAX_NESTING)


def freeze_data(value: JsonValue) -> JsonValue:
    """Freeze event data: as :func:`freeze`, but with nesting up to :data:`MAX_DEPTH` only."""
    if type(value) is FrozenDict or type(value) is FrozenList:
        return value
    return _copy(value, _new_dict, _new_list, MAX_DEPTH)


def thaw(value: JsonValue) -> JsonValue:
    """Copy JSON into plain dicts and lists that share nothing with ``value``; O(size)."""
    return _copy(value, dict, list, MAX_NESTING)


_ATOMS = frozenset({int, bool, NoneType})


def _copy(  # noqa: C901 - one loop, read as a whole
    value: JsonValue,
    new_dict: Callable[[], dict[str, Any]],
    new_list: Callable[[], list[Any]],
    max_depth: int,
) -> JsonValue:
    pending: list[tuple[Any, Any, int]] = []

    def entered(item: JsonValue, depth: int) -> JsonValue:
        """Return the copy of a scalar, or an empty container that is filled later."""
        kind = type(item)
        if kind is str:
            return item if item.isascii() else _text(item)
        if kind in _ATOMS:
            return item
        copied: JsonValue
        if isinstance(item, (dict, Mapping)):
            copied = new_dict()
        elif isinstance(item, (list, tuple)):
            copied = new_list()
        else:
            return _scalar(item)
        if depth > max_depth:
            raise too_deep(max_depth)
        pending.append((item, copied, depth + 1))
        return copied

    root = entered(value, 1)
    put, add = dict.__setitem__, list.append
    while pending:
        source, target, depth = pending.pop()
        if isinstance(target, dict):
            for key, item in source.items():
                put(target, _key(key), entered(item, depth))
        else:
            for item in source:
                add(target, entered(item, depth))
    return root


def _scalar(value: JsonValue) -> JsonValue:
    """Return a scalar of a derived type as one of the plain type."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    raise JsonError(f"{describe(value)} is not JSON")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise JsonError(f"an object key of type {type(key).__name__} is not JSON")
    return _text(key)


def _text(value: str) -> str:
    if type(value) is not str:
        value = str.__str__(value)
    if not value.isascii() and SURROGATE.search(value):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return value
