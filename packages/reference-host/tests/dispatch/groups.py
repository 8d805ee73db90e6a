"""Calls of scripted tools, dispatched as a turn does it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reference_host.dispatch import Dispatcher, Permission, ToolCall, ToolOutcome
from reference_host.tools import Tool, ToolRegistry
from session_query import AbortSignal, LiveSession, SessionStore

__all__ = ["call", "dispatched", "dispatcher", "session"]


def session() -> LiveSession:
    """Return the session of the agent that calls."""
    return SessionStore().create("caller", cwd="/here")


def call(name: str, arguments: str = "{}", call_id: str = "c1") -> ToolCall:
    """Return a call."""
    return ToolCall(call_id, name, arguments)


def dispatcher(*tools: Tool, **options: Any) -> Dispatcher:
    """Return a dispatcher of these tools."""
    registry = ToolRegistry()
    for tool in tools:
        registry.register(tool)
    return Dispatcher(registry, **options)


async def dispatched(
    runs: Dispatcher,
    calls: Iterable[ToolCall],
    signal: AbortSignal | None = None,
    permission: Permission | None = None,
) -> list[ToolOutcome]:
    """Run all groups of these calls in turn; return their outcomes in call order."""
    caller = session()
    outcomes: list[ToolOutcome] = []
    for group in runs.groups([*calls]):
        outcomes += await runs.run_group(group, caller, signal or AbortSignal.any(), permission)
    return outcomes
