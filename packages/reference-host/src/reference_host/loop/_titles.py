"""A title for a session whose user gave it none (HOST-7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from session_query import fold_whitespace

__all__ = ["fallback_title"]

_LONGEST: Final = 60


def fallback_title(content: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the first words of a message, cut between two of them; None if it has no text."""
    texts = [block["text"] for block in content if block.get("type") == "text"]
    words = fold_whitespace(" ".join(texts)).strip()
    if len(words) <= _LONGEST:
        return words or None
    cut = words[: _LONGEST - 1]
    kept = cut.rpartition(" ")[0] if words[_LONGEST - 1] != " " and " " in cut else cut
    return f"{kept.rstrip()}…"
