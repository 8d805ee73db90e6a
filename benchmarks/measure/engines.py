"""An engine over a store of logs and the live sessions of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from session_query import JsonlPersistence, SessionPersistence, SessionSources, SessionStore
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine

__all__ = ["Opened", "opened"]


class Opened(NamedTuple):
    """An open engine and where its sessions come from."""

    engine: SqliteSessionQueryEngine
    live: SessionStore
    persistence: SessionPersistence | None


@asynccontextmanager
async def opened(store: Path | None, index: Path | str, **settings: Any) -> AsyncIterator[Opened]:
    """Open an engine; without ``store`` it has live sessions only."""
    live = SessionStore()
    persistence = None if store is None else JsonlPersistence(str(store), compression="none")
    sources = SessionSources(live, persistence)
    engine = SqliteSessionQueryEngine(sources, SqliteConfig(str(index), **settings))
    async with engine:
        yield Opened(engine, live, persistence)
