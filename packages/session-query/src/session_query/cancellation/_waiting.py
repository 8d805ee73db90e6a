"""Waiting that outlasts every cancellation of the task that waits (CANCEL-4)."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = ["wait_out"]


async def wait_out(futures: Collection[asyncio.Future[Any]], stop: Callable[[], None]) -> None:
    """Wait until all of `futures` are done, even if this task is cancelled meanwhile.

    None of the futures is cancelled here, and `Task.cancelling()` is left as it is, so that
    timeout scopes and task groups around the caller can tell their own cancellation.

    Args:
        futures: futures and tasks of the running loop.
        stop: called once, inside the first `cancel()` of the waiting task, hence before another
            step of any task can start something. It must not raise.

    Raises:
        CancelledError: the waiting task was cancelled; the first of its cancellations.
    """
    loop = asyncio.get_running_loop()
    undone = len(futures)
    end: asyncio.Future[None] = _Cancellable(stop, loop=loop)

    def one_less(future: asyncio.Future[Any]) -> None:
        nonlocal undone
        _ = future.cancelled() or future.exception()  # so that it counts as retrieved
        undone -= 1
        if not undone and not end.done():
            end.set_result(None)

    for future in futures:
        future.add_done_callback(one_less)
    if not undone:
        return
    try:
        await end
    except asyncio.CancelledError:
        # Inside its scopes, anyio cancels again in each pass of the loop: not through a shield.
        with _shield():
            while undone:
                end = loop.create_future()
                with suppress(asyncio.CancelledError):
                    await end
        raise


class _Cancellable(asyncio.Future[None]):
    """Tells of its cancellation at once, and not only when the waiting task comes to run."""

    def __init__(self, stop: Callable[[], None], *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self._stop = stop

    def cancel(self, msg: Any | None = None) -> bool:
        if not super().cancel(msg):
            # It's done, so the task marks itself and raises when it runs: nothing is lost.
            return False
        self._stop()
        return True


def _shield() -> AbstractContextManager[object]:
    # Without its backend there is no anyio scope to be shielded from, and loading the backend
    # just now would block the loop for a tenth of a second.
    if "anyio._backends._asyncio" in sys.modules:
        return anyio.CancelScope(shield=True)
    return nullcontext()
