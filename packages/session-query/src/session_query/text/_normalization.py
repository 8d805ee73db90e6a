"""Normalization form KC, piece by piece and in linear time (SEARCH-6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from unicodedata import category, combining, normalize

from session_query.text._memo import WINDOW, Memo

__all__ = ["continues", "nfkc", "windows"]

_COMPOSING_STARTERS: Final = frozenset(
    map(
        chr,
        (
            *range(0x1161, 0x1176),  # Hangul vowels
            *range(0x11A8, 0x11C3),  # Hangul final consonants
            *(0x09BE, 0x09D7, 0x0B3E, 0x0B56, 0x0B57, 0x0BBE, 0x0BD7, 0x0CC2, 0x0CD5, 0x0CD6),
            *(0x0D3E, 0x0D57, 0x0DCF, 0x0DDF, 0x102E, 0x1B35, 0x11127, 0x1133E, 0x11357),
            *(0x113B8, 0x113BB, 0x113C2, 0x113C9, 0x114B0, 0x114BA, 0x114BD, 0x115AF, 0x11930),
            *(0x1611E, 0x1611F, 0x16120, 0x16129, 0x16D67),
        ),
    )
)
"""The characters of combining class 0 that may compose with the one before them."""

_STRIDE: Final = 32


def _continues(char: str) -> bool:
    first = normalize("NFKD", char)[0]
    return combining(first) != 0 or first in _COMPOSING_STARTERS


def _attaches(char: str) -> bool:
    return category(normalize("NFKD", char)[0])[0] == "M" or _continues(char)


_CONTINUES: Final = Memo(_continues)
_ATTACHES: Final = Memo(_attaches)


def continues(char: str) -> bool:
    """Whether normalization may join or reorder `char` with what is before it.

    Before any other character a text can be cut: its parts normalize to the parts of the whole.
    """
    return _CONTINUES[char]


def nfkc(text: str) -> str:
    """Return `text` in normalization form KC, in linear time whatever its marks.

    `unicodedata.normalize` takes quadratic time to bring a long run of marks into canonical order,
    so such a run is put in order first.
    """
    # Probing each 32nd character can't miss a run that is long enough to hurt.
    if len(text) > _STRIDE and any(map(_ATTACHES.__getitem__, text[::_STRIDE])):
        text = "".join(_in_canonical_order(text))
    return normalize("NFKC", text)


def windows(text: str, begin: int = 0, width: int = WINDOW) -> Iterator[tuple[int, int]]:
    """Yield the spans of parts of `text` from `begin` on that normalize apart.

    They have `width` code points, or a few more.

    There is no mark on either side of a cut, so each mark is in one part with what it is on.
    """
    start, size = begin, len(text)
    while start < size:
        end = min(start + width, size)
        while end < size and (_ATTACHES[text[end]] or _ATTACHES[text[end - 1]]):
            end += 1
        yield start, end
        start = end


def _in_canonical_order(text: str) -> Iterator[str]:
    """Yield the characters of `text`, its runs of marks decomposed and stably sorted by class."""
    marks: dict[int, list[str]] = {}
    for char in text:
        for part in normalize("NFKD", char) if _ATTACHES[char] else char:
            if order := combining(part):
                marks.setdefault(order, []).append(part)
                continue
            for key in sorted(marks):
                yield from marks[key]
            marks.clear()
            yield part
    for key in sorted(marks):
        yield from marks[key]
