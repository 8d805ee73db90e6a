"""Folders that nobody else may write to (SPILL-1)."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from reference_host.files import opened_folder

__all__ = ["make_private", "private_folder"]

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def make_private(folder: Path) -> None:
    """Make a folder and those above it that are missing, for their owner alone."""
    if not folder.parent.exists():
        make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def private_folder(name: str, *, within: int | None = None) -> Iterator[int]:
    """Hold a folder open by descriptor, as `opened_folder` does.

    Raises:
        OSError: it can't be opened, is a symlink or no folder, or somebody else may write to it.
    """
    with opened_folder(name, within=within) as descriptor:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE:
            raise PermissionError(errno.EPERM, "somebody else may write to this folder", name)
        yield descriptor
