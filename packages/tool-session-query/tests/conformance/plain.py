"""The tools as a host of their own: mounted, and each executed directly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from session_query import AbortSignal, LiveSession, SessionQueryEngine
from session_query_specs import HostUnderTest, ToolOutcome
from tool_session_query import (
    SessionQueryToolError,
    ToolAgent,
    ToolCalls,
    ToolDefinition,
    ToolRun,
    mount,
    session_query_toolset,
)


class Mounted:
    """A host that keeps what is mounted into it."""

    def __init__(self, engine: SessionQueryEngine) -> None:
        self.tools: dict[str, ToolDefinition] = {}
        self.unmount = mount(session_query_toolset(engine), self)

    def add_prompt_section(self, name: str, text: str) -> Callable[[], object]:
        del name, text
        return lambda: None

    def add_tool(self, tool: ToolDefinition) -> Callable[[], object]:
        self.tools[tool.name] = tool
        return lambda: self.tools.pop(tool.name)


class CallsHost(HostUnderTest):
    """Runs the tools as a framework without policies would: through `ToolCalls`."""

    name: ClassVar[str] = "tool calls"

    async def open(self, engine: SessionQueryEngine) -> Any:
        return ToolCalls(session_query_toolset(engine))

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        result = await host.run(tool, arguments, caller, signal)
        if result.code is None:
            return ToolOutcome(text=result.text)
        message = result.text.removeprefix(f"Error {result.code}: ")
        return ToolOutcome(code=result.code, message=message)

    async def close(self, host: Any) -> None:
        await host.settled()


class PlainHost(HostUnderTest):
    """Executes the tools as they are: its errors are those of the tools."""

    name: ClassVar[str] = "plain"

    async def open(self, engine: SessionQueryEngine) -> Any:
        return Mounted(engine)

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        run = ToolRun(signal, None if caller is None else ToolAgent(caller))
        try:
            return ToolOutcome(text=await host.tools[tool].execute(arguments, run))
        except SessionQueryToolError as error:
            return ToolOutcome(code=error.code.value, message=error.message)

    async def close(self, host: Any) -> None:
        host.unmount()
        assert not host.tools
