"""One log whose lock this process holds (LOG-21)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from itertools import chain

from session_query.errors import PersistenceConflictError, PersistenceWriteError
from session_query.log import SessionHeader
from session_query.persistence.jsonl._encoding import stored_header
from session_query.persistence.jsonl._files import FileKey, blocks, file_key
from session_query.persistence.jsonl._frames import encode_frame
from session_query.persistence.jsonl._layout import Place
from session_query.persistence.jsonl._locks import try_lock, unlock
from session_query.persistence.jsonl._publish import sync_directory, temporary
from session_query.persistence.jsonl._reader import decoded

__all__ = ["OwnedLog", "write_all"]


def write_all(descriptor: int, pieces: Iterable[bytes]) -> None:
    """Write all of `pieces` and wait until they are on the disk."""
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)


class OwnedLog:
    """A log to append to; nobody else does so while this object has it.

    Args:
        descriptor: the locked file, which belongs to this object from now on.
        place: where it lies.
        header: as it is stored.
        count: how many events are stored.
        end: where the part of the file ends that counts.
        beyond: bytes of complete lines behind that, in a frame that has to be replaced.
    """

    _descriptor = -1

    def __init__(  # noqa: PLR0913 - what is known of a log
        self,
        descriptor: int,
        place: Place,
        header: SessionHeader,
        count: int,
        *,
        end: int,
        beyond: int = 0,
    ) -> None:
        self._place = place
        self._header = header
        self._count = count
        self._end = end
        self._beyond = beyond
        self._key: FileKey = file_key(os.fstat(descriptor))
        self._descriptor = descriptor

    @property
    def session_id(self) -> str:
        """The id of the session."""
        return self._header.id

    @property
    def current(self) -> bool:
        """Whether the file is still as this object left it, and where it was."""
        try:
            there = os.stat(self._place.path)  # noqa: PTH116 - a string
            return file_key(os.fstat(self._descriptor)) == self._key == file_key(there)
        except OSError:
            return False

    def check(self, header: SessionHeader, seq: int | None) -> None:
        """Refuse what doesn't continue this log.

        Raises:
            PersistenceConflictError: the header is another, or `seq` is not the stored count.
        """
        if stored_header(header) != self._header:
            raise PersistenceConflictError(
                header.id, f"it is stored with another header: {self._header}"
            )
        if seq is not None and seq != self._count:
            raise PersistenceConflictError(
                header.id, f"the batch begins with seq {seq}, but {self._count} events are stored"
            )

    def append(self, lines: bytes, count: int) -> None:
        """Write a batch of `count` events; it's on the disk when this returns.

        Raises:
            PersistenceWriteError: it can't be written; the log holds what it held before.
        """
        data = encode_frame(lines) if self._place.compressed else lines
        try:
            self._cut()
            write_all(self._descriptor, [data])
        except BaseException as error:
            self._restore(error)
            if isinstance(error, OSError):
                raise PersistenceWriteError(self.session_id, f"can't write: {error}") from error
            raise
        self._end += len(data)
        self._count += count
        self._key = file_key(os.fstat(self._descriptor))

    def close(self) -> None:
        """Let others have the log."""
        with suppress(OSError):
            unlock(self._descriptor)
        self._drop()

    def __del__(self) -> None:
        # In a forked process this object is a copy, which must not unlock.
        self._drop()

    def _drop(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _cut(self) -> None:
        """Remove what is not committed behind the last line that is (LOG-20)."""
        if self._beyond:
            self._rewrite()
        elif os.fstat(self._descriptor).st_size > self._end:
            os.ftruncate(self._descriptor, self._end)

    def _restore(self, error: BaseException) -> None:
        try:
            if os.fstat(self._descriptor).st_size > self._end and not self._beyond:
                os.ftruncate(self._descriptor, self._end)
                os.fsync(self._descriptor)
            self._key = file_key(os.fstat(self._descriptor))
        except OSError as failure:
            # The next append reads the log anew, and cuts what is not a complete line.
            self._key = (0, 0, 0, 0)
            error.add_note(f"and what was written could not be removed: {failure}")

    def _rewrite(self) -> None:
        """Put committed lines of a torn frame into a frame of their own.

        They can't stay where they are, and must be there at each instant: hence another file.
        """
        old = self._descriptor
        status = os.fstat(old)
        kept = encode_frame(decoded(old, self._end, status.st_size, self._beyond))
        directory = os.path.dirname(self._place.path)  # noqa: PTH120 - a string
        new, path = temporary(directory)
        try:
            try_lock(new)
            os.fchmod(new, stat.S_IMODE(status.st_mode))
            write_all(new, chain(blocks(old, 0, self._end), [kept]))
            os.replace(path, self._place.path)  # noqa: PTH105 - a string
        except BaseException:
            os.close(new)
            with suppress(FileNotFoundError):
                os.unlink(path)  # noqa: PTH108 - a string
            raise
        self._descriptor = new
        os.close(old)
        self._end += len(kept)
        self._beyond = 0
        sync_directory(directory)
