"""The deadline policy: a tool that takes too long is aborted (HOST-5)."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from session_query import AbortController, AbortSignal

from reference_host.errors import ToolTimeoutError

__all__ = ["Deadline"]


class Deadline:
    """Aborts its signal when the time is over, unless the `with` has ended before.

    Args:
        tool_name: whose time it is.
        milliseconds: how long it has; None for ever.
    """

    def __init__(self, tool_name: str, milliseconds: int | None) -> None:
        self._controller = AbortController()
        self._milliseconds = milliseconds
        self._timer: asyncio.TimerHandle | None = None
        seconds = (milliseconds or 0) / 1000
        self.error = ToolTimeoutError(f"{tool_name} took longer than {seconds:g} s and was ended.")

    @property
    def signal(self) -> AbortSignal:
        """The signal that is aborted, for the reason `error`."""
        return self._controller.signal

    def __enter__(self) -> Self:
        if self._milliseconds is not None:
            delay = self._milliseconds / 1000
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(delay, self._controller.abort, self.error)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
