"""Sends a client what it's shown, in order, while something else goes on (ACP-1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from reference_host._diagnostics import logger

__all__ = ["Showing", "showing"]


class Showing:
    """What is still to be sent."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Any] = asyncio.Queue()

    def add(self, updates: Iterable[Any]) -> None:
        """Have updates sent after those that were added before."""
        for update in updates:
            self._queue.put_nowait(update)

    async def sent(self) -> None:
        """Wait until all that was added has been sent."""
        await self._queue.join()

    async def pump(self, send: Callable[[Any], Awaitable[None]]) -> None:
        """Send what is added, for ever; a client that can't be reached ends nothing."""
        while True:
            update = await self._queue.get()
            try:
                await send(update)
            except Exception as error:  # noqa: BLE001 - the turn goes on, and its log is whole
                logger.warning(
                    "an update could not be sent: %r",
                    error,
                    extra={"session_id": None, "code": "ACP_UPDATE_FAILED"},
                )
            finally:
                self._queue.task_done()


@asynccontextmanager
async def showing(send: Callable[[Any], Awaitable[None]]) -> AsyncIterator[Showing]:
    """Send updates while the block runs; all of them are sent when it ends without an error."""
    shown = Showing()
    # no task group: it would wrap what the block raises
    pump = asyncio.create_task(shown.pump(send), name="updates to the client")
    try:
        yield shown
        await shown.sent()
    finally:
        pump.cancel()
        await asyncio.wait([pump])
