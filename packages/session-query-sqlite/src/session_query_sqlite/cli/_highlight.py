"""Where the words of a query stand in a snippet (CLI-3, CLI-4)."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text
from session_query import EventHit
from session_query.text import ParsedQuery, Segmentation, occurrences, parse_query, tokenize

from session_query_sqlite.cli._neutral import visible

__all__ = ["Highlighter", "how_matched"]

_STYLE = "bold black on yellow"


class Highlighter:
    """Marks what of a snippet made it a hit, by the tokens that the search itself uses.

    Args:
        query: what was searched for.
        segmentation: that of the index.
    """

    def __init__(self, query: str, segmentation: Segmentation) -> None:
        self._segmentation = segmentation
        self._phrase = parse_query(query, "phrase", segmentation)
        self._words = parse_query(query, "any", segmentation)

    def snippet(self, hit: EventHit) -> Text:
        """Return the snippet of a hit, neutralised and with its matches in a style."""
        snippet = hit.snippet
        query = self._phrase if hit.matched is None else self._words
        text = Text()
        done = 0
        for start, end in self._spans(snippet, query):
            text.append(visible(snippet[done:start]))
            text.append(visible(snippet[start:end]), _STYLE)
            done = end
        text.append(visible(snippet[done:]))
        return text

    def _spans(self, snippet: str, query: ParsedQuery) -> Iterator[tuple[int, int]]:
        """Yield the parts that match, in order and apart from each other."""
        tokens = tokenize(snippet, self._segmentation)
        words = [token.text for token in tokens]
        found = sorted(
            (tokens[first].start, tokens[first + len(unit.tokens) - 1].end)
            for unit in query.units
            for first in occurrences(words, unit.tokens)
        )
        reach = 0
        for start, end in found:
            if end > reach:
                yield max(start, reach), end
                reach = end


def how_matched(hit: EventHit) -> str:
    """Say how a hit matched: as the phrase, or by which of the words."""
    return "phrase" if hit.matched is None else "words: " + ", ".join(hit.matched)
