"""A process that searches a store through a shared index; run by tests."""

from __future__ import annotations

import asyncio
import sys

from session_query import JsonlPersistence, SessionSearchRequest, SessionSources, SessionStore
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine


async def main(root: str, index: str, query: str, rounds: int) -> None:
    """Search again and again, and print how many sessions were found each time."""
    sources = SessionSources(SessionStore(), JsonlPersistence(root))
    async with SqliteSessionQueryEngine(sources, SqliteConfig(index)) as engine:
        for _ in range(rounds):
            page = await engine.search_sessions(SessionSearchRequest(query, limit=500))
            print(len(page.items), flush=True)  # noqa: T201 - this is what it is for


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
