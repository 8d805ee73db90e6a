"""A bounded memory of what was computed about each character."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

__all__ = ["Memo"]

K = TypeVar("K")
V = TypeVar("V")

_MOST: Final = 1 << 16


class Memo(dict[K, V], Generic[K, V]):
    """A dict that computes what it lacks, and starts afresh when hostile text has filled it.

    It's a dict, so that `map` and `str.translate` read it without running Python code.

    Parameters:
        compute: Gives the value of a key. It must depend on nothing else.
    """

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[K], V]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: K) -> V:
        value = self._compute(key)
        if len(self) >= _MOST:
            self.clear()
        self[key] = value
        return value
