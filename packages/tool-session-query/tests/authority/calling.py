"""Calls of the tools, and what comes of them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from session_query import AbortController, AbortSignal, LiveSession, SessionQueryEngine
from tool_session_query import (
    SessionQueryToolError,
    ToolAgent,
    ToolRun,
    ToolSessionQueryConfig,
    session_query_toolset,
)

from .corpora import CANARY, CANARY_TIME

REFUSED = "SESSION_QUERY_TOOL_UNAUTHORIZED"
FAILED = "SESSION_QUERY_TOOL_FAILED"
RETRYABLE = frozenset(
    f"SESSION_QUERY_{name}" for name in ("STALE_CURSOR", "PERSISTENCE_FAILED", "INDEX_FAILED")
)

_BELOW = re.compile(r"\n *- (depth \d+: )?\(more outside this workspace\)")


class Outcome(NamedTuple):
    """What the model gets: a text, or a code and a message."""

    text: str | None = None
    code: str | None = None
    message: str | None = None

    @property
    def has_canary(self) -> bool:
        """Whether any of it comes from a session that the caller may not see."""
        told = repr(tuple(self))
        return CANARY in told.casefold() or CANARY_TIME in told

    def within_workspace(self) -> Outcome:
        """Return the outcome without the bare fact that a lineage goes on below (AUTH-8)."""
        if self.text is None:
            return self
        text = _BELOW.sub("", self.text)
        return self._replace(text=re.sub(r"\ndescendants:\Z", "\ndescendants: none", text))


class Ask(NamedTuple):
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any]


async def called(
    engine: SessionQueryEngine,
    ask: Ask,
    session: LiveSession,
    signal: AbortSignal | None = None,
    most: int = 100,
) -> Outcome:
    """Make one call for the agent of a session."""
    config = ToolSessionQueryConfig(max_search_results=most)
    tools = {tool.name: tool for tool in session_query_toolset(engine, config).tools}
    run = ToolRun(signal or AbortController().signal, ToolAgent(session))
    try:
        return Outcome(await tools[ask.tool].execute(ask.arguments, run))
    except SessionQueryToolError as error:
        told = error
    assert told.__cause__ is None
    assert told.__context__ is None
    return Outcome(None, told.code.value, told.message)
