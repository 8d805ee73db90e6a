"""One job in a worker thread, awaited to its end and interrupted on request (CANCEL-7)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from session_query._diagnostics import escape_controls, logger
from session_query.cancellation._outcome import FATAL, Outcome
from session_query.cancellation._signal import AbortSignal, call_threadsafe
from session_query.cancellation._waiting import wait_out
from session_query.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["run_blocking"]

T = TypeVar("T")

# An interrupt that comes between two statements of a job has no effect, so it is repeated.
_SECONDS_BETWEEN_INTERRUPTS = 0.005


async def run_blocking(
    job: Callable[[], T],
    *,
    signal: AbortSignal | None = None,
    interrupt: Callable[[], None] | None = None,
) -> T:
    """Run `job` in the default executor of the running loop and wait until it has ended.

    On an abort or a cancellation, a job that no thread has begun is withdrawn; one that runs is
    interrupted, again and again until it has ended. The job sees the caller's context variables.

    Args:
        job: what to run.
        signal: the signal of the caller.
        interrupt: makes the running job end soon, such as `sqlite3.Connection.interrupt`. It is
            called on the thread of the loop or of the abort, and only while `job` runs, which
            can't end meanwhile; so it must not wait for the job. Without it, a job that has begun
            is waited for.

    Raises:
        CancelledError: the calling task was cancelled; the first of its cancellations (CANCEL-4).
        BaseException: the reason of the abort, else what the job raised (CANCEL-2, CANCEL-3).
        RuntimeError: the executor refused or dropped the job, or the job raised `CancelledError`.
    """
    signal = AbortSignal.any() if signal is None else signal
    signal.raise_if_aborted()
    # A cancellation that is under way arrives in this pass, before a thread has begun anything.
    await asyncio.sleep(0)
    signal.raise_if_aborted()
    loop = asyncio.get_running_loop()
    tracked = _Job(job, interrupt)
    future = loop.run_in_executor(None, contextvars.copy_context().run, tracked.run)
    stopping = _Stopping(loop, future, tracked)
    unsubscribe = signal._subscribe(stopping.stop)
    try:
        await wait_out([future], stopping.stop)
    finally:
        unsubscribe()
        stopping.end()
    return Outcome.of(future).unwrap(signal)


class _State(Enum):
    QUEUED = auto()
    WITHDRAWN = auto()
    RUNNING = auto()
    ENDED = auto()


class _Job(Generic[T]):
    """A job that knows whether it runs, which the future of an executor does not tell."""

    def __init__(self, job: Callable[[], T], interrupt: Callable[[], None] | None) -> None:
        self._job = job
        self._interrupt = interrupt
        self._state = _State.QUEUED
        self._reported = False
        # Reentrant: asyncio.run cancels its main task inside a handler of operating system
        # signals, which can find its thread anywhere in `stop`.
        self._lock = threading.RLock()

    @property
    def can_be_interrupted(self) -> bool:
        """Whether there is a way to make the running job end."""
        return self._interrupt is not None

    def run(self) -> Outcome[T]:
        """Run the job, unless it was withdrawn; this is called in the worker thread."""
        with self._lock:
            if self._state is _State.WITHDRAWN:
                return Outcome(error=asyncio.CancelledError())
            self._state = _State.RUNNING
        # Outcomes go through the executor as values: asyncio can't carry some exceptions
        # (StopIteration leaves its future pending for ever) and mistakes others for cancellation.
        try:
            return Outcome(self._job())
        except FATAL:
            raise
        except BaseException as error:  # noqa: BLE001 - the caller of run_blocking raises it
            return Outcome(error=error)
        finally:
            with self._lock:
                self._state = _State.ENDED

    def stop(self) -> bool:
        """Withdraw the job, or interrupt it if it runs; return whether it is withdrawn."""
        # The lock is held during the interrupt, so that the job can't end, and its connection
        # begin something else, while the interrupt is on its way.
        with self._lock:
            if self._state is _State.QUEUED:
                self._state = _State.WITHDRAWN
            elif self._state is _State.RUNNING and self._interrupt is not None:
                try:
                    self._interrupt()
                except Exception as error:  # noqa: BLE001 - the job is waited for all the same
                    self._report(error)
            return self._state is _State.WITHDRAWN

    def _report(self, error: Exception) -> None:
        if self._reported:
            return
        self._reported = True
        logger.warning(
            "the interrupt of a running job failed: %s",
            escape_controls(repr(error)),
            extra={"session_id": None, "code": ErrorCode.ABORTED.value},
        )


class _Stopping:
    """Stops a job, again and again until it has ended.

    A class and not closures: one that names itself is a cycle, which would keep the result of the
    job, such as a whole log, until the garbage collector comes by.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], job: _Job[Any]
    ) -> None:
        self._loop = loop
        self._future = future
        self._job = job
        self._timer: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """Stop the job, and see to it that it stays stopped; any thread may call this."""
        # Not all is left to the loop: a queued job could begin before the loop comes round.
        self._job.stop()
        call_threadsafe(self._loop, self._insist)

    def end(self) -> None:
        """Give up: the job has ended."""
        if self._timer is not None:
            self._timer.cancel()

    def _insist(self) -> None:
        if self._future.done():
            return
        if self._job.stop():
            self._future.cancel()
        elif self._job.can_be_interrupted:
            self.end()
            self._timer = self._loop.call_later(_SECONDS_BETWEEN_INTERRUPTS, self._insist)
