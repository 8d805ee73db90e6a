"""How well a document answers a query (SEARCH-9, SEARCH-13)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from session_query.text._folding import Segmentation
from session_query.text._index_form import folded_form, token_texts
from session_query.text._matching import BLOCK_TOKENS, best_block_of, spans_of, starts_of
from session_query.text._memo import WINDOW
from session_query.text._phrase_pattern import PhrasePattern
from session_query.text._query import ParsedQuery
from session_query.text._tokens import locate_tokens

__all__ = ["Match", "Matcher", "Rank", "measure"]


_ASCII_TOKEN: Final = re.compile("[0-9A-Za-z]+")


class Rank(NamedTuple):
    """What of a match the order of hits depends on.

    Attributes:
        units: How many different units begin in the best block; 1 for a phrase.
        spans: How many spans the occurrences of all units form in the document.
    """

    units: int
    spans: int


class Match(NamedTuple):
    """A document that answers a query, and where.

    Attributes:
        rank: What the order of hits depends on.
        matched: The texts of the units in the best block, in query order; none for a phrase.
        start: Where the first occurrence begins in the original text; for `all` and `any` the
            first that begins in the best block, and of several there the longest.
        end: Where it ends.
    """

    rank: Rank
    matched: tuple[str, ...]
    start: int
    end: int


class Matcher:
    """One query, ready to be asked of many documents.

    Parameters:
        query: What to look for.
        segmentation: That with which the query was parsed.
    """

    __slots__ = ("_lengths", "_pattern", "_phrases", "_query", "_segmentation")

    def __init__(self, query: ParsedQuery, segmentation: Segmentation = "script") -> None:
        self._query = query
        self._segmentation: Segmentation = segmentation
        self._phrases = [unit.tokens for unit in query.units]
        self._lengths = [len(phrase) for phrase in self._phrases]
        self._pattern = (
            PhrasePattern(self._phrases[0])
            if len(self._phrases) == 1 and PhrasePattern.fits(self._phrases[0])
            else None
        )

    def rank(self, text: str) -> Rank | None:
        """Return the rank of a document; None, if it doesn't answer the query."""
        if self._pattern:
            found = self._pattern.search(folded_form(text, self._segmentation))
            return found and Rank(1, found.spans)
        starts = self._starts(text)
        best = best_block_of(starts)
        return best and Rank(len(best[1]), self._spans(starts))

    def strength(self, text: str) -> int | None:
        """Return the first key of the order: spans for a phrase, else the units in the best block.

        That is less work than `rank`. None, if the document doesn't answer the query.
        """
        if self._query.match == "phrase":
            rank = self.rank(text)
            return rank and rank.spans
        best = best_block_of(self._starts(text))
        return best and len(best[1])

    def measure(self, text: str) -> Match | None:
        """Return how a document answers the query and where; None, if it doesn't."""
        if self._pattern:
            return self._measure_one(text, self._pattern)
        starts = self._starts(text)
        best = best_block_of(starts)
        if best is None:
            return None
        block, units = best
        first, longest = min(
            (starts[unit][bisect_left(starts[unit], block * BLOCK_TOKENS)], -self._lengths[unit])
            for unit in units
        )
        rank = Rank(len(units), self._spans(starts))
        return Match(rank, self._matched(units), *self._locate(text, first, -longest))

    def _measure_one(self, text: str, pattern: PhrasePattern) -> Match | None:
        form = folded_form(text, self._segmentation)
        found = pattern.search(form)
        if found is None:
            return None
        where = (found.start, found.end)
        if not text.isascii():
            before = len(form[: found.start].split())
            where = self._locate(text, before, self._lengths[0])
        return Match(Rank(1, found.spans), self._matched([0]), *where)

    def _starts(self, text: str) -> list[list[int]]:
        """Return where each unit begins; nowhere, if the document doesn't hold enough of them."""
        starts = starts_of(token_texts(text, self._segmentation), self._phrases)
        return [] if self._query.match == "all" and not all(starts) else starts

    def _spans(self, starts: Sequence[Sequence[int]]) -> int:
        if all(length == 1 for length in self._lengths):
            return sum(map(len, starts))  # no two units are alike: nothing overlaps
        return spans_of(starts, self._lengths)

    def _matched(self, units: Iterable[int]) -> tuple[str, ...]:
        if self._query.match == "phrase":
            return ()
        return tuple(self._query.units[unit].text for unit in units)

    def _locate(self, text: str, first: int, size: int) -> tuple[int, int]:
        """Return from where to where some tokens are in the original text."""
        if text.isascii() and len(text) <= WINDOW:
            spans = map(re.Match.span, _ASCII_TOKEN.finditer(text))
            tokens = list(islice(spans, first, first + size))
            return tokens[0][0], tokens[-1][1]
        return locate_tokens(text, first, size, self._segmentation)


@lru_cache(maxsize=16)
def _matcher(query: ParsedQuery, segmentation: Segmentation) -> Matcher:
    return Matcher(query, segmentation)


def measure(text: str, query: ParsedQuery, segmentation: Segmentation = "script") -> Match | None:
    """Return how `text` answers `query` and where; None, if it doesn't (SEARCH-9, SEARCH-13)."""
    return _matcher(query, segmentation).measure(text)
