"""JSON as people read it, however deep, with nothing invisible in it (RENDER-2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from session_query import JsonValue, dumps

from tool_session_query._presentation._visible import escaped

__all__ = ["pretty_json"]

_LONGEST_LINE: Final = 200
_DEEPEST_INDENT: Final = 40
"""Indenting a value that is nested a hundred thousand deep would be quadratic in size."""


def pretty_json(value: JsonValue) -> str:
    """Return indented JSON that reads back as the same value; O(size)."""
    return "".join(_pieces(value))


def _pieces(value: JsonValue) -> Iterator[str]:
    stack: list[tuple[Iterator[tuple[str, JsonValue]], str, bool]] = [
        (iter([("", value)]), "", True)
    ]
    while stack:
        members, closing, first = stack[-1]
        depth = len(stack) - 1
        for prefix, item in members:
            if depth:
                yield ("" if first else ",") + _line(depth)
                stack[-1] = (members, closing, False)
                first = False
            yield prefix
            if _is_short(item):
                yield f"[{', '.join(map(dumps, item))}]"
            elif isinstance(item, dict) and item:
                yield "{"
                stack.append((_named(item), "}", True))
                break
            elif isinstance(item, (list, tuple)) and item:
                yield "["
                stack.append((iter([("", each) for each in item]), "]", True))
                break
            else:
                yield escaped(dumps(item))
        else:
            stack.pop()
            if depth:
                yield _line(depth - 1) + closing


def _is_short(value: JsonValue) -> bool:
    """Tell whether a value is a list of numbers, as seqs are: they read best on one line."""
    return (
        isinstance(value, (list, tuple))
        and 0 < len(value) <= _LONGEST_LINE
        and all(type(item) is int for item in value)
    )


def _named(members: dict[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    for name, member in members.items():
        yield f"{escaped(dumps(name))}: ", member


def _line(depth: int) -> str:
    return "\n" + "  " * min(depth, _DEEPEST_INDENT)
