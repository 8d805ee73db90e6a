"""The five tools of `tool_session_query`, as tools of this host (HOST-1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from session_query import SessionQueryEngine
from tool_session_query import (
    SessionQueryToolError,
    ToolDefinition,
    ToolSessionQueryConfig,
    mount,
    session_query_toolset,
)

from reference_host._prompt import PromptAssembly
from reference_host.errors import ToolError
from reference_host.tools._registry import ToolRegistry
from reference_host.tools._tool import Card, Concurrency, HostRun

__all__ = ["mount_session_query"]


class _SessionQueryTool:
    """Tells the host which failures may be shown; all else is the tool's own."""

    def __init__(self, definition: ToolDefinition) -> None:
        self._definition = definition
        self.name = definition.name
        self.description = definition.description
        self.timeout_ms = definition.timeout_ms
        self.concurrency: Concurrency = definition.concurrency

    @property
    def parameters(self) -> dict[str, Any]:
        return self._definition.parameters

    async def execute(self, arguments: Any, run: HostRun) -> str:
        try:
            return await self._definition.execute(arguments, run)
        except SessionQueryToolError as error:
            name = type(error).__name__
            raise ToolError(error.message, error.code.value, name) from None

    def present_call(self, arguments: Any) -> Card:
        return self._definition.present_call(arguments)


class _Mounting:
    """What `mount` asks of a host."""

    def __init__(self, prompt: PromptAssembly, tools: ToolRegistry) -> None:
        self._prompt = prompt
        self._tools = tools

    def add_prompt_section(self, name: str, text: str) -> Callable[[], object]:
        return self._prompt.add(name, text)

    def add_tool(self, tool: ToolDefinition) -> Callable[[], object]:
        return self._tools.register(_SessionQueryTool(tool))


def mount_session_query(
    engine: SessionQueryEngine,
    config: ToolSessionQueryConfig,
    prompt: PromptAssembly,
    tools: ToolRegistry,
) -> Callable[[], None]:
    """Add the section and the five tools, and return what removes all of it."""
    return mount(session_query_toolset(engine, config), _Mounting(prompt, tools))
