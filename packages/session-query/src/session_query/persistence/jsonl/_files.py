"""Log files as the system sees them: opening, identity, blocks (LOG-16)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

__all__ = ["BLOCK", "FileKey", "blocks", "file_key", "opened", "revision_of"]

BLOCK = 2**16
"""Bytes to read at once: few calls, and no step that holds other threads up for milliseconds."""

FileKey: TypeAlias = tuple[int, int, int, int]
"""Inode, size, and the times of the last change to content and to inode, in nanoseconds."""

# O_NONBLOCK, where there is one, keeps a named pipe of that name from blocking for ever.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def file_key(status: os.stat_result) -> FileKey:
    """Return what changes whenever the file does."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def revision_of(key: FileKey) -> str:
    """Return the revision of a log whose file has that key."""
    return "-".join(f"{number:x}" for number in key)


@contextmanager
def opened(path: str) -> Iterator[int]:
    """Open a log for reading.

    Raises:
        FileNotFoundError: there is no regular file of that name.
        OSError: it can't be opened.
    """
    descriptor = os.open(path, _READ)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileNotFoundError(f"{path!r} is no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def blocks(descriptor: int, start: int, end: int, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the bytes from `start` to `end`, or to where the file ends before that."""
    os.lseek(descriptor, start, os.SEEK_SET)
    while start < end and (block := os.read(descriptor, min(size, end - start))):
        start += len(block)
        yield block
