"""A model of each agent framework that searches once, then repeats the first hit."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import agents
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from pydantic_ai import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

TOOL = "session_search"
ARGUMENTS = {"query": "token bucket", "include_root_sessions": True, "match": "phrase"}


def first_hit(answer: object) -> str:
    """The line with the id of the first hit."""
    return next(line for line in str(answer).splitlines() if line.startswith("1. "))


class OpenAIAgentsModel(agents.Model):
    """For the OpenAI Agents SDK."""

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002 - the name that the SDK gives it
        *_: Any,
        **__: Any,
    ) -> agents.ModelResponse:
        assert "session_search" in system_instructions
        found = [each["output"] for each in input if "output" in each]
        output: Any
        if found:
            text = ResponseOutputText(type="output_text", text=first_hit(found[0]), annotations=[])
            output = ResponseOutputMessage(
                type="message", id="1", role="assistant", status="completed", content=[text]
            )
        else:
            output = ResponseFunctionToolCall(
                type="function_call", call_id="1", name=TOOL, arguments=json.dumps(ARGUMENTS)
            )
        return agents.ModelResponse(output=[output], usage=agents.Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def pydantic_ai_model() -> FunctionModel:
    """For Pydantic AI."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert "session_search" in (info.instructions or "")
        parts = [part for message in messages for part in message.parts]
        found = [part.content for part in parts if isinstance(part, ToolReturnPart)]
        return ModelResponse(
            [TextPart(first_hit(found[0])) if found else ToolCallPart(TOOL, ARGUMENTS)]
        )

    return FunctionModel(respond)


class LangChainModel(BaseChatModel):
    """For LangChain."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        del tools
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        assert "session_search" in str(messages[0].content)
        found = [each.content for each in messages if isinstance(each, ToolMessage)]
        call = tool_call(name=TOOL, args=dict(ARGUMENTS), id="1")
        message = AIMessage(first_hit(found[0])) if found else AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])
