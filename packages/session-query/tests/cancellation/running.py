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

    try:
        asyncio.run(watched())
    finally:
        gc.collect()
        assert complaints == []
