"""Advisory locks, which the system takes back when a process dies (LOG-21)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    import portalocker

    _TAKEN = portalocker.AlreadyLocked
else:
    # What portalocker would call here too; but it can't be loaded where the disk is full.
    import fcntl

    _TAKEN = BlockingIOError

__all__ = ["directory_locked", "try_lock", "unlock"]

_SECONDS = 10.0
_PAUSE = 0.002


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this descriptor alone, unless somebody else has it; return whether.

    Closing the descriptor unlocks it.

    Raises:
        OSError: the file system can't lock.
    """
    try:
        if sys.platform == "win32":
            flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
            portalocker.lock(descriptor, flags)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except _TAKEN:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Unlock an open file, also for copies of the descriptor that forked processes may have."""
    if sys.platform == "win32":
        portalocker.unlock(descriptor)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


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
