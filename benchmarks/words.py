"""Words to search for, chosen by how often they are in the corpus that is searched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from session_query import STOP_WORDS

__all__ = ["Words", "choose"]

_TOKEN = re.compile("[0-9a-z]+")
_RARE = range(3, 9)
_SCARCE = 160
_RARE_PARTNER = 60


class Words(NamedTuple):
    """Tokens of one corpus."""

    commonest: str
    common: Sequence[str]
    """Frequent words, none of which is a stop word, the most frequent first."""

    phrase: str
    """Two frequent words that often stand together."""

    scarce: str
    """A word in about as many documents as are still measured by reading them."""

    rare: str
    rare_phrase: str


def choose(terms: Sequence[tuple[str, int, int]], texts: Iterable[str]) -> Words:
    """Choose words.

    Args:
        terms: each token, its number of documents and of instances, commonest first.
        texts: some texts in which two rare words stand together.
    """
    words = [(term, documents) for term, documents, _ in terms if term.isalpha() and len(term) > 1]
    common = [term for term, documents in words if term not in STOP_WORDS and documents > _SCARCE]
    rare = next(term for term, documents in words if documents in _RARE)
    scarce = min(words, key=lambda word: abs(word[1] - _SCARCE))[0]
    documents_of = dict(words)
    return Words(words[0][0], common, "of the", scarce, rare, _rare_phrase(documents_of, texts))


def _rare_phrase(documents_of: dict[str, int], texts: Iterable[str]) -> str:
    for text in texts:
        tokens = _TOKEN.findall(text.lower())
        for first, second in pairwise(tokens):
            counts = (documents_of.get(first, 0), documents_of.get(second, 0))
            if first != second and all(1 < count < _RARE_PARTNER for count in counts):
                return f"{first} {second}"
    raise ValueError("no two rare words stand together in any text")
