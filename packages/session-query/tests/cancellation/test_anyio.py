"""Under anyio, whose scopes cancel again in each pass of the loop."""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

import anyio
import pytest
from session_query.cancellation import AbortSignal, map_bounded, run_blocking, settle

FEW = 50
MANY = 5000


class Held:
    """Work that is held until the loop sleeps, or has spun for long."""

    def __init__(self) -> None:
        self.passes = 0
        self.slept = False
        self.running = False
        self.started = False
        self.scope: anyio.CancelScope
        self._loop: asyncio.AbstractEventLoop
        self._released = threading.Event()
        self._woken: asyncio.Event

    def loop(self) -> asyncio.AbstractEventLoop:
        """Make a loop that tells this of each pass."""
        self._loop = asyncio.SelectorEventLoop(Watched(self))
        return self._loop

    def on_pass(self, *, sleeps: bool) -> None:
        """Count the passes since the scope was cancelled, until the work is released."""
        if not (self.running and self.scope.cancel_called) or self._released.is_set():
            return
        self.passes += 1
        self.slept = sleeps
        if sleeps or self.passes > MANY:
            self._released.set()
            self._loop.call_soon_threadsafe(self._woken.set)

    def expire(self) -> None:
        """End the scope as if its time were up."""
        self.scope.deadline = self._loop.time() - 1

    def job(self) -> None:
        """Hold a thread."""
        self.started = self.running = True
        self._loop.call_soon_threadsafe(self.expire)
        self._released.wait()
        self.running = False

    async def call(self, _: AbortSignal) -> None:
        """Hold a store call."""
        self.started = self.running = True
        self._woken = asyncio.Event()
        self._loop.call_soon(self.expire)
        await self._woken.wait()
        self.running = False

    async def block(self) -> None:
        self._woken = asyncio.Event()
        await run_blocking(self.job)

    async def block_with_interrupts(self) -> None:
        self._woken = asyncio.Event()
        await run_blocking(self.job, interrupt=lambda: None)

    async def settle(self) -> None:
        await settle(self.call, None)

    async def batch(self) -> None:
        await map_bounded([1], lambda _: settle(self.call, None), 2)


class Watched(selectors.DefaultSelector):
    """Tells of each pass of its loop whether the loop goes to sleep in it."""

    def __init__(self, held: Held) -> None:
        super().__init__()
        self.held = held

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.held.on_pass(sleeps=timeout is None or timeout > 0)
        return super().select(timeout)


OPERATIONS: Mapping[str, Callable[[Held], Coroutine[Any, Any, None]]] = {
    "settle": Held.settle,
    "run_blocking": Held.block,
    "run_blocking with interrupts": Held.block_with_interrupts,
    "map_bounded": Held.batch,
}
operations = pytest.mark.parametrize("operation", OPERATIONS)


def run(main: Callable[[], Awaitable[None]], held: Held) -> None:
    """Run `main` under anyio on the loop of `held`, which must not complain."""
    complaints: list[dict[str, Any]] = []

    async def watched() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: complaints.append(context)
        )
        await main()

    anyio.run(watched, backend_options={"loop_factory": held.loop})
    assert complaints == []


@pytest.mark.requirement("CANCEL-4")
@operations
def test_waiting_does_not_spin(operation: str) -> None:
    """While started work goes on, a cancelled scope lets the loop sleep; it ends after the work."""
    held = Held()

    async def main() -> None:
        with anyio.CancelScope() as held.scope:
            try:
                await OPERATIONS[operation](held)
            finally:
                assert not held.running
        assert held.scope.cancelled_caught

    run(main, held)
    assert held.slept
    assert held.passes < FEW


@pytest.mark.requirement("CANCEL-4")
@operations
def test_a_native_cancellation_in_a_cancelled_scope(operation: str) -> None:
    """A `task.cancel()` that lands while a cancelled scope waits is not swallowed with it."""
    held = Held()

    async def main() -> None:
        task = asyncio.ensure_future(scoped())
        await asyncio.wait([task])
        assert task.cancelled()

    async def scoped() -> None:
        with anyio.CancelScope() as held.scope:
            current = asyncio.current_task()
            assert current is not None
            asyncio.get_running_loop().call_soon(cancel_when_held, current)
            await OPERATIONS[operation](held)

    def cancel_when_held(task: asyncio.Task[None]) -> None:
        if held.running and held.scope.cancel_called:
            task.cancel()
        elif not task.done():
            asyncio.get_running_loop().call_soon(cancel_when_held, task)

    run(main, held)
    assert held.passes < FEW


@pytest.mark.requirement("CANCEL-4")
@operations
@pytest.mark.parametrize("shape", ["move_on_after", "fail_after", "task group", "nested"])
def test_shapes_of_scopes(operation: str, shape: str) -> None:
    """Every kind of anyio scope ends as it does around any other awaiting."""
    held = Held()
    start = OPERATIONS[operation]

    async def main() -> None:
        if shape == "move_on_after":
            with anyio.move_on_after(100) as held.scope:
                await start(held)
            assert held.scope.cancelled_caught
        elif shape == "fail_after":
            with pytest.raises(TimeoutError), anyio.fail_after(100) as held.scope:
                await start(held)
        elif shape == "task group":
            async with anyio.create_task_group() as group:
                held.scope = group.cancel_scope
                group.start_soon(start, held)
            assert group.cancel_scope.cancel_called
        else:
            with anyio.CancelScope() as held.scope, anyio.CancelScope() as inner:
                await start(held)
            assert held.scope.cancelled_caught
            assert not inner.cancelled_caught
        assert not held.running

    run(main, held)
    assert held.passes < FEW


@pytest.mark.requirement("CANCEL-4")
@operations
@pytest.mark.parametrize("fails", [False, True])
def test_a_scope_that_is_over_already(operation: str, fails: bool) -> None:
    """In a scope whose time is up, nothing is started any more."""
    held = Held()

    async def main() -> None:
        if fails:
            with pytest.raises(TimeoutError), anyio.fail_after(0) as held.scope:
                await OPERATIONS[operation](held)
        else:
            with anyio.move_on_after(0) as held.scope:
                await OPERATIONS[operation](held)
        assert held.scope.cancelled_caught
        assert not held.started

    run(main, held)
