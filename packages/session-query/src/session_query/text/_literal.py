"""The literal scan of a text filter (FILTER-4)."""

from __future__ import annotations

from typing import Final

from session_query.errors import ErrorCode, SessionQueryError
from session_query.text._memo import Memo, translate
from session_query.text._whitespace import fold_whitespace, trim

__all__ = ["LiteralPattern", "contains_literal", "literal_pattern"]


class LiteralPattern:
    """A literal text to be looked for in many others."""

    __slots__ = ("_folded",)

    def __init__(self, folded: str) -> None:
        self._folded = folded

    def is_in(self, text: str) -> bool:
        """Whether the literal is somewhere in `text`."""
        return self._folded in _fold(text)


def literal_pattern(text: str) -> LiteralPattern:
    """Return `text`, ready to be looked for: trimmed, no character of it an operator (FILTER-4).

    It's in any text that is equal somewhere but for case and white space. Case is that of Unicode's
    simple folding, so `ς` and `Σ` are equal, and `ß` and `ss` aren't. Any run of white space equals
    any other.

    Raises:
        SessionQueryError: The text is no str or blank (`SESSION_QUERY_INVALID_FILTER`).
    """
    if not isinstance(text, str):
        raise SessionQueryError(
            f"the text of a text filter must be a str, not {type(text).__name__}",
            ErrorCode.INVALID_FILTER,
        )
    if not trim(text):
        raise SessionQueryError(
            "the text of a text filter is blank; say what to look for", ErrorCode.INVALID_FILTER
        )
    return LiteralPattern(_fold(trim(text)))


def contains_literal(haystack: str, needle: str) -> bool:
    """Whether `needle` is somewhere in `haystack`, as `literal_pattern` says (FILTER-4).

    Raises:
        SessionQueryError: `needle` is no str or blank (`SESSION_QUERY_INVALID_FILTER`).
    """
    return literal_pattern(needle).is_in(haystack)


def _simple_fold(code: int) -> str:
    char = chr(code)
    # Python knows the full folding. The characters for which that is longer than one have a simple
    # one only if they are capitals.
    folded = char.casefold()
    if len(folded) > 1:
        folded = char.lower()
    return folded if len(folded) == 1 else char


_SIMPLE_FOLDS: Final = Memo(_simple_fold)


def _fold(text: str) -> str:
    if text.isascii():
        return fold_whitespace(text.lower())
    return fold_whitespace(translate(text, _SIMPLE_FOLDS))
