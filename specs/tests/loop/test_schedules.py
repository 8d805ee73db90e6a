"""Schedules: who is next, and what they find."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from session_query import AbortSignal, run_blocking
from session_query_specs.loop import (
    DeadlockError,
    LivelockError,
    RefusedError,
    Schedule,
    numbered,
    run,
    schedules,
    sweep,
)


async def _passes(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


class Counter:
    """A counter whose reading and writing are a step apart: two of them lose one."""

    def __init__(self) -> None:
        self.value = 0

    async def add(self, before: int) -> None:
        await _passes(before)
        value = self.value
        await asyncio.sleep(0)
        self.value = value + 1


async def _race() -> int:
    counter = Counter()
    # first come, first served: the second begins when the first has ended
    async with asyncio.TaskGroup() as group:
        group.create_task(counter.add(0), name="first")
        group.create_task(counter.add(6), name="second")
    return counter.value


@pytest.mark.requirement("CONF-8")
def test_the_simplest_schedule_is_that_of_asyncio() -> None:
    """Without draws a loop does what asyncio does: first come, first served."""

    async def main() -> list[str]:
        order: list[str] = []

        async def work(name: str) -> None:
            for number in range(3):
                order.append(f"{name}{number}")
                await asyncio.sleep(0)

        await asyncio.gather(work("a"), work("b"), work("c"))
        return order

    assert run(main).result() == asyncio.run(main())


@pytest.mark.requirement("CONF-8")
def test_a_planted_race_is_found_and_shrinks_to_a_sentence() -> None:
    """A lost update that first come, first served never shows is found, in words of one line."""
    assert run(_race).result() == 2
    found = find(
        schedules(),
        lambda schedule: run(_race, schedule).result() == 1,
        settings=settings(max_examples=500, database=None, derandomize=True),
    )
    assert len(list(found.described())) == 1
    again = [run(_race, found) for _ in range(2)]
    assert [one.result() for one in again] == [1, 1]
    assert again[0].trace == again[1].trace


@pytest.mark.requirement("CONF-8")
@given(schedules(long=True))
def test_a_schedule_gives_the_same_run_each_time(schedule: Schedule) -> None:
    """Steps, trace and outcome depend on the schedule alone."""
    one, other = run(_race, schedule), run(_race, schedule)
    assert (one.steps, one.trace, one.value) == (other.steps, other.trace, other.value)


@pytest.mark.requirement("CONF-8")
@given(st.lists(st.floats(0, 1000), min_size=1, max_size=5))
def test_time_is_virtual(delays: list[float]) -> None:
    """Sleeps end in the order of their time, and take none."""

    async def main() -> list[float]:
        ended: list[float] = []

        async def nap(seconds: float) -> None:
            await asyncio.sleep(seconds)
            ended.append(seconds)

        await asyncio.gather(*map(nap, delays))
        return ended

    assert run(main).result() == sorted(delays)


@pytest.mark.requirement("CONF-8")
def test_a_job_of_the_executor_takes_its_steps() -> None:
    """What is handed to the executor runs, in the loop's own thread, while others go on."""

    async def main() -> tuple[int, int, int]:
        seen = 0

        async def watch() -> None:
            nonlocal seen
            while True:
                seen += 1
                await asyncio.sleep(0)

        watcher = asyncio.create_task(watch())
        thread = await asyncio.to_thread(threading.get_ident)
        watcher.cancel()
        return thread, threading.get_ident(), seen

    thread, home, seen = run(main).result()
    assert thread == home
    assert seen >= 3


@pytest.mark.requirement("CONF-8", "CONF-9")
def test_a_job_that_never_began_is_not_left_running() -> None:
    """One that is withdrawn from the queue does nothing in its place; one that has begun counts."""
    begun: list[int] = []

    async def operation(signal: AbortSignal) -> None:
        await run_blocking(lambda: begun.append(1), signal=signal)

    landings = list(sweep(operation, "abort"))
    assert not any(landing.run.left for landing in landings)
    assert begun  # the later ones could not be withdrawn

    async def careless() -> None:
        loop = asyncio.get_running_loop()
        jobs: list[asyncio.Future[bool]] = []

        def give_up() -> bool:
            return jobs[0].cancel()

        jobs.append(loop.run_in_executor(None, give_up))
        with suppress(asyncio.CancelledError):
            await jobs[0]

    assert run(careless).left == ["executor: give_up"]


@pytest.mark.requirement("CONF-8")
def test_deadlocks_and_livelocks_are_failures() -> None:
    """A run that comes to no end says so, and who waits."""

    async def dead() -> None:
        await asyncio.get_running_loop().create_future()

    async def alive() -> None:
        while True:  # noqa: ASYNC110 - it is to go on for ever
            await asyncio.sleep(0)

    with pytest.raises(DeadlockError, match="main waits for"):
        run(dead)
    with pytest.raises(LivelockError):
        run(alive)


async def _connect() -> None:
    await asyncio.open_connection("localhost", 1)


async def _process() -> None:
    await asyncio.create_subprocess_exec(sys.executable)


async def _thread() -> None:
    loop = asyncio.get_running_loop()
    ended = loop.create_future()

    def work() -> None:
        loop.call_soon_threadsafe(ended.set_result, None)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    await ended


@pytest.mark.requirement("CONF-8")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("uses", [_connect, _process])
def test_what_can_not_be_scheduled_is_refused(
    uses: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Sockets and subprocesses raise an error that says what to do."""
    with pytest.raises(RefusedError, match="deterministic_loop"):
        run(uses).result()


@pytest.mark.requirement("CONF-8")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_threads_are_refused() -> None:
    """A thread that wakes the loop is told so, and the run does not hang."""
    with pytest.raises(RefusedError, match="another thread"):
        run(_thread).result()


@pytest.mark.requirement("CONF-10")
def test_a_trace_reads_the_same_in_each_run() -> None:
    """Tasks without names are called after what they run, and what waits has no address."""

    async def _store_call() -> None:
        await asyncio.get_running_loop().create_future()

    async def main() -> None:
        await asyncio.create_task(_store_call())

    told = set()
    for _ in range(2):
        with pytest.raises(DeadlockError) as stuck:
            run(main)
        told.add(str(stuck.value))
    waiting = "main waits for task 1: store_call, task 1: store_call waits for"
    assert told == {f"nothing can run: {waiting} a future that nobody has set"}


@pytest.mark.requirement("CONF-10")
def test_a_trace_is_told_in_numbered_lines() -> None:
    """Steps of one task in a row are one line, and so is what happens in them."""
    trace = ["0: main", "1: main", "2: here: abort", "2: task 1: call", "3: main"]
    assert numbered(trace) == [
        "1. main runs, 2 steps",
        "2.    abort",
        "3. task 1: call runs",
        "4. main runs",
    ]
