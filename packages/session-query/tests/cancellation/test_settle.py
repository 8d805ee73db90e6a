"""How a store call that has settled is answered."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import weakref
from contextvars import ContextVar

import pytest
from session_query.cancellation import AbortController, AbortSignal, settle

from .operations import StoreError
from .running import run_quietly


@pytest.mark.requirement("CANCEL-2")
def test_a_signal_that_is_aborted_already() -> None:
    """The reason comes before anything else: the call isn't even made."""
    controller = AbortController()
    controller.abort(reason := ValueError())
    calls: list[AbortSignal] = []

    async def call(signal: AbortSignal) -> None:
        calls.append(signal)

    async def main() -> None:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the object is compared
            settle(call, controller.signal).send(None)
        assert caught.value is reason

    run_quietly(main())
    assert not calls


@pytest.mark.requirement("CANCEL-3", "CANCEL-5")
def test_the_call_is_the_caller_s_own() -> None:
    """Result, failure and context variables of the call are those that its caller sees."""
    variable: ContextVar[str] = ContextVar("variable")
    controller = AbortController()
    failure = StoreError()

    async def succeed(signal: AbortSignal) -> tuple[AbortSignal, str]:
        return signal, variable.get()

    async def fail(_: AbortSignal) -> None:
        raise failure

    async def main() -> None:
        variable.set("set by the caller")
        assert await settle(succeed, controller.signal) == (controller.signal, "set by the caller")
        signal, _ = await settle(succeed, None)
        assert not signal.aborted
        for given in (None, controller.signal):
            with pytest.raises(StoreError) as caught:
                await settle(fail, given)
            assert caught.value is failure

    run_quietly(main())


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize("kind", [asyncio.CancelledError, GeneratorExit])
@pytest.mark.parametrize("immediately", [False, True])
def test_a_store_that_cancels_itself(kind: type[BaseException], immediately: bool) -> None:
    """A `CancelledError` that nobody asked for is a failure of the store, not a cancellation."""

    async def call(_: AbortSignal) -> None:
        if not immediately:
            await asyncio.sleep(0)
        raise kind

    async def main() -> None:
        with pytest.raises(RuntimeError, match=kind.__name__) as caught:
            await settle(call, None)
        assert isinstance(caught.value.__cause__, kind)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    run_quietly(main())


@pytest.mark.requirement("CANCEL-4")
def test_a_call_that_someone_else_cancels() -> None:
    """A call that is cancelled behind the caller's back has failed; the caller is not cancelled."""

    async def call(_: AbortSignal) -> None:
        await asyncio.get_running_loop().create_future()

    async def main() -> None:
        for passes in range(3):
            caller = asyncio.ensure_future(settle(call, None))
            await asyncio.sleep(0)
            others = asyncio.all_tasks() - {caller, asyncio.current_task()}
            for _ in range(passes):
                await asyncio.sleep(0)
            assert [other.cancel() for other in others] == [True]
            with pytest.raises(RuntimeError, match="was not cancelled"):
                await caller

    run_quietly(main())


@pytest.mark.requirement("CANCEL-4")
def test_the_end_of_the_loop() -> None:
    """When `asyncio.run` ends and cancels every task, the call settles without complaint."""
    ended: list[str] = []

    async def call(signal: AbortSignal) -> None:
        try:
            await signal.wait()
        finally:
            ended.append("call")

    async def caller() -> None:
        try:
            await settle(call, None)
        finally:
            ended.append("caller")

    async def main() -> None:
        tasks.append(asyncio.ensure_future(caller()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    tasks: list[asyncio.Task[None]] = []
    run_quietly(main())
    assert ended == ["call", "caller"]
    assert tasks[0].cancelled()


@pytest.mark.requirement("CANCEL-4")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("besides", ["nothing", "abort", "cancel"])
def test_what_is_meant_for_the_process(kind: type[BaseException], besides: str) -> None:
    """`KeyboardInterrupt` and `SystemExit` of a call end the loop, as they do without `settle`."""
    controller = AbortController()

    async def call(_: AbortSignal) -> None:
        if besides == "abort":
            controller.abort()
        elif besides == "cancel":
            callers.pop().cancel()
        raise kind

    async def main() -> None:
        callers.add(asyncio.ensure_future(settle(call, controller.signal)))
        await asyncio.wait(callers)

    callers: weakref.WeakSet[asyncio.Future[None]] = weakref.WeakSet()
    with pytest.raises(kind):
        run_quietly(main())


@pytest.mark.requirement("CANCEL-3")
def test_failures_are_not_kept() -> None:
    """What a failed or cancelled call held is free as soon as the exception is dropped."""

    class Log:
        """What a store holds in memory."""

    references: list[weakref.ref[Log]] = []

    async def call(_: AbortSignal) -> None:
        log = Log()
        references.append(weakref.ref(log))
        raise StoreError

    async def cancelled_caller() -> None:
        log = Log()
        references.append(weakref.ref(log))
        await settle(lambda signal: signal.wait(), None)

    async def main() -> None:
        gc.disable()
        try:
            with pytest.raises(StoreError):
                await settle(call, None)
            caller = asyncio.ensure_future(cancelled_caller())
            await asyncio.sleep(0)
            caller.cancel()
            with pytest.raises(asyncio.CancelledError):
                await caller
            del caller
            await asyncio.sleep(0)
            assert [reference() for reference in references] == [None, None]
        finally:
            gc.enable()

    run_quietly(main())


@pytest.mark.requirement("CANCEL-4")
def test_cancelling_does_not_load_what_is_not_there() -> None:
    """A cancellation under plain asyncio doesn't block the loop by loading anyio's backend."""
    program = """
import asyncio, sys
from session_query.cancellation import settle

async def main():
    task = asyncio.ensure_future(settle(lambda signal: signal.wait(), None))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()

asyncio.run(main())
assert not [name for name in sys.modules if name.startswith("anyio._backends.")]
"""
    subprocess.run([sys.executable, "-c", program], check=True)
