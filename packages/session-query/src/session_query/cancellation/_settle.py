"""One store call, awaited to its end (CANCEL-2 to CANCEL-5)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from session_query.cancellation._outcome import FATAL, Outcome
from session_query.cancellation._signal import AbortController, AbortSignal
from session_query.cancellation._waiting import wait_out

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["settle"]

T = TypeVar("T")


async def settle(start: Callable[[AbortSignal], Awaitable[T]], signal: AbortSignal | None) -> T:
    """Start a store call and wait until it has settled, whatever happens meanwhile.

    The call runs in a task of its own, which is never cancelled from here: a store learns of the
    end by its signal alone. Nothing is started once the signal is aborted or the task cancelled.

    Args:
        start: makes the call with the signal it is given: `signal` itself or, without one, a
            signal that cancellation of the calling task aborts (CANCEL-5).
        signal: the signal of the caller.

    Raises:
        CancelledError: the calling task was cancelled; the first of its cancellations (CANCEL-4).
        BaseException: the reason of the abort, else what the call raised (CANCEL-2, CANCEL-3).
        RuntimeError: the call raised `CancelledError`, but nobody had cancelled it.
    """
    cancellation = AbortController()
    signal = cancellation.signal if signal is None else signal
    signal.raise_if_aborted()

    async def call() -> Outcome[T]:
        try:
            if cancellation.signal.aborted or signal.aborted:
                raise asyncio.CancelledError  # noqa: TRY301 - not started, so nobody reads this
            return Outcome(await start(signal))
        except FATAL:
            raise
        except BaseException as error:  # noqa: BLE001 - the caller of settle raises it
            return Outcome(error=error)

    task = asyncio.get_running_loop().create_task(call())
    await wait_out([task], cancellation.abort)
    return Outcome.of(task).unwrap(signal)
