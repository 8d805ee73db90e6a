"""Opening files below a folder without following a symlink, not even in a race (SPILL-4)."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO, Final

__all__ = ["open_beneath", "opened_folder"]

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Neither a FIFO without a writer nor a terminal takes the thread, or the process, for itself.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def opened_folder(name: str, *, within: int | None = None) -> Iterator[int]:
    """Hold a folder open, by descriptor: whatever its name comes to mean, it stays the same one.

    Args:
        name: a path; only its last part is no symlink.
        within: the descriptor of the folder that a relative `name` lies in.

    Raises:
        OSError: it can't be opened, or is a symlink or no folder.
    """
    descriptor = os.open(name, _FOLDER, dir_fd=within)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_beneath(folder: int, parts: Sequence[str]) -> BinaryIO:
    """Open a regular file for reading, one part of its path after the other.

    Args:
        folder: the descriptor of the folder where the path begins.
        parts: names of folders and of the file; none is `..`, and none has a slash.

    Raises:
        OSError: it can't be opened, some part is a symlink, or it is no regular file.
    """
    with ExitStack() as opened:
        for name in parts[:-1]:
            folder = opened.enter_context(opened_folder(name, within=folder))
        # Opening a device can do things, so it is looked at first, and again once it is held.
        _check_regular(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False))
        descriptor = os.open(parts[-1], _FILE, dir_fd=folder)
        try:
            _check_regular(os.fstat(descriptor))
            return os.fdopen(descriptor, "rb", buffering=0)
        except BaseException:
            os.close(descriptor)
            raise


def _check_regular(status: os.stat_result) -> None:
    """Raise `OSError` for what is no regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
