"""Abort and cancellation of every exact operation, before every single step of it."""

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
# The same with arguments that nothing is right about.
WRONG: dict[str, Exact] = {
    "filter_sessions": lambda engine, signal: engine.filter_sessions([5], signal),  # type: ignore[list-item]
    "read_session": lambda engine, signal: engine.read_session("nobody", signal),
    "list_events": lambda engine, signal: engine.list_events(5, signal),  # type: ignore[arg-type]
    "filter_events": lambda engine, signal: engine.filter_events("a", [5], signal),  # type: ignore[list-item]
    "read_event": lambda engine, signal: engine.read_event("a", -1, -1, -1, signal),
    "read_titles": lambda engine, signal: engine.read_titles("a", signal),
    "trace_session": lambda engine, signal: engine.trace_session("nobody", signal),
    "trace_event": lambda engine, signal: engine.trace_event("a", -1, signal),
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

    def __init__(self, name: str, *, signal: bool, failing: bool) -> None:
        super().__init__(signal=signal)
        self.operation = OPERATIONS[name]
        self.persistence = WatchedPersistence(self)
        if failing:
            self.persistence.failures["inspect"] = OSError("disk")
        self.engine = engine_over(self.persistence, [(header("l"), [titled(0, "live")])])

    async def run(self) -> object:
        return await self.operation(self.engine, self.signal)

    def check(self, landed: list[str], task: asyncio.Task[object]) -> None:
        super().check(landed, task)
        self.check_signals()
        assert self.persistence.running == []
        self.persistence.operation = None
        self.persistence.failures.clear()

        async def again() -> object:
            return await self.operation(self.engine, None)

        assert asyncio.run(again()) is not None


@pytest.mark.requirement("CANCEL-3", "CANCEL-4", "CANCEL-5", "READ-4")
@pytest.mark.parametrize("action", ["abort", "cancel"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_step_lets_anything_run_on(name: str, action: str) -> None:
    """Whenever an operation is ended: the exact exception, nothing running, nothing started."""
    assert sweep(lambda: ExactOperation(name, signal=True, failing=False), action) > 3
    if action == "cancel":
        assert sweep(lambda: ExactOperation(name, signal=False, failing=False), action) > 3


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize("action", [action for action in ACTIONS if " " in action])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_second_blow_breaks_nothing(name: str, action: str) -> None:
    """An abort and a cancellation, or two, in any order and at any distance, do no more harm."""
    assert sweep(lambda: ExactOperation(name, signal=True, failing=False), action) > 3


@pytest.mark.requirement("CANCEL-3", "CANCEL-4", "ERR-2")
@pytest.mark.parametrize("action", ["abort", "cancel"])
@pytest.mark.parametrize("name", ["read_session", "read_titles", "trace_event"])
def test_a_failure_of_the_store_gives_way(name: str, action: str) -> None:
    """An abort or a cancellation that lands is what is raised, though the store has failed."""
    assert sweep(lambda: ExactOperation(name, signal=True, failing=True), action) > 3


class Reason(Exception):  # noqa: N818 - it's no error
    """Why these tests abort."""


@pytest.mark.requirement("CANCEL-2", "CANCEL-1")
@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize(
    ("name", "operation"),
    [*OPERATIONS.items(), *((f"wrong {name}", wrong) for name, wrong in WRONG.items())],
)
def test_an_aborted_signal_is_all_that_matters(name: str, operation: Exact, live: bool) -> None:
    """A signal that is aborted already raises its reason before anything is checked or read."""
    persistence = ScriptedPersistence([(header("a"), conversation("x"))])
    engine = engine_over(persistence, [(header("a"), conversation("x"))] if live else [])
    controller, reason = AbortController(), Reason()
    controller.abort(reason)

    async def call() -> None:
        with pytest.raises(Reason) as caught:
            await operation(engine, controller.signal)
        assert caught.value is reason, name

    asyncio.run(call())
    assert persistence.calls == []


@pytest.mark.requirement("CANCEL-3")
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_store_that_ignores_the_signal_is_waited_for(name: str) -> None:
    """An operation whose store call hangs stays until that has settled, then raises the reason."""
    persistence = ScriptedPersistence([(header("a"), conversation("x"))])
    engine = engine_over(persistence)
    controller, reason = AbortController(), Reason()

    async def wait() -> None:
        persistence.gates["list"] = asyncio.Event()
        task = asyncio.ensure_future(OPERATIONS[name](engine, controller.signal))
        await persistence.reached(1)
        controller.abort(reason)
        for _ in range(50):
            await asyncio.sleep(0)
        assert not task.done()
        persistence.gates["list"].set()
        with pytest.raises(Reason) as caught:
            await task
        assert caught.value is reason

    asyncio.run(wait())
    assert persistence.names == ["list"]
    assert persistence.running == []


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
