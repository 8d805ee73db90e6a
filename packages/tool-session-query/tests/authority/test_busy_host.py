"""A search while another agent writes as fast as it can (TITLE-1, SAN-5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from session_query import JsonlPersistence, LiveSession, SessionSources, SessionStore
from session_query_specs.corpora import message
from session_query_specs.hosts import CALLER, HERE, visible

from .calling import Ask, Outcome, called, watched

STORED = 300
SEARCH = Ask("session_search", {"query": "rocket fuel"})


@asynccontextmanager
async def writing(session: LiveSession) -> AsyncIterator[None]:
    """Append to a session, whenever the loop is free, inside the `async with`."""
    data = message("nothing of interest")

    async def write() -> None:
        while True:
            session.append("user/message", data, "append")
            await asyncio.sleep(0)

    task = asyncio.ensure_future(write())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stored sessions that all match, one half by the phrase."""
    folder = tmp_path_factory.mktemp("sessions")

    async def main() -> None:
        store = JsonlPersistence(folder, compression="none")
        for number in range(STORED):
            text = "rocket fuel" if number % 2 else "fuel of a rocket"
            session = visible(f"v{number:03}", text, title=f"number {number}")
            await store.append(session.header, session.events)
        await store.close()

    asyncio.run(main())
    return folder


async def searched(folder: Path, page: int) -> tuple[Outcome, int]:
    """Search while another live session is written; tell how much was written meanwhile."""
    store = SessionStore()
    caller = store.create(CALLER, cwd=HERE)
    busy = store.create("busy", cwd=HERE)
    sources = SessionSources(store, JsonlPersistence(folder))
    async with watched(sources, default_limit=page, max_limit=page) as service, writing(busy):
        outcome = await called(service, SEARCH, caller)
    return outcome, len(busy.events)


@pytest.mark.requirement("TITLE-1")
def test_a_search_succeeds_on_a_busy_host(stored: Path) -> None:
    """The default cap is filled and told though another session grows all the time."""
    outcome, written = asyncio.run(searched(stored, 500))
    assert outcome.text is not None
    assert "\nThe best 100 sessions\n" in outcome.text
    assert "\n100. session " in outcome.text
    assert written > 10


@pytest.mark.requirement("SAN-5")
def test_small_pages_go_stale_on_a_busy_host(stored: Path) -> None:
    """Where more than one page is needed, the failure says to do the whole search again."""
    outcome, _ = asyncio.run(searched(stored, 20))
    assert outcome.code == "SESSION_QUERY_STALE_CURSOR"
    assert outcome.message is not None
    assert "whole search again" in outcome.message
