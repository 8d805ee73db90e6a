"""The matches of several expressions in one text; none of them knows of the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["matches"]


def matches(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield each match, and which pattern it is of: the leftmost, and of those the first pattern's.

    That is what one expression with `|` between them would find, except that each keeps its own
    flags, names and numbers of groups. An empty match is none.
    """
    ahead = [_following(pattern, text, 0) for pattern in patterns]
    while True:
        found = [(one.start(), index) for index, one in enumerate(ahead) if one is not None]
        if not found:
            return
        index = min(found)[1]
        match = ahead[index]
        if match is None:
            return
        yield index, match
        for other, one in enumerate(ahead):
            if one is not None and one.start() < match.end():
                ahead[other] = _following(patterns[other], text, match.end())


def _following(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    while (match := pattern.search(text, at)) is not None and not match[0]:
        at = match.end() + 1
        if at > len(text):
            return None
    return match
