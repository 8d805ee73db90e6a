"""Tokens, the smallest things that a search can find (SEARCH-6, SEARCH-7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple
from unicodedata import unidata_version

from session_query.text._folder import Folder, folder
from session_query.text._folding import Segmentation
from session_query.text._index_form import window_form
from session_query.text._memo import WINDOW
from session_query.text._normalization import windows

__all__ = ["TOKENIZER_VERSION", "Token", "iter_tokens", "locate_tokens", "tokenize"]

_RULES: Final = 1
"""Raise this whenever some text gets other tokens than before."""

_UNICODE_MAJOR, _UNICODE_MINOR = map(int, unidata_version.split(".")[:2])
TOKENIZER_VERSION: Final[int] = _RULES * 10_000 + _UNICODE_MAJOR * 100 + _UNICODE_MINOR
"""Two processes with the same number make the same tokens of every text.

It covers the version of Python's Unicode data: a new character is a separator to a Python that
doesn't know it. An index that was built with another number has to be built again.
"""

_TOKEN: Final = re.compile("[RB]+|S")
_RUNS: Final = "RB"
_span: Final = re.Match.span
_ASCII_WORD: Final = re.compile("[0-9A-Za-z]+")
_NARROW: Final = 256
"""How many code points are looked at closely where only a few tokens are wanted."""


class Token(NamedTuple):
    """A token and where it is.

    Attributes:
        text: The token in its folded form, by which tokens are compared.
        start: Position of its first code point in the original text.
        end: Position after its last one. Tokens that normalization makes of one character (`㎏`),
            or of a cluster that it changes, share its positions.
    """

    text: str
    start: int
    end: int


# What a NamedTuple does to make an instance, without its Python frame.
_token: Final = tuple.__new__


def tokenize(text: str, segmentation: Segmentation = "script") -> list[Token]:
    """Return the tokens of `text`, in order (SEARCH-6, SEARCH-7).

    The text is normalized (NFKC); marks on Latin, Greek and Cyrillic letters and all Hebrew and
    Arabic points are dropped; the rest is case-folded. Then each maximal run of letters, numbers
    and marks is a token, so is each symbol (So) and each mark on one, and everything else
    separates. Texts that are equal after NFKC have equal tokens.

    Parameters:
        text: Any str. Lone surrogates separate.
        segmentation: With `"script"` each character of Han, Hiragana, Katakana, Hangul, Thai, Lao,
            Khmer and Myanmar is a token, its marks too, so that each part of a text in these
            scripts is found, by code point of the normalized text. With `"none"` they form runs.

    Raises:
        ValueError: There is no such segmentation.
    """
    return list(iter_tokens(text, segmentation))


def iter_tokens(text: str, segmentation: Segmentation = "script") -> Iterator[Token]:
    """Yield what `tokenize` returns, reading some thousand code points ahead at most."""
    return _tokens_from(text, 0, WINDOW, folder(segmentation))


def locate_tokens(text: str, first: int, size: int, segmentation: Segmentation) -> tuple[int, int]:
    """Return from where to where `size` tokens are in a text that has so many from `first` on.

    What comes before them is only counted, which takes a fraction of the time.
    """
    fold = folder(segmentation)
    begin = 0
    for low, high in windows(text, 0, _NARROW):
        continued = _is_inside_token(text, low, fold)
        beginning = len(window_form(text[low:high], fold).split()) - continued
        begin = low
        if first < beginning:
            first += continued
            break
        first -= beginning
    found = list(islice(_tokens_from(text, begin, _NARROW, fold), first, first + size))
    return found[0].start, found[-1].end


def _tokens_from(text: str, begin: int, width: int, fold: Folder) -> Iterator[Token]:
    """Yield the tokens that the windows from `begin` on hold."""
    pieces: list[str] = []  # of the token that reaches over the end of a window
    start = 0
    for low, high in windows(text, begin, width):
        tokens = _window_tokens(text[low:high], low, fold)
        reaches_over = _is_inside_token(text, high, fold)
        if pieces:
            pieces.append(tokens[0].text)
            if reaches_over and len(tokens) == 1:
                continue
            yield Token("".join(pieces), start, tokens[0].end)
            pieces.clear()
            del tokens[0]
        if reaches_over:
            last = tokens.pop()
            pieces.append(last.text)
            start = last.start
        yield from tokens


def _is_inside_token(text: str, cut: int, fold: Folder) -> bool:
    return (
        0 < cut < len(text)
        and fold.align(text[cut - 1]).kinds[-1] in _RUNS
        and fold.align(text[cut]).kinds[0] in _RUNS
    )


def _window_tokens(window: str, low: int, fold: Folder) -> list[Token]:
    if window.isascii():
        folded = window.lower()
        return [
            _token(Token, (folded[start:end], low + start, low + end))
            for start, end in map(_span, _ASCII_WORD.finditer(folded))
        ]
    kinds, folded, starts, ends = fold.align(window)
    return [
        _token(Token, (folded[start:end], low + starts[start], low + ends[end - 1]))
        for start, end in map(_span, _TOKEN.finditer(kinds))
    ]
