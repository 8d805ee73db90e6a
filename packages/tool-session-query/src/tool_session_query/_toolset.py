"""The five tools and what a prompt says of them (TOOL-1 to TOOL-6)."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from session_query import ErrorCode, SessionQueryEngine, SessionQueryError

from tool_session_query import _operations
from tool_session_query._config import ToolSessionQueryConfig
from tool_session_query._errors import SessionQueryToolError, invalid_argument
from tool_session_query._input import (
    Arguments,
    EventReadArguments,
    EventSearchArguments,
    EventTraceArguments,
    SessionSearchArguments,
    SessionTraceArguments,
    parameters_of,
    read_arguments,
)
from tool_session_query._presentation import CallCard, card_of
from tool_session_query._run import Run
from tool_session_query._service_boundary import PASSING, Service, contained
from tool_session_query._workspace_access import Caller

__all__ = ["ToolDefinition", "Toolset", "session_query_toolset"]

PROMPT_SECTION: Final = (
    "## Earlier sessions\n\n"
    "Logs of earlier sessions in this workspace can be searched. When the user refers to earlier"
    " work, or when you need what was decided, tried or found before, use session_search, or"
    " session_event_search for one session (yours by default). Results never leave this workspace,"
    " and there is no further page: ask more precisely instead. Follow a hit by its session id and"
    " seq: session_event_read shows the event and its neighbours, session_event_trace what replaced"
    " it or cites it, session_trace the session's parents and forks."
)

_Execute = Callable[[Service, Caller, Any], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool, as any host or framework can offer it to a model (TOOL-3).

    Attributes:
        name: its name.
        description: what it does, for the model.
        timeout_ms: after how many milliseconds the host is to abort it; None for no limit.
        concurrency: whether it may run beside other tool calls of its agent, or only alone.
    """

    name: str
    description: str
    timeout_ms: int | None
    concurrency: Literal["exclusive", "parallel"]
    _engine: SessionQueryEngine = field(repr=False)
    _model: type[Arguments] = field(repr=False)
    _limits: Mapping[str, int] = field(repr=False)
    _operation: _Execute = field(repr=False)
    _kind: Literal["search", "read"] = field(repr=False)
    _title: Callable[[Mapping[str, Any]], str] = field(repr=False)

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments; a new copy each time, since frameworks change it."""
        return copy.deepcopy(parameters_of(self._model, **self._limits))

    async def execute(self, arguments: object, run: Run) -> str:
        """Answer one call with text for the model (TOOL-6).

        Args:
            arguments: the arguments as the model gave them, parsed.
            run: who calls, and what may end the call.

        Raises:
            SessionQueryToolError: with a message that may be shown to the model.
            BaseException: the reason of `run.signal`, the very object, once all that was started
                has settled.
        """
        caller = Caller.of(run)
        caller.signal.raise_if_aborted()
        checked = self._checked(arguments)
        service = Service(self._engine, caller.signal, caller.may_see)
        try:
            return await self._operation(service, caller, checked)
        except SessionQueryToolError:
            raise
        except PASSING:
            raise
        except BaseException as error:
            if error is caller.signal.reason or isinstance(error, asyncio.CancelledError):
                raise
            failure = error
        # outside of `except`: what is raised must not drag the original along
        raise contained(failure, caller.may_see)

    def present_call(self, arguments: object) -> CallCard:
        """Return what people see of a call; pure, and for any arguments (TOOL-3)."""
        return card_of(self._kind, self._title, arguments)

    def _checked(self, arguments: object) -> Arguments:
        checked = read_arguments(self._model, arguments)
        for name, largest in self._limits.items():
            if getattr(checked, name) > largest:
                given = getattr(checked, name)
                problem = f"expected a whole number from 0 to {largest}, got {given}"
                raise invalid_argument(name, problem)
        return checked


@dataclass(frozen=True, slots=True)
class Toolset:
    """The tools and the section of the prompt that teaches them; `mount` puts both into a host."""

    prompt_section: str
    tools: tuple[ToolDefinition, ...]


def session_query_toolset(
    engine: SessionQueryEngine, config: ToolSessionQueryConfig | None = None
) -> Toolset:
    """Return the five read-only tools over one service (TOOL-1).

    Args:
        engine: the service; the tools never learn which provider it is.
        config: the settings; the defaults if left out.

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_CONFIG`.
    """
    if not isinstance(engine, SessionQueryEngine):
        raise _invalid(f"engine: expected a SessionQueryEngine, got {type(engine).__name__}")
    config = ToolSessionQueryConfig() if config is None else config
    if not isinstance(config, ToolSessionQueryConfig):
        raise _invalid(f"config: expected a ToolSessionQueryConfig, got {type(config).__name__}")
    most, timeout = config.max_search_results, config.search_timeout_ms
    window = engine.config.read_window_max
    return Toolset(
        PROMPT_SECTION,
        (
            ToolDefinition(
                "session_search",
                "Search the other sessions of this workspace. One hit per session, with its best"
                " matching event.",
                timeout,
                "exclusive",
                engine,
                SessionSearchArguments,
                {},
                lambda service, caller, given: _operations.search_sessions(
                    service, caller, given, most
                ),
                "search",
                lambda given: f"Search earlier sessions: {given.get('query', '')}",
            ),
            ToolDefinition(
                "session_event_search",
                "Search the events of one session. In your own session, the running step is left"
                " out.",
                timeout,
                "exclusive",
                engine,
                EventSearchArguments,
                {},
                lambda service, caller, given: _operations.search_events(
                    service, caller, given, most
                ),
                "search",
                lambda given: f"Search {_session(given)}: {given.get('query', '')}",
            ),
            ToolDefinition(
                "session_trace",
                "Show the sessions that a session was forked or delegated from, and those that came"
                " of it.",
                None,
                "parallel",
                engine,
                SessionTraceArguments,
                {},
                lambda service, caller, given: _operations.trace_session(
                    service, caller, given, most
                ),
                "read",
                lambda given: f"Trace {_session(given)}",
            ),
            ToolDefinition(
                "session_event_trace",
                "Show by which events an event was replaced, which it replaces, and which it is"
                " made from or used by.",
                None,
                "parallel",
                engine,
                EventTraceArguments,
                {},
                _operations.trace_event,
                "read",
                lambda given: f"Trace event {given.get('seq', '')} of {_session(given)}",
            ),
            ToolDefinition(
                "session_event_read",
                "Read one event exactly, and its neighbours in the log.",
                None,
                "parallel",
                engine,
                EventReadArguments,
                {"before": window, "after": window},
                _operations.read_event,
                "read",
                lambda given: f"Read event {given.get('seq', '')} of {_session(given)}",
            ),
        ),
    )


def _session(given: Mapping[str, Any]) -> str:
    return f"session {given['session_id']}" if "session_id" in given else "this session"


def _invalid(problem: str) -> SessionQueryError:
    return SessionQueryError(problem, ErrorCode.INVALID_CONFIG)
