"""A bounded memory of what was computed about each character, and its use on whole texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

__all__ = ["WINDOW", "Memo", "translate"]

K = TypeVar("K")
V = TypeVar("V")

WINDOW: Final = 1 << 13
"""How many code points one C call works on, so that other threads wait a few ms at most."""


class Memo(dict[K, V], Generic[K, V]):
    """A dict that computes what it lacks, and starts afresh when hostile text has filled it.

    It's a dict, so that `map` and `str.translate` read it without running Python code.

    Parameters:
        compute: Gives the value of a key. It must depend on nothing else.
        most: How many values to keep.
    """

    __slots__ = ("_compute", "_most")

    def __init__(self, compute: Callable[[K], V], most: int = 1 << 16) -> None:
        super().__init__()
        self._compute = compute
        self._most = most

    def __missing__(self, key: K) -> V:
        value = self._compute(key)
        if len(self) >= self._most:
            self.clear()
        self[key] = value
        return value


def translate(text: str, table: Memo[int, str]) -> str:
    """Return `text` with each character replaced by what `table` has for its code point."""
    if len(text) <= WINDOW:
        return text.translate(table)
    slices = (text[start : start + WINDOW] for start in range(0, len(text), WINDOW))
    return "".join(part.translate(table) for part in slices)
