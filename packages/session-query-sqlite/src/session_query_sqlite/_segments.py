"""What the inverted index really holds, below what FTS5 shows of it (INDEX-9).

FTS5 deletes by adding a mark to a newer segment; what is deleted stays in the older one until both
are merged. No query shows that, so the segments are read here, by the format that FTS5 documents in
its source: leaf pages of terms, each followed by its documents and their positions.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Entry", "entries", "separators"]

_SEGMENT_SHIFT: Final = 37
_PAGE_MASK: Final = (1 << 31) - 1
_LEAF_MASK: Final = (1 << _SEGMENT_SHIFT) - 1
_HEADER: Final = 4
_PREFIX: Final = b"0"
"""What FTS5 puts before each term of its main index."""


class Entry(NamedTuple):
    """A document in the list of a term; `deleted` is the mark that hides an older entry."""

    term: bytes
    document: int
    deleted: bool


def entries(connection: sqlite3.Connection, data: str) -> Iterator[Entry]:
    """Yield every entry of every segment, marks and what they hide included.

    Args:
        connection: to the index, in a read transaction.
        data: the name of the FTS5 table's data table, such as `main.search_data`.

    Raises:
        ValueError: a page breaks the format.
    """
    pages = connection.execute(f"SELECT id, block FROM {data} WHERE id > 10 ORDER BY id")
    segment = -1
    reader = _Reader()
    for identifier, block in pages:
        if (identifier & _LEAF_MASK) > _PAGE_MASK:
            continue  # an index into a long list; it holds no terms
        if identifier >> _SEGMENT_SHIFT != segment:
            segment = identifier >> _SEGMENT_SHIFT
            reader = _Reader()
        try:
            yield from reader.page(block)
        except (IndexError, struct.error):
            raise ValueError(f"page {identifier} of the inverted index is malformed") from None


def separators(connection: sqlite3.Connection, index: str) -> Iterator[bytes]:
    """Yield the beginnings of terms that FTS5 keeps to find pages by."""
    for (term,) in connection.execute(f"SELECT term FROM {index}"):
        stored = term if isinstance(term, bytes) else str(term).encode()
        if stored:
            yield stored.removeprefix(_PREFIX)


class _Reader:
    """Goes through the leaf pages of one segment; lists and positions reach over their ends."""

    def __init__(self) -> None:
        self._term = b""
        self._document = 0
        self._left = 0

    def page(self, block: bytes) -> Iterator[Entry]:
        (size,) = struct.unpack_from(">H", block, 2)
        starts = _term_starts(block, size)
        upcoming = next(starts, None)
        at = _HEADER
        step = min(self._left, size - at)
        at += step
        self._left -= step
        absolute = True
        first_term = True
        while at < size:
            if at == upcoming:
                kept, at = (0, at) if first_term else _varint(block, at)
                added, at = _varint(block, at)
                self._term = self._term[:kept] + block[at : at + added]
                at += added
                upcoming = next(starts, None)
                first_term, absolute = False, True
                continue
            step, at = _varint(block, at)
            self._document = step if absolute else self._document + step
            absolute = False
            length, at = _varint(block, at)
            self._left = length >> 1
            step = min(self._left, size - at)
            at += step
            self._left -= step
            yield Entry(self._term.removeprefix(_PREFIX), self._document, bool(length & 1))


def _term_starts(block: bytes, size: int) -> Iterator[int]:
    """Yield where the terms of a page begin, which stands after its content."""
    at, start = size, 0
    while at < len(block):
        step, at = _varint(block, at)
        start += step
        yield start


def _varint(block: bytes, at: int) -> tuple[int, int]:
    """Return an SQLite varint and the place after it."""
    byte = block[at]
    if byte < 0x80:  # noqa: PLR2004 - most are one byte
        return byte, at + 1
    value = byte & 0x7F
    for place in range(at + 1, at + 8):
        byte = block[place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004 - the last one
            return value, place + 1
    return value << 8 | block[at + 8], at + 9
