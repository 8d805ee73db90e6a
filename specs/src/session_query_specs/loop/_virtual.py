"""A small asyncio loop in virtual time, whose every step is decided by a schedule (CONF-8)."""

from __future__ import annotations

import asyncio
import heapq
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Generic, NoReturn, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from session_query_specs.loop._schedule import FIFO, Schedule

__all__ = ["DeadlockError", "LivelockError", "RefusedError", "Run", "VirtualLoop", "run"]

T = TypeVar("T")

_MOST_STEPS: Final = 50_000


class DeadlockError(AssertionError):
    """Raised when nothing can run any more, and what was awaited has not ended."""


class LivelockError(AssertionError):
    """Raised when a run takes more steps than any that makes progress."""


class RefusedError(RuntimeError):
    """Raised for what can't be scheduled: threads, sockets and subprocesses."""


@dataclass(slots=True)
class Run(Generic[T]):
    """How a run ended.

    Attributes:
        value: what was returned.
        error: what was raised instead.
        steps: how many steps it took.
        trace: what ran, a line each, in task and call names.
        left: the names of tasks that were still there at the end.
        complaints: what the loop was told of exceptions that nobody retrieved.
    """

    value: T | None = None
    error: BaseException | None = None
    steps: int = 0
    trace: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def result(self) -> T:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # it is there whenever the error is not


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs one step of one task at a time; time passes only when nothing else can happen.

    Args:
        schedule: who is next.
        at: what to do right before the step of a number.
    """

    def __init__(
        self, schedule: Schedule = FIFO, at: Mapping[int, Callable[[], object]] | None = None
    ) -> None:
        super().__init__()
        self.step = 0
        self.trace: list[str] = []
        self.complaints: list[str] = []
        self._schedule = schedule
        self._at = dict(at or {})
        self._now = 0.0
        self._home = threading.get_ident()
        self._refused: RefusedError | None = None
        self._numbers: WeakKeyDictionary[asyncio.Task[Any], int] = WeakKeyDictionary()
        self._priorities: WeakKeyDictionary[asyncio.Task[Any], int] = WeakKeyDictionary()
        self._withdrawn: WeakSet[asyncio.Task[Any]] = WeakSet()
        self._created = 0
        self.set_task_factory(self._new_task)  # type: ignore[arg-type]  # typeshed's is narrower
        self.set_exception_handler(self._complain)

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._now

    def note(self, what: str) -> None:
        """Write a line into the trace."""
        self.trace.append(f"{self.step}: {what}")

    def timers(self) -> list[asyncio.TimerHandle]:
        """Return the timers that are set."""
        scheduled: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return [timer for timer in scheduled if not timer.cancelled()]

    def _new_task(
        self, loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, Any], **options: Any
    ) -> asyncio.Task[Any]:
        if options.get("name") is None:
            # that of asyncio counts all tasks of the process: it would be another in each run
            called = getattr(coro, "__name__", type(coro).__name__).strip("_")
            options["name"] = f"task {self._created}: {called}"
        task = asyncio.Task(coro, loop=loop, **options)
        self._numbers[task] = self._created
        self._priorities[task] = self._schedule.priority_of(self._created)
        self._created += 1
        return task

    def _complain(self, _loop: object, context: dict[str, Any]) -> None:
        self.complaints.append(f"{context.get('message')}: {context.get('exception')!r}")

    # -- one step -----------------------------------------------------------------------------

    def _run_once(self) -> None:
        if self._refused is not None:
            raise self._refused
        if act := self._at.pop(self.step, None):
            act()
        ready: Any = self._ready  # type: ignore[attr-defined]
        self._due(ready)
        if not ready:
            raise DeadlockError(
                f"nothing can run: {', '.join(self._waiting()) or 'no task is left'}"
            )
        if self.step >= _MOST_STEPS:
            raise LivelockError(f"it goes on for over {_MOST_STEPS} steps")
        handle = self._next(ready)
        if not handle._cancelled:
            task = _task_of(handle)
            if task is not None:
                self.note(task.get_name())
                self._priorities[task] -= self._schedule.demotion_at(self.step)
            self.step += 1
            handle._run()

    def _due(self, ready: Any) -> None:
        """Move timers that are due; if nothing else can happen, let time pass until one is."""
        timers: Any = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
        if not ready and timers:
            self._now = max(self._now, timers[0]._when)
        while timers and timers[0]._when <= self._now:
            timer = heapq.heappop(timers)
            timer._scheduled = False
            ready.append(timer)

    def _next(self, ready: Any) -> asyncio.Handle:
        """Take what runs next: what is no step of a task goes first, in its order."""
        tasks: list[tuple[int, asyncio.Handle]] = []
        for place, handle in enumerate(ready):
            task = _task_of(handle)
            if task is None or handle._cancelled:
                del ready[place]
                return handle  # type: ignore[no-any-return]
            tasks.append((-self._priorities.get(task, 0), handle))
        # sorts are stable: equals stay in the order in which they became ready
        candidates = [handle for _, handle in sorted(tasks, key=lambda one: one[0])]
        taken = candidates[self._schedule.chosen(self.step, len(candidates))]
        ready.remove(taken)
        return taken

    def _waiting(self) -> list[str]:
        return sorted(
            f"{task.get_name()} waits for {_named(getattr(task, '_fut_waiter', None))}"
            for task in asyncio.all_tasks(self)
        )

    # -- what there is not --------------------------------------------------------------------

    def _process_events(self, event_list: object) -> None:
        """There is no selector."""

    def _write_to_self(self) -> None:
        if threading.get_ident() != self._home:
            self._refused = RefusedError(
                "another thread wakes the loop: what runs in threads can't be scheduled; leave"
                " `deterministic_loop` unclaimed"
            )
            raise self._refused

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Model a job of the default executor: queued, begun, done, delivered, a step each."""
        if executor is not None:
            raise RefusedError("an executor of one's own has threads, which can't be scheduled")
        delivered = self.create_future()
        begun = False

        async def job() -> None:
            nonlocal begun
            await asyncio.sleep(0)  # queued
            if delivered.cancelled():
                return
            await asyncio.sleep(0)  # taken from the queue
            begun = True
            try:
                value = func(*args)
            except BaseException as error:  # noqa: BLE001 - it is the future's
                await asyncio.sleep(0)  # done
                if not delivered.cancelled():
                    delivered.set_exception(error)
                return
            await asyncio.sleep(0)  # done
            if not delivered.cancelled():
                delivered.set_result(value)

        name = getattr(func, "__name__", type(func).__name__)
        task = self.create_task(job(), name=f"executor: {name}")

        def done(_: object) -> None:
            # the job holds on to itself until it is done
            if delivered.cancelled() and not begun:
                self._withdrawn.add(task)  # it keeps its place in the queue, and does nothing there

        delivered.add_done_callback(done)
        return delivered

    def running(self) -> list[asyncio.Task[Any]]:
        """Return the tasks that are not done, without jobs that were withdrawn from the queue."""
        left = asyncio.all_tasks(self) - {*self._withdrawn}
        return [task for task in left if not task.done()]

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise RefusedError(
            "sockets, pipes and subprocesses can't be scheduled; leave `deterministic_loop`"
            " unclaimed"
        )

    create_connection = create_server = create_datagram_endpoint = _refuse
    subprocess_exec = subprocess_shell = connect_read_pipe = connect_write_pipe = _refuse
    add_reader = add_writer = sock_recv = sock_sendall = sock_connect = sock_accept = _refuse


def _task_of(handle: asyncio.Handle) -> asyncio.Task[Any] | None:
    """Return the task of which a handle is a step."""
    owner = getattr(getattr(handle, "_callback", None), "__self__", None)
    return owner if isinstance(owner, asyncio.Task) else None


def _named(awaited: object) -> str:
    """Return what a task waits for, in words that are the same in each run."""
    if isinstance(awaited, asyncio.Task):
        return awaited.get_name()
    return "nothing" if awaited is None else "a future that nobody has set"


def run(
    main: Callable[[], Coroutine[Any, Any, T]],
    schedule: Schedule = FIFO,
    at: Mapping[int, Callable[[asyncio.Task[T]], object]] | None = None,
) -> Run[T]:
    """Run a coroutine in a loop of its own, to its end.

    Args:
        main: makes the coroutine; its task is called `main`.
        schedule: who is next.
        at: what to do to the task of `main` right before the step of a number.

    Raises:
        DeadlockError, LivelockError: it comes to no end.
        RefusedError: it uses what can't be scheduled.
    """
    outcome: Run[T] = Run()
    tasks: list[asyncio.Task[T]] = []

    def acting(act: Callable[[asyncio.Task[T]], object]) -> Callable[[], object]:
        return lambda: act(tasks[0])

    loop = VirtualLoop(schedule, {step: acting(act) for step, act in (at or {}).items()})
    try:
        tasks.append(loop.create_task(main(), name="main"))
        stop = _Stop(loop)
        tasks[0].add_done_callback(stop)
        try:
            loop.run_forever()
        finally:
            tasks[0].remove_done_callback(stop)
            outcome.steps, outcome.trace = loop.step, [*loop.trace]
        outcome.left = sorted(task.get_name() for task in loop.running())
        if tasks[0].cancelled():
            outcome.error = asyncio.CancelledError()
        else:
            outcome.error = tasks[0].exception()
            outcome.value = None if outcome.error else tasks[0].result()
    finally:
        _end(loop)
    outcome.complaints = loop.complaints
    return outcome


class _Stop:
    """Stops a loop when a task is done."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def __call__(self, _task: object) -> None:
        self._loop.stop()


def _end(loop: VirtualLoop) -> None:
    """Cancel what is left, so that it doesn't complain later, and close the loop."""
    left = [task for task in asyncio.all_tasks(loop) if not task.done()]
    for task in left:
        task.cancel()
    if left:
        loop.step, loop._refused = 0, None
        waiting = loop.create_task(_all_of(left))
        with suppress(DeadlockError, LivelockError, RefusedError):
            loop.run_until_complete(waiting)
    for task in asyncio.all_tasks(loop):
        # it heeds no cancellation: the run has said so, or will never know
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        task.get_coro().close()
    loop.close()


async def _all_of(tasks: list[asyncio.Task[Any]]) -> None:
    await asyncio.wait(tasks)
