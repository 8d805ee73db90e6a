"""The mutants of hosts around a small host of the real tools, where a script can import them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from session_query import AbortSignal, LiveSession, SessionQueryEngine
from session_query_specs import HostUnderTest, ToolOutcome
from session_query_specs.mutants import host_authority, host_endings
from tool_session_query import SessionQueryToolError, ToolAgent, ToolRun, session_query_toolset


class Tools(HostUnderTest):
    """Executes the tools as they are."""

    name: ClassVar[str] = "tools"

    async def open(self, engine: SessionQueryEngine) -> Any:
        return engine

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
        agent = None if caller is None else ToolAgent(caller)
        try:
            text = await tools[tool].execute(arguments, ToolRun(signal, agent))
        except SessionQueryToolError as error:
            return ToolOutcome(code=error.code.value, message=error.message)
        return ToolOutcome(text=text)

    async def close(self, host: Any) -> None:
        del host


class _AroundTools:
    def __init__(self) -> None:
        super().__init__(Tools())  # type: ignore[call-arg]  # the mutant beside it takes a host


class ChecksOnlyBefore(_AroundTools, host_authority.ChecksOnlyBefore):
    """Authorizes a target before it is read, and doesn't look at what came back (AUTH-4)."""


class PassesTextOn(_AroundTools, host_endings.PassesTextOn):
    """Adds the text of the original failure to the message for the model (SAN-2)."""


class ShowsOwnSession(_AroundTools, host_authority.ShowsOwnSession):
    """Doesn't know the caller's session from any other of the workspace (AUTH-5)."""
