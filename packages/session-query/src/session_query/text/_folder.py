"""Folding whole pieces of text, with or without the origin of each character (SEARCH-6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from session_query.text._folding import CharTable, Kind, Segmentation, resolve
from session_query.text._memo import Memo, translate
from session_query.text._normalization import nfkc

__all__ = ["Aligned", "Folder", "folder"]

# What takes more than a look-up is a small letter, as marks are before they are resolved.
_CONTINUING: Final = "c"
_SEVERAL: Final = "s"
_UNUSUAL: Final = re.compile("[^a-z]?[a-z]+")
_CLUSTER: Final = re.compile(f".{_CONTINUING}*")
_LONGEST_REMEMBERED: Final = 16
_SHORT: Final = 4
_MOST_PIECES: Final = 1 << 13
# In a form, for an unusual character. All that separates is a space there, so it's no character.
_PLACEHOLDER: Final = "\0"


class Aligned(NamedTuple):
    """Folded text, and for each of its characters what it is and where it comes from.

    Attributes:
        kinds: The `Kind` of each, marks resolved: runs are `[RB]+`, single tokens `S`.
        folded: The text.
        starts: Where the origin of each begins.
        ends: Where it ends, with the marks on it that are lost.
    """

    kinds: str
    folded: str
    starts: Sequence[int]
    ends: Sequence[int]


class Folder:
    """Folds pieces of text that normalize apart from the rest and don't begin with a mark on it.

    Most characters take a look-up, which `str.translate` does for a whole piece at once. Those that
    don't become one character, or depend on their neighbours, are folded with their neighbours.
    """

    __slots__ = ("_folds", "_forms", "_kinds", "_short", "_table", "_unusual", "_unusual_forms")

    def __init__(self, table: CharTable) -> None:
        self._table = table
        self._kinds = Memo(self._kind)
        self._folds = Memo(self._fold)
        self._forms = Memo(self._form_alone)
        self._unusual = Memo(self._align_unusual, _MOST_PIECES)
        self._unusual_forms = Memo(self._unusual_form, _MOST_PIECES)
        self._short = Memo(self._form, _MOST_PIECES)

    def align(self, piece: str) -> Aligned:
        """Return the folded piece and the origins of its characters."""
        size = len(piece)
        rough_kinds = translate(piece, self._kinds)
        rough = translate(piece, self._folds)
        kinds: list[str] = []
        folded: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done = 0
        for match in _UNUSUAL.finditer(rough_kinds):
            first, last = match.span()
            kinds.append(rough_kinds[done:first])
            folded.append(rough[done:first])
            starts.extend(range(done, first))
            ends.extend(range(done + 1, first + 1))
            short = last - first <= _LONGEST_REMEMBERED
            part = (self._unusual.__getitem__ if short else self._align_unusual)(piece[first:last])
            kinds.append(part.kinds)
            folded.append(part.folded)
            starts.extend([first + start for start in part.starts])
            ends.extend([first + end for end in part.ends])
            done = last
        if not done:
            return Aligned(rough_kinds, rough, range(size), range(1, size + 1))
        kinds.append(rough_kinds[done:])
        folded.append(rough[done:])
        starts.extend(range(done, size))
        ends.extend(range(done + 1, size + 1))
        return Aligned("".join(kinds), "".join(folded), starts, ends)

    def form(self, piece: str) -> str:
        """Return the folded piece with spaces where tokens are separated."""
        return self._short[piece] if len(piece) <= _SHORT else self._form(piece)

    def count_searchable(self, piece: str) -> int:
        """Return how many characters of any piece are no separators."""
        return len(piece) - translate(piece, self._kinds).count(Kind.SEPARATOR)

    def _form(self, piece: str) -> str:
        form = translate(piece, self._forms)
        if _PLACEHOLDER not in form:
            return form
        forms: list[str] = []
        done = 0
        for match in _UNUSUAL.finditer(translate(piece, self._kinds)):
            first, last = match.span()
            forms.append(translate(piece[done:first], self._forms))
            short = last - first <= _LONGEST_REMEMBERED
            unusual = self._unusual_forms.__getitem__ if short else self._unusual_form
            forms.append(unusual(piece[first:last]))
            done = last
        forms.append(translate(piece[done:], self._forms))
        return "".join(forms)

    def _align_unusual(self, piece: str) -> Aligned:
        kinds: list[Kind] = []
        folded: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        before = Kind.SEPARATOR
        for match in _CLUSTER.finditer(translate(piece, self._kinds)):
            start, end = match.span()
            normal = nfkc(piece[start:end])
            unchanged = normal == piece[start:end]
            for part in map(self._table.normalized.__getitem__, normal):
                until = start + 1 if unchanged else end
                kind = resolve(part.kind, before)
                if kind is not Kind.POINT:
                    before = kind
                    for char in part.folded:
                        kinds.append(kind)
                        folded.append(char)
                        starts.append(start)
                        ends.append(until)
                elif ends:
                    ends[-1] = until
                if unchanged:
                    start = until
        return Aligned("".join(kinds), "".join(folded), starts, ends)

    def _unusual_form(self, piece: str) -> str:
        aligned = self._align_unusual(piece)
        return "".join(map(_spaced, aligned.kinds, aligned.folded))

    def _kind(self, code: int) -> str:
        parts = self._table.alone(chr(code))
        if parts is None:
            return _CONTINUING
        if all(part.kind is Kind.SEPARATOR for part in parts):
            return Kind.SEPARATOR
        return parts[0].kind if len(parts) == len(parts[0].folded) == 1 else _SEVERAL

    def _fold(self, code: int) -> str:
        # One character always: it keeps the place of those that don't become one.
        parts = self._table.alone(chr(code))
        return ((parts and parts[0].folded) or " ")[0]

    def _form_alone(self, code: int) -> str:
        parts = self._table.alone(chr(code))
        if parts is None or any(part.kind.islower() for part in parts):
            return _PLACEHOLDER
        return "".join(_spaced(part.kind, part.folded) for part in parts)


def _spaced(kind: str, folded: str) -> str:
    return f" {folded} " if kind == Kind.SINGLE else folded


_FOLDERS: Final = {"script": Folder(CharTable("script")), "none": Folder(CharTable("none"))}


def folder(segmentation: Segmentation) -> Folder:
    """Return the folder for one segmentation.

    Raises:
        ValueError: There is no such segmentation.
    """
    if segmentation not in _FOLDERS:
        raise ValueError(f'segmentation is "script" or "none", not {segmentation!r}')
    return _FOLDERS[segmentation]
