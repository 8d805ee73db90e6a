"""What a query asks for (SEARCH-5, SEARCH-13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, Literal, TypeAlias

from session_query.errors import ErrorCode, SessionQueryError
from session_query.text._folder import folder
from session_query.text._folding import Segmentation
from session_query.text._index_form import token_texts
from session_query.text._memo import WINDOW
from session_query.text._scripts import is_spaceless
from session_query.text._stop_words import STOP_WORDS
from session_query.text._surrogates import without_surrogates
from session_query.text._tokens import Token, iter_tokens
from session_query.text._whitespace import fold_whitespace, trim

__all__ = [
    "MAX_QUERY_CHARS",
    "MAX_QUERY_TOKENS",
    "MatchMode",
    "ParsedQuery",
    "Unit",
    "parse_query",
]

MatchMode: TypeAlias = Literal["phrase", "all", "any"]
"""Whether a document must hold the query as one phrase, all of its words, or any (SEARCH-13)."""

MAX_QUERY_TOKENS: Final = 1_024
"""The most tokens that a query may have (SEARCH-5)."""

MAX_QUERY_CHARS: Final = 65_536
"""The most code points that a query may have, apart from those that only separate (SEARCH-5)."""


_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Unit:
    """Tokens that must be adjacent and in order.

    Attributes:
        text: The part of the query that they are, as it was written, to be shown.
        tokens: Their texts; at least one.
    """

    text: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query that was understood.

    Attributes:
        match: How many of the units a document must hold.
        units: What to look for, no two alike, in query order. None at all match nothing.
        normalized: The query, trimmed and with white space folded. Queries that are equal here are
            the same query.
    """

    match: MatchMode
    units: tuple[Unit, ...]
    normalized: str


def parse_query(
    query: str, match: MatchMode = "phrase", segmentation: Segmentation = "script"
) -> ParsedQuery:
    """Return the units that `query` asks for; no character of it is an operator (SEARCH-5).

    A phrase is one unit. With `"all"` and `"any"` each word is one, that is, what white space
    separates; but a run of more than two characters of space-less script counts as its overlapping
    pairs, and what is left of its word as units of their own. Words that are in `STOP_WORDS` are
    dropped unless nothing would remain (SEARCH-13).

    Parameters:
        query: Literal text.
        match: The match mode of the request.
        segmentation: That of the index to be searched.

    Raises:
        SessionQueryError: The query is no str, is blank, holds a NUL or is too long, or there is
            no such match mode (`SESSION_QUERY_INVALID_QUERY`).
        ValueError: There is no such segmentation.
    """
    if match not in ("phrase", "all", "any"):
        raise _invalid(f'match must be "phrase", "all" or "any", not {match!r}')
    if not isinstance(query, str):
        raise _invalid(f"the query must be a str, not {type(query).__name__}")
    if "\0" in query:
        raise _invalid(f"the query has a NUL at {query.index(chr(0))}; remove it")
    query = trim(query)
    if not query:
        raise _invalid("the query is blank; say what to search for")
    _check_length(query, segmentation)
    normalized = fold_whitespace(query)
    tokens = list(islice(iter_tokens(normalized, segmentation), MAX_QUERY_TOKENS + 1))
    if len(tokens) > MAX_QUERY_TOKENS:
        raise _invalid(f"the query has more than {MAX_QUERY_TOKENS:,} tokens; shorten it")
    if match == "phrase":
        phrase = Unit(without_surrogates(normalized), _texts(tokens))
        return ParsedQuery(match, (phrase,) if tokens else (), normalized)
    units: dict[tuple[str, ...], Unit] = {}
    for word in _telling_words(normalized, tokens, segmentation):
        for first, last in _unit_bounds(word, segmentation):
            unit = _unit(normalized, word[first:last])
            units.setdefault(unit.tokens, unit)
    return ParsedQuery(match, tuple(units.values()), normalized)


def _check_length(query: str, segmentation: Segmentation) -> None:
    # Before the query is taken apart, which would take seconds for one that is absurdly long.
    searchable = 0
    for start in range(0, len(query), WINDOW):
        searchable += folder(segmentation).count_searchable(query[start : start + WINDOW])
        if searchable > MAX_QUERY_CHARS:
            raise _invalid(
                f"the query has more than {MAX_QUERY_CHARS:,} letters, digits and symbols;"
                " shorten it"
            )


def _telling_words(
    normalized: str, tokens: list[Token], segmentation: Segmentation
) -> list[list[Token]]:
    """Return the tokens of each word, without stop words unless there is nothing else."""
    words: list[list[Token]] = []
    end = 0
    for token in tokens:
        if token.end > end:
            words.append([])
            end = normalized.find(" ", token.end)
            if end < 0:
                end = len(normalized)
        words[-1].append(token)
    stop_words = _stop_words(segmentation)
    return [word for word in words if _texts(word) not in stop_words] or words


@cache
def _stop_words(segmentation: Segmentation) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(token_texts(word, segmentation)) for word in STOP_WORDS)


def _unit(normalized: str, tokens: Sequence[Token]) -> Unit:
    text = normalized[tokens[0].start : tokens[-1].end]
    # A mark on white space may take the white space with it.
    return Unit(without_surrogates(text.lstrip(" ")), _texts(tokens))


def _texts(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.text for token in tokens)


def _unit_bounds(word: Sequence[Token], segmentation: Segmentation) -> Iterator[tuple[int, int]]:
    """Yield which tokens of a word form units."""
    done = 0
    for first, last in _long_runs(word) if segmentation == "script" else ():
        if done < first:
            yield done, first
        for at in range(first, last - _PAIR + 1):
            yield at, at + _PAIR
        done = last
    if done < len(word):
        yield done, len(word)


def _long_runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the bounds of each run of more than two tokens of space-less script."""
    first = 0
    for at in range(len(tokens) + 1):
        inside = at < len(tokens) and is_spaceless(tokens[at].text[0])
        if inside and (at == first or tokens[at].start <= tokens[at - 1].end):
            continue
        if at - first > _PAIR:
            yield first, at
        first = at if inside else at + 1


def _invalid(message: str) -> SessionQueryError:
    return SessionQueryError(message, ErrorCode.INVALID_QUERY)
