"""White space as the whole project means it (LOG-6), which isn't what `str.isspace` does."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ANY_WHITESPACE", "WHITESPACE", "fold_whitespace", "trim"]

WHITESPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Every white-space code point, in ascending order (LOG-6)."""

ANY_WHITESPACE: Final = re.compile(f"[{WHITESPACE}]+")
"""One run of white space."""

# Runs that are one space already are the most frequent by far, and need no replacement.
_UNFOLDED: Final = re.compile(f"[{WHITESPACE.replace(' ', '')}][{WHITESPACE}]*| [{WHITESPACE}]+")
_SLICE: Final = 1 << 16


def trim(text: str) -> str:
    """Return `text` without white space at its ends (LOG-6)."""
    return text.strip(WHITESPACE)


def fold_whitespace(text: str) -> str:
    """Return `text` with each run of white space replaced by one space; its ends stay (LOG-6)."""
    if len(text) <= _SLICE:
        return _UNFOLDED.sub(" ", text)
    folded: list[str] = []
    ends_in_space = False
    # In slices, because other threads wait while one substitution runs.
    for start in range(0, len(text), _SLICE):
        piece = _UNFOLDED.sub(" ", text[start : start + _SLICE])
        if ends_in_space:
            piece = piece.removeprefix(" ")
        if piece:
            folded.append(piece)
            ends_in_space = piece.endswith(" ")
    return "".join(folded)
