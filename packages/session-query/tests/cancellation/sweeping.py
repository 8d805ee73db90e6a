"""Act on an operation before each of its steps, one run for each step, and judge every run."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from session_query.cancellation import AbortController, AbortSignal

from .stepping import StepExecutor, StepLoop

ACTIONS = ("abort", "cancel", "abort cancel", "cancel abort", "cancel cancel")


class Reason(Exception):  # noqa: N818 - it's no error
    """What the sweep aborts with."""


class Operation:
    """What is swept: subclasses say what runs, and what must hold afterwards."""

    executor: StepExecutor | None = None
    strict = True  # nothing starts after the action: not where its effect comes a step later

    def __init__(self, *, signal: bool = True) -> None:
        self.controller = AbortController()
        self.signal = self.controller.signal if signal else None
        self.reason = Reason()
        self.started: list[object] = []
        self.running: set[object] = set()
        self.hit: set[object] = set()
        self.seen: dict[object, AbortSignal] = {}

    async def run(self) -> object:
        """The operation as its caller awaits it."""
        raise NotImplementedError

    def act(self, action: str, task: asyncio.Task[object]) -> bool:
        """Do one part of an action to the task; return whether there was something to act on."""
        if action == "cancel":
            assert task.cancel()
        else:
            self.controller.abort(self.reason)
        return True

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        """What must hold after a run in which the parts `landed` had something to act on."""
        if "cancel" in landed:
            assert task.cancelled(), task
            assert task.cancelling() == landed.count("cancel"), "the count was changed"
        else:
            assert not task.cancelled()
            assert task.exception() is self.reason

    def check_signals(self) -> None:
        """Each store call saw the caller's own signal, or else one that was aborted."""
        for name, signal in self.seen.items():
            if self.signal is not None:
                assert signal is self.signal
            elif name in self.hit:
                assert signal.aborted

    @contextmanager
    def work(self, name: object, signal: AbortSignal | None = None) -> Iterator[None]:
        """Count what runs inside as started and running."""
        self.started.append(name)
        self.running.add(name)
        if signal is not None:
            self.seen[name] = signal
        try:
            yield
        finally:
            self.running.remove(name)


def sweep(make: Callable[[], Operation], action: str) -> int:
    """Run `make()` again and again with `action` at step 0, 1, 2, … until it lands no more.

    The parts of an action are 0 to 7 steps apart. After each run: the exact exception, nothing
    running when it was raised, nothing started after the action, and no complaint of the loop.
    """
    landings = 0
    loops = []
    for gap in range(8) if " " in action else range(1):
        for step in count():
            loop, in_time, landed = _run(make(), action.split(), step, gap)
            loops.append(loop)
            if not in_time:
                break
            landings += bool(landed)
    gc.collect()
    assert [loop.complaints for loop in loops if loop.complaints] == []
    return landings


def _run(
    operation: Operation, parts: list[str], step: int, gap: int
) -> tuple[StepLoop, bool, list[str]]:
    loop = StepLoop(operation.executor)
    in_time = False
    landed: list[str] = []
    ran_on: list[object] = []
    started = 0

    async def call() -> object:
        try:
            return await operation.run()
        finally:
            ran_on.extend([*operation.running, *loop.timers()])

    task = loop.create_task(call())

    def act(part: str) -> None:
        nonlocal in_time, started
        if task.done():
            return
        in_time = True
        running, before = set(operation.running), len(operation.started)
        if operation.act(part, task):
            if not landed:
                operation.hit, started = running, before
            landed.append(part)

    for number, part in enumerate(parts):
        acts = loop.at.setdefault(step + number * gap, [])
        acts.append(lambda part=part: act(part))  # type: ignore[misc]
    try:
        loop.run_until_quiet()
        assert task.done(), "the operation hangs"
        assert not ran_on, "it was running when the operation ended"
        assert not operation.running
        assert not operation.controller._source._callbacks, "it still listens to its signal"
        if landed:
            assert not operation.strict or not operation.started[started:], "started afterwards"
            operation.check(landed, task)
        elif not task.cancelled():
            task.exception()
    except AssertionError as error:
        error.add_note(f"{parts} at step {step}, {gap} steps apart")
        raise
    finally:
        loop.close()
    return loop, in_time, landed
