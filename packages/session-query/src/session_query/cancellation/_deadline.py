"""A time limit that ends with what it limits (CANCEL-1)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from session_query.cancellation._signal import AbortController, AbortSignal

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Deadline"]


class Deadline:
    """Aborts its signal when the time is over, unless the `with` has ended before.

    `AbortSignal.timeout` is for operations; this is for whoever goes on after them. The clock is
    that of the running loop.

    Args:
        milliseconds: how long it takes, at least 0; None for ever.
        reason: the reason of the abort.
    """

    def __init__(self, milliseconds: float | None, reason: BaseException) -> None:
        self.reason = reason
        self._milliseconds = milliseconds
        self._controller = AbortController()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def signal(self) -> AbortSignal:
        """The signal that is aborted, for exactly `reason`."""
        return self._controller.signal

    def __enter__(self) -> Self:
        if self._milliseconds is not None:
            loop = asyncio.get_running_loop()
            delay = self._milliseconds / 1000
            self._timer = loop.call_later(delay, self._controller.abort, self.reason)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
