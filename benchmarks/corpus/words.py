"""A vocabulary whose words are as long, and as unevenly used, as those of English."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["FUNCTION_WORDS", "PREPOSITIONS", "make_words", "vocabulary", "zipf"]

_FUNCTION_WORDS = """
the to of a and in is it for that this you on with be not we have as are or from was at can if by an
will so i but all do then they when which there one would what has how should were out up any more
my no only also been its into your may about some our now does could other than first these after
before new over just like make where most each here very must such still between both through while
those again did under same because without against during
"""

_SUBJECT_WORDS = """
file test error code function return value session line data index name run type list event path
read string user check call build change text table search key state query result config class log
request response server client cache model module import default field time object message write
update create delete remove add fix issue branch commit merge version package install command
output input process thread task queue lock memory size limit token parse format header body stream
buffer byte page row column schema database sql transaction timeout retry failure exception trace
stack debug warning info status method argument option flag variable constant loop condition case
match pattern filter sort order group count number integer boolean array dict tuple set map node
tree graph edge root leaf parent child depth layout style button window view component render route
handler callback hook plugin extension directory folder permission owner mode link copy move rename
open close start stop wait signal abort cancel refactor document comment review example sample
fixture mock assert coverage lint deploy release staging production region cluster service
container image volume network socket port host address proxy certificate secret credential policy
rule role account
"""

FUNCTION_WORDS = _FUNCTION_WORDS.split()
"""The words that hold sentences together, the most frequent first."""

PREPOSITIONS = tuple(map(FUNCTION_WORDS.index, ("of", "in", "to", "for", "on", "from", "with")))
"""Places of the words that an article follows more often than chance would have it."""

_ONSETS = tuple("bcdfghjklmnprstvw") + tuple(
    f"{first}{second}"
    for first, others in {"b": "r", "c": "hlr", "d": "r", "f": "lr", "g": "lr", "p": "lr"}.items()
    for second in others
)
_S_ONSETS = ("sc", "sh", "sl", "sp", "st", "str", "th", "tr")
_NUCLEI = (*"aeiouaeio", "ai", "ea", "ee", "ie", "io", "oa", "oo", "ou")
_CODAS = ("", "", "", "", *"lmnrstx", "ck", "ct", "ng", "nt", "rd", "rm", "st")
_ENDINGS = ("", "", "", "ed", "er", "ing", "ion", "ly", "ment", "s", "able", "ity")

_LONG_AT = 4_000
"""From this place on words have their full length; frequent words are shorter."""

_SHORTEST, _LONGEST = 3, 13

_MANDELBROT = 2.7
"""Flattens the very top: `the` is 3 in 100 tokens of sessions, and not 10."""


def make_words(rng: np.random.Generator) -> Iterator[str]:
    """Yield words that nobody speaks, of the lengths that English words have; they may repeat."""
    onsets = _ONSETS + _S_ONSETS
    while True:
        syllables = 1 + rng.binomial(3, 0.35, 256)
        for count in syllables.tolist():
            parts = rng.integers(0, 1 << 30, (count, 3)).tolist()
            word = "".join(
                onsets[onset % len(onsets)]
                + _NUCLEI[nucleus % len(_NUCLEI)]
                + _CODAS[coda % len(_CODAS)]
                for onset, nucleus, coda in parts
            )
            yield word + _ENDINGS[parts[0][0] // 64 % len(_ENDINGS)]


def vocabulary(rng: np.random.Generator, size: int) -> list[str]:
    """Return so many different words, those that are used most first."""
    words = list(dict.fromkeys([*FUNCTION_WORDS, *_SUBJECT_WORDS.split()]))
    known = set(words)
    for word in make_words(rng):
        if len(words) >= size:
            break
        longest = min(4 + 5 * len(words) / _LONG_AT, _LONGEST)
        if word not in known and _SHORTEST <= len(word) <= longest:
            known.add(word)
            words.append(word)
    return words[:size]


def zipf(size: int) -> npt.NDArray[np.float64]:
    """Return the share of the first word, of the first two, and so on (Zipf, Mandelbrot)."""
    weights = 1.0 / (np.arange(1, size + 1) + _MANDELBROT)
    shares: npt.NDArray[np.float64] = np.cumsum(weights / weights.sum())
    return shares
