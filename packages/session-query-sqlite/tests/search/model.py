"""Search by brute force, straight from the contract: nothing here knows an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from session_query import STOP_WORDS, tokenize

BLOCK = 64


@dataclass(frozen=True)
class Doc:
    """One searchable event."""

    session_id: str
    seq: int
    time: int
    text: str


def texts(text: str) -> list[str]:
    """Return the tokens of a text."""
    return [token.text for token in tokenize(text)]


def starts(tokens: Sequence[str], phrase: Sequence[str]) -> list[int]:
    """Return where a phrase begins."""
    size = len(phrase)
    return [
        at for at in range(len(tokens) - size + 1) if list(tokens[at : at + size]) == list(phrase)
    ]


def spans(intervals: list[tuple[int, int]]) -> int:
    """Count the unions of intervals that share a token."""
    found, reach = 0, -1
    for start, end in sorted(intervals):
        if start >= reach:
            found += 1
        reach = max(reach, end)
    return found


def units(query: str, match: str) -> list[list[str]]:
    """Return the units of a query of plain words; queries here hold no space-less script."""
    if match == "phrase":
        tokens = texts(query)
        return [tokens] if tokens else []
    words = [texts(word) for word in query.split()]
    stop = [texts(word) for word in STOP_WORDS]
    words = [word for word in words if word]
    kept = [word for word in words if word not in stop] or words
    unique: list[list[str]] = []
    for word in kept:
        if word not in unique:
            unique.append(word)
    return unique


def ranked(docs: Sequence[Doc], query: str, match: str) -> list[Doc]:
    """Return all matching documents in the order of SEARCH-9 or SEARCH-13."""
    asked = units(query, match)
    keyed = []
    for doc in docs:
        tokens = texts(doc.text)
        found = [starts(tokens, unit) for unit in asked]
        hit = [bool(one) for one in found]
        if not asked or not (any(hit) if match == "any" else all(hit)):
            continue
        intervals = [
            (at, at + len(unit)) for unit, one in zip(asked, found, strict=True) for at in one
        ]
        count, length = spans(intervals), len(doc.text)
        if match == "phrase":
            key: tuple[object, ...] = (-count, length)
        else:
            blocks: dict[int, set[int]] = {}
            for index, one in enumerate(found):
                for at in one:
                    blocks.setdefault(at // BLOCK, set()).add(index)
            key = (-max(map(len, blocks.values())), length, -count)
        keyed.append(((*key, -doc.time, doc.session_id, -doc.seq), doc))
    keyed.sort(key=lambda pair: pair[0])
    return [doc for _, doc in keyed]


def first_of_each(docs: Sequence[Doc]) -> list[Doc]:
    """Keep the first document of each session."""
    first: dict[str, Doc] = {}
    for doc in docs:
        first.setdefault(doc.session_id, doc)
    return list(first.values())
