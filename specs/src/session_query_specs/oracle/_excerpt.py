"""The part of a text that a hit shows (SEARCH-10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import regex  # type: ignore[import-untyped]  # it has no type hints
from session_query import fold_whitespace

__all__ = ["Excerpts", "without_surrogates"]

_CLUSTER: Final = regex.compile(r"\X")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MORE: Final = "…"


def without_surrogates(text: str) -> str:
    """Return a text with U+FFFD in the place of each lone surrogate."""
    return _SURROGATE.sub("\ufffd", text)


class Excerpts:
    """The part of the oracle that makes snippets.

    Attributes:
        snippet_chars: the most code points that a snippet may have.
    """

    snippet_chars: int

    def snippet(self, text: str, start: int, end: int) -> str:
        """Return the part of a text around what stands from `start` to `end` in it."""
        folded = without_surrogates(fold_whitespace(text))
        if len(folded) <= self.snippet_chars:
            return folded
        low, high = self.window(
            folded, len(fold_whitespace(text[: start + 1])) - 1, len(fold_whitespace(text[:end]))
        )
        before = _MORE if low > 0 else ""
        after = _MORE if high < len(folded) else ""
        return f"{before}{folded[low:high]}{after}" if low < high else _MORE

    def window(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Return from where to where a longer text is shown: the match inside if it fits.

        The window moves as little as that takes; what doesn't fit is shown from its first cluster.
        """
        edges = self.edges(text)
        first_cluster = next(edge for edge in edges if edge > start)
        for needed in (end, first_cluster):
            for begin in self.begins(len(text), start):
                low, high = self.whole_clusters(text, edges, begin)
                if low <= start and needed <= high:
                    return low, high
        room = self.snippet_chars - (start > 0)
        return start, start + room - (start + room < len(text))

    def begins(self, length: int, start: int) -> Iterator[int]:
        """Yield where the window may begin, the wanted place first, then the nearest ones."""
        last = length - self.snippet_chars
        wanted = min(max(0, start - self.snippet_chars // 3), last)
        yield from sorted(range(last + 1), key=lambda begin: abs(begin - wanted))

    def whole_clusters(self, text: str, edges: Sequence[int], begin: int) -> tuple[int, int]:
        """Return the clusters of a window that are whole, without what the ellipses cost."""
        end = begin + self.snippet_chars
        low, high = begin + (begin > 0), end - (end < len(text))
        return min(edge for edge in edges if edge >= low), max(
            edge for edge in edges if edge <= high
        )

    def edges(self, text: str) -> list[int]:
        """Return where grapheme clusters begin and end."""
        return [*(cluster.start() for cluster in _CLUSTER.finditer(text)), len(text)]
