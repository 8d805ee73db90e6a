"""Ctrl-C as an abort: what runs is told to end, and is waited for (CLI-2)."""

from __future__ import annotations

import asyncio
import signal as signals
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from session_query.cancellation import AbortController, AbortSignal

__all__ = ["Interrupted", "Interruption"]

T = TypeVar("T")


class Interrupted(Exception):  # noqa: N818 - an outcome, not an error
    """Raised when the person at the keyboard pressed Ctrl-C, once all that ran has ended."""


class Interruption:
    """Turns each Ctrl-C of one invocation into the abort of what runs; also the second one."""

    def __init__(self) -> None:
        self._controller = AbortController()
        self._running = False
        self._printing = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Handle Ctrl-C while the context lasts."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signals.signal(signals.SIGINT, self._handle)
        try:
            yield
        finally:
            signals.signal(signals.SIGINT, before)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self._controller.abort(Interrupted())
        if self._printing or not self._running:
            raise Interrupted

    def check(self) -> None:
        """Raise :class:`Interrupted` if Ctrl-C was pressed."""
        self._controller.signal.raise_if_aborted()

    @contextmanager
    def printing(self) -> Iterator[None]:
        """Let Ctrl-C end the context at once: its reader may never read on.

        Nothing of an operation runs then, as it's the operation that prints.
        """
        self.check()
        self._printing = True
        try:
            yield
        finally:
            self._printing = False

    def run(self, operation: Callable[[AbortSignal], Coroutine[Any, Any, T]]) -> T:
        """Run an operation to its end on a loop of its own.

        Raises:
            Interrupted: Ctrl-C was pressed; nothing of the operation runs any more.
        """
        self._running = True
        try:
            result = asyncio.run(operation(self._controller.signal))
        finally:
            self._running = False
        self.check()
        return result
