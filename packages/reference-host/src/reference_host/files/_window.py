"""A part of a file, counted in bytes, in which no code point is split (SPILL-4)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import BinaryIO, Final

__all__ = ["Window", "read_window"]

_REST: Final = 3
"""How many bytes a code point has at most after its first one."""


@dataclass(frozen=True, slots=True)
class Window:
    """The bytes of a file from `start` to before `end`, as text; the file has `total`."""

    text: str
    start: int
    end: int
    total: int


def read_window(file: BinaryIO, offset: int, limit: int, *, surrogates: bool = False) -> Window:
    """Read the code points that begin in the `limit` bytes from `offset` on.

    So windows that follow each other hold all of the text, each code point once, and the end of
    one lies at most three bytes beyond what was asked for. Nothing else of the file is read.

    Args:
        file: the file; it is left open.
        offset: how many bytes to skip.
        limit: how many to read, at least 1.
        surrogates: whether lone surrogates that were written as UTF-8 are read as such; like all
            that is not UTF-8, they are U+FFFD elsewhere.
    """
    total = file.seek(0, os.SEEK_END)
    offset = min(offset, total)
    first = max(0, offset - _REST)
    file.seek(first)
    data = _read(file, min(total, offset + limit + _REST) - first)
    start = _boundary(data, min(offset - first, len(data)))
    end = _boundary(data, min(offset + limit - first, len(data)))
    return Window(_decoded(data[start:end], surrogates), first + start, first + end, total)


def _read(file: BinaryIO, size: int) -> bytes:
    data = bytearray()
    while len(data) < size and (more := file.read(size - len(data))):
        data += more
    return bytes(data)


def _boundary(data: bytes, index: int) -> int:
    """Return `index`, or the end of the code point that it lies in."""
    for begin in range(index - 1, max(-1, index - 1 - _REST), -1):
        end = begin + _length(data[begin])
        if end > index and _is_code_point(data[begin:end]):
            return end
    return index


def _length(first: int) -> int:
    """Return how long a code point is that begins with this byte; 1 where none does."""
    return 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if first >= 0xF0 else 1  # noqa: PLR2004 - UTF-8's own numbers


def _is_code_point(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, surrogates: bool) -> str:  # noqa: FBT001 - private
    if surrogates:
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            pass  # it was changed since, or cut off by a crash
    return data.decode("utf-8", "replace")
