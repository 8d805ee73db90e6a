"""The tools for Pydantic AI."""

from __future__ import annotations

from typing import Any, cast

from pydantic_core import SchemaValidator

from tool_session_query import ToolCalls, ToolDefinition
from tool_session_query.adapters._framework import SessionOf, missing, parsed

try:
    from pydantic_ai import RunContext, Tool
except ImportError as error:
    raise missing("pydantic-ai") from error

__all__ = ["function_tools"]


def function_tools(calls: ToolCalls, session_of: SessionOf) -> list[Tool[Any]]:
    """Return the tools for `Agent(tools=…)`.

    Args:
        calls: runs the calls.
        session_of: called with the `deps` that were given to the run.
    """
    return [_function_tool(tool, calls, session_of) for tool in calls.toolset.tools]


def _function_tool(tool: ToolDefinition, calls: ToolCalls, session_of: SessionOf) -> Tool[Any]:
    async def invoke(context: RunContext[Any], *, arguments: object) -> str:
        return (await calls.run(tool.name, arguments, session_of(context.deps))).text

    made: Tool[Any] = Tool.from_schema(
        invoke,
        name=tool.name,
        description=tool.description,
        json_schema=tool.parameters,
        takes_ctx=True,
        sequential=tool.concurrency == "exclusive",
    )
    made.function_schema.validator = cast("SchemaValidator", _AnyArguments())
    return made


class _AnyArguments:
    """Lets any arguments through, for the tool to judge; stands in for a pydantic validator.

    The framework's own would count what is no JSON as a failure, and too many of those end the run;
    and it would make the names that a model gives to arguments those of Python parameters.
    """

    def validate_json(self, given: str | bytes | bytearray, **_: object) -> dict[str, object]:
        """Take arguments as text."""
        return {"arguments": parsed(given)}

    def validate_python(self, given: object, **_: object) -> dict[str, object]:
        """Take arguments that are parsed already."""
        return {"arguments": given}
