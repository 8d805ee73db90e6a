"""Engines that stay on the loop, in schedules and at each of their steps (CONF-8 to CONF-10)."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st
from session_query import AbortController, AbortSignal

from session_query_specs._subjects import ProviderUnderTest, SuiteConfig
from session_query_specs.checks._agreement import store_calls
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._controls import tells_absent
from session_query_specs.corpora import Call, Corpus, Outcome, session
from session_query_specs.loop import (
    Action,
    DeadlockError,
    LivelockError,
    RefusedError,
    Schedule,
    VirtualLoop,
    numbered,
    run,
    schedules,
    sweep,
)
from session_query_specs.stores import MemoryPersistence

__all__: list[str] = []

_NAMES: Final = tuple(f"s{number}" for number in range(5))
_CORPUS: Final = Corpus(
    (
        *(session(name, ["word"], cwd="/w") for name in _NAMES),
        session("live", ["word"], place="live", cwd="/w"),
    )
)
_CALLS: Final = (
    Call("search_sessions", ({"query": "word"},)),
    Call("search_events", ({"sessionId": "s0", "query": "word"},)),
    Call("read_titles", ([*_NAMES, "live"],)),
    Call("read_session", ("s0",)),
    Call("list_events", ("s0",)),
    Call("filter_events", ("s0", [])),
    Call("read_surface", ("s0",)),
    Call("read_event", ("s0", 0)),
    Call("read_title", ("s0",)),
    Call("trace_event", ("s0", 0)),
    Call("trace_session", ("s1",)),
    Call("list_sessions"),
    Call("filter_sessions", ([{"kind": "cwd", "values": ["/w"]}],)),
)


@dataclass(frozen=True, slots=True)
class Swept:
    """A call, what is done to it before its steps, and who is next at each of these.

    Attributes:
        call: the call.
        action: what is done to it.
        schedule: who is next.
        step: before which step it is done; None for each in turn, in a run of its own.
    """

    call: Call
    action: Action
    schedule: Schedule
    step: int | None = None

    def described(self) -> list[str]:
        """Return corpus, call, action and schedule in lines that a person reads."""
        return [*_CORPUS.described(), *self._told()]

    def _told(self) -> list[str]:
        each = "each step of it in turn, in a run of its own"
        return [
            f"call {self.call}",
            f"{self.action} before {each if self.step is None else f'step {self.step} of it'}",
            *self.schedule.described(),
        ]

    def script(self, subject: str) -> str:
        """Return the beginning of a program that ends the call there, in the same schedule."""
        return _begun(subject, self._told())


def _begun(subject: str, told: Sequence[str]) -> str:
    module, _, name = subject.partition(":")
    *stored, live = (one.header.id for one in _CORPUS.sessions)
    said = [
        f"sessions {', '.join(stored)} are stored, {live} is not; each says 'word'",
        *told,
        "on a loop that runs one task after the other; a store call takes a few steps",
    ]
    return "\n".join([*(f"# {line}" for line in said), "", f"from {module} import {name}", ""])


class _Busy:
    """Store calls that take a few steps each, counted; late ones began untold of an abort."""

    def __init__(self, persistence: MemoryPersistence, operation: AbortSignal) -> None:
        self._operation = operation
        self.running: list[str] = []
        self.late: list[str] = []
        self.most = 0
        persistence.before = self._work

    async def _work(self, what: str, signal: AbortSignal | None) -> None:
        if self._operation.aborted and (signal is None or not signal.aborted):
            self.late.append(what)
        with self._counted(what):
            for _ in range(3):
                await asyncio.sleep(0)

    @contextmanager
    def _counted(self, what: str) -> Iterator[None]:
        self.running.append(what)
        self.most = max(self.most, len(self.running) - ("list" in self.running))
        _note(f"{store_calls([what])} begins")
        try:
            yield
        finally:
            self.running.remove(what)
            _note(f"{store_calls([what])} ends")


def _note(what: str) -> None:
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualLoop):
        loop.note(f"here: {what}")


def _swept(*actions: Action) -> st.SearchStrategy[Swept]:
    # what makes several calls of the store can go wrong in more ways
    calls = st.sampled_from(_CALLS[:3]) | st.sampled_from(_CALLS)
    return st.builds(Swept, calls, st.sampled_from(actions), schedules())


_ACTIONS: Final[dict[Action, str]] = {
    "abort": "an abort",
    "cancel": "a cancellation",
    "cancel twice": "two cancellations",
}


def _sweep(provider: ProviderUnderTest, example: Swept, folder: Path) -> None:
    running: list[str] = []
    late: list[str] = []

    async def operation(signal: AbortSignal) -> object:
        sources, _, persistence = _CORPUS.open()
        config = SuiteConfig(directory=folder)
        engine = await provider.open(sources, config)
        busy = _Busy(persistence, signal)
        try:
            return await getattr(engine, example.call.method)(
                *example.call.arguments, signal=signal
            )
        finally:
            running[:], late[:] = busy.running, busy.late
            persistence.before = None
            await engine.close()

    _answers(provider, example, folder)
    for landing in sweep(operation, example.action, example.schedule, example.step):
        reached("an interleaving")
        here = replace(example, step=landing.step)
        ended = f"after {_ACTIONS[landing.action]} before step {landing.step}"
        trace = numbered(landing.run.trace)
        if running:
            got = f"when the call ended, still running: {store_calls(running)}"
            raise Violation(f"{ended}, each store call to have ended", got, trace, here)
        if late:
            got = f"begun later, untold of the abort: {store_calls(late)}"
            raise Violation(f"{ended}, no store call to begin", got, trace, here)
        problem = landing.problem()
        if problem is not None:
            wanted = "the very reason" if landing.action == "abort" else "CancelledError"
            raise Violation(f"{ended}, {wanted} and nothing left running", problem, trace, here)


def _answers(provider: ProviderUnderTest, example: Swept, folder: Path) -> None:
    """Violation unless the call has an answer where nothing ends it."""

    async def operation() -> Outcome:
        sources, _, _ = _CORPUS.open()
        engine = await provider.open(sources, SuiteConfig(directory=folder))
        try:
            await tells_absent(engine)
            return await example.call.on(engine)
        finally:
            await engine.close()

    outcome = run(operation, example.schedule).result()
    if not any(f'"{name}"' in str(outcome) for name in _NAMES):
        raise Violation("an answer about what is stored", str(outcome))


def _on_the_loop(judge: Any) -> Any:
    """Tell an engine that uses threads, or comes to no end, in a check's own words."""
    try:
        with tempfile.TemporaryDirectory(prefix="session-query-specs-") as folder:
            judge(Path(folder))
    except (DeadlockError, LivelockError) as stuck:
        raise Violation("a run that comes to an end", str(stuck)) from None
    except RefusedError as refused:
        raise Violation("work on the running loop alone, as is claimed", str(refused)) from None


@check(
    "CANCEL-3/swept",
    _swept("abort"),
    needs=("deterministic_loop",),
    after=("CANCEL-3/quiescent",),
    weight=2,
)
def _aborted_anywhere(provider: ProviderUnderTest, example: Swept) -> None:
    """Aborted before any of its steps, an operation raises the very reason and leaves nothing."""
    _on_the_loop(lambda folder: _sweep(provider, example, folder))


@check(
    "CANCEL-4/swept",
    _swept("cancel", "cancel twice"),
    needs=("deterministic_loop",),
    after=("CANCEL-4/cancelled",),
    weight=2,
)
def _cancelled_anywhere(provider: ProviderUnderTest, example: Swept) -> None:
    """Cancelled before any of its steps, an operation raises CancelledError and leaves nothing."""
    _on_the_loop(lambda folder: _sweep(provider, example, folder))


@dataclass(frozen=True, slots=True)
class Batches:
    """Two batches of titles at once, in a schedule."""

    schedule: Schedule

    def described(self) -> list[str]:
        """Return corpus and schedule in lines that a person reads."""
        return [*_CORPUS.described(), *self._told()]

    def _told(self) -> list[str]:
        return ["two batches of titles at once", *self.schedule.described()]

    def script(self, subject: str) -> str:
        """Return the beginning of a program that reads both, in the same schedule."""
        return _begun(subject, self._told())


@check(
    "READ-3/scheduled",
    schedules().map(Batches),
    needs=("deterministic_loop",),
    after=("READ-3/titles", "READ-3/at-most"),
    weight=2,
)
def _scheduled_titles(provider: ProviderUnderTest, example: Batches) -> None:
    """In any schedule, a batch has a result for each id in order, at most four logs at once."""

    def judged(folder: Path) -> None:
        most: list[int] = []

        async def batch(name: str, names: list[str]) -> Mapping[str, Any]:
            sources, _, persistence = _CORPUS.open()
            engine = await provider.open(sources, SuiteConfig(directory=folder / name))
            busy = _Busy(persistence, AbortController().signal)
            results = await engine.read_titles(names)
            most.append(busy.most)
            await engine.close()
            return {"asked": names, "got": [result.session_id for result in results]}

        async def both() -> list[Mapping[str, Any]]:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(batch("first", [*_NAMES]), name="first batch"),
                    group.create_task(batch("second", [*_NAMES[::-1]]), name="second batch"),
                ]
            return [task.result() for task in tasks]

        ended = run(both, example.schedule)
        reached("an interleaving")
        for one in ended.result():
            if one["got"] != one["asked"]:
                told = numbered(ended.trace)
                raise Violation(f"results for {one['asked']}", f"{one['got']}", told)
        if max(most) > 4:  # noqa: PLR2004 - the contract's own number
            got = f"{max(most)} at once"
            raise Violation("at most 4 logs read at once", got, numbered(ended.trace))

    _on_the_loop(judged)
