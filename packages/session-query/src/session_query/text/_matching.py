"""Where units begin, how much they cover, and how close together (SEARCH-9, SEARCH-13).

These functions see a document as its token texts. They take time in proportion to its tokens, for
each unit that begins with the same token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

__all__ = [
    "BLOCK_TOKENS",
    "best_block",
    "best_block_of",
    "count_spans",
    "occurrences",
    "spans_of",
    "starts_of",
]

BLOCK_TOKENS: Final = 64
"""How many tokens one block has; blocks are counted from the document's start (SEARCH-13)."""

_LONG: Final = 16


def occurrences(tokens: Sequence[str], phrase: Sequence[str]) -> list[int]:
    """Return where `phrase` begins in `tokens`, overlapping occurrences too, in order (SEARCH-5).

    A phrase without tokens is nowhere.
    """
    return starts_of(tokens, [phrase])[0]


def starts_of(tokens: Sequence[str], phrases: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the `occurrences` of each of `phrases`, found in one pass."""
    tokens = tokens if isinstance(tokens, list) else list(tokens)
    heads: dict[str, list[int]] = {phrase[0]: [] for phrase in phrases if phrase}
    for at, token in enumerate(tokens):
        if token in heads:
            heads[token].append(at)
    return [_confirmed(tokens, phrase, heads[phrase[0]]) if phrase else [] for phrase in phrases]


def count_spans(tokens: Sequence[str], phrases: Sequence[Sequence[str]]) -> int:
    """Return how many spans the occurrences of `phrases` form in `tokens` (SEARCH-9).

    Occurrences that share a token are one span; those that only touch are two.
    """
    return spans_of(starts_of(tokens, phrases), [len(phrase) for phrase in phrases])


def spans_of(starts: Sequence[Sequence[int]], lengths: Sequence[int]) -> int:
    """Return how many spans occurrences form that begin at `starts` and have these lengths."""
    longest: dict[int, int] = {}
    for begins, length in zip(starts, lengths, strict=True):
        for start in begins:
            if longest.get(start, 0) < length:
                longest[start] = length
    spans = reach = 0
    for start in sorted(longest):
        if start >= reach:
            spans += 1
        reach = max(reach, start + longest[start])
    return spans


def best_block(
    tokens: Sequence[str], phrases: Sequence[Sequence[str]]
) -> tuple[int, tuple[int, ...]] | None:
    """Return the block in which most of `phrases` begin, and which do (SEARCH-13).

    The earliest of several such blocks is the best. None, if there's no occurrence at all.
    """
    return best_block_of(starts_of(tokens, phrases))


def best_block_of(starts: Iterable[Sequence[int]]) -> tuple[int, tuple[int, ...]] | None:
    """Return the best block for occurrences that begin at `starts`, one sequence a unit."""
    blocks: dict[int, list[int]] = {}
    for unit, begins in enumerate(starts):
        for block in dict.fromkeys(start // BLOCK_TOKENS for start in begins):
            blocks.setdefault(block, []).append(unit)
    if not blocks:
        return None
    best = min(blocks, key=lambda block: (-len(blocks[block]), block))
    return best, tuple(blocks[best])


def _confirmed(tokens: list[str], phrase: Sequence[str], candidates: list[int]) -> list[int]:
    size = len(phrase)
    if size == 1:
        return candidates
    if size > _LONG:
        # Comparing it afresh at each candidate could take the product of both lengths.
        return list(_knuth_morris_pratt(tokens, phrase))
    wanted = list(phrase)
    return [at for at in candidates if tokens[at : at + size] == wanted]


def _knuth_morris_pratt(tokens: list[str], phrase: Sequence[str]) -> Iterator[int]:
    # borders[n]: how long the longest proper prefix of the first n tokens is that also ends them.
    borders = [0, 0]
    for token in phrase[1:]:
        length = borders[-1]
        while length and phrase[length] != token:
            length = borders[length]
        borders.append(length + (phrase[length] == token))
    matched = 0
    for at, token in enumerate(tokens):
        while matched and (matched == len(phrase) or phrase[matched] != token):
            matched = borders[matched]
        matched += phrase[matched] == token
        if matched == len(phrase):
            yield at + 1 - matched
