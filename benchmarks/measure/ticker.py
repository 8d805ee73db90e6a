"""How long the event loop keeps a task waiting (CANCEL-8)."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any, Self

__all__ = ["Ticker"]

_PAUSE = 0.001


class Ticker:
    """Wakes up every millisecond while the context lasts, and notes how late it was.

    Other processes make it late too, whatever this one does. So it also notes the processor time
    that all threads of this process took meanwhile: they can't have held the loop for longer.
    """

    def __init__(self) -> None:
        self._late: list[float] = []
        self._own: list[float] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def worst(self) -> float:
        """The longest time in seconds for which this process held its loop."""
        return max(self._own, default=0.0)

    def to_json(self) -> dict[str, Any]:
        """Return seconds: for which this process held the loop, and by which it was late in all."""
        return {
            "worst": self.worst,
            "p999": _quantile(self._own, 0.999),
            "late_worst": max(self._late, default=0.0),
            "late_p999": _quantile(self._late, 0.999),
        }

    async def _tick(self) -> None:
        before, used = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(_PAUSE)
            now, using = time.perf_counter(), time.process_time()
            late = now - before - _PAUSE
            self._late.append(late)
            self._own.append(min(late, using - used))
            before, used = now, using

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


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0
