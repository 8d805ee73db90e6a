"""The tools for the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from tool_session_query import ToolCalls, ToolDefinition
from tool_session_query.adapters._framework import SessionOf, missing, parsed

try:
    from agents import FunctionTool, Tool
    from agents.tool_context import ToolContext
except ImportError as error:
    raise missing("openai-agents") from error

__all__ = ["function_tools"]


def function_tools(calls: ToolCalls, session_of: SessionOf) -> list[Tool]:
    """Return the tools for `Agent(tools=…)`.

    A run that is cancelled raises before its tools have ended: await `calls.settled()` after it.

    Args:
        calls: runs the calls.
        session_of: called with the `context` that was given to `Runner.run`.
    """
    return [_function_tool(tool, calls, session_of) for tool in calls.toolset.tools]


def _function_tool(tool: ToolDefinition, calls: ToolCalls, session_of: SessionOf) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        session = session_of(context.context)
        return (await calls.run(tool.name, parsed(arguments), session)).text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=invoke,
        strict_json_schema=False,  # its strict mode would make every argument required
    )
