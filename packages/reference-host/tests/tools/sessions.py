"""Sessions that tools are called from."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from reference_host.tools import HostAgent, HostRun, Tool, ToolOutput
from session_query import AbortController, AbortSignal, LiveSession, SessionStore

__all__ = ["call", "run_of", "session_in", "spilled_to"]


def session_in(cwd: Path | str | None, store: SessionStore | None = None) -> LiveSession:
    """A new session."""
    store = SessionStore() if store is None else store
    return store.create(cwd=None if cwd is None else str(cwd))


def spilled_to(session: LiveSession, locator: str) -> None:
    """Log a result that was spilled."""
    message = {"id": "m", "role": "user", "content": []}
    meta = {"spill": {"locator": locator, "bytes": 4}}
    data: Any = {"turn": 1, "step": 1, "message": message, "meta": meta}
    session.append("tool/result", data, surface_op="append")


def run_of(session: LiveSession, signal: AbortSignal | None = None) -> HostRun:
    """A dispatch from a session."""
    return HostRun(AbortController().signal if signal is None else signal, HostAgent(session))


def call(tool: Tool, session: LiveSession, arguments: Any) -> str:
    """What a tool answers."""
    answer: str | ToolOutput = asyncio.run(tool.execute(arguments, run_of(session)))
    assert isinstance(answer, str)
    return answer
