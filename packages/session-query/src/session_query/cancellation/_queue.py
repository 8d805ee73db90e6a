"""One operation at a time, in arrival order (RECON-7, CANCEL-6)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from session_query.cancellation._signal import AbortSignal, call_threadsafe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

__all__ = ["OperationQueue"]


class OperationQueue:
    """Lets operations on one event loop run one at a time, in the order in which they came.

    Args:
        refusal: makes the exception for an operation that comes after `close`.
    """

    def __init__(self, refusal: Callable[[], BaseException]) -> None:
        self._refusal = refusal
        self._busy = False
        self._closed = False
        # The turn is handed to the head directly: nobody can overtake between two operations.
        self._waiting: OrderedDict[asyncio.Future[bool], None] = OrderedDict()
        self._closing: set[asyncio.Future[None]] = set()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @asynccontextmanager
    async def turn(self, signal: AbortSignal | None = None) -> AsyncIterator[None]:
        """Wait for the turn of this operation, and hold it inside the `async with`.

        The turn is not reentrant: an operation that asks for another one waits for itself.

        Raises:
            CancelledError: the waiting task was cancelled.
            BaseException: the reason of the abort, at once even while others run (CANCEL-6);
                else the refusal, if the queue was closed before (RECON-7).
        """
        signal = AbortSignal.any() if signal is None else signal
        signal.raise_if_aborted()
        if self._closed:
            raise self._refusal()
        if self._busy:
            await self._wait(signal)
        self._busy = True
        try:
            # The abort may have come when the turn was on its way.
            signal.raise_if_aborted()
            yield
        finally:
            self._hand_on()

    async def close(self) -> None:
        """Refuse further operations, and wait until the accepted ones have ended (RECON-7).

        It may be called again, to wait again; a cancelled one leaves the queue closed. It must not
        be called inside a turn, which it would wait for.
        """
        self._closed = True
        if not self._busy:
            return
        idle = asyncio.get_running_loop().create_future()
        self._closing.add(idle)
        try:
            await idle
        finally:
            self._closing.discard(idle)

    async def _wait(self, signal: AbortSignal) -> None:
        loop = asyncio.get_running_loop()
        has_turn: asyncio.Future[bool] = loop.create_future()
        self._waiting[has_turn] = None
        leave = partial(self._leave, has_turn)
        unsubscribe = signal._subscribe(partial(call_threadsafe, loop, leave))
        try:
            if not await has_turn:
                signal.raise_if_aborted()
        except asyncio.CancelledError:
            if has_turn.done() and not has_turn.cancelled() and has_turn.result():
                self._hand_on()
            raise
        finally:
            self._waiting.pop(has_turn, None)
            unsubscribe()

    def _leave(self, has_turn: asyncio.Future[bool]) -> None:
        if not has_turn.done():
            has_turn.set_result(False)

    def _hand_on(self) -> None:
        while self._waiting:
            has_turn, _ = self._waiting.popitem(last=False)
            if not has_turn.done():
                has_turn.set_result(True)
                return
        self._busy = False
        for idle in self._closing:
            if not idle.done():
                idle.set_result(None)
