"""The scripts whose characters are tokenized in a way of their own.

A range may span unassigned code points and gaps without a letter, digit or mark of another script:
which characters of a range exist, and what they are, `unicodedata` says.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

__all__ = ["is_european", "is_pointed", "is_spaceless"]

_LATIN: Final = (
    (0x0041, 0x00AA),
    (0x00BA, 0x02B8),
    (0x02E0, 0x02E4),
    (0x1D00, 0x1D25),
    (0x1D2C, 0x1D5C),
    (0x1D62, 0x1D65),
    (0x1D6B, 0x1D77),
    (0x1D79, 0x1DBE),
    (0x1E00, 0x1EFF),
    (0x2071, 0x209C),
    (0x212A, 0x212B),
    (0x2132, 0x2132),
    (0x214E, 0x2184),
    (0x2C60, 0x2C7F),
    (0xA722, 0xA787),
    (0xA78B, 0xA7FF),
    (0xAB30, 0xAB64),
    (0xAB66, 0xAB69),
    (0xFB00, 0xFB06),
    (0xFF21, 0xFF5A),
    (0x10780, 0x107BF),
    (0x1DF00, 0x1DFFF),
)
_GREEK: Final = (
    (0x0370, 0x0373),
    (0x0376, 0x03E1),
    (0x03F0, 0x03FF),
    (0x1D26, 0x1D2A),
    (0x1D5D, 0x1D61),
    (0x1D66, 0x1D6A),
    (0x1DBF, 0x1DBF),
    (0x1F00, 0x1FFF),
    (0x2126, 0x2126),
    (0xAB65, 0xAB65),
)
_CYRILLIC: Final = (
    (0x0400, 0x052F),
    (0x1C80, 0x1C8F),
    (0x1D2B, 0x1D2B),
    (0x1D78, 0x1D78),
    (0xA640, 0xA69F),
    (0x1E030, 0x1E08F),
)
_HAN: Final = (
    (0x3005, 0x3007),
    (0x3021, 0x302D),
    (0x3038, 0x303B),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x16FE3, 0x16FE3),
    (0x16FF0, 0x16FFF),
    (0x20000, 0x3FFFF),
)
_KANA: Final = (
    # With the marks that are shared by both syllabaries, or with Han: ー, 〱, 〼 and the voicing
    # marks. Unicode gives them no script of their own.
    (0x3031, 0x3035),
    (0x303C, 0x303C),
    (0x3041, 0x309F),
    (0x30A1, 0x30FF),
    (0x31F0, 0x31FF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
)
_HANGUL: Final = (
    (0x1100, 0x11FF),
    (0x302E, 0x302F),
    (0x3131, 0x318E),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),
    (0xFFA0, 0xFFDC),
)
_THAI: Final = ((0x0E01, 0x0E7F),)
_LAO: Final = ((0x0E80, 0x0EFF),)
_KHMER: Final = ((0x1780, 0x17FF),)
_MYANMAR: Final = ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0x116D0, 0x116FF))

_HEBREW_POINTS: Final = ((0x0591, 0x05C7), (0xFB1E, 0xFB1E))
_ARABIC_POINTS: Final = (
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06ED),
    (0x0890, 0x08FF),
    (0x10EC0, 0x10EFF),
)

_EUROPEAN: Final = sorted((*_LATIN, *_GREEK, *_CYRILLIC))
_SPACELESS: Final = sorted((*_HAN, *_KANA, *_HANGUL, *_THAI, *_LAO, *_KHMER, *_MYANMAR))
_POINTED: Final = sorted((*_HEBREW_POINTS, *_ARABIC_POINTS))


def is_european(char: str) -> bool:
    """Whether `char`, if it is a letter, is a Latin, Greek or Cyrillic one (SEARCH-6)."""
    return _holds(_EUROPEAN, char)


def is_pointed(char: str) -> bool:
    """Whether `char`, if it is a nonspacing mark, is a Hebrew or Arabic point (SEARCH-6)."""
    return _holds(_POINTED, char)


def is_spaceless(char: str) -> bool:
    """Whether `char`, if it joins tokens at all, is of a script without spaces (SEARCH-7)."""
    return _holds(_SPACELESS, char)


def _holds(ranges: list[tuple[int, int]], char: str) -> bool:
    code = ord(char)
    # The last range that starts at or before the code point.
    at = bisect_right(ranges, (code, 0x110000)) - 1
    return at >= 0 and code <= ranges[at][1]
