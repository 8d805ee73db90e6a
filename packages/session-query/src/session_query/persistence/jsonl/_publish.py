"""Putting a file that is complete under its name, without ever replacing another (LOG-21)."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from typing import Any

__all__ = ["is_temporary", "make_directories", "publish", "sync_directory", "temporary"]

_PREFIX, _SUFFIX = ".session-", ".tmp"
_AT_FDCWD = -100
_RENAME_NOREPLACE = 1


def temporary(directory: str) -> tuple[int, str]:
    """Create a file for what is not complete yet; return its descriptor and path."""
    path = f"{directory}/{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, 0o600), path


def is_temporary(name: str) -> bool:
    """Tell whether a file of that name is one of :func:`temporary`."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def publish(source: str, target: str) -> None:
    """Give a file another name.

    Raises:
        FileExistsError: there is a file of that name.
        OSError: it can't be done.
    """
    if not _rename(source, target):
        _link(source, target)


def _rename(source: str, target: str) -> bool:
    """Rename without replacing; return False where the system or the file system can't."""
    rename = _renameat2()
    if rename is None:
        return False
    names = os.fsencode(source), os.fsencode(target)
    if rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_NOREPLACE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), source, None, target)


def _link(source: str, target: str) -> None:
    # In two steps, of which the second changes the revision of a log that is visible already.
    os.link(source, target)
    os.unlink(source)  # noqa: PTH108 - a string


@cache
def _renameat2() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def make_directories(path: str) -> list[str]:
    """Create a directory and those above it that are missing; return what to sync for it to last.

    Raises:
        OSError: one can't be created.
    """
    missing = []
    while not os.path.isdir(path):  # noqa: PTH112 - a string
        missing.append(path)
        path = os.path.dirname(path)  # noqa: PTH120 - a string
    for name in reversed(missing):
        try:
            os.mkdir(name, 0o700)  # noqa: PTH102 - a string
        except FileExistsError:
            if not os.path.isdir(name):  # noqa: PTH112 - a string
                raise
    return [os.path.dirname(name) for name in missing]  # noqa: PTH120 - a string


def sync_directory(path: str) -> None:
    """Make the names in a directory last."""
    if os.name == "nt":  # where a directory can't be opened
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
