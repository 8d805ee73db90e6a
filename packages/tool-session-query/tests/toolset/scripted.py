"""A service that answers as a test tells it, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from session_query import (
    AbortController,
    AbortSignal,
    EventRecord,
    EventSearchPage,
    EventSearchRequest,
    EventTrace,
    EventWindow,
    IdFilter,
    LineageTrace,
    LiveSession,
    SearchConfig,
    SessionEvent,
    SessionFilter,
    SessionHeader,
    SessionQueryEngine,
    SessionQueryError,
    SessionRecord,
    SessionSearchPage,
    SessionSearchRequest,
    SessionSources,
    SessionStore,
    TitleObservation,
    TitleResult,
    normalize_event_search,
    normalize_session_filters,
    normalize_session_search,
)
from tool_session_query import (
    SessionQueryToolError,
    ToolAgent,
    ToolDefinition,
    ToolRun,
    ToolSessionQueryConfig,
    session_query_toolset,
)

WORKSPACE = "/srv/place"
CREATED = 1_780_000_000_000
TOOLS = (
    "session_search",
    "session_event_search",
    "session_trace",
    "session_event_trace",
    "session_event_read",
)
LEAST: Mapping[str, dict[str, Any]] = {
    "session_search": {"query": "needle"},
    "session_event_search": {"query": "needle"},
    "session_trace": {},
    "session_event_trace": {"seq": 0},
    "session_event_read": {"seq": 0},
}
"""The fewest arguments that each tool takes."""


def header(session_id: str = "other", **fields: Any) -> SessionHeader:
    """The header of a session of the caller's workspace."""
    return SessionHeader(0, session_id, CREATED, **{"cwd": WORKSPACE, **fields})


def record(session_id: str = "other", **fields: Any) -> SessionRecord:
    """A stored session of the caller's workspace."""
    return SessionRecord(header(session_id, **fields), live=False, persisted=True)


def unrelated(session_id: str, seq: int) -> EventTrace:
    """A trace of an event without relations."""
    target = EventRecord(session_id, seq, "note", CREATED, "log-only")
    return EventTrace(header(session_id), target, None, (), (), (), ())


def window_of(session_id: str, seq: int) -> EventWindow:
    """An event alone."""
    event = SessionEvent("note", seq, CREATED, {})
    return EventWindow(header(session_id), event, (event,), seq, seq)


def own_session(session_id: str = "own", cwd: str | None = WORKSPACE) -> LiveSession:
    """The caller's session, in its first step, which begins with event 2."""
    session = SessionStore(clock=lambda: CREATED).create(session_id, cwd=cwd, created_at=CREATED)
    session.append("turn/start", {"turn": 1})
    session.append("user/message", {"content": [], "role": "user", "id": "u"}, "append")
    session.append("step/start", {"turn": 1, "step": 1})
    return session


class ScriptedEngine(SessionQueryEngine):
    """Answers each call by the function of its name, or with an exception, or emptily."""

    def __init__(self, **answers: Any) -> None:
        super().__init__(SessionSources(SessionStore()), SearchConfig())
        self.answers = answers
        self.asked: list[tuple[Any, ...]] = []
        self.signals: list[AbortSignal | None] = []

    async def _answer(self, signal: AbortSignal | None, default: Any, *asked: Any) -> Any:
        self.asked.append(asked)
        self.signals.append(signal)
        answer = self.answers.get(asked[0], default)
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            answer = answer(*asked[1:])
        return await answer if inspect.isawaitable(answer) else answer

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        normalize_session_search(request, SearchConfig())  # any provider would take it
        page: SessionSearchPage = await self._answer(
            signal, SessionSearchPage(()), "search_sessions", request
        )
        return page

    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> EventSearchPage:
        normalize_event_search(request, SearchConfig())
        assert isinstance(request, EventSearchRequest)
        empty = EventSearchPage(header(request.session_id), ())
        page: EventSearchPage = await self._answer(signal, empty, "search_events", request)
        return page

    async def filter_sessions(
        self,
        filters: Iterable[SessionFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> list[SessionRecord]:
        given = tuple(filters)
        normalize_session_filters(given, "filters")
        ids = [each.values for each in given if isinstance(each, IdFilter)]
        known = [record(str(one)) for one in (ids[0] if ids else ()) if one]
        found: list[SessionRecord] = await self._answer(signal, known, "filter_sessions", given)
        return found

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        given = tuple(ids)
        untitled = [TitleResult(one, TitleObservation(header(one), None)) for one in given]
        titles: list[TitleResult] = await self._answer(signal, untitled, "read_titles", given)
        return titles

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        target = record(session_id)
        alone = LineageTrace(target, (), (), complete=True, root=target)
        trace: LineageTrace = await self._answer(signal, alone, "trace_session", session_id)
        return trace

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        trace: EventTrace = await self._answer(
            signal, unrelated(session_id, seq), "trace_event", session_id, seq
        )
        return trace

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        window: EventWindow = await self._answer(
            signal, window_of(session_id, seq), "read_event", session_id, seq, before, after
        )
        return window


def tool_of(
    engine: SessionQueryEngine, name: str, config: ToolSessionQueryConfig | None = None
) -> ToolDefinition:
    """One of the tools over a service."""
    return next(tool for tool in session_query_toolset(engine, config).tools if tool.name == name)


def answer(
    engine: SessionQueryEngine,
    name: str,
    arguments: object,
    session: LiveSession | None = None,
    signal: AbortSignal | None = None,
) -> str:
    """What a tool answers to a call from the own session."""
    run = ToolRun(signal or AbortController().signal, ToolAgent(session or own_session()))
    return asyncio.run(tool_of(engine, name).execute(arguments, run))


def refusal(call: Callable[[], object]) -> SessionQueryToolError:
    """The error that a call ends with; it drags nothing else along."""
    with pytest.raises(SessionQueryToolError) as caught:
        call()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


def failure(code: str, session: SessionHeader | None = None, text: str = "") -> SessionQueryError:
    """A failure of the service."""
    return SessionQueryError(text, code, header=session)
