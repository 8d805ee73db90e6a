"""Counting a phrase in the folded form of a text, without taking it apart (SEARCH-9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from session_query.text._memo import WINDOW

__all__ = ["PhrasePattern", "PhraseSpans"]

# Everything else than these, and not a range up to the last character: `re` takes milliseconds to
# compile such a range, and microseconds for the negation.
_SEPARATORS: Final = r"\x00-/:-@\[-`{-\x7f"
_LETTER: Final = f"[^{_SEPARATORS}]"
_BETWEEN: Final = f"[{_SEPARATORS}]"
_GAP: Final = re.compile(f"{_BETWEEN}++")
_MOST_TOKENS: Final = 16
_MOST_CHARS: Final = 1_024


class PhraseSpans(NamedTuple):
    """How often a phrase is in a form, and where first.

    Attributes:
        spans: The number of spans.
        start: Where the first occurrence begins in the form.
        end: Where it ends.
    """

    spans: int
    start: int
    end: int


class PhrasePattern:
    """One phrase as a regular expression over folded forms.

    Parameters:
        tokens: The texts of its tokens; at least one.
    """

    __slots__ = ("_group", "_others", "_pattern")

    def __init__(self, tokens: Sequence[str]) -> None:
        first, *others = map(re.escape, tokens)
        size = len(tokens)
        rest = "".join(f"{_BETWEEN}++{other}" for other in others) + f"(?!{_LETTER})"
        # Where two occurrences can overlap, the pattern takes up only the begin of each.
        overlaps = any(tokens[:n] == tokens[size - n :] for n in range(1, size))
        self._group = 1 if overlaps else 0
        # A literal start makes `re` fast, so what must not be before it is looked up after it.
        self._pattern = re.compile(
            f"{first}(?<!{_LETTER}{first})" + (f"(?=({rest}))" if overlaps else rest)
        )
        self._others = re.compile(f"(?:{_LETTER}++{_BETWEEN}*+){{{size - 1}}}")

    @staticmethod
    def fits(tokens: Sequence[str]) -> bool:
        """Whether a phrase is short enough for its search to be linear in the text."""
        return len(tokens) <= _MOST_TOKENS and sum(map(len, tokens)) <= _MOST_CHARS

    def search(self, form: str) -> PhraseSpans | None:
        """Return how often the phrase is in `form`; None, if it isn't."""
        spans = reach = 0
        first: tuple[int, int] | None = None
        for low, high in self._windows(form):
            for match in self._pattern.finditer(form, low, high):
                start = match.start()
                if start >= reach:
                    spans += 1
                reach = match.end(self._group)
                if first is None:
                    first = start, reach
        return None if first is None else PhraseSpans(spans, *first)

    def _windows(self, form: str) -> Iterator[tuple[int, int]]:
        """Yield the bounds of parts of `form` that each occurrence begins in just one of."""
        low, size = 0, len(form)
        while size - low > 2 * WINDOW:
            gap = _GAP.search(form, low + WINDOW)
            if gap is None:
                break
            others = self._others.match(form, gap.end())
            yield low, others.end() if others else size
            low = gap.end()
        yield low, size
