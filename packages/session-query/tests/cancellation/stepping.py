"""An event loop that runs one callback a step, in virtual time, so that tests act in between."""

from __future__ import annotations

import asyncio
import heapq
import threading
from collections.abc import Callable
from typing import Any


class StepLoop(asyncio.BaseEventLoop):
    """Runs until nothing is left to do; `at` holds what to do before the step of that number."""

    def __init__(self, executor: StepExecutor | None = None) -> None:
        super().__init__()
        self.at: dict[int, list[Callable[[], object]]] = {}
        self.step = 0
        self.complaints: list[dict[str, Any]] = []
        self._now = 0.0
        self._executor = executor or StepExecutor()
        self.set_exception_handler(lambda _, context: self.complaints.append(context))

    def time(self) -> float:
        return self._now

    def timers(self) -> list[asyncio.TimerHandle]:
        """Return the timers that are set."""
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return [timer for timer in timers if not timer.cancelled()]

    def run_until_quiet(self) -> None:
        """Run until no callback is ready and no timer is set."""
        self.run_forever()

    def _run_once(self) -> None:
        ready: Any = self._ready  # type: ignore[attr-defined]
        timers: Any = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
        if not ready and timers:
            self._now = max(self._now, timers[0]._when)
        while timers and timers[0]._when <= self._now:
            timer = heapq.heappop(timers)
            timer._scheduled = False
            ready.append(timer)
        for act in self.at.pop(self.step, []):
            act()
        self.step += 1
        if ready:
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()
        elif not timers:
            self.stop()

    def _process_events(self, event_list: object) -> None:
        """There is no selector."""

    def _write_to_self(self) -> None:
        """There is nobody to wake."""

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        assert executor is None
        future = self.create_future()
        self._executor.submit(self, future, lambda: func(*args))
        return future


class StepExecutor:
    """Models an executor in steps of the loop: queued, begun, done, delivered.

    A job that has begun runs in a thread until `held` is released, at the latest when it is done.
    """

    def __init__(self, held: Held | None = None, *, gap: int = 2) -> None:
        self.held = held
        self.gap = gap

    def submit(
        self, loop: StepLoop, future: asyncio.Future[Any], run: Callable[[], object]
    ) -> None:
        results: list[object] = []
        begun = threading.Event() if self.held is None else self.held.begun

        def work() -> None:
            results.append(run())
            begun.set()  # also where the job was withdrawn

        thread = threading.Thread(target=work)

        def begin() -> None:
            if future.cancelled():
                return
            thread.start()
            begun.wait()
            after(loop, self.gap, end)

        def end() -> None:
            if self.held is not None:
                self.held.release.set()
            thread.join()
            if self.held is not None:
                self.held.state = "ended"
            after(loop, self.gap, deliver)

        def deliver() -> None:
            if not future.cancelled():
                future.set_result(results[0])

        after(loop, self.gap, begin)


class Held:
    """A job that stays in its thread until it is released or interrupted."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()
        self.state = "queued"
        self.interrupted: list[str] = []

    def __call__(self) -> str:
        self.state = "running"
        self.begun.set()
        self.release.wait()
        return "value"

    def interrupt(self) -> None:
        """End the job, and take note of the state in which it was."""
        self.interrupted.append(self.state)
        self.release.set()


def after(loop: asyncio.AbstractEventLoop, steps: int, callback: Callable[[], object]) -> None:
    """Call `callback` when `steps` rounds of callbacks have gone by."""
    if steps:
        loop.call_soon(after, loop, steps - 1, callback)
    else:
        callback()


async def passes(count: int) -> None:
    """Give way to the loop `count` times."""
    for _ in range(count):
        await asyncio.sleep(0)
