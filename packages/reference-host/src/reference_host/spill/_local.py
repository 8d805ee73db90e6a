"""A spill store in a private folder (SPILL-1, SPILL-4)."""

from __future__ import annotations

import errno
import os
import secrets
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from session_query import run_blocking

from reference_host.files import open_beneath
from reference_host.spill._expiry import Expiry
from reference_host.spill._locators import folder_of, parse_locator, place_of
from reference_host.spill._private import private_folder
from reference_host.spill._saving import Saving
from reference_host.spill._store import SpillRef, SpillSource

__all__ = ["LocalSpillStore"]

_HINT: Final = "To see more of it, call read with that as path; offset and limit count bytes."


def _now() -> int:
    return time.time_ns() // 1_000_000


def _token() -> str:
    return secrets.token_hex(8)


class LocalSpillStore:
    """Keeps each text in a file of its own, `session-<hash>/<random>-<safe name>` in the root.

    Args:
        root: the folder; created, for its owner alone, with the first text. It is refused if it
            is a symlink or somebody else may write to it.
        hint: how a model gets a text back.
        clock: the time in milliseconds since the epoch, by which texts age.
        new_token: 16 hexadecimal digits, never the same twice.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        hint: str = _HINT,
        clock: Callable[[], int] = _now,
        new_token: Callable[[], str] = _token,
    ) -> None:
        self._root = Path(root).absolute()
        self._hint = hint
        self._clock = clock
        self._new_token = new_token

    def draft(self, suggested_name: str, size: int) -> SpillRef:
        """Return a ref exactly as long as `save_text` would; nothing is kept."""
        place = place_of(folder_of(""), "0" * 16, suggested_name)
        return SpillRef(place.locator, size, self._hint)

    async def save_text(
        self,
        owner_session_id: str,
        source: SpillSource,  # noqa: ARG002 - this store keeps texts and nothing beside them
        suggested_name: str,
        content: str,
    ) -> SpillRef:
        """Keep a text verbatim, and return how to get it back once it is on the disk.

        Raises:
            OSError: it could not be kept; nothing of it stays.
        """
        data = content.encode("utf-8", "surrogatepass")
        place = place_of(folder_of(owner_session_id), self._new_token(), suggested_name)
        saving = Saving(self._root, place, data)
        try:
            await run_blocking(saving.run, interrupt=saving.stopped.set)
        except BaseException:
            # It failed, or the caller was cancelled and gets no ref for what may be saved by now.
            # The job has ended. In a worker thread this could be cancelled before it begins.
            saving.undo()
            raise
        return SpillRef(place.locator, len(data), self._hint)

    def open_spilled(self, locator: str) -> BinaryIO:
        """Open a kept text; this blocks.

        Raises:
            OSError: there is none, or it can't be read.
        """
        place = parse_locator(locator)
        if place is None:
            raise FileNotFoundError(errno.ENOENT, "no locator of a spilled text")
        with private_folder(os.fspath(self._root)) as root:
            return open_beneath(root, place)

    async def remove_older_than(self, age: float) -> int:
        """Remove texts older than `age` seconds, and empty folders; return how many texts.

        What this store did not make is left alone. What can't be removed is logged and left.

        Raises:
            OSError: the root can't be read, or is refused.
        """
        expiry = Expiry(oldest=self._clock() - round(age * 1000))
        return await run_blocking(
            partial(expiry.run, os.fspath(self._root)), interrupt=expiry.stopped.set
        )
