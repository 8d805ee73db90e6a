"""The free pages of an SQLite file: deleted text survives there unless overwritten (INDEX-9)."""

from __future__ import annotations

import os
import struct
from typing import Final, NamedTuple

__all__ = ["FreePages", "free_pages"]

_FILE_HEADER: Final = 100
_PAGE_SIZE: Final = 16
_FIRST_TRUNK: Final = 32


class FreePages(NamedTuple):
    """How many pages are free, and the numbers of those that are not overwritten."""

    free: int
    dirty: tuple[int, ...]


def free_pages(descriptor: int) -> FreePages:
    """Look at every free page of a file that must not change meanwhile.

    It is read through a descriptor of the caller's, who closes it after every connection of this
    process to the file: closing a descriptor drops all locks that the process has on that file.
    """
    head = _read(descriptor, 0, _FILE_HEADER)
    (size,) = struct.unpack_from(">H", head, _PAGE_SIZE)
    size = 0x10000 if size == 1 else size
    last = os.fstat(descriptor).st_size // size
    free: set[int] = set()
    dirty: list[int] = []
    (trunk,) = struct.unpack_from(">I", head, _FIRST_TRUNK)
    while 0 < trunk <= last and trunk not in free:
        free.add(trunk)
        following, count, *numbers = struct.unpack(f">{size // 4}I", _page(descriptor, trunk, size))
        # a list that was longer once leaves the numbers of pages behind, and text is no such number
        if any(number > last for number in numbers):
            dirty.append(trunk)
        leaves = numbers[:count]
        free.update(leaves)
        dirty += [leaf for leaf in leaves if _page(descriptor, leaf, size).strip(b"\0")]
        trunk = following
    return FreePages(len(free), tuple(dirty))


def _page(descriptor: int, number: int, size: int) -> bytes:
    return _read(descriptor, (number - 1) * size, size)


def _read(descriptor: int, at: int, size: int) -> bytes:
    os.lseek(descriptor, at, os.SEEK_SET)
    return os.read(descriptor, size)
