"""What a query asks for, and how one document answers it (SEARCH-5 to SEARCH-7, SEARCH-13)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar, NamedTuple

from session_query import (
    STOP_WORDS,
    EventDocument,
    MatchMode,
    Segmentation,
    Token,
    tokenize,
)

from session_query_specs.oracle._excerpt import Excerpts, without_surrogates

__all__ = ["Found", "Texts", "Unit"]

LONGEST_WHOLE_RUN = 2
"""A longer run of space-less script counts as its overlapping pairs (SEARCH-13)."""


class Unit(NamedTuple):
    """Tokens that are looked for next to each other, and the part of the query that they are."""

    text: str
    tokens: tuple[str, ...]


class Found(NamedTuple):
    """A document that answers a query.

    Attributes:
        document: the document.
        units: the units that begin in its best block, by their places in the query.
        spans: how many spans the occurrences of all units form.
        start: where the occurrence that the snippet shows begins in the text.
        end: where it ends.
    """

    document: EventDocument
    units: tuple[int, ...]
    spans: int
    start: int
    end: int


class Texts(Excerpts):
    """The part of the oracle that looks at texts.

    Attributes:
        segmentation: see `SearchConfig`.
        block_tokens: how many tokens a block has.
    """

    segmentation: Segmentation
    block_tokens: ClassVar[int] = 64

    # -- tokens -------------------------------------------------------------------------------

    def tokens(self, text: str) -> Sequence[Token]:
        """Return the tokens of a text (SEARCH-6)."""
        return _tokens(text, self.segmentation)

    def token_texts(self, text: str) -> tuple[str, ...]:
        """Return the texts of the tokens of a text."""
        return tuple(token.text for token in self.tokens(text))

    # -- queries ------------------------------------------------------------------------------

    def units(self, query: str, match: MatchMode) -> tuple[Unit, ...]:
        """Return what a query asks for, no two units alike; `query` has its white space folded."""
        if match == "phrase":
            phrase = self.token_texts(query)
            return (Unit(query, phrase),) if phrase else ()
        words = [word for word in query.split(" ") if self.tokens(word)]
        units = [unit for word in self.telling(words) for unit in self.units_of_word(word)]
        first = {unit.tokens: unit for unit in reversed(units)}
        return tuple(unit for unit in units if first[unit.tokens] is unit)

    def telling(self, words: Sequence[str]) -> Sequence[str]:
        """Return the words but for stop words, unless nothing would remain."""
        return [word for word in words if not self.is_stop_word(word)] or words

    def is_stop_word(self, word: str) -> bool:
        """Tell whether a word is one of the fixed list."""
        return self.token_texts(word) in _stop_words(self.segmentation)

    def units_of_word(self, word: str) -> list[Unit]:
        """Return the units of a word: pairs of its long space-less runs, and what is between."""
        tokens = self.tokens(word)
        units: list[Unit] = []
        between: list[Token] = []
        for run in self.runs(tokens):
            if len(run) <= LONGEST_WHOLE_RUN:
                between += run
                continue
            units += [_unit(word, between)] if between else []
            units += [_unit(word, run[at : at + 2]) for at in range(len(run) - 1)]
            between = []
        return [*units, _unit(word, between)] if between else units

    def runs(self, tokens: Sequence[Token]) -> list[list[Token]]:
        """Return the runs of space-less script, and each other token by itself."""
        runs: list[list[Token]] = []
        for token in tokens:
            before = runs[-1][-1] if runs else None
            if (
                before is not None
                and self.is_spaceless(before)
                and self.is_spaceless(token)
                and token.start <= before.end
            ):
                runs[-1].append(token)
            else:
                runs.append([token])
        return runs

    def is_spaceless(self, token: Token) -> bool:
        """Tell whether a token is one character of a script without spaces (SEARCH-7)."""
        twice = token.text[0] * 2
        return self.segmentation == "script" and (
            len(_tokens(twice, "script")) > len(_tokens(twice, "none"))
        )

    # -- documents ----------------------------------------------------------------------------

    def find(
        self, document: EventDocument, units: Sequence[Unit], match: MatchMode
    ) -> Found | None:
        """Return how a document answers; None if it doesn't."""
        tokens = self.tokens(document.text)
        texts = [token.text for token in tokens]
        starts = [self.starts(texts, unit.tokens) for unit in units]
        if not units or not self.answers(match, [bool(found) for found in starts]):
            return None
        occurrences = [
            (start, start + len(unit.tokens))
            for unit, found in zip(units, starts, strict=True)
            for start in found
        ]
        block, inside = self.best_block(starts)
        first, last = self.shown(
            [one for one in occurrences if one[0] // self.block_tokens == block]
            if match != "phrase"
            else occurrences
        )
        return Found(
            document, inside, self.spans(occurrences), tokens[first].start, tokens[last - 1].end
        )

    def starts(self, texts: Sequence[str], wanted: Sequence[str]) -> list[int]:
        """Return where tokens stand next to each other and in order (SEARCH-5)."""
        size = len(wanted)
        return [at for at in range(len(texts) - size + 1) if tuple(texts[at : at + size]) == wanted]

    def answers(self, match: MatchMode, found: Sequence[bool]) -> bool:
        """Tell whether enough of the units are somewhere in the document (SEARCH-13)."""
        return any(found) if match == "any" else all(found)

    def spans(self, occurrences: Sequence[tuple[int, int]]) -> int:
        """Count spans: occurrences that share a token are one (SEARCH-9)."""
        count = reach = 0
        for start, end in sorted(occurrences):
            count += start >= reach
            reach = max(reach, end)
        return count

    def best_block(self, starts: Sequence[Sequence[int]]) -> tuple[int, tuple[int, ...]]:
        """Return the first block in which the most different units begin, and these units."""
        blocks = sorted({start // self.block_tokens for found in starts for start in found})
        inside = {
            block: tuple(
                unit
                for unit, found in enumerate(starts)
                if any(start // self.block_tokens == block for start in found)
            )
            for block in blocks
        }
        best = max(blocks, key=lambda block: len(inside[block]))
        return best, inside[best]

    def shown(self, occurrences: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Return the occurrence that a snippet shows: the first, of several there the longest."""
        return min(occurrences, key=lambda one: (one[0], -one[1]))


def _unit(word: str, tokens: Sequence[Token]) -> Unit:
    text = word[tokens[0].start : tokens[-1].end]
    return Unit(without_surrogates(text), tuple(token.text for token in tokens))


@lru_cache(maxsize=10_000)
def _tokens(text: str, segmentation: Segmentation) -> tuple[Token, ...]:
    return tuple(tokenize(text, segmentation))


@lru_cache(maxsize=2)
def _stop_words(segmentation: Segmentation) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(token.text for token in tokenize(word, segmentation)) for word in STOP_WORDS
    )
