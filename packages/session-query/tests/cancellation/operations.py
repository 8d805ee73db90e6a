"""The operations that the sweeps stop at each step."""

from __future__ import annotations

import asyncio
from functools import partial

from session_query.cancellation import (
    AbortSignal,
    OperationQueue,
    map_bounded,
    run_blocking,
    settle,
)

from .stepping import Held, StepExecutor, after, passes
from .sweeping import Operation


class StoreError(Exception):
    """How a store call of these tests fails."""


class Settling(Operation):
    """One call of a store that is deaf to its signal, obeys it, or fails."""

    def __init__(self, store: str = "deaf", *, signal: bool = True) -> None:
        super().__init__(signal=signal)
        self.store = store

    async def run(self) -> object:
        return await settle(self.call, self.signal)

    async def call(self, signal: AbortSignal) -> str:
        with self.work("call", signal):
            for _ in range(3):
                await passes(1)
                if self.store == "obedient":
                    signal.raise_if_aborted()
            if self.store == "failing":
                raise StoreError
            return "value"

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        super().check(landed, task)
        self.check_signals()


class Blocking(Operation):
    """One job in the executor, which ends by itself or by an interrupt."""

    def __init__(self, *, signal: bool = True, interruptible: bool = True) -> None:
        super().__init__(signal=signal)
        self.held = Held()
        self.executor = StepExecutor(self.held)
        self.interruptible = interruptible

    async def run(self) -> object:
        interrupt = self.held.interrupt if self.interruptible else None
        return await run_blocking(self.job, signal=self.signal, interrupt=interrupt)

    def job(self) -> str:
        with self.work("job"):
            return self.held()

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        super().check(landed, task)
        assert set(self.held.interrupted) <= {"running"}
        assert self.held.interrupted or not (self.hit and self.interruptible)


class Mapping(Operation):
    """Five items, two at a time, each of which makes two store calls."""

    def __init__(self, *, signal: bool = True, failing: int | None = None) -> None:
        super().__init__(signal=signal)
        self.failing = failing

    async def run(self) -> object:
        return await map_bounded(range(5), self.worker, 2, self.signal)

    async def worker(self, item: int) -> int:
        with self.work(item):
            await settle(lambda _: passes(item % 3), self.signal)
            if item == self.failing:
                raise StoreError
            return await settle(lambda signal: self.call(item, signal), self.signal)

    async def call(self, item: int, signal: AbortSignal) -> int:
        with self.work((item, "call"), signal):
            await passes(2)
            return item

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        super().check(landed, task)
        self.check_signals()


class Queueing(Operation):
    """The second of three operations, which wait for each other's end."""

    def __init__(self, *, signal: bool = True) -> None:
        super().__init__(signal=signal)
        self.queue = OperationQueue(StoreError)
        self.others: list[asyncio.Task[None]] = []
        self.order: list[str] = []
        self.inside = ""

    async def run(self) -> object:
        loop = asyncio.get_running_loop()
        self.others.append(loop.create_task(self.other("first", 4)))
        await passes(1)
        self.others.append(loop.create_task(self.third()))
        async with self.queue.turn(self.signal):
            self.order.append("second")
            assert not self.inside
            with self.work("second"):
                return await settle(lambda _: passes(2), self.signal)

    async def other(self, name: str, length: int) -> None:
        async with self.queue.turn():
            self.order.append(name)
            assert not self.inside
            assert not self.running
            self.inside = name
            await passes(length)
            self.inside = ""

    async def third(self) -> None:
        await self.other("third", 1)
        await self.queue.close()

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        super().check(landed, task)
        assert all(other.done() and other.exception() is None for other in self.others)
        others = [name for name in self.order if name != "second"]
        assert others == ["first", "third"][: len(self.others)]


class Closing(Operation):
    """Closing a queue in which one operation runs and another waits."""

    def __init__(self) -> None:
        super().__init__(signal=False)
        self.queue = OperationQueue(StoreError)
        self.order: list[str] = []

    async def run(self) -> object:
        loop = asyncio.get_running_loop()
        self.others = [loop.create_task(self.other(name)) for name in ("first", "second")]
        await passes(1)
        await self.queue.close()
        return None

    async def other(self, name: str) -> None:
        async with self.queue.turn():
            await passes(3)
            self.order.append(name)

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        super().check(landed, task)
        if self.order:
            assert self.order == ["first", "second"]


class Waiting(Operation):
    """Waiting for a signal that is aborted after some steps at the latest."""

    async def run(self) -> object:
        assert self.signal is not None
        after(asyncio.get_running_loop(), 5, partial(self.controller.abort, self.reason))
        raise await AbortSignal.any(self.signal).wait()
