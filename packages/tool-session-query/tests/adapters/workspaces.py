"""A small store with two workspaces, and the engines over it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from session_query import (
    AbortSignal,
    JsonlPersistence,
    LiveSession,
    SessionSearchPage,
    SessionSearchRequest,
    SessionSources,
    SessionStore,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine
from tool_session_query import ToolCalls, ToolSessionQueryConfig, session_query_toolset


class World(NamedTuple):
    """Two agents at work, each in a workspace of its own that has one earlier session."""

    calls: ToolCalls
    engine: HeldEngine
    here: LiveSession
    elsewhere: LiveSession


class HeldEngine(SqliteSessionQueryEngine):
    """The real engine; where `hold` is set, a search stays until it is aborted and released."""

    def __init__(self, sources: SessionSources, config: SqliteConfig) -> None:
        super().__init__(sources, config)
        self.hold = False
        self.running = 0
        self.signals: list[AbortSignal] = []
        self.begun = asyncio.Event()
        self.aborted = asyncio.Event()
        self.release = asyncio.Event()

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        assert signal is not None
        self.signals.append(signal)
        if not self.hold:
            return await super().search_sessions(request, signal)
        self.running += 1
        try:
            self.begun.set()
            reason = await signal.wait()
            self.aborted.set()
            await self.release.wait()
            raise reason
        finally:
            self.running -= 1


@asynccontextmanager
async def worlds(folder: Path, *, timeout_ms: int = 30_000) -> AsyncIterator[World]:
    """Write the earlier sessions, open an engine, and let two agents begin."""
    persistence = JsonlPersistence(folder)
    store = SessionStore()
    for place in ("here", "elsewhere"):
        earlier = store.create(f"earlier-{place}", cwd=f"/srv/{place}")
        say(earlier, f"The rocket launched {place}.")
        await persistence.append(earlier.header, earlier.events)
        store.detach(earlier.id)
    sources = SessionSources(store, persistence)
    config = ToolSessionQueryConfig(search_timeout_ms=timeout_ms)
    async with HeldEngine(sources, SqliteConfig(":memory:")) as engine:
        calls = ToolCalls(session_query_toolset(engine, config))
        here = store.create("now-here", cwd="/srv/here")
        elsewhere = store.create("now-elsewhere", cwd="/srv/elsewhere")
        yield World(calls, engine, here, elsewhere)


def say(session: LiveSession, text: str) -> None:
    """Let a user say something."""
    content = [{"type": "text", "text": text}]
    data = {"id": "m", "role": "user", "content": content, "source": {"kind": "user"}}
    session.append("user/message", data, surface_op="append")
