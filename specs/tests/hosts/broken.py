"""Hosts of the five tools that are wrong on purpose, each in one thing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from session_query import (
    AbortSignal,
    EventTrace,
    EventWindow,
    LiveSession,
    SessionQueryEngine,
    SessionStore,
)
from session_query_specs import HostUnderTest, ToolOutcome
from session_query_specs.hosts import HERE, ScriptedEngine
from tool_session_query import SessionQueryToolError, ToolAgent, ToolRun, session_query_toolset

T = TypeVar("T")


class Tools(HostUnderTest):
    """Executes the tools over what its subclass makes of the engine."""

    name: ClassVar[str] = "tools"

    async def open(self, engine: SessionQueryEngine) -> Any:
        return self.over(engine)

    def over(self, engine: SessionQueryEngine) -> SessionQueryEngine:
        """Return what the tools are to ask."""
        return engine

    def agent(self, caller: LiveSession | None) -> ToolAgent | None:
        """Return who calls."""
        return None if caller is None else ToolAgent(caller)

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        tools = {one.name: one for one in session_query_toolset(host).tools}
        try:
            text = await tools[tool].execute(arguments, ToolRun(signal, self.agent(caller)))
        except SessionQueryToolError as error:
            return ToolOutcome(code=error.code.value, message=error.message)
        return ToolOutcome(text=text)

    async def close(self, host: Any) -> None:
        del host


class _Believing(ScriptedEngine):
    """Whatever comes back, it says that it is of the workspace."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        window = await super().read_event(session_id, seq, before, after, signal)
        return replace(window, header=replace(window.header, cwd=HERE))

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        trace = await super().trace_event(session_id, seq, signal)
        return replace(trace, header=replace(trace.header, cwd=HERE))


class ChecksOnlyBefore(Tools):
    """Authorizes a target before it is read, and doesn't look at what came back (AUTH-4)."""

    name: ClassVar[str] = "checks only before"

    def over(self, engine: SessionQueryEngine) -> SessionQueryEngine:
        return _Believing(engine)


class _Remembering(ScriptedEngine):
    """Keeps the last failure."""

    last: BaseException | None = None

    async def _passed(
        self,
        method: str,
        given: tuple[Any, ...],
        signal: AbortSignal | None,
        answer: Callable[[], Awaitable[T]],
    ) -> T:
        try:
            return await super()._passed(method, given, signal, answer)
        except BaseException as error:
            self.last = error
            raise


class PassesTextOn(Tools):
    """Adds the text of the original failure to the message for the model (SAN-2)."""

    name: ClassVar[str] = "passes text on"

    def over(self, engine: SessionQueryEngine) -> SessionQueryEngine:
        return _Remembering(engine)

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        told = await super().call(host, tool, arguments, caller=caller, signal=signal)
        if told.code is None or host.last is None:
            return told
        args = BaseException.__getattribute__(host.last, "args")
        return replace(told, message=f"{told.message} ({args})")


class ShowsOwnSession(Tools):
    """Doesn't know the caller's session from any other of the workspace (AUTH-5)."""

    name: ClassVar[str] = "shows the own session"

    def agent(self, caller: LiveSession | None) -> ToolAgent | None:
        if caller is None:
            return None
        header = replace(caller.header, id="somebody else")
        return ToolAgent(SessionStore().attach(header, caller.events))
