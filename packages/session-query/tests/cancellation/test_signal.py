"""Abort controllers and signals."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.cancellation import AbortController, AbortSignal
from session_query.cancellation._source import AbortSource
from session_query.errors import AbortError

from .stepping import StepLoop


class Unraisable(StopIteration):
    """A subclass of what a coroutine can't raise."""


@pytest.mark.requirement("CANCEL-1")
@given(st.lists(st.integers(0, 2), min_size=1))
def test_the_first_abort_wins(aborts: list[int]) -> None:
    """A signal made with `any` has the reason of whichever signal was aborted first."""
    controllers = [AbortController() for _ in range(3)]
    anyone = AbortSignal.any(controller.signal for controller in controllers)
    nested = AbortSignal.any(AbortSignal.any(controllers[2].signal), anyone)
    heard: list[BaseException | None] = []
    nested._subscribe(lambda: heard.append(nested.reason))
    reasons = [ValueError(number) for number, _ in enumerate(aborts)]
    assert not nested.aborted
    for reason, which in zip(reasons, aborts, strict=True):
        controllers[which].abort(reason)
    for which in range(3):
        own = reasons[aborts.index(which)] if which in aborts else None
        assert controllers[which].signal.reason is own
        assert controllers[which].signal.aborted == (own is not None)
    assert anyone.reason is nested.reason is reasons[0]
    assert heard == [reasons[0]]
    with pytest.raises(ValueError, match="0") as caught:
        nested.raise_if_aborted()
    assert caught.value is reasons[0]


@pytest.mark.requirement("CANCEL-1")
def test_the_default_reason() -> None:
    """Without a reason, the reason is an `AbortError` with its code, the same at each look."""
    controller = AbortController()
    controller.signal.raise_if_aborted()
    controller.abort()
    reason = controller.signal.reason
    assert isinstance(reason, AbortError)
    assert reason.code == "SESSION_QUERY_ABORTED"
    assert controller.signal.reason is reason


@pytest.mark.requirement("CANCEL-1")
@pytest.mark.parametrize(
    "reason",
    [
        StopIteration(),
        StopAsyncIteration(),
        GeneratorExit(),
        asyncio.CancelledError(),
        Unraisable(),
        StopIteration,
        asyncio.CancelledError,
        ValueError,
        "why",
        0,
    ],
)
def test_reasons_that_no_coroutine_can_raise(reason: Any) -> None:
    """What is no exception instance, or none that a coroutine can raise as it is, is refused."""
    controller = AbortController()
    with pytest.raises(TypeError, match="reason of an abort"):
        controller.abort(reason)
    assert not controller.signal.aborted
    controller.abort()
    with pytest.raises(TypeError, match="reason of an abort"):
        controller.abort(reason)


@pytest.mark.requirement("CANCEL-1")
def test_one_reason_raised_many_times() -> None:
    """The reason, raised again and again, doesn't grow."""
    controller = AbortController()
    reason = ValueError()
    controller.abort(reason)

    def raise_while_handling() -> None:
        try:
            controller.signal.raise_if_aborted()
        except ValueError:
            try:
                raise KeyError  # noqa: TRY301 - something to be handled
            except KeyError:
                controller.signal.raise_if_aborted()

    def size() -> tuple[int, int]:
        frames, traceback = 0, reason.__traceback__
        while traceback is not None:
            frames, traceback = frames + 1, traceback.tb_next
        chain: list[BaseException] = [reason]
        while (context := chain[-1].__context__) is not None:
            assert context not in chain
            chain.append(context)
        return frames, len(chain)

    sizes = set()
    for _ in range(5):
        with suppress(ValueError):
            raise_while_handling()
        sizes.add(size())
    assert len(sizes) == 1


@pytest.mark.requirement("CANCEL-1")
def test_abort_from_many_threads() -> None:
    """Of aborts in several threads one wins, and each callback is called once, after it."""
    for _ in range(50):
        controller = AbortController()
        seen: list[BaseException | None] = []
        barrier = threading.Barrier(4)

        def race(which: int, controller: AbortController = controller) -> None:
            signal = AbortSignal.any(controller.signal)
            barrier.wait()  # noqa: B023 - the threads end in this pass
            if which % 2:
                controller.abort(ValueError(which))
            signal._subscribe(lambda: seen.append(signal.reason))  # noqa: B023 - likewise

        threads = [threading.Thread(target=race, args=(which,)) for which in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [controller.signal.reason] * 4


@pytest.mark.requirement("CANCEL-1")
@pytest.mark.parametrize("victim", ["add", "remove", "abort"])
def test_abort_from_a_handler_of_system_signals(victim: str) -> None:
    """An abort inside any instruction of a source's methods neither deadlocks nor loses a call."""
    for instruction in count():
        source = AbortSource()
        calls: list[str] = []
        source.add("other", lambda calls=calls: calls.append("other"))  # type: ignore[misc]
        methods: dict[str, Callable[[], None]] = {
            "add": lambda: source.add("one", lambda: calls.append("one")),  # noqa: B023
            "remove": lambda: source.remove("other"),  # noqa: B023
            "abort": lambda: source.abort(ValueError("own")),  # noqa: B023
        }
        reason = ValueError("handler")
        with interrupted_at(instruction, lambda: source.abort(reason)) as landed:  # noqa: B023
            methods[victim]()
        if not landed:
            assert instruction > 5
            break
        expected = {"add": [["other", "one"]], "remove": [[], ["other"]], "abort": [["other"]]}
        assert calls in expected[victim]
        assert source.reason is reason or (victim == "abort" and str(source.reason) == "own")


@contextmanager
def interrupted_at(instruction: int, handler: Callable[[], None]) -> Iterator[list[int]]:
    """Call `handler` before the instruction of that number in `AbortSource`, as signals do."""
    landed: list[int] = []
    numbers = count()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != sys.modules[AbortSource.__module__].__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(numbers) == instruction:
            landed.append(instruction)
            handler()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield landed
    finally:
        sys.settrace(before)


@pytest.mark.requirement("CANCEL-1")
def test_a_failing_callback(caplog: pytest.LogCaptureFixture) -> None:
    """A callback that fails leaves one log record, and the others are called all the same."""
    controller = AbortController()
    called: list[int] = []
    controller.signal._subscribe(lambda: called.append(1))
    controller.signal._subscribe(lambda: 1 // 0)  # type: ignore[arg-type]
    controller.signal._subscribe(lambda: called.append(2))
    controller.abort()
    assert called == [1, 2]
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("session_query", logging.WARNING)
    assert "ZeroDivisionError" in record.getMessage()


@pytest.mark.requirement("CANCEL-1")
def test_signals_of_a_long_lived_parent() -> None:
    """A parent keeps neither the signals derived from it nor what was subscribed and taken back."""
    parent, other = AbortController(), AbortController()

    async def operation() -> None:
        derived = AbortSignal.any(parent.signal, other.signal)
        waiting = asyncio.ensure_future(derived.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        derived._subscribe(lambda: None)()
        references.append(weakref.ref(derived))

    references: list[weakref.ref[AbortSignal]] = []
    asyncio.run(operation())
    gc.collect()
    assert references[0]() is None
    assert not parent._source._callbacks
    AbortSignal.any(parent.signal, other.signal)._subscribe(lambda: None)
    parent.abort()
    assert not other._source._callbacks
    AbortSignal.any(parent.signal, other.signal)._subscribe(lambda: None)
    assert not other._source._callbacks


@pytest.mark.requirement("CANCEL-1")
def test_waiting_in_several_loops() -> None:
    """One abort wakes the waiters of every loop, whatever the thread; each gets the reason."""
    controller = AbortController()
    barrier = threading.Barrier(3)
    got: list[BaseException] = []

    async def wait() -> None:
        waiting = asyncio.ensure_future(controller.signal.wait())
        await asyncio.sleep(0)
        barrier.wait()
        got.append(await waiting)
        got.append(await controller.signal.wait())

    threads = [threading.Thread(target=lambda: asyncio.run(wait())) for _ in range(2)]
    for thread in threads:
        thread.start()
    barrier.wait()
    reason = ValueError()
    controller.abort(reason)
    for thread in threads:
        thread.join()
    assert got == [reason] * 4


@pytest.mark.requirement("CANCEL-1")
def test_a_waiter_whose_loop_was_closed(caplog: pytest.LogCaptureFixture) -> None:
    """An abort minds no waiter whose loop is closed."""
    controller = AbortController()
    waiting = controller.signal.wait()
    loop = asyncio.new_event_loop()
    loop.call_soon(waiting.send, None)
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    controller.abort()
    assert controller.signal.aborted
    assert not caplog.records
    waiting.close()


@pytest.mark.requirement("CANCEL-1")
def test_timeout_uses_the_clock_of_the_loop() -> None:
    """A timeout aborts when its milliseconds have gone by on the loop's clock, not before."""
    loop = StepLoop()
    seen: list[tuple[float, bool]] = []

    def look(signal: AbortSignal) -> None:
        seen.append((loop.time(), signal.aborted))

    async def main() -> BaseException:
        signal = AbortSignal.timeout(1500)
        loop.call_later(1.4, look, signal)
        loop.call_later(1.6, look, signal)
        reason = await signal.wait()
        assert loop.time() == 1.5
        return reason

    task = loop.create_task(main())
    loop.run_until_quiet()
    assert type(task.result()) is TimeoutError
    assert "1500 ms" in str(task.result())
    assert seen == [(1.4, False), (1.6, True)]
    loop.close()


@pytest.mark.requirement("CANCEL-1")
@pytest.mark.parametrize(
    ("ms", "error"),
    [
        (-1, ValueError),
        (-0.001, ValueError),
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        (10**400, ValueError),
        (True, TypeError),
        ("5", TypeError),
        (None, TypeError),
    ],
)
def test_timeouts_that_are_none(ms: Any, error: type[Exception]) -> None:
    """A timeout must be a number of milliseconds that is finite and not negative."""

    async def main() -> None:
        with pytest.raises(error, match="ms must be"):
            AbortSignal.timeout(ms)

    asyncio.run(main())


@pytest.mark.requirement("CANCEL-1")
def test_any_takes_only_signals() -> None:
    """`any` refuses what is no signal, and is never aborted without one."""
    with pytest.raises(TypeError, match="not AbortController"):
        AbortSignal.any([AbortController()])  # type: ignore[list-item]
    assert not AbortSignal.any().aborted
    assert not AbortSignal.any([]).aborted
