"""One text on its way to the disk (SPILL-1)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Final

from reference_host.spill._locators import Place
from reference_host.spill._private import make_private, private_folder

__all__ = ["Saving"]

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ATTEMPTS: Final = 10
_PIECE: Final = 1 << 20


class Saving:
    """Makes one new file below a root; whoever gives it up calls `undo` once `run` has ended."""

    def __init__(self, root: Path, place: Place, data: bytes) -> None:
        self._root = root
        self._place = place
        self._data = data
        self._made = False
        self.stopped = Event()

    def run(self) -> None:
        """Make the file.

        Raises:
            OSError: it could not be made, or the root is refused.
            InterruptedError: `stopped` was set meanwhile.
        """
        make_private(self._root)
        with private_folder(os.fspath(self._root)) as root:
            self._save(root)

    def undo(self) -> None:
        """Remove the file if it was made and is still there, and its folder if that is empty."""
        if not self._made:
            return
        with suppress(OSError), private_folder(os.fspath(self._root)) as root:
            with private_folder(self._place.folder, within=root) as folder:
                os.unlink(self._place.name, dir_fd=folder)
            os.rmdir(self._place.folder, dir_fd=root)

    def _save(self, root: int) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            with suppress(FileExistsError):
                os.mkdir(self._place.folder, 0o700, dir_fd=root)
            try:
                os.fsync(root)
                with private_folder(self._place.folder, within=root) as folder:
                    self._create(folder)
                break
            except FileNotFoundError:
                # Another host removed the folder, which was empty still.
                if attempt == _ATTEMPTS:
                    raise
            except BaseException:
                with suppress(OSError):  # it holds other texts
                    os.rmdir(self._place.folder, dir_fd=root)
                raise

    def _create(self, folder: int) -> None:
        descriptor = os.open(self._place.name, _NEW, 0o600, dir_fd=folder)
        self._made = True
        try:
            try:
                self._write(descriptor)
                os.fsync(descriptor)  # some disks tell only now that they are full
            finally:
                os.close(descriptor)
            os.fsync(folder)
        except BaseException:
            # By the open folder: its path may lead elsewhere by now.
            with suppress(OSError):  # the first failure is the one to tell
                os.unlink(self._place.name, dir_fd=folder)
                self._made = False
            raise

    def _write(self, descriptor: int) -> None:
        rest = memoryview(self._data)
        while rest:
            if self.stopped.is_set():
                raise InterruptedError("nobody waits for this text any more")
            rest = rest[os.write(descriptor, rest[:_PIECE]) :]
