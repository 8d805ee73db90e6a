"""Advisory locks, which the system takes back when a process dies (LOG-21)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import portalocker

__all__ = ["directory_locked", "try_lock"]

_SECONDS = 10.0
_PAUSE = 0.002


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this descriptor alone, unless somebody else has it; return whether.

    Closing the descriptor unlocks it.

    Raises:
        OSError: the file system can't lock.
    """
    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    try:
        portalocker.lock(descriptor, flags)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(f"the file can't be locked: {error}") from error
    return True


@contextmanager
def directory_locked(path: str) -> Iterator[None]:
    """Hold the lock of a directory, which is never held for longer than a few calls.

    Raises:
        TimeoutError: somebody holds it all the time.
        OSError: it can't be opened or locked.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        deadline = time.monotonic() + _SECONDS
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise TimeoutError(f"another process holds the lock of {path!r}")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)
