"""What becomes of each character on its way to tokens (SEARCH-6, SEARCH-7)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeAlias
from unicodedata import category, normalize

from session_query.text._memo import Memo
from session_query.text._normalization import continues
from session_query.text._scripts import is_european, is_pointed, is_spaceless

__all__ = ["CharTable", "Kind", "Part", "Segmentation", "resolve"]

Segmentation: TypeAlias = Literal["script", "none"]
"""Whether each character of a script written without spaces is a token, or not (SEARCH-7)."""


class Kind(StrEnum):
    """How a character takes part in tokens.

    A mark on a character that is a token of its own is one too. As the begin of the next run it
    would hide the first word after an emoji or ideograph with a variation selector.
    """

    SEPARATOR = " "  # is between tokens
    SINGLE = "S"  # is a token of its own
    RUN = "R"  # joins the token that it touches
    BARE = "B"  # joins too, and loses the marks on it
    MARK = "m"  # is lost on BARE, SINGLE on SINGLE, and RUN elsewhere
    SPACELESS_MARK = "n"  # is lost on BARE, and SINGLE elsewhere
    POINT = "p"  # is lost everywhere


class Part(NamedTuple):
    """One character of normalized text, as tokens see it."""

    kind: Kind
    folded: str


_SEPARATOR: Final = Part(Kind.SEPARATOR, " ")
_POINT: Final = Part(Kind.POINT, "")


class CharTable:
    """What each character becomes under one segmentation.

    Attributes:
        normalized: The part that a character of normalized text is.
    """

    __slots__ = ("_segmented", "normalized")

    def __init__(self, segmentation: Segmentation) -> None:
        self._segmented = segmentation == "script"
        self.normalized = Memo(self._part)

    def alone(self, char: str) -> tuple[Part, ...] | None:
        """Return the parts of a character of the original text, whatever is around it.

        None, if normalization may join or reorder it with what is before it.
        """
        if continues(char):
            return None
        return tuple(map(self.normalized.__getitem__, normalize("NFKC", char)))

    def _part(self, char: str) -> Part:
        kind = category(char)
        if kind[0] == "M":
            if kind == "Mn" and is_pointed(char):
                return _POINT
            spaceless = self._segmented and is_spaceless(char)
            return Part(Kind.SPACELESS_MARK if spaceless else Kind.MARK, char.casefold())
        if kind[0] in "LN":
            if self._segmented and is_spaceless(char):
                return Part(Kind.SINGLE, char.casefold())
            if kind[0] == "L" and is_european(char):
                return Part(Kind.BARE, _without_marks(char).casefold())
            return Part(Kind.RUN, char.casefold())
        return Part(Kind.SINGLE, char.casefold()) if kind == "So" else _SEPARATOR


def resolve(kind: Kind, before: Kind) -> Kind:
    """Return what a character is after one that is `before`; `POINT`, if it's lost.

    What is lost leaves `before` as it is.
    """
    if kind is Kind.MARK or kind is Kind.SPACELESS_MARK:
        if before is Kind.BARE:
            return Kind.POINT
        single = kind is Kind.SPACELESS_MARK or before is Kind.SINGLE
        return Kind.SINGLE if single else Kind.RUN
    return kind


def _without_marks(char: str) -> str:
    return "".join(part for part in normalize("NFD", char) if category(part)[0] != "M")
