"""Operations that run one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.cancellation import AbortController, OperationQueue

from .operations import StoreError
from .running import run_quietly
from .stepping import StepLoop, after, passes


@dataclass(eq=False)
class Visitor:
    """An operation that arrives, holds its turn for some passes, and may be told to leave."""

    arrival: int
    length: int
    aborted_at: int | None
    cancelled_at: int | None
    controller: AbortController = field(default_factory=AbortController)
    reason: Exception = field(default_factory=StoreError)
    came: int | None = None


steps = st.integers(0, 40)
visitors = st.lists(
    st.builds(Visitor, steps, st.integers(0, 4), st.none() | steps, st.none() | steps),
    min_size=1,
    max_size=6,
)


class Refusal(Exception):  # noqa: N818 - it's what the queue refuses with
    """Raised by a closed queue."""


class Arena:
    """A queue, who came to it, and when."""

    def __init__(self) -> None:
        self.queue = OperationQueue(Refusal)
        self.loop = StepLoop()
        self.arrived: list[Visitor] = []
        self.entered: list[Visitor] = []
        self.inside: list[Visitor] = []
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.closing: asyncio.Task[None] | None = None
        self.closed_at = 0

    def schedule(self, step: int | None, act: Callable[[], object]) -> None:
        """Have `act` called before that step."""
        if step is not None:
            self.loop.at.setdefault(step, []).append(act)

    def expect(self, visitor: Visitor) -> None:
        """Have a visitor come, and be told to leave."""
        self.schedule(visitor.arrival, partial(self.arrive, visitor))
        self.schedule(visitor.aborted_at, partial(visitor.controller.abort, visitor.reason))
        self.schedule(visitor.cancelled_at, partial(self.cancel, visitor))

    def arrive(self, visitor: Visitor) -> None:
        self.tasks[id(visitor)] = self.loop.create_task(self.visit(visitor))

    def cancel(self, visitor: Visitor) -> None:
        if (task := self.tasks.get(id(visitor))) is not None:
            task.cancel()

    async def visit(self, visitor: Visitor) -> None:
        self.arrived.append(visitor)
        visitor.came = self.loop.step
        async with self.queue.turn(visitor.controller.signal):
            self.entered.append(visitor)
            assert not self.inside
            self.inside.append(visitor)
            try:
                await passes(visitor.length)
            finally:
                self.inside.remove(visitor)

    def close(self) -> None:
        self.closing = self.loop.create_task(self.close_and_look())

    async def close_and_look(self) -> None:
        self.closed_at = self.loop.step
        await self.queue.close()
        assert not self.inside
        accepted = [one for one in self.arrived if one.came and one.came < self.closed_at]
        assert all(self.tasks[id(one)].done() for one in accepted if one in self.entered)

    def run(self) -> None:
        """Run until nobody comes any more and everybody has left."""
        self.loop.call_soon(after, self.loop, 60, str)
        self.loop.run_until_quiet()
        self.loop.close()
        assert self.loop.complaints == []

    def judge(self, visitor: Visitor) -> None:
        """Check that a visitor had the turn, or had a reason not to."""
        task = self.tasks[id(visitor)]
        assert task.done(), "it waits for ever"
        if task.cancelled():
            assert visitor.cancelled_at is not None
        elif task.exception() is None:
            assert visitor in self.entered
        else:
            assert visitor not in self.entered
            if isinstance(task.exception(), Refusal):
                assert self.closing is not None
                assert visitor.came is not None
                assert visitor.came > self.closed_at
            else:
                assert task.exception() is visitor.reason


@pytest.mark.requirement("RECON-7", "CANCEL-6")
@given(visitors=visitors, closed_at=st.none() | steps)
def test_turns(visitors: list[Visitor], closed_at: int | None) -> None:
    """Turns come one at a time in arrival order, to all that were accepted and didn't leave."""
    arena = Arena()
    for visitor in visitors:
        arena.expect(visitor)
    arena.schedule(closed_at, arena.close)
    arena.run()
    assert arena.entered == [visitor for visitor in arena.arrived if visitor in arena.entered]
    for visitor in arena.arrived:
        arena.judge(visitor)
    if arena.closing is not None:
        assert arena.closing.done()
        assert arena.closing.exception() is None


@pytest.mark.requirement("CANCEL-6")
@pytest.mark.parametrize("ending", ["abort", "cancel"])
def test_leaving_is_prompt(ending: str) -> None:
    """A queued operation leaves while the one before it goes on."""
    queue = OperationQueue(Refusal)
    controller = AbortController()
    reason = StoreError()

    async def wait() -> None:
        async with queue.turn(controller.signal):
            pytest.fail("it had the turn")

    async def main() -> None:
        async with queue.turn():
            task = asyncio.ensure_future(wait())
            await passes(1)
            controller.abort(reason) if ending == "abort" else task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() or task.exception() is reason
            assert not queue._waiting
        async with queue.turn():
            pass

    run_quietly(main())


@pytest.mark.requirement("CANCEL-2", "RECON-7")
def test_closed_queues() -> None:
    """A closed queue refuses, stays closed, and closes again; an abort comes before the refusal."""
    queue = OperationQueue(Refusal)
    controller = AbortController()
    controller.abort(reason := StoreError())

    async def main() -> None:
        assert not queue.closed
        with pytest.raises(StoreError) as caught:
            async with queue.turn(controller.signal):
                pytest.fail("it had the turn")
        async with queue.turn():
            closings = [asyncio.ensure_future(queue.close()) for _ in range(3)]
            await passes(2)
            assert queue.closed
            closings[0].cancel()
            await passes(2)
            assert [closing.done() for closing in closings] == [True, False, False]
            with pytest.raises(Refusal):
                async with queue.turn():
                    pytest.fail("it had the turn")
        await closings[1]
        await closings[2]
        await queue.close()
        with pytest.raises(Refusal):
            async with queue.turn():
                pytest.fail("it had the turn")
        with pytest.raises(StoreError) as caught:
            async with queue.turn(controller.signal):
                pytest.fail("it had the turn")
        assert caught.value is reason

    run_quietly(main())
