"""Stored sessions that move in their folder between two calls of the service (AUTH-4, AUTH-8)."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from session_query import JsonlPersistence, SessionSources, SessionStore
from session_query_specs.hosts import CALLER, CANARY, ELSEWHERE, HERE, visible

from .calling import REFUSED, Ask, Outcome, called, watched

TARGETED = [
    Ask("session_event_search", {"query": "rocket", "session_id": "v0"}),
    Ask("session_trace", {"session_id": "v0"}),
    Ask("session_event_trace", {"seq": 0, "session_id": "v0"}),
    Ask("session_event_read", {"seq": 0, "session_id": "v0"}),
]
SEARCH = Ask("session_search", {"query": "rocket"})


def stored(folder: Path, cwd: str, text: str) -> None:
    """Make a folder of one session."""

    async def main() -> None:
        store = JsonlPersistence(folder)
        session = visible("v0", text, title=text, cwd=cwd)
        await store.append(session.header, session.events)
        await store.close()

    asyncio.run(main())


def answered(tmp_path: Path, ask: Ask, at: int, becomes: str | None) -> Outcome:
    """Make a call while the folder is replaced before the call of that number."""
    root = tmp_path / f"{at} {becomes}"
    stored(root / "now", HERE, "rocket")
    if becomes is not None:
        stored(root / "then", becomes, f"rocket {CANARY}")
    else:
        (root / "then").mkdir()

    def replace(number: int) -> None:
        if number == at:
            for place in (root / "now").iterdir():
                shutil.rmtree(place)
            for place in (root / "then").iterdir():
                shutil.move(place, root / "now")

    async def main() -> Outcome:
        store = SessionStore()
        caller = store.create(CALLER, cwd=HERE)
        sources = SessionSources(store, JsonlPersistence(root / "now"))
        async with watched(sources) as service:
            service.before = replace
            return await called(service, ask, caller)

    return asyncio.run(main())


@pytest.mark.requirement("AUTH-4", "AUTH-8", "AUTH-3")
@pytest.mark.parametrize("ask", TARGETED, ids=[ask.tool for ask in TARGETED])
def test_a_stored_target_that_leaves_is_refused(tmp_path: Path, ask: Ask) -> None:
    """A target that moves or ends once it was authorized gets the refusal of one that never was."""
    moved, gone = (answered(tmp_path, ask, 1, becomes) for becomes in (ELSEWHERE, None))
    assert moved.code == REFUSED
    assert moved == gone
    assert answered(tmp_path, ask, 0, ELSEWHERE) == gone
    assert answered(tmp_path, ask, 9, ELSEWHERE).text is not None


@pytest.mark.requirement("AUTH-5", "AUTH-8", "TITLE-2")
@pytest.mark.parametrize("at", range(5))
def test_a_stored_hit_that_leaves_is_not_shown(tmp_path: Path, at: int) -> None:
    """A hit that moves or ends during a search is no hit, or ends the search; both look alike."""
    moved, gone = (answered(tmp_path, SEARCH, at, becomes) for becomes in (ELSEWHERE, None))
    assert moved == gone
    assert CANARY not in repr(moved)
    assert moved.code == (REFUSED if at in {1, 2} else None)
