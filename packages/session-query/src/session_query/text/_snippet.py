"""The part of a document that shows a match (SEARCH-10)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from session_query.text._clusters import cluster_boundaries
from session_query.text._surrogates import without_surrogates
from session_query.text._whitespace import WHITESPACE, fold_whitespace

__all__ = ["snippet"]

_ELLIPSIS: Final = "…"
# How much more than a snippet is read on each side, so that clusters at its edges are read whole.
_MARGIN: Final = 64


class _Context(NamedTuple):
    """Folded text around a match.

    Attributes:
        text: The text.
        match: Where the match begins in it.
        boundaries: Where it can be cut; the first is at least a snippet's length before the match.
        is_end: Whether the document ends where it does. It begins there, if the match is less than
            a snippet's length away.
    """

    text: str
    match: int
    boundaries: Sequence[int]
    is_end: bool


def snippet(text: str, match: tuple[int, int] | None, max_chars: int) -> str:
    """Return the part of `text` around a match, with white-space runs folded (SEARCH-10).

    A text that is short enough is returned whole. Otherwise a third of the snippet is before the
    match, or more where the text ends, or less where the match would not fit; `…` takes the place
    of a code point where the text goes on. No grapheme cluster is cut, except that the first one of
    the match is if it's too long by itself. Lone surrogates become U+FFFD.

    It takes time in proportion to `max_chars` and white space that is folded, not to the text.

    Parameters:
        text: The semantic text of a document.
        match: From where to where the match is in it, in code points; None for the text's begin.
        max_chars: The most code points that the snippet may have; at least 1.
    """
    start, end = match or (0, 0)
    context = _context(text, start, max_chars)
    if context.is_end and context.match <= max_chars and len(context.text) <= max_chars:
        return context.text
    # One code point more than fits is enough to know of the match.
    match_size = len(_read(text, start, end, max_chars + 1))
    low, high = _bounds(context, context.match + match_size, max_chars)
    before = _ELLIPSIS if low > 0 else ""
    after = _ELLIPSIS if high < len(context.text) or not context.is_end else ""
    return f"{before}{context.text[low:high]}{after}" if low < high else _ELLIPSIS


def _bounds(context: _Context, match_end: int, size: int) -> tuple[int, int]:
    """Return the bounds of what is shown, without the code points that `…` takes the place of."""
    text, match, boundaries, is_end = context
    start = max(0, match - size // 3)
    if is_end:
        start = min(start, len(text) - size)
    begin = boundaries[bisect_right(boundaries, match) - 1]
    # The whole match should be inside, or else its first cluster.
    for at in (bisect_left(boundaries, match_end), bisect_right(boundaries, match)):
        if at == len(boundaries):
            continue
        end = boundaries[at]
        earliest = end + (end < len(text) or not is_end) - size
        latest = begin - (begin > 0)
        if earliest > latest:
            continue
        start = min(max(start, earliest), latest)
        low = start + (start > 0)
        high = start + size
        high -= high < len(text) or not is_end
        return (
            boundaries[bisect_left(boundaries, low)],
            boundaries[bisect_right(boundaries, high) - 1],
        )
    high = match + size - (match > 0)
    return match, high - (high < len(text) or not is_end)


def _context(text: str, start: int, size: int) -> _Context:
    if 0 < start < len(text) and text[start] in WHITESPACE and text[start - 1] in WHITESPACE:
        # All of this run is one space.
        start = len(text[:start].rstrip(WHITESPACE))
    right = _read(text, start, len(text), size + _MARGIN)
    is_end = len(right) < size + _MARGIN
    wanted = size + _MARGIN
    while True:
        left = _read(text, 0, start, wanted, backwards=True)
        is_start = len(left) < wanted
        around = without_surrogates(left + right)
        boundaries = cluster_boundaries(
            around, max(0, len(left) - size), is_start=is_start, is_end=is_end
        )
        if boundaries:
            return _Context(around, len(left), boundaries, is_end)
        wanted *= 4


def _read(text: str, start: int, end: int, least: int, *, backwards: bool = False) -> str:
    """Return folded text from one end of a part; fewer code points than `least` if that is all."""
    size = 2 * least
    while True:
        low, high = (max(start, end - size), end) if backwards else (start, min(end, start + size))
        folded = fold_whitespace(text[low:high])
        if len(folded) >= least or high - low == end - start:
            return folded
        size *= 4  # there are long runs of white space in it
