"""Where text can be cut without cutting a grapheme cluster (SEARCH-10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex  # type: ignore[import-untyped]  # it has no type hints

__all__ = ["cluster_boundaries"]

_ON_ANOTHER: Final = r"\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}"
# Where there is none of these, each character is a cluster.
_JOINING: Final = regex.compile(
    rf"[{_ON_ANOTHER}\p{{GCB=Prepend}}\p{{GCB=L}}\p{{GCB=V}}\p{{GCB=T}}\p{{GCB=RI}}\r]"
)
# Two characters with a boundary between them whatever is around. In most text any two are such.
_APART: Final = regex.compile(
    rf"(?r)[^{_ON_ANOTHER}\p{{GCB=Prepend}}\p{{GCB=L}}\p{{GCB=RI}}]"
    rf"(?=[^{_ON_ANOTHER}\p{{GCB=V}}\p{{GCB=T}}])"
)
_FLAG_LETTERS: Final = regex.compile(r"\p{GCB=RI}*+")
# At a flag, `\X` would count all the flags in a row before it.
_CLUSTER: Final = regex.compile(rf"\p{{GCB=RI}}{{2}}[{_ON_ANOTHER}]*|\X")


def cluster_boundaries(text: str, at: int, *, is_start: bool, is_end: bool) -> Sequence[int] | None:
    """Return the boundaries of grapheme clusters in `text`, from one that is not after `at`.

    Parameters:
        text: A part of a text.
        at: A position in it.
        is_start: Whether the whole text begins where the part does.
        is_end: Whether it ends there. Otherwise the last boundary is before the last cluster.

    Returns:
        Positions in `text`, ascending; None, if the first depends on what is before `text`.
    """
    if text.isascii() or not _JOINING.search(text):
        return range(0 if is_start else 1, len(text) + is_end)
    apart = _APART.search(text, 0, at + 1)
    if apart is None and not is_start:
        return None
    first: int = apart.end() if apart else 0
    # Two letters are a flag each, however many are in a row. The last may have something on it.
    letters: int = _FLAG_LETTERS.match(text, first, max(first, at)).end() - first
    first += max(0, letters - 1) // 2 * 2
    starts = (cluster.start() for cluster in _CLUSTER.finditer(text, first))
    return [*starts, len(text)] if is_end else list(starts)
