"""How long the event loop keeps a task waiting (CANCEL-8)."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Self

__all__ = ["Ticker"]

_PAUSE = 0.001


class Ticker:
    """Wakes up every millisecond while the context lasts, and notes how late it was."""

    def __init__(self) -> None:
        self.late: list[float] = []
        """Seconds by which each wake-up was late."""
        self._task: asyncio.Task[None] | None = None

    @property
    def worst(self) -> float:
        """The longest time in seconds that the loop didn't come round."""
        return max(self.late, default=0.0)

    def quantile(self, share: float) -> float:
        """Return what so large a share of the wake-ups was not later than."""
        late = sorted(self.late)
        return late[min(int(len(late) * share), len(late) - 1)] if late else 0.0

    async def _tick(self) -> None:
        before = time.perf_counter()
        while True:
            await asyncio.sleep(_PAUSE)
            now = time.perf_counter()
            self.late.append(now - before - _PAUSE)
            before = now

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            # one more turn, so that a wait that ends with the context is noted
            await asyncio.sleep(2 * _PAUSE)
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
