"""Removing the texts of a local store that are older than they need be (SPILL-4)."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from threading import Event

from reference_host._diagnostics import logger
from reference_host.spill._locators import FILE, FOLDER
from reference_host.spill._private import private_folder

__all__ = ["Expiry"]


class Expiry:
    """One round through a store; what it did not make is left alone.

    Args:
        oldest: what was written before this, in milliseconds since the epoch, is removed.
    """

    def __init__(self, oldest: int) -> None:
        self._oldest = oldest
        self._removed = 0
        self._failures: list[OSError] = []
        self.stopped = Event()

    def run(self, root: str) -> int:
        """Remove old texts and empty folders; return how many texts that were.

        What can't be removed stays, and is logged once.

        Raises:
            OSError: the root can't be read, or is refused.
        """
        with suppress(FileNotFoundError), private_folder(root) as descriptor:
            for name in _names(descriptor):
                if FOLDER.fullmatch(name) and not self.stopped.is_set():
                    self._visit(descriptor, name)
        if self._failures:
            logger.warning(
                "%d spilled texts or folders of them could not be removed, such as: %r",
                len(self._failures),
                self._failures[0],
                extra={"session_id": None, "code": "SPILL_NOT_REMOVED"},
            )
        return self._removed

    def _visit(self, root: int, name: str) -> None:
        try:
            if not stat.S_ISDIR(os.stat(name, dir_fd=root, follow_symlinks=False).st_mode):
                return
            with private_folder(name, within=root) as folder:
                for file in _names(folder):
                    if FILE.fullmatch(file) and not self.stopped.is_set():
                        self._remove_old(folder, file)
                empty = not _names(folder)
            if empty:
                os.rmdir(name, dir_fd=root)
        except FileNotFoundError:
            pass  # another host removes old texts too
        except OSError as error:
            self._failures.append(error)

    def _remove_old(self, folder: int, file: str) -> None:
        try:
            status = os.stat(file, dir_fd=folder, follow_symlinks=False)
            old = status.st_mtime_ns // 1_000_000 < self._oldest
            if old and stat.S_ISREG(status.st_mode):
                os.unlink(file, dir_fd=folder)
                self._removed += 1
        except FileNotFoundError:
            pass  # likewise
        except OSError as error:
            self._failures.append(error)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]
