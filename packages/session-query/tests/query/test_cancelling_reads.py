"""Reads that are ended twice, or while a thread folds; the suite judges all other endings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from session_query.cancellation import AbortController, AbortSignal
from session_query.corpus._offload import Watched, offload
from session_query.query import IdFilter, TextFilter

from ..cancellation.sweeping import ACTIONS, Operation, sweep
from ..corpus.engines import ExactEngine, engine_over
from ..corpus.logs import conversation, header, titled
from ..corpus.scripted_persistence import Call, ScriptedPersistence

Exact = Callable[[ExactEngine, AbortSignal | None], Awaitable[Any]]

# Each is made with arguments that are right for the session `a`.
OPERATIONS: dict[str, Exact] = {
    "list_sessions": lambda engine, signal: engine.list_sessions(signal),
    "filter_sessions": lambda engine, signal: engine.filter_sessions([IdFilter(["a"])], signal),
    "read_session": lambda engine, signal: engine.read_session("a", signal),
    "list_events": lambda engine, signal: engine.list_events("a", signal),
    "filter_events": lambda engine, signal: engine.filter_events("a", [TextFilter("x")], signal),
    "read_surface": lambda engine, signal: engine.read_surface("a", signal),
    "read_event": lambda engine, signal: engine.read_event("a", 0, 1, 1, signal),
    "read_title": lambda engine, signal: engine.read_title("a", signal),
    "read_titles": lambda engine, signal: engine.read_titles([*"abcdefl"], signal),
    "trace_session": lambda engine, signal: engine.trace_session("a", signal),
    "trace_event": lambda engine, signal: engine.trace_event("a", 0, signal),
}


class WatchedPersistence(ScriptedPersistence):
    """Tells the sweep what runs."""

    def __init__(self, operation: Operation) -> None:
        log = [*conversation("x", "y"), titled(2, "t")]
        super().__init__([(header(name), log) for name in "abcdef"], passes=2)
        self.operation: Operation | None = operation

    async def _call(self, call: Call, answer: Callable[[], Any]) -> Any:
        if self.operation is None:
            return await super()._call(call, answer)
        name = f"{call.name} {call.session_id}"
        assert call.signal is not None
        self.operation.seen[name] = call.signal
        with self.operation.work(name):
            return await super()._call(call, answer)


class ExactOperation(Operation):
    """One exact operation on stored sessions; `l` alone is live."""

    def __init__(self, name: str) -> None:
        super().__init__(signal=True)
        self.operation = OPERATIONS[name]
        self.persistence = WatchedPersistence(self)
        self.engine = engine_over(self.persistence, [(header("l"), [titled(0, "live")])])

    async def run(self) -> object:
        return await self.operation(self.engine, self.signal)

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        super().check(landed, task)
        self.check_signals()
        assert self.persistence.running == []
        self.persistence.operation = None

        async def again() -> object:
            return await self.operation(self.engine, None)

        assert asyncio.run(again()) is not None


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize("action", [action for action in ACTIONS if " " in action])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_second_blow_breaks_nothing(name: str, action: str) -> None:
    """An abort and a cancellation, or two, in any order and at any distance, do no more harm."""
    assert sweep(lambda: ExactOperation(name), action) > 3


class Reason(Exception):  # noqa: N818 - it's no error
    """Why these tests abort."""


@pytest.mark.requirement("CANCEL-3")
def test_a_fold_that_nobody_waits_for_ends_early() -> None:
    """A long fold in a thread is told to stop, and has stopped when the reason is raised."""
    controller, reason = AbortController(), Reason()
    last: list[int] = []

    async def fold() -> None:
        loop = asyncio.get_running_loop()
        looking = asyncio.Event()

        def job(watched: Watched) -> None:
            number = 0
            try:
                for number in watched.each(range(20_000_000)):
                    if number == 1_000:
                        loop.call_soon_threadsafe(looking.set)
            finally:
                last.append(number)

        task = asyncio.ensure_future(offload(job, None, controller.signal))
        await looking.wait()
        controller.abort(reason)
        with pytest.raises(Reason) as caught:
            await task
        assert caught.value is reason
        assert 1_000 <= last[0] < 19_999_999

    asyncio.run(fold())
