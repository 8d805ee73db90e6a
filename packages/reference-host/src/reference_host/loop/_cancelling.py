"""Ending what knows no signal: by cancelling its task (HOST-5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from session_query import AbortSignal

__all__ = ["cancel_on_abort"]


async def cancel_on_abort(
    start: Callable[[], Coroutine[Any, Any, None]], signal: AbortSignal
) -> bool:
    """Run a coroutine to its end, cancelling it when the signal is aborted.

    Returns:
        Whether the signal ended it. What it raises is raised, unless the signal was first.

    Raises:
        RuntimeError: the coroutine was cancelled, and not by the signal.
    """
    if signal.aborted:
        return True
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(_contained(start), name="working")

        async def watch() -> None:
            await signal.wait()
            working.cancel()

        watching = tasks.create_task(watch(), name="waiting for an abort")
        try:
            await asyncio.wait([working])
        finally:
            watching.cancel()
    if working.cancelled():
        if not signal.aborted:
            raise RuntimeError("cancelled by itself")
        return True
    failure = working.result()
    if failure is not None and not signal.aborted:
        raise failure
    return failure is not None


async def _contained(start: Callable[[], Coroutine[Any, Any, None]]) -> BaseException | None:
    """Return what was raised: a task group would cancel everything for it."""
    try:
        await start()
    except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - cancel_on_abort raises it
        return error
    return None
