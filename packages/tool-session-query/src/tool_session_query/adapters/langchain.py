"""The tools for LangChain agents and LangGraph."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tool_session_query import ToolCalls, ToolDefinition
from tool_session_query.adapters._framework import SessionOf, missing

try:
    from langchain_core.tools import BaseTool
    from langgraph.runtime import get_runtime
except ImportError as error:
    raise missing("langchain") from error

__all__ = ["function_tools"]


def function_tools(calls: ToolCalls, session_of: SessionOf) -> list[BaseTool]:
    """Return the tools for `create_agent(tools=…)` or `ToolNode(…)`; they run in asyncio only.

    Args:
        calls: runs the calls.
        session_of: called with the `context` that was given to the run of the graph.
    """
    return [_function_tool(tool, calls, session_of) for tool in calls.toolset.tools]


def _function_tool(tool: ToolDefinition, calls: ToolCalls, session_of: SessionOf) -> BaseTool:
    async def invoke(arguments: dict[str, Any]) -> str:
        # An injected `runtime` would travel among the arguments of the model; this does not.
        try:
            runtime = get_runtime()
        except RuntimeError:  # called outside of a graph: nobody vouches for a caller
            runtime = None
        session = None if runtime is None else session_of(runtime.context)
        return (await calls.run(tool.name, arguments, session)).text

    return _Tool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        invoke_with=invoke,
    )


class _Tool(BaseTool):
    """Not a `StructuredTool`: that one fails, or drops them, if arguments are named as its own."""

    invoke_with: Callable[[dict[str, Any]], Awaitable[str]]

    def _run(self, *_: Any, **__: Any) -> str:
        raise NotImplementedError(f"{self.name} runs in asyncio only: use ainvoke")

    async def _arun(self, /, **arguments: Any) -> str:
        return await self.invoke_with(arguments)
