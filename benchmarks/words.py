"""Words to search for, chosen by how often they are in the corpus that is searched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from session_query import STOP_WORDS

__all__ = ["Words", "choose"]

_TOKEN = re.compile("[0-9a-z]+")
_RARE = range(3, 9)
_SCARCE = 160
_RARE_PARTNER = 60
_EACH = 64
"""So many words of a kind, so that each search can be one that was never made before."""


class Words(NamedTuple):
    """Tokens of one corpus."""

    commonest: str
    common: Sequence[str]
    """Frequent words, none of which is a stop word, the most frequent first."""

    phrase: str
    """Two frequent words that often stand together."""

    scarce: Sequence[str]
    """Words in about 160 documents."""

    rare: Sequence[str]
    """Words in a few documents."""

    rare_phrases: Sequence[str]
    """Two rare words that stand together somewhere, each."""


def choose(terms: Sequence[tuple[str, int, int]], texts: Iterable[str]) -> Words:
    """Choose words.

    Args:
        terms: each token, its number of documents and of instances, commonest first.
        texts: some texts, in a few of which two rare words stand together.
    """
    words = [(term, documents) for term, documents, _ in terms if term.isalpha() and len(term) > 1]
    common = [term for term, _ in words if term not in STOP_WORDS]
    rare = [term for term, documents in words if documents in _RARE]
    by_scarcity = sorted(words, key=lambda word: abs(word[1] - _SCARCE))
    return Words(
        commonest=words[0][0],
        common=common,
        phrase="of the",
        scarce=[term for term, _ in by_scarcity[:_EACH]],
        rare=rare[:: max(len(rare) // _EACH, 1)][:_EACH],
        rare_phrases=list(islice(_rare_phrases(dict(words), texts), _EACH)),
    )


def _rare_phrases(documents_of: dict[str, int], texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        tokens = _TOKEN.findall(text.lower())
        for first, second in pairwise(tokens):
            counts = (documents_of.get(first, 0), documents_of.get(second, 0))
            if first != second and all(1 < count < _RARE_PARTNER for count in counts):
                yield f"{first} {second}"
