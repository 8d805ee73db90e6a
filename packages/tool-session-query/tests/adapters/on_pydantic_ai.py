"""A Pydantic AI agent whose model follows a script."""

from __future__ import annotations

from typing import ClassVar

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tool_session_query import ToolCalls
from tool_session_query.adapters.pydantic_ai import function_tools

from .conversing import Framework, Host, Script, session_of


class OnPydanticAI(Framework):
    """Pydantic AI, with a time limit for each tool if there is one."""

    waits: ClassVar[bool] = True

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds

    async def run(self, calls: ToolCalls, host: Host, script: Script) -> list[str]:
        def respond(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            script.offered = {
                tool.name: tool.parameters_json_schema for tool in info.function_tools
            }
            called = [
                ToolCallPart(call.tool, call.arguments, id_) for id_, call in script.next_turn()
            ]
            return ModelResponse([*called] or [TextPart("done")])

        agent = Agent(
            FunctionModel(respond),
            deps_type=Host,
            tools=function_tools(calls, session_of),
            tool_timeout=self._seconds,
        )
        result = await agent.run("hello", deps=host)
        assert result.output == "done"
        parts = [part for message in result.all_messages() for part in message.parts]
        return [str(part.content) for part in parts if isinstance(part, ToolReturnPart)]
