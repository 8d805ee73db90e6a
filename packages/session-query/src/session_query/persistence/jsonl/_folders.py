"""Directories that are read again only when their content may have changed (LOG-22)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

__all__ = ["Folder"]

# A file system may give two changes one time stamp: it counts in ticks of up to 10 ms, or more.
_TICK_NS = 50_000_000


class Folder:
    """The sub-directories of a directory whose names are wanted.

    Args:
        path: the directory.
        wanted: tells by the name whether a sub-directory counts.
    """

    __slots__ = ("_key", "_settled", "_wanted", "names", "path")

    def __init__(self, path: str, wanted: Callable[[str], bool]) -> None:
        self.path = path
        self.names: list[str] = []
        """Sorted, as of the last :meth:`refresh`."""
        self._wanted = wanted
        self._key: tuple[int, int, int] | None = None
        self._settled = False

    def refresh(self) -> bool:
        """Look again if need be; return whether :attr:`names` was made anew.

        Raises:
            OSError: it can't be read; it counts as empty then.
        """
        try:
            status = os.stat(self.path)  # noqa: PTH116 - a string is quicker than a Path
            key = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            if key == self._key and self._settled:
                return False
            began = time.time_ns()
            with os.scandir(self.path) as entries:
                names = [
                    entry.name
                    for entry in entries
                    if self._wanted(entry.name) and _is_directory(entry)
                ]
        except OSError:
            self._key = None
            self.names = []
            raise
        self._key = key
        self._settled = max(key[1:]) + _TICK_NS < began
        self.names = sorted(names)
        return True


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symbolic link that leads nowhere
        return False
