"""Texts that read like prose or like code, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.corpus.words import PREPOSITIONS, make_words, vocabulary, zipf

__all__ = ["Style", "Texts"]

Style: TypeAlias = Literal["prose", "code"]

Words: TypeAlias = npt.NDArray[np.object_]

_VOCABULARY = 30_000
_OWN_WORDS = 40
"""Words of one session alone, such as names in it: vocabularies grow with the corpus."""

_GLUES: dict[Style, dict[str, float]] = {
    "prose": {" ": 0.86, ", ": 0.05, ". ": 0.065, ".\n\n": 0.007, ":\n- ": 0.008, " `": 0.01},
    "code": {
        " ": 0.24,
        "_": 0.16,
        ".": 0.14,
        "(": 0.07,
        ")\n    ": 0.07,
        ", ": 0.08,
        " = ": 0.06,
        "\n": 0.05,
        "/": 0.05,
        ": ": 0.04,
        "\n        ": 0.04,
    },
}
"""What may follow a word, with its share."""

_SPECIAL = ("\u2014", "\u2192", "\u2713", "\u2019", "caf\u00e9", "\u2026", "na\u00efve", "\u2265")
"""What makes a text leave ASCII: models like dashes, arrows and ticks."""

_OWN_SHARE = 0.012
_NUMBER_SHARE = {"prose": 0.006, "code": 0.04}
_HASH_SHARE = 0.003
_COLLOCATION = 0.3
_NON_ASCII = {"prose": 0.3, "code": 0.05}
"""The share of texts that hold a character beyond ASCII."""


class Texts:
    """Makes texts; one object serves a whole corpus.

    Args:
        seed: the vocabulary depends on it, and on nothing else.
    """

    def __init__(self, seed: int) -> None:
        words = vocabulary(np.random.default_rng([seed, 1]), _VOCABULARY)
        self._shares = zipf(len(words))
        self._leads = np.zeros(len(words), bool)
        self._leads[list(PREPOSITIONS)] = True
        self._glued: dict[Style, Words] = {}
        self._ends: dict[Style, npt.NDArray[np.bool_]] = {}
        self._glue_shares: dict[Style, npt.NDArray[np.float64]] = {}
        for style, glues in _GLUES.items():
            table = np.empty((len(glues), len(words)), object)
            for row, glue in enumerate(glues):
                table[row] = [word + glue for word in words]
            self._glued[style] = table
            self._ends[style] = np.array([style == "prose" and "." in glue for glue in glues])
            shares = np.cumsum(list(glues.values()))
            self._glue_shares[style] = shares / shares[-1]

    def own_words(self, rng: np.random.Generator) -> list[str]:
        """Return words for one session, unlikely to occur in another."""
        made = make_words(rng)
        return [next(made)[:7] + next(made)[:6] for _ in range(_OWN_WORDS)]

    def make(
        self, rng: np.random.Generator, style: Style, lengths: Sequence[int], own: Sequence[str]
    ) -> list[str]:
        """Return one text a length, which counts words."""
        total = sum(lengths)
        glued, numbers, starts = self._words(rng, style, total)
        drawn = rng.random(total)
        self._replace(glued, drawn < _OWN_SHARE, [word + " " for word in own], rng)
        drawn -= _OWN_SHARE
        marked = (drawn >= 0) & (drawn < _NUMBER_SHARE[style])
        glued[marked] = [f"{number} " for number in numbers[marked].tolist()]
        hashes = (drawn > 1 - _OWN_SHARE - _HASH_SHARE).nonzero()[0]
        glued[hashes] = [f"{n:08x} " for n in rng.integers(0, 1 << 32, len(hashes)).tolist()]
        glued[starts] = [word.capitalize() for word in glued[starts].tolist()]
        texts = []
        beyond = rng.random(len(lengths)) < _NON_ASCII[style]
        begin = 0
        pieces: list[str] = glued.tolist()
        for length, special in zip(lengths, beyond.tolist(), strict=True):
            some = pieces[begin : begin + length]
            begin += length
            if special:
                for at in range(length // 2, length, 40):
                    some[at] = f"{_SPECIAL[(begin + at) % len(_SPECIAL)]} "
            texts.append("".join(some).rstrip())
        return texts

    def _words(
        self, rng: np.random.Generator, style: Style, total: int
    ) -> tuple[Words, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return words with what follows each, numbers instead of them, and sentence starts."""
        places = np.searchsorted(self._shares, rng.random(total))
        np.minimum(places, _VOCABULARY - 1, out=places)
        led = self._leads[places[:-1]] & (rng.random(max(total - 1, 0)) < _COLLOCATION)
        places[1:][led] = 0
        glues = np.searchsorted(self._glue_shares[style], rng.random(total))
        np.minimum(glues, len(self._glue_shares[style]) - 1, out=glues)
        numbers = (10 ** (rng.random(total) * 4)).astype(np.int64)
        starts = self._ends[style][glues[:-1]].nonzero()[0] + 1
        return self._glued[style][glues, places], numbers, starts

    @staticmethod
    def _replace(
        glued: Words,
        marked: npt.NDArray[np.bool_],
        choices: Sequence[str],
        rng: np.random.Generator,
    ) -> None:
        count = int(marked.sum())
        if count:
            # as in prose, a session speaks of few things often and of many seldom
            drawn = (len(choices) * rng.random(count) ** 2).astype(np.int64)
            glued[marked] = [choices[place] for place in drawn.tolist()]
