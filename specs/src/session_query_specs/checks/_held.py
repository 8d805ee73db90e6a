"""A store that is held: what begins a call of it goes no further until it is let go."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from session_query import AbortSignal

from session_query_specs.checks._check import Violation
from session_query_specs.stores import MemoryPersistence

__all__ = ["Held", "ended", "in_time"]

_PATIENCE: Final = 5.0
"""Seconds for what takes no time in an engine that is right; nothing is ever found by waiting."""


class Held:
    """Holds each call of a store.

    Args:
        persistence: the store.
    """

    def __init__(self, persistence: MemoryPersistence) -> None:
        self._begun, self._go_on = asyncio.Event(), asyncio.Event()
        persistence.before = self._hold

    async def _hold(self, _what: str, _signal: AbortSignal | None) -> None:
        self._begun.set()
        await self._go_on.wait()

    def let_go(self) -> None:
        """Let all calls go on, those to come too."""
        self._go_on.set()

    async def reached_by(self, search: asyncio.Future[Any]) -> None:
        """Wait until a search has asked the store; a violation if it ends without, or never asks.

        Args:
            search: the search, that has just begun.
        """
        waiting = asyncio.ensure_future(self._begun.wait())
        await asyncio.wait(
            {search, waiting}, timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED
        )
        waiting.cancel()
        if search.done():
            raise Violation("a search that lists the store", f"none: {search.result()}")
        if not self._begun.is_set():
            search.cancel()
            raise Violation("a search that lists the store", "one that neither did nor ended")


async def ended(*tasks: asyncio.Future[Any]) -> None:
    """Wait for tasks to end, however they do; a violation if one of them never does."""
    _, running = await asyncio.wait(tasks, timeout=_PATIENCE)
    for task in running:
        task.cancel()
    if running:
        raise Violation("an end of all that was asked", f"{len(running)} that did not end")


async def in_time(asked: Coroutine[Any, Any, None]) -> None:
    """Await something; a violation if it never ends."""
    task = asyncio.ensure_future(asked)
    await ended(task)
    task.result()
