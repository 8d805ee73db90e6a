"""A LangChain agent whose model follows a script."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from tool_session_query import ToolCalls
from tool_session_query.adapters.langchain import function_tools

from .conversing import Framework, Host, Script, session_of


class ScriptedModel(BaseChatModel):
    """Says what stands in its script."""

    script: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        for tool in tools:
            made = convert_to_openai_tool(tool)["function"]
            self.script.offered[made["name"]] = made["parameters"]
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        del messages
        calls = [
            tool_call(name=call.tool, args=json.loads(call.arguments), id=id_)
            for id_, call in self.script.next_turn()
        ]
        message = AIMessage("" if calls else "done", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


class OnLangChain(Framework):
    """LangChain's agent; chat models parse arguments themselves and give tools objects only."""

    waits: ClassVar[bool] = True
    takes_any_text: ClassVar[bool] = False

    async def run(self, calls: ToolCalls, host: Host, script: Script) -> list[str]:
        agent = create_agent(
            ScriptedModel(script=script),
            function_tools(calls, session_of),
            context_schema=Host,
        )
        asked: Any = {"messages": [("user", "hello")]}
        state = await agent.ainvoke(asked, context=host)
        messages = state["messages"]
        assert messages[-1].content == "done"
        return [str(each.content) for each in messages if isinstance(each, ToolMessage)]
