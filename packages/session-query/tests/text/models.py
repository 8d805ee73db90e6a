"""What the contract says about texts, as plainly as it can be computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from unicodedata import category, name, normalize

import regex  # type: ignore[import-untyped]  # it has no type hints

__all__ = ["model_best_block", "model_occurrences", "model_spans", "model_tokens"]

_SPACELESS = regex.compile(
    "|".join(
        rf"\p{{Script={script}}}"
        for script in ("Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar")
    )
    # Shared by these scripts, and so of none of them to Unicode.
    + "|[〆〱-〵〼ー\u302a-\u302d\u3099\u309a]"
)
_EUROPEAN = regex.compile(r"\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}")


@cache
def is_spaceless(char: str) -> bool:
    """Whether Unicode says that `char` is of a script without spaces."""
    return bool(_SPACELESS.match(char))


@cache
def is_european(char: str) -> bool:
    """Whether Unicode says that `char` is Latin, Greek or Cyrillic."""
    return bool(_EUROPEAN.match(char))


@cache
def is_point(char: str) -> bool:
    """Whether `char` is called a nonspacing mark of Hebrew or Arabic."""
    return category(char) == "Mn" and name(char).startswith(("HEBREW ", "ARABIC "))


def model_tokens(text: str, segmentation: str) -> list[str]:
    """Return the texts of the tokens of `text`, from its normalized form as a whole."""
    tokens: list[str] = []
    kind = "separator"  # of the last character that wasn't dropped
    for char in normalize("NFKC", text):
        general = category(char)
        alone = segmentation == "script" and is_spaceless(char)
        if general[0] == "M":
            if is_point(char) or kind == "bare":
                continue
            new = "single" if alone or kind == "single" else "run"
        elif general[0] in "LN":
            bare = general[0] == "L" and is_european(char)
            new = "single" if alone else "bare" if bare else "run"
        else:
            new = "single" if general == "So" else "separator"
        parts = normalize("NFD", char) if new == "bare" else char
        folded = "".join(part for part in parts if len(parts) == 1 or category(part)[0] != "M")
        if new in ("run", "bare") and kind in ("run", "bare"):
            tokens[-1] += folded.casefold()
        elif new != "separator":
            tokens.append(folded.casefold())
        kind = new
    return tokens


def model_occurrences(tokens: Sequence[str], phrase: Sequence[str]) -> list[int]:
    """Return every position at which `phrase` is in `tokens`."""
    size = len(phrase)
    return [
        at for at in range(len(tokens)) if size and list(tokens[at : at + size]) == list(phrase)
    ]


def model_spans(tokens: Sequence[str], phrases: Sequence[Sequence[str]]) -> int:
    """Return how many groups remain when occurrences that share a token are joined."""
    groups: list[set[int]] = []
    for phrase in phrases:
        for at in model_occurrences(tokens, phrase):
            joined = set(range(at, at + len(phrase)))
            apart = [group for group in groups if not group & joined]
            for group in groups:
                if group & joined:
                    joined = joined | group
            groups = [*apart, joined]
    return len(groups)


def model_best_block(
    tokens: Sequence[str], phrases: Sequence[Sequence[str]]
) -> tuple[int, tuple[int, ...]] | None:
    """Return the first block of 64 tokens in which most phrases begin, and which those are."""
    best: tuple[int, tuple[int, ...]] | None = None
    for block in range(len(tokens) // 64 + 1):
        begun = tuple(
            unit
            for unit, phrase in enumerate(phrases)
            if any(at // 64 == block for at in model_occurrences(tokens, phrase))
        )
        if begun and (best is None or len(begun) > len(best[1])):
            best = block, begun
    return best
