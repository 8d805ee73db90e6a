"""Long folds stay off the event loop (CANCEL-8)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from session_query.cancellation import AbortSignal, run_blocking

__all__ = ["Watched", "offload"]

T = TypeVar("T")

_DIRECT = 2_000
"""How many items are worked through on the loop: a millisecond or two."""

_BETWEEN_CHECKS = 256


class _StoppedError(Exception):
    """Ends a job whose caller has gone; nobody sees it."""


class Watched:
    """Lets a long loop end early once nobody waits for it any more."""

    __slots__ = ("_stopped",)

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End the loop at its next check."""
        self._stopped.set()

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items, checking now and then."""
        stopped = self._stopped.is_set
        for count, item in enumerate(items):
            if not count % _BETWEEN_CHECKS and stopped():
                raise _StoppedError
            yield item


async def offload(job: Callable[[Watched], T], size: int | None, signal: AbortSignal | None) -> T:
    """Run a fold and return its result: on the loop if it is short, else in a worker thread.

    Args:
        job: what to run; long loops in it go through the `Watched` that it is given.
        size: how many items it loops over; None if that says nothing of how long it takes.
        signal: the signal of the caller (CANCEL-3).
    """
    watched = Watched()
    if size is not None and size < _DIRECT:
        return job(watched)
    # The job holds a log: it is let go of as soon as it has run.
    pending = [job]
    del job
    return await run_blocking(lambda: pending.pop()(watched), signal=signal, interrupt=watched.stop)
