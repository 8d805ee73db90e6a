"""What the SDK can send of what logs and models hold (ACP-1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, TypeVar

__all__ = ["sendable"]

T = TypeVar("T")

_DEEPEST: Final = 100
_LEFT_OUT: Final = "…"
_LARGEST: Final = 10**300


def sendable(value: T) -> T:
    """Return a value as the SDK takes it.

    A lone surrogate becomes U+FFFD, a number that is no JSON its name, and what is nested too
    deeply an ellipsis: a client must not miss a call for what is in its arguments.
    """
    return _sendable(value, 0)  # type: ignore[no-any-return]


def _sendable(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping) and depth < _DEEPEST:
        return {
            _sendable(str(name), depth): _sendable(item, depth + 1) for name, item in value.items()
        }
    if isinstance(value, (list, tuple)) and depth < _DEEPEST:
        return [_sendable(item, depth + 1) for item in value]
    # readers of JSON refuse numbers of thousands of digits
    is_json = value is None or (isinstance(value, (int, float)) and abs(value) <= _LARGEST)
    return value if is_json else _LEFT_OUT
