"""The unused parts of an SQLite file, where deleted text would survive (INDEX-9)."""

from __future__ import annotations

import os
import struct
from typing import Final, NamedTuple

__all__ = ["Unused", "unused_space"]

_FILE_HEADER: Final = 100
_INTERIOR: Final = {2: True, 5: True, 10: False, 13: False}
"""The first byte of a page of a b-tree, and whether it leads to other pages."""


class Unused(NamedTuple):
    """How many pages are free, and which pages have something else than zeros where nothing is."""

    free: int
    dirty_free: tuple[int, ...]
    dirty_gaps: tuple[int, ...]


def unused_space(descriptor: int) -> Unused:
    """Look at the free pages of a file, and at the gaps inside its pages of tables.

    The file must not change meanwhile. It is read through a descriptor of the caller's, who closes
    it after every connection of this process to the file: closing a descriptor drops all locks that
    the process has on that file.
    """
    head = os.pread(descriptor, _FILE_HEADER, 0)
    (size,) = struct.unpack_from(">H", head, 16)
    size = 0x10000 if size == 1 else size
    count = os.fstat(descriptor).st_size // size
    free, dirty_free = _free_pages(descriptor, head, size, count)
    dirty_gaps = [
        number
        for number in range(1, count + 1)
        if number not in free and _has_dirty_gap(_page(descriptor, number, size), number)
    ]
    return Unused(len(free), tuple(dirty_free), tuple(dirty_gaps))


def _page(descriptor: int, number: int, size: int) -> bytes:
    return os.pread(descriptor, size, (number - 1) * size)


def _free_pages(descriptor: int, head: bytes, size: int, count: int) -> tuple[set[int], list[int]]:
    """Return the numbers of all free pages, and of those that hold anything but page numbers."""
    free: set[int] = set()
    dirty: list[int] = []
    (trunk,) = struct.unpack_from(">I", head, 32)
    while trunk and trunk not in free:
        free.add(trunk)
        numbers = struct.unpack(f">{size // 4}I", _page(descriptor, trunk, size))
        leaves = numbers[2 : 2 + numbers[1]]
        # a list that was longer once leaves numbers behind, and no text is one
        if any(number > count for number in numbers[2:]):
            dirty.append(trunk)
        free.update(leaves)
        dirty += [leaf for leaf in leaves if _page(descriptor, leaf, size).strip(b"\0")]
        trunk = numbers[0]
    return free, dirty


def _has_dirty_gap(page: bytes, number: int) -> bool:
    """Tell whether the space between the cell pointers and the cells of a page isn't zeroed."""
    at = _FILE_HEADER if number == 1 else 0
    leads_on = _INTERIOR.get(page[at])
    if leads_on is None:
        return False  # the rest of a long cell, and full of it
    block, cells, content = struct.unpack_from(">HHH", page, at + 1)
    gap = page[at + (12 if leads_on else 8) + 2 * cells : content or 0x10000]
    if gap.strip(b"\0"):
        return True
    while block:
        following, length = struct.unpack_from(">HH", page, block)
        if page[block + 4 : block + length].strip(b"\0"):
            return True
        block = following
    return False
