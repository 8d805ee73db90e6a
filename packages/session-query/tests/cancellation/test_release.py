"""What an operation has returned is freed when its caller drops it, not when the collector runs."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable, Iterator

import pytest
from session_query.cancellation import (
    AbortController,
    AbortSignal,
    OperationQueue,
    map_bounded,
    run_blocking,
    settle,
)


class Log:
    """Something large."""


async def _made(_: object = None) -> Log:
    return Log()


async def _in_turn(signal: AbortSignal) -> Log:
    async with OperationQueue(RuntimeError).turn(signal):
        return await _made()


async def _bounded(signal: AbortSignal) -> Log:
    (log,) = await map_bounded([1], _made, 2, signal)
    return log


OPERATIONS: dict[str, Callable[[AbortSignal], Awaitable[Log]]] = {
    "run_blocking": lambda signal: run_blocking(Log, signal=signal, interrupt=lambda: None),
    "settle": lambda signal: settle(_made, signal),
    "map_bounded": _bounded,
    "turn": _in_turn,
}


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Leave only reference counts to free anything."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.requirement("READ-3", "CANCEL-7")
@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_result_is_freed_without_the_collector(name: str) -> None:
    """Nothing of an ended operation is a cycle: logs would pile up in it between collections."""

    async def main() -> None:
        controller = AbortController()
        log = await OPERATIONS[name](controller.signal)
        freed = weakref.ref(log)
        del log
        # the loop's own references to the last callbacks go in the passes that follow
        for _ in range(3):
            await asyncio.sleep(0)
        # an executor thread lets go of its last job when it takes the next one
        await run_blocking(lambda: None)
        assert freed() is None

    asyncio.run(main())
