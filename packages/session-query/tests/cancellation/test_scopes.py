"""Timeout scopes, task groups and anyio scopes around the primitives, acting at every step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import anyio
import pytest

from .operations import Blocking, Mapping, Settling
from .sweeping import Operation, sweep

INNER: dict[str, Callable[[], Operation]] = {
    "settle": lambda: Settling(signal=False),
    "run_blocking": lambda: Blocking(signal=False),
    "map_bounded": lambda: Mapping(signal=False),
}


class Scoped(Operation):
    """An operation inside a scope that can be ended from outside."""

    def __init__(self, inner: Operation) -> None:
        super().__init__(signal=False)
        self.inner = inner
        self.executor = inner.executor
        self.started, self.running = inner.started, inner.running
        self.inside = False
        self.value: object = None

    async def work_inside(self) -> None:
        self.inside = True
        try:
            self.value = await self.inner.run()
        finally:
            self.inside = False

    def act(self, action: str, task: asyncio.Task[object]) -> bool:
        if action == "scope" and self.inside:
            self.end_scope()
            return True
        return action == "cancel" and super().act(action, task)

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        if "cancel" in landed:
            assert task.cancelled(), task
        else:
            assert not task.cancelled()
            self.check_scope(task.exception())

    def end_scope(self) -> None:
        raise NotImplementedError

    def check_scope(self, error: BaseException | None) -> None:
        raise NotImplementedError


class InGroup(Scoped):
    """Beside a sibling in an `asyncio.TaskGroup`, which fails."""

    strict = False

    async def run(self) -> object:
        self.failing = asyncio.get_running_loop().create_future()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.sibling())
            await self.work_inside()
            self.failing.cancel()
        return self.value

    async def sibling(self) -> None:
        await self.failing

    def end_scope(self) -> None:
        self.failing.set_exception(ZeroDivisionError())

    def check_scope(self, error: BaseException | None) -> None:
        assert isinstance(error, BaseExceptionGroup)
        assert [type(one) for one in error.exceptions] == [ZeroDivisionError]


class InTimeout(Scoped):
    """In `asyncio.timeout`, which expires."""

    strict = False

    async def run(self) -> object:
        async with asyncio.timeout(None) as self.scope:
            await self.work_inside()
        return self.value

    def end_scope(self) -> None:
        self.scope.reschedule(asyncio.get_running_loop().time())

    def check_scope(self, error: BaseException | None) -> None:
        assert isinstance(error, TimeoutError) == self.scope.expired()
        assert self.value is not None or self.scope.expired()


class InAnyio(Scoped):
    """In an anyio scope, which cancels in each pass of the loop until it is left."""

    async def run(self) -> object:
        with anyio.CancelScope() as self.scope:
            await self.work_inside()
        return self.value

    def end_scope(self) -> None:
        self.scope.cancel()

    def check_scope(self, error: BaseException | None) -> None:
        assert error is None
        assert (self.value is None) == self.scope.cancelled_caught


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("scope", [InGroup, InTimeout, InAnyio])
def test_a_scope_that_ends(scope: type[Scoped], inner: str) -> None:
    """Whenever a scope ends, what was started inside has ended before, and the scope is blamed."""
    assert sweep(lambda: scope(INNER[inner]()), "scope") > 5


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("scope", [InTimeout, InAnyio])
@pytest.mark.parametrize("action", ["scope cancel", "cancel scope"])
def test_a_scope_that_ends_with_its_task(scope: type[Scoped], inner: str, action: str) -> None:
    """No scope swallows a cancellation of its task that comes before, with or after its own."""
    assert sweep(lambda: scope(INNER[inner]()), action) > 5
