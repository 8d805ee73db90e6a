"""The tools as each framework calls them: with its own context, and without a model."""

from __future__ import annotations

import asyncio
import json
import re
from abc import abstractmethod
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from agents import FunctionTool
from agents.tool_context import ToolContext
from langgraph.runtime import Runtime
from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from session_query import AbortSignal, LiveSession, SessionQueryEngine
from session_query_specs import HostUnderTest, ToolOutcome
from tool_session_query import ToolCalls, session_query_toolset
from tool_session_query.adapters import langchain, openai_agents, pydantic_ai

_FAILURE = re.compile("Error ([A-Z_]+): (.*)", re.DOTALL)


class AdaptedHost(HostUnderTest):
    """Calls the tools of one framework; an abort cancels the call, as the framework would."""

    async def open(self, engine: SessionQueryEngine) -> Any:
        calls = ToolCalls(session_query_toolset(engine))
        return {tool.name: tool for tool in self.tools(calls)}

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        signal.raise_if_aborted()
        text = await _unless_aborted(self.invoke(host[tool], dict(arguments), caller), signal)
        failed = _FAILURE.fullmatch(text)
        if failed is None:
            return ToolOutcome(text=text)
        return ToolOutcome(code=failed[1], message=failed[2])

    async def close(self, host: Any) -> None:
        host.clear()

    @abstractmethod
    def tools(self, calls: ToolCalls) -> list[Any]:
        """Return the tools, made for the framework."""

    @abstractmethod
    async def invoke(self, tool: Any, arguments: dict[str, Any], caller: LiveSession | None) -> str:
        """Call one, as the framework does."""


@dataclass(frozen=True)
class Vouched:
    """What the host puts into the context of a run."""

    session: LiveSession | None


def session_of(context: Vouched) -> LiveSession | None:
    """Tell the adapters where the session is."""
    return context.session


class OpenAIAgentsHost(AdaptedHost):
    """The OpenAI Agents SDK."""

    name: ClassVar[str] = "openai-agents"

    def tools(self, calls: ToolCalls) -> list[Any]:
        return list(openai_agents.function_tools(calls, session_of))

    async def invoke(self, tool: Any, arguments: dict[str, Any], caller: LiveSession | None) -> str:
        assert isinstance(tool, FunctionTool)
        text = json.dumps(arguments)
        context: Any = ToolContext(
            Vouched(caller), tool_name="t", tool_call_id="1", tool_arguments=text
        )
        return str(await tool.on_invoke_tool(context, text))


class PydanticAIHost(AdaptedHost):
    """Pydantic AI."""

    name: ClassVar[str] = "pydantic-ai"

    def tools(self, calls: ToolCalls) -> list[Any]:
        return list(pydantic_ai.function_tools(calls, session_of))

    async def invoke(self, tool: Any, arguments: dict[str, Any], caller: LiveSession | None) -> str:
        schema = tool.function_schema
        given = schema.validator.validate_json(json.dumps(arguments))
        context = RunContext(deps=Vouched(caller), model=TestModel(), usage=RunUsage())
        return str(await schema.call(given, context))


class LangChainHost(AdaptedHost):
    """LangChain, inside of a run of a graph."""

    name: ClassVar[str] = "langchain"

    def tools(self, calls: ToolCalls) -> list[Any]:
        return list(langchain.function_tools(calls, session_of))

    async def invoke(self, tool: Any, arguments: dict[str, Any], caller: LiveSession | None) -> str:
        config = {"configurable": {"__pregel_runtime": Runtime(context=Vouched(caller))}}
        return str(await tool.ainvoke(arguments, config=config))


async def _unless_aborted(call: Coroutine[Any, Any, str], signal: AbortSignal) -> str:
    """Return what a call comes to; cancel it once the signal is aborted, and wait for its end."""
    called = asyncio.create_task(call, name="tool")
    aborted = asyncio.create_task(signal.wait(), name="abort")
    try:
        await asyncio.wait({called, aborted}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (called, aborted):
            task.cancel()
        await asyncio.wait({called, aborted})
    signal.raise_if_aborted()
    return called.result()
