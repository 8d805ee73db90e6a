"""Jobs in real worker threads, and in SQLite."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest
from session_query.cancellation import AbortController, run_blocking

from .running import run_quietly
from .stepping import Held, passes

endings = pytest.mark.parametrize("ending", ["abort", "abort from a thread", "cancel"])


class Ending:
    """Ends an operation by abort or cancellation, and tells whether it ended in just that."""

    def __init__(self, how: str) -> None:
        self.how = how
        self.controller = AbortController()
        self.reason = ValueError()

    def end(self, task: asyncio.Future[Any]) -> None:
        if self.how == "cancel":
            task.cancel()
        elif self.how == "abort":
            self.controller.abort(self.reason)
        else:
            thread = threading.Thread(target=self.controller.abort, args=(self.reason,))
            thread.start()
            thread.join()

    async def check(self, task: asyncio.Future[Any]) -> None:
        await asyncio.wait([task])
        if self.how == "cancel":
            assert task.cancelled()
        else:
            assert task.exception() is self.reason


@pytest.mark.requirement("CANCEL-7")
@endings
def test_a_running_statement(ending: str) -> None:
    """A statement that would run for ever is interrupted, and its connection usable at once."""
    end = Ending(ending)
    begun = threading.Event()
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.create_function("begun", 0, begun.set)
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT begun() UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n"
    )

    async def main() -> None:
        task = asyncio.ensure_future(
            run_blocking(
                lambda: connection.execute(endless).fetchall(),
                signal=end.controller.signal,
                interrupt=connection.interrupt,
            )
        )
        await asyncio.to_thread(begun.wait)
        end.end(task)
        await end.check(task)
        assert await run_blocking(connection.execute("SELECT 1").fetchone) == (1,)

    run_quietly(main())
    connection.close()


@pytest.mark.requirement("CANCEL-7")
@endings
def test_interrupts_are_repeated(ending: str) -> None:
    """An interrupt that had no effect is repeated, until the job has ended and no longer."""
    end = Ending(ending)
    job = Held()

    def interrupt() -> None:
        job.interrupted.append(job.state)
        if len(job.interrupted) == 5:
            job.release.set()

    async def main() -> None:
        task = asyncio.ensure_future(
            run_blocking(job, signal=end.controller.signal, interrupt=interrupt)
        )
        await asyncio.to_thread(job.begun.wait)
        end.end(task)
        await end.check(task)

    run_quietly(main())
    assert len(job.interrupted) >= 5


@pytest.mark.requirement("CANCEL-3", "CANCEL-4")
@endings
def test_a_job_without_an_interrupt(ending: str) -> None:
    """A job that can't be interrupted is waited for."""
    end = Ending(ending)
    job = Held()
    ended: list[str] = []

    def run_job() -> None:
        job()
        ended.append("job")

    async def main() -> None:
        task = asyncio.ensure_future(run_blocking(run_job, signal=end.controller.signal))
        await asyncio.to_thread(job.begun.wait)
        end.end(task)
        await passes(10)
        end.end(task)
        assert not task.done()
        job.release.set()
        await end.check(task)
        assert ended == ["job"]

    run_quietly(main())


@pytest.mark.requirement("CANCEL-3", "CANCEL-6")
@endings
def test_a_queued_job(ending: str) -> None:
    """A job that still waits for a thread is withdrawn at once, and never begins."""
    end = Ending(ending)
    busy, queued = Held(), Held()

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        blocking = asyncio.ensure_future(run_blocking(busy))
        task = asyncio.ensure_future(
            run_blocking(queued, signal=end.controller.signal, interrupt=queued.interrupt)
        )
        await passes(3)
        busy.begun.wait()
        end.end(task)
        await end.check(task)
        assert not blocking.done()
        busy.release.set()
        assert await blocking == "value"
        assert await run_blocking(lambda: "next") == "next"

    run_quietly(main())
    assert not queued.begun.is_set()
    assert not queued.interrupted


class LateExecutor(Executor):
    """Its thread has taken the job, but not come to run it: nobody can cancel it there."""

    def __init__(self) -> None:
        self.run: Callable[[], object]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        assert future.set_running_or_notify_cancel()
        self.run = lambda: future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.requirement("CANCEL-3", "CANCEL-7")
@endings
def test_a_job_about_to_begin(ending: str) -> None:
    """A job whose thread was about to begin it when it was withdrawn doesn't begin any more."""
    end = Ending(ending)
    job = Held()
    executor = LateExecutor()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        # asyncio takes only thread pools as a default; its own loops don't look at the type.
        loop._default_executor = executor  # type: ignore[attr-defined]
        task = asyncio.ensure_future(
            run_blocking(job, signal=end.controller.signal, interrupt=job.interrupt)
        )
        await passes(3)
        end.end(task)
        await end.check(task)
        executor.run()

    run_quietly(main())
    assert not job.begun.is_set()
    assert not job.interrupted


class PromptExecutor(Executor):
    """It has run a job before anybody could withdraw it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.requirement("CANCEL-2", "CANCEL-6")
@endings
def test_a_job_that_is_too_late(ending: str) -> None:
    """What ends an operation just before its job would begin comes before the job."""
    end = Ending(ending)
    ran: list[str] = []

    async def main() -> None:
        asyncio.get_running_loop()._default_executor = PromptExecutor()  # type: ignore[attr-defined]
        task = asyncio.ensure_future(
            run_blocking(lambda: ran.append("job"), signal=end.controller.signal)
        )
        asyncio.get_running_loop().call_soon(end.end, task)
        await end.check(task)

    run_quietly(main())
    assert not ran


@pytest.mark.requirement("CANCEL-4", "CANCEL-7")
def test_a_cancellation_in_the_middle_of_an_interrupt() -> None:
    """A cancellation inside an interrupt, as by a handler of system signals, doesn't deadlock."""
    end = Ending("abort")
    job = Held()

    def interrupt() -> None:
        task.cancel()
        job.interrupt()

    task: asyncio.Future[str]

    async def main() -> None:
        nonlocal task
        task = asyncio.ensure_future(
            run_blocking(job, signal=end.controller.signal, interrupt=interrupt)
        )
        await asyncio.to_thread(job.begun.wait)
        end.end(task)
        await asyncio.wait([task])
        assert task.cancelled()

    run_quietly(main())


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize(
    "error", [ValueError(), StopIteration(), asyncio.CancelledError(), SystemExit()]
)
def test_how_a_job_fails(error: BaseException) -> None:
    """What a job raises comes to its caller, wrapped where a coroutine can't raise it."""

    def job() -> None:
        raise error

    async def main() -> None:
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - compared below
            await run_blocking(job)
        if isinstance(error, (ValueError, SystemExit)):
            assert caught.value is error
        else:
            assert type(caught.value) is RuntimeError
            assert caught.value.__cause__ is error

    run_quietly(main())


@pytest.mark.requirement("CANCEL-4")
def test_a_job_that_ends_the_process() -> None:
    """A job's `SystemExit` comes to its caller even where the operation is aborted."""
    controller = AbortController()

    def job() -> None:
        controller.abort()
        raise SystemExit

    async def main() -> None:
        with pytest.raises(SystemExit):
            await run_blocking(job, signal=controller.signal)

    run_quietly(main())


@pytest.mark.requirement("CANCEL-4")
def test_an_executor_that_drops_a_job() -> None:
    """A job that the executor drops has failed; its caller isn't cancelled."""
    busy = Held()

    async def main() -> None:
        executor = ThreadPoolExecutor(1)
        asyncio.get_running_loop().set_default_executor(executor)
        blocking = asyncio.ensure_future(run_blocking(busy))
        task = asyncio.ensure_future(run_blocking(lambda: None))
        await passes(3)
        executor.shutdown(wait=False, cancel_futures=True)
        with pytest.raises(RuntimeError, match="was not cancelled"):
            await task
        busy.release.set()
        await blocking
        with pytest.raises(RuntimeError, match="shutdown"):
            await run_blocking(lambda: None)

    run_quietly(main())


@pytest.mark.requirement("CANCEL-7")
def test_an_interrupt_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    """An interrupt that fails leaves one log record; it's tried again, and the job waited for."""
    end = Ending("cancel")
    job = Held()

    def interrupt() -> None:
        job.interrupted.append(job.state)
        if len(job.interrupted) == 3:
            job.release.set()
        raise sqlite3.ProgrammingError("closed")

    async def main() -> None:
        task = asyncio.ensure_future(run_blocking(job, interrupt=interrupt))
        await asyncio.to_thread(job.begun.wait)
        end.end(task)
        await end.check(task)

    run_quietly(main())
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("session_query", logging.WARNING)
    assert "ProgrammingError" in record.getMessage()


@pytest.mark.requirement("CANCEL-8")
def test_a_job_sees_the_context() -> None:
    """A job sees the context variables of its caller."""
    variable: ContextVar[str] = ContextVar("variable")

    async def main() -> None:
        variable.set("set by the caller")
        assert await run_blocking(variable.get) == "set by the caller"

    run_quietly(main())
