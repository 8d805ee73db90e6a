"""Many items, a few at a time."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.cancellation import AbortController, map_bounded

from .operations import StoreError
from .running import run_quietly
from .stepping import StepLoop, passes

lengths = st.lists(st.integers(0, 5), max_size=12)


@pytest.mark.requirement("READ-3")
@given(lengths=lengths, limit=st.integers(1, 5), failing=st.sets(st.integers(0, 11)))
def test_results_and_concurrency(lengths: list[int], limit: int, failing: set[int]) -> None:
    """Results come in order, `limit` workers run at once, and none starts after a failure."""
    running: set[int] = set()
    started: list[int] = []
    failed: list[StoreError] = []
    late: list[int] = []
    most = 0

    async def worker(item: int) -> int:
        nonlocal most
        started.append(item)
        late.extend([item] if failed else [])
        running.add(item)
        most = max(most, len(running))
        await passes(lengths[item] + 1)
        running.remove(item)
        if item in failing:
            failed.append(StoreError(item))
            raise failed[-1]
        return -item

    loop = StepLoop()
    task = loop.create_task(map_bounded(iter(range(len(lengths))), worker, limit))
    loop.run_until_quiet()
    loop.close()
    assert not running
    assert not late
    assert started == list(range(len(started)))
    assert most == min(limit, len(lengths))
    if failed:
        assert task.exception() is failed[0]
    else:
        assert task.result() == [-item for item in range(len(lengths))]
    assert loop.complaints == []


@pytest.mark.requirement("CANCEL-2", "READ-4")
def test_a_batch_that_is_aborted_already() -> None:
    """No item starts under a signal that is aborted, and its reason comes before validation."""
    controller = AbortController()
    controller.abort(reason := ValueError())

    async def worker(_: int) -> None:
        pytest.fail("it started")

    async def main() -> None:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the object is compared
            await map_bounded([1], worker, 0, controller.signal)
        assert caught.value is reason
        with pytest.raises(ValueError, match="at least 1, not 0"):
            await map_bounded([1], worker, 0)
        assert await map_bounded([], worker, 1) == []

    run_quietly(main())


@pytest.mark.requirement("READ-4")
def test_further_failures(caplog: pytest.LogCaptureFixture) -> None:
    """Of several failures the first is raised, and each other one leaves a log record."""

    async def worker(item: int) -> None:
        await passes(5 - item)
        raise StoreError(item)

    async def main() -> None:
        with pytest.raises(StoreError, match="2"):
            await map_bounded(range(5), worker, 3)

    run_quietly(main())
    messages = [record.getMessage() for record in caplog.records]
    assert [message[-len("StoreError(1)") :] for message in messages] == [
        "StoreError(1)",
        "StoreError(0)",
    ]


@pytest.mark.requirement("READ-4")
def test_failures_after_an_abort(caplog: pytest.LogCaptureFixture) -> None:
    """How workers end after an abort is no news: the reason is raised, and nothing logged."""
    controller = AbortController()
    reason = ValueError()

    async def worker(item: int) -> None:
        await passes(1)
        controller.abort(reason)
        raise StoreError(item)

    async def main() -> None:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the object is compared
            await map_bounded(range(2), worker, 2, controller.signal)
        assert caught.value is reason

    run_quietly(main())
    assert not caplog.records


@pytest.mark.requirement("READ-4", "CANCEL-4")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_is_meant_for_the_process(kind: type[BaseException]) -> None:
    """`KeyboardInterrupt` and `SystemExit` of a worker end the loop."""
    started: list[int] = []

    async def worker(item: int) -> None:
        started.append(item)
        await passes(item)
        if item == 1:
            raise kind

    with pytest.raises(kind):
        run_quietly(map_bounded(range(5), worker, 2))
    started.clear()
    loop = StepLoop()
    task = loop.create_task(map_bounded([1, 2, 3], worker, 2))
    with pytest.raises(kind):
        loop.run_until_quiet()
    with pytest.raises(kind):  # a loop that runs on meets it again, in the caller
        loop.run_until_quiet()
    loop.close()
    assert type(task.exception()) is kind
    assert started == [1, 2]


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize("begun", [False, True])
def test_workers_that_someone_else_cancels(begun: bool) -> None:
    """A worker cancelled behind the caller's back is a failure, never a result that is missing."""

    async def worker(_: int) -> None:
        await asyncio.get_running_loop().create_future()

    async def main() -> None:
        caller = asyncio.ensure_future(map_bounded(range(2), worker, 2))
        await passes(1)
        workers = asyncio.all_tasks() - {caller, asyncio.current_task()}
        await passes(int(begun))
        assert [task.cancel() for task in workers] == [True, True]
        with pytest.raises(RuntimeError, match="was not cancelled"):
            await caller

    run_quietly(main())


@pytest.mark.requirement("READ-4")
def test_a_worker_that_swallows_its_cancellation() -> None:
    """After a cancellation no item starts, even where a worker ends as if nothing had been."""
    started: list[int] = []

    async def worker(item: int) -> None:
        started.append(item)
        with suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()

    async def main() -> None:
        caller = asyncio.ensure_future(map_bounded(range(5), worker, 2))
        await passes(2)
        caller.cancel()
        await asyncio.wait([caller])
        assert caller.cancelled()

    run_quietly(main())
    assert started == [0, 1]
