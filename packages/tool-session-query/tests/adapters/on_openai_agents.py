"""An agent of the OpenAI Agents SDK whose model follows a script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    ToolCallOutputItem,
    Usage,
)
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from tool_session_query import ToolCalls
from tool_session_query.adapters.openai_agents import function_tools

from .conversing import Framework, Host, Script, session_of


class ScriptedModel(Model):
    """Says what stands in its script."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        for tool in kwargs["tools"] if "tools" in kwargs else args[3]:
            assert isinstance(tool, FunctionTool)
            self._script.offered[tool.name] = tool.params_json_schema
        calls = [
            ResponseFunctionToolCall(
                type="function_call", call_id=id_, name=call.tool, arguments=call.arguments
            )
            for id_, call in self._script.next_turn()
        ]
        text = ResponseOutputText(type="output_text", text="done", annotations=[])
        end = ResponseOutputMessage(
            type="message", id="end", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[*calls] or [end], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


class OnOpenAIAgents(Framework):
    """The OpenAI Agents SDK, without its tracing."""

    waits: ClassVar[bool] = False

    async def run(self, calls: ToolCalls, host: Host, script: Script) -> list[str]:
        agent = Agent[Host](
            "agent", tools=function_tools(calls, session_of), model=ScriptedModel(script)
        )
        config = RunConfig(tracing_disabled=True)
        result = await Runner.run(agent, "hello", context=host, run_config=config, max_turns=100)
        assert result.final_output == "done"
        outputs = [item for item in result.new_items if isinstance(item, ToolCallOutputItem)]
        return [str(item.output) for item in outputs]
