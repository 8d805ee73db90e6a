"""Abort controllers and signals, after those of the DOM (CANCEL-1)."""

from __future__ import annotations

import asyncio
import math
from asyncio import CancelledError
from functools import partial
from typing import TYPE_CHECKING

from session_query.cancellation._source import AbortSource
from session_query.errors import AbortError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["AbortController", "AbortSignal", "call_threadsafe"]

_NOT_RAISABLE = (StopIteration, StopAsyncIteration, GeneratorExit, CancelledError)


class AbortController:
    """Owns one signal and aborts it (CANCEL-1)."""

    __slots__ = ("_signal", "_source")

    def __init__(self) -> None:
        self._source = AbortSource()
        self._signal = AbortSignal([self._source])

    @property
    def signal(self) -> AbortSignal:
        """The signal to hand to operations."""
        return self._signal

    def abort(self, reason: BaseException | None = None) -> None:
        """Abort the signal; the first abort wins, and later ones have no effect.

        It may be called from any thread, and from a handler of operating system signals.

        Args:
            reason: the very object that every aborted operation raises; by default an
                `AbortError`, code `SESSION_QUERY_ABORTED`.

        Raises:
            TypeError: `reason` is no exception, or is one that a coroutine can't raise as it is:
                `StopIteration`, `StopAsyncIteration`, `GeneratorExit` or `CancelledError`.
        """
        self._source.abort(AbortError() if reason is None else _checked(reason))


class AbortSignal:
    """Tells operations that their caller wants them to end (CANCEL-1).

    A signal comes from `AbortController.signal`, `AbortSignal.any` or `AbortSignal.timeout`.
    It belongs to no thread and no event loop.
    """

    # A signal refers to its sources, and a source to nothing but current subscriptions: a signal
    # that was made with `any` is garbage when its user drops it, however long the sources live.
    __slots__ = ("__weakref__", "_first", "_sources")

    def __init__(self, sources: Iterable[AbortSource]) -> None:
        self._sources = tuple(dict.fromkeys(sources))
        self._first: dict[None, AbortSource] = {}

    @staticmethod
    def any(*signals: AbortSignal | Iterable[AbortSignal]) -> AbortSignal:
        """Return a signal that is aborted when one of `signals` is, for the reason of the first.

        Args:
            signals: signals, or iterables of signals; without any, it is never aborted.
        """
        sources: list[AbortSource] = []
        for given in signals:
            for signal in (given,) if isinstance(given, AbortSignal) else given:
                if not isinstance(signal, AbortSignal):
                    kind = type(signal).__name__
                    raise TypeError(f"AbortSignal.any takes abort signals, not {kind}")
                sources += signal._sources
        return AbortSignal(sources)

    @staticmethod
    def timeout(ms: float) -> AbortSignal:
        """Return a signal that aborts after `ms` milliseconds, for a builtin `TimeoutError`.

        The clock is that of the running loop, so this must be called on one.

        Raises:
            TypeError: `ms` is no number.
            ValueError: `ms` is negative or not finite.
        """
        if isinstance(ms, bool) or not isinstance(ms, (int, float)):
            raise TypeError(f"ms must be a number of milliseconds, not {type(ms).__name__}")
        try:
            ms = float(ms)
        except OverflowError:
            ms = math.inf
        if not (0 <= ms < math.inf):
            raise ValueError(f"ms must be finite and at least 0, not {ms:g}")
        source = AbortSource()
        reason = TimeoutError(f"the operation took longer than {ms:g} ms")
        asyncio.get_running_loop().call_later(ms / 1000, source.abort, reason)
        return AbortSignal([source])

    @property
    def aborted(self) -> bool:
        """Whether the signal was aborted; once true, it stays so."""
        return self._aborted_source() is not None

    @property
    def reason(self) -> BaseException | None:
        """The reason of the abort, always the same object; None before the abort."""
        source = self._aborted_source()
        return None if source is None else source.reason

    def raise_if_aborted(self) -> None:
        """Raise the reason if the signal is aborted, else return."""
        reason = self.reason
        if reason is not None:
            # Each raise would append to the traceback of the one shared object.
            raise reason.with_traceback(None)

    async def wait(self) -> BaseException:
        """Wait until the signal is aborted; return the reason."""
        while (reason := self.reason) is None:
            loop = asyncio.get_running_loop()
            woken = loop.create_future()
            unsubscribe = self._subscribe(partial(call_threadsafe, loop, partial(_wake, woken)))
            try:
                await woken
            finally:
                unsubscribe()
        return reason

    def _subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` once when the signal aborts; return what takes the subscription back.

        It is called in the aborting thread, or at once if the signal is aborted already. It can
        still be running there when the subscription is taken back.
        """
        key = object()
        unclaimed = [callback]

        def fire() -> None:
            try:
                claimed = unclaimed.pop()
            except IndexError:
                return
            unsubscribe()
            claimed()

        def unsubscribe() -> None:
            for source in self._sources:
                source.remove(key)

        for source in self._sources:
            source.add(key, fire)
        if not unclaimed:
            # It fired while it was being added, so the later sources still hold it.
            unsubscribe()
        return unsubscribe

    def _aborted_source(self) -> AbortSource | None:
        known = self._first.get(None)
        if known is not None:
            return known
        aborted = [source for source in self._sources if source.reason is not None]
        if not aborted:
            return None
        # The answer is kept, so that it stays when a source that another thread is just
        # aborting turns out to have been earlier.
        return self._first.setdefault(None, min(aborted, key=lambda source: source.order))


def _checked(reason: object) -> BaseException:
    kind = reason if isinstance(reason, type) else type(reason)
    if issubclass(kind, _NOT_RAISABLE):
        raise TypeError(
            f"{kind.__name__} can't be the reason of an abort: a coroutine can't raise it as it is;"
            " use another exception"
        )
    if not isinstance(reason, BaseException):
        what = f"the class {kind.__name__}" if isinstance(reason, type) else kind.__name__
        raise TypeError(f"the reason of an abort must be an exception instance, not {what}")
    return reason


def call_threadsafe(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
    """Have `loop` call `callback`; a loop that was closed meanwhile has nobody left to tell."""
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        if not loop.is_closed():
            raise


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
