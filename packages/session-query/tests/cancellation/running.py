"""Run a coroutine on an ordinary loop, which must not complain."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any


def run_quietly(main: Coroutine[Any, Any, object]) -> None:
    """Run `main`; the loop must not complain, as of an exception that nobody retrieved."""
    complaints: list[dict[str, Any]] = []

    async def watched() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: complaints.append(context)
        )
        await main

    fatal: BaseException | None = None
    try:
        asyncio.run(watched())
    except (KeyboardInterrupt, SystemExit) as error:
        fatal = error.with_traceback(None)  # which holds what a loop would complain of
    gc.collect()
    assert complaints == []
    if fatal is not None:
        raise fatal
