"""A loop in real time that comes to an end, whatever the code under test does (CONF-12)."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator
from contextvars import ContextVar
from types import AsyncGeneratorType, FrameType
from typing import Any, Final, NamedTuple, TypeVar

__all__ = ["PATIENCE", "HungError", "Place", "run_in_time"]

T = TypeVar("T")

PATIENCE: Final[ContextVar[float]] = ContextVar("patience", default=60.0)
"""Seconds for one example, of which a right subject needs hundredths."""

_GRACE: Final = 1 / 6
"""Which part of it what is cancelled may take to end."""

_ABANDONED: Final[list[asyncio.Task[Any]]] = []
"""What ended neither in time nor when cancelled: kept, since its end would be told of anywhere."""


class Place(NamedTuple):
    """A place in code: the name of a module, the path of its file, a line and a function."""

    module: str
    file: str
    line: int
    function: str

    @classmethod
    def of(cls, frame: FrameType, line: int | None = None) -> Place:
        """Return where a frame is, in the line that it has come to unless one is given."""
        module, code = str(frame.f_globals.get("__name__", "")), frame.f_code
        return cls(module, code.co_filename, line or frame.f_lineno, code.co_qualname)


class HungError(BaseException):
    """Raised for work that comes to no end; nobody but who judges is to take it for an answer.

    Args:
        seconds: how long it was waited for.
        what: what has not ended, or goes on though it was cancelled.
        places: where it waits, innermost first.
    """

    def __init__(self, seconds: float, what: str, places: Iterable[Place] = ()) -> None:
        super().__init__(what)
        self.seconds = seconds
        self.what = what
        self.places = tuple(places)


def run_in_time(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine in a loop of its own, as `asyncio.run` does, for as long as is patient.

    What holds up the loop itself, as a blocking call does, is not seen from within it.

    Raises:
        HungError: it doesn't end in time, or leaves what goes on though it's cancelled.
    """
    patience = PATIENCE.get()
    grace = patience * _GRACE
    loop = asyncio.new_event_loop()
    hung: HungError | None = None
    try:
        task = loop.create_task(main())
        # for its handling of interrupts alone: a runner that closes a loop may wait for ever
        asyncio.Runner(loop_factory=lambda: loop).run(_wait({task}, patience))
        if not task.done():
            others = [one for one in asyncio.all_tasks(loop) if one is not task]
            hung = HungError(patience, "none", _places(task, *others))
    finally:
        try:
            stubborn = _end(loop, grace)
        finally:
            loop.close()
    if hung is not None:
        if stubborn:
            hung.what += ", though cancelled after that"
        raise hung
    result = task.result()
    if stubborn:
        what = "something left running that goes on though cancelled"
        raise HungError(grace, what, _places(*stubborn))
    return result


async def _wait(tasks: Collection[asyncio.Future[Any]], seconds: float) -> None:
    await asyncio.wait(tasks, timeout=seconds)


def _end(loop: asyncio.AbstractEventLoop, grace: float) -> list[asyncio.Task[Any]]:
    """Cancel what is left in a loop, and return what doesn't end of it."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(_wait(left, grace))
    for ending in (loop.shutdown_asyncgens, loop.shutdown_default_executor):
        closing = loop.create_task(ending())
        left.add(closing)
        loop.run_until_complete(_wait({closing}, grace))
    for task in left:
        if task.done() and not task.cancelled():
            task.exception()  # how it ended is nobody's any more
    stubborn = list(asyncio.all_tasks(loop))
    for task in stubborn:
        task._log_destroy_pending = False  # type: ignore[attr-defined]
    _ABANDONED.extend(stubborn)
    return stubborn


def _places(*tasks: asyncio.Task[Any]) -> list[Place]:
    """Return where tasks wait, innermost first."""
    return [place for task in tasks for place in reversed([*_awaited(task.get_coro())])]


def _awaited(coroutine: Any) -> Iterator[Place]:
    """Yield where a coroutine waits, then where what it waits for does, and so on."""
    while coroutine is not None:
        kind = next((one for one in ("cr", "ag", "gi") if hasattr(coroutine, f"{one}_frame")), "")
        if frame := getattr(coroutine, f"{kind}_frame", None):
            yield Place.of(frame)
        if kind:
            waits = "gi_yieldfrom" if kind == "gi" else f"{kind}_await"
            coroutine = getattr(coroutine, waits, None)
        else:  # a step of an asynchronous generator tells nobody which one's it is
            known = gc.get_referents(coroutine)
            coroutine = next((one for one in known if isinstance(one, AsyncGeneratorType)), None)
