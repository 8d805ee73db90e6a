"""The agent of a composer whose store is too slow to be listed: every search runs until it's ended.

As a composer's own program would, it opens the parts itself and hands them to `Host.compose`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from reference_host import Host
from reference_host.acp import serve_stdio
from reference_host.composition import SessionQuerySettings, load_composition
from reference_host.models import ReplayModel
from session_query import (
    AbortSignal,
    JsonlPersistence,
    PersistedSnapshot,
    SessionSources,
    SessionStore,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine


class StallingStore(JsonlPersistence):
    """A store that answers no listing, and has the client see, as a plan, that one was begun."""

    def __init__(self, root: Path, live: SessionStore) -> None:
        super().__init__(root)
        self._live = live

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        assert signal is not None
        [session] = self._live.list()
        begun = {"content": "The search has begun", "status": "in_progress"}
        session.append("todo/write", {"todos": [begun]})
        raise await signal.wait()


@asynccontextmanager
async def opened(state: Path, script: Path, search_timeout_ms: int) -> AsyncIterator[Host]:
    """Open the host of `acp-session-query` over a store that stalls."""
    shipped = load_composition("acp-session-query")
    settings = SessionQuerySettings(search_timeout_ms=search_timeout_ms)
    tools = shipped.tools.model_copy(update={"session_query": settings})
    composition = shipped.model_copy(update={"tools": tools})
    live = SessionStore()
    async with StallingStore(state / "sessions", live) as store:
        sources = SessionSources(live, store)
        async with (
            SqliteSessionQueryEngine(sources, SqliteConfig(":memory:")) as engine,
            Host.compose(composition, ReplayModel.of_file(script), engine, store) as host,
        ):
            yield host


if __name__ == "__main__":
    state, script, milliseconds = sys.argv[1:]
    opening = opened(Path(state), Path(script), int(milliseconds))
    sys.exit(asyncio.run(serve_stdio(opening)))
