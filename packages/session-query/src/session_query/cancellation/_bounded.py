"""Work on many items, a few at a time, awaited to its end (READ-3, READ-4)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from session_query._diagnostics import escape_controls, logger
from session_query.cancellation._outcome import FATAL, Outcome
from session_query.cancellation._signal import AbortSignal
from session_query.cancellation._waiting import wait_out

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

__all__ = ["map_bounded"]

T = TypeVar("T")
R = TypeVar("R")


async def map_bounded(
    items: Iterable[T],
    worker: Callable[[T], Awaitable[R]],
    limit: int,
    signal: AbortSignal | None = None,
) -> list[R]:
    """Run `worker` on each item, at most `limit` at once; return the results in order.

    After an abort, a cancellation or a failure no further item is started; those that were are
    waited for. Cancellation of the calling task cancels the workers, so what they start must
    itself be awaited to its end, as `settle` and `run_blocking` do. An abort reaches the workers
    only by the signals that they hold.

    Args:
        items: copied when the call is made.
        worker: called for one item, in one of up to `limit` tasks.
        limit: a whole number of at least 1.
        signal: the signal of the caller.

    Raises:
        CancelledError: the calling task was cancelled; the first of its cancellations (CANCEL-4).
        BaseException: the reason of the abort (READ-4), else the first failure of a worker, in
            order of time; each other one leaves a log record.
        RuntimeError: a worker raised `CancelledError`, but nobody had cancelled it.
        ValueError: `limit` is below 1.
    """
    signal = AbortSignal.any() if signal is None else signal
    signal.raise_if_aborted()
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    batch = _Batch(items, worker, signal)
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(batch.work_off()) for _ in range(min(limit, batch.size))]

    def stop() -> None:
        batch.stopped = True
        for task in tasks:
            task.cancel()

    await wait_out(tasks, stop)
    return batch.outcome().unwrap(signal)


class _Batch(Generic[T, R]):
    def __init__(
        self, items: Iterable[T], worker: Callable[[T], Awaitable[R]], signal: AbortSignal
    ) -> None:
        copied = list(items)
        self.size = len(copied)
        self.stopped = False
        self._queued = iter(enumerate(copied))
        self._worker = worker
        self._signal = signal
        self._results: dict[int, R] = {}
        self._failures: list[BaseException] = []

    async def work_off(self) -> None:
        """Take one item after the other, until there is none or there is reason to stop."""
        while not (self.stopped or self._signal.aborted) and (entry := next(self._queued, None)):
            index, item = entry
            try:
                self._results[index] = await self._worker(item)
            except FATAL as error:
                self.stopped = True
                self._failures.insert(0, error)
                raise
            except BaseException as error:  # noqa: BLE001 - the caller of map_bounded raises it
                self.stopped = True
                self._failures.append(error)

    def outcome(self) -> Outcome[list[R]]:
        """Return how it ended, and log the failures that this doesn't tell."""
        if self._failures:
            first, *others = self._failures
            self._failures.clear()
            if not self._signal.aborted:
                _report(others)
            return Outcome(error=first)
        if len(self._results) < self.size:
            return Outcome(error=asyncio.CancelledError())
        return Outcome([self._results[index] for index in range(self.size)])


def _report(errors: list[BaseException]) -> None:
    for error in errors:
        logger.warning(
            "one more of the items worked on together failed: %s",
            escape_controls(repr(error)),
            extra={"session_id": None, "code": None},
        )
