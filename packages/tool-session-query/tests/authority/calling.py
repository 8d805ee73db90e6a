"""Calls of the tools over the real engine, and what comes of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from session_query import AbortController, LiveSession, SessionQueryEngine, SessionSources
from session_query_specs.hosts import ScriptedEngine
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine
from tool_session_query import SessionQueryToolError, ToolAgent, ToolRun, session_query_toolset

REFUSED = "SESSION_QUERY_TOOL_UNAUTHORIZED"


class Outcome(NamedTuple):
    """What the model gets: a text, or a code and a message."""

    text: str | None = None
    code: str | None = None
    message: str | None = None


class Ask(NamedTuple):
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any]


async def called(engine: SessionQueryEngine, ask: Ask, session: LiveSession) -> Outcome:
    """Make one call for the agent of a session."""
    tools = {tool.name: tool for tool in session_query_toolset(engine).tools}
    run = ToolRun(AbortController().signal, ToolAgent(session))
    try:
        return Outcome(await tools[ask.tool].execute(ask.arguments, run))
    except SessionQueryToolError as error:
        told = error
    assert told.__cause__ is None
    assert told.__context__ is None
    return Outcome(None, told.code.value, told.message)


@asynccontextmanager
async def watched(sources: SessionSources, **settings: Any) -> AsyncIterator[ScriptedEngine]:
    """Open an engine in memory, which a test can watch and interrupt."""
    config = SqliteConfig(":memory:", **settings)
    async with SqliteSessionQueryEngine(sources, config) as engine:
        yield ScriptedEngine(engine)
