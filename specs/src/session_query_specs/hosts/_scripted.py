"""An engine that a check can watch, interrupt and break; no host is ever given another one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from session_query import (
    AbortSignal,
    EventDocument,
    EventFilter,
    EventRecord,
    EventSearchPage,
    EventSearchRequest,
    EventTrace,
    EventWindow,
    LineageTrace,
    SessionFilter,
    SessionLog,
    SessionQueryEngine,
    SessionRecord,
    SessionSearchPage,
    SessionSearchRequest,
    SurfaceSnapshot,
    TitleResult,
)

__all__ = ["Recorded", "ScriptedEngine"]

T = TypeVar("T")
R = TypeVar("R", SessionSearchRequest, EventSearchRequest)

_SEARCHES: Final = ("search_sessions", "search_events")
_MOST_CALLS: Final = 400
"""A call of a tool that asks more often would go on for ever."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A call that a host made.

    Attributes:
        method: the name of the method.
        arguments: what was asked.
        signal: with which signal.
        too_late: whether that was aborted before the call was made.
    """

    method: str
    arguments: tuple[Any, ...]
    signal: AbortSignal | None = None
    too_late: bool = False


def _nothing(_number: int) -> None:
    pass


async def _at_once(_signal: AbortSignal | None) -> None:
    pass


class ScriptedEngine(SessionQueryEngine):
    """Passes what a host asks on to another engine, as the script of a check has it.

    Args:
        inner: what answers.
        page_size: the most hits that a page has, whatever was asked for; None for no such limit.
        passes: how many rounds of the loop each call waits, whatever its signal says.

    Attributes:
        calls: what was asked, in order.
        running: how many calls have not ended.
        before: called before a call is answered, with its number; may change the corpus.
        after: called once it is.
        holding: awaited before a call is answered, with its signal.
        careless: whether it looks at no filter of sessions.
        failing: returns what a call raises, by its number and method; None for an answer.
        cursors: with which cursors pages end, over and over; none for those of the other engine.
    """

    def __init__(
        self, inner: SessionQueryEngine, *, page_size: int | None = None, passes: int = 0
    ) -> None:
        super().__init__(inner.sources, inner.config)
        self.inner = inner
        self.page_size = page_size
        self.passes = passes
        self.calls: list[Recorded] = []
        self.running = 0
        self.before: Callable[[int], object] = _nothing
        self.after: Callable[[int], object] = _nothing
        self.holding: Callable[[AbortSignal | None], Awaitable[None]] = _at_once
        self.careless = False
        self.failing: Callable[[int, str], BaseException | None] = lambda _number, _method: None
        self.cursors: tuple[str, ...] = ()

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        """Search the corpus, in pages of the script's size."""
        asked = (
            request if not isinstance(request, Mapping) else _read(SessionSearchRequest, request)
        )
        paged = self._paged(asked)
        if self.careless:
            paged = replace(paged, session_filters=())
        page = await self._passed(
            "search_sessions", (asked,), signal, lambda: self.inner.search_sessions(paged, signal)
        )
        return replace(page, next_cursor=self._cursor()) if self.cursors else page

    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> EventSearchPage:
        """Search one session, in pages of the script's size."""
        asked = _read(EventSearchRequest, request) if isinstance(request, Mapping) else request
        paged = self._paged(asked)
        page = await self._passed(
            "search_events", (asked,), signal, lambda: self.inner.search_events(paged, signal)
        )
        return replace(page, next_cursor=self._cursor()) if self.cursors else page

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        """List all sessions."""
        asked = self.inner.list_sessions
        return await self._passed("list_sessions", (), signal, lambda: asked(signal))

    async def filter_sessions(
        self,
        filters: Iterable[SessionFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> list[SessionRecord]:
        """Return some sessions."""
        asked, given = self.inner.filter_sessions, tuple(filters)
        if self.careless:
            everything = self.inner.list_sessions
            return await self._passed("filter_sessions", given, signal, lambda: everything(signal))
        return await self._passed("filter_sessions", given, signal, lambda: asked(given, signal))

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        """Read a log."""
        asked, given = self.inner.read_session, (session_id,)
        return await self._passed("read_session", given, signal, lambda: asked(*given, signal))

    async def list_events(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> list[EventRecord]:
        """List the events of a session."""
        asked, given = self.inner.list_events, (session_id,)
        return await self._passed("list_events", given, signal, lambda: asked(*given, signal))

    async def filter_events(
        self,
        session_id: str,
        filters: Iterable[EventFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> list[EventDocument]:
        """Return some events of a session."""
        asked, given = self.inner.filter_events, (session_id, tuple(filters))
        return await self._passed("filter_events", given, signal, lambda: asked(*given, signal))

    async def read_surface(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> SurfaceSnapshot:
        """Read what is on the surface."""
        asked, given = self.inner.read_surface, (session_id,)
        return await self._passed("read_surface", given, signal, lambda: asked(*given, signal))

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        """Read an event and its neighbours."""
        asked, given = self.inner.read_event, (session_id, seq, before, after)
        return await self._passed("read_event", given, signal, lambda: asked(*given, signal))

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        """Read some titles."""
        asked, given = self.inner.read_titles, tuple(ids)
        return await self._passed("read_titles", given, signal, lambda: asked(given, signal))

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        """Trace a lineage."""
        asked, given = self.inner.trace_session, (session_id,)
        return await self._passed("trace_session", given, signal, lambda: asked(*given, signal))

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        """Trace the relations of an event."""
        asked, given = self.inner.trace_event, (session_id, seq)
        return await self._passed("trace_event", given, signal, lambda: asked(*given, signal))

    def _paged(self, request: R) -> R:
        """Return a request as it is passed on."""
        changes: dict[str, Any] = {}
        if self.page_size is not None and (request.limit is None or request.limit > self.page_size):
            changes["limit"] = self.page_size
        if self.cursors:
            changes["cursor"] = None
        return replace(request, **changes)

    def _cursor(self) -> str:
        """Return the cursor of the page that was asked for last."""
        pages = sum(call.method in _SEARCHES for call in self.calls)
        return self.cursors[(pages - 1) % len(self.cursors)]

    async def _passed(
        self,
        method: str,
        given: tuple[Any, ...],
        signal: AbortSignal | None,
        answer: Callable[[], Awaitable[T]],
    ) -> T:
        number = len(self.calls)
        too_late = signal is not None and signal.aborted
        self.calls.append(Recorded(method, given, signal, too_late))
        if number >= _MOST_CALLS:
            raise RuntimeError("one call of a tool asks without end")
        self.running += 1
        try:
            self.before(number)
            await self.holding(signal)
            for _ in range(self.passes):
                await asyncio.sleep(0)
            failure = self.failing(number, method)
            if failure is not None:
                raise failure
            return await answer()
        finally:
            self.running -= 1
            self.after(number)


def _read(kind: Callable[..., R], request: Mapping[str, Any]) -> R:
    """Return a request that was given as JSON; names that there aren't are refused by Python."""
    return kind(**{_snake(name): value for name, value in request.items()})


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
