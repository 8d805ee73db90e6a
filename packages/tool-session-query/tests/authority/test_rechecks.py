"""Each answer of the service is checked again, whatever was asked of it (AUTH-4, AUTH-5)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from session_query import (
    AbortSignal,
    SearchConfig,
    SessionFilter,
    SessionRecord,
    SessionSearchPage,
    SessionSearchRequest,
)

from .calling import REFUSED, Ask, Outcome, called
from .corpora import CALLER, CANARY, ELSEWHERE, HERE, LATE, Corpus, header, log
from .drawing import Drawn
from .engines import ScriptedEngine
from .racing import Change, raced

ASKS = [
    Ask("session_search", {"query": "rocket", "parent_session_ids": ["p"]}),
    Ask("session_search", {"query": "rocket", "match": "any"}),
    Ask("session_event_search", {"query": "rocket", "session_id": "v0"}),
    Ask("session_trace", {"session_id": "v0"}),
    Ask("session_trace", {"session_id": "p"}),
    Ask("session_event_trace", {"session_id": "v0", "seq": 0}),
    Ask("session_event_read", {"session_id": "v0", "seq": 0}),
]
PARENT = Drawn(header("p"), log("fuel", title="parent"), "stored")
SEEN = Drawn(header("v0", parent_session="p"), log("rocket", title="seen"), "stored")
HIDDEN = Drawn(
    header("v0", ELSEWHERE, parent_session="p", created_at=LATE),
    log(f"rocket {CANARY}", title=CANARY),
    "stored",
)


@pytest.mark.parametrize("engine", ["sqlite", "scripted"])
@pytest.mark.requirement("AUTH-4", "AUTH-5", "AUTH-6", "TITLE-2")
@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("number", range(5))
def test_what_one_call_saw_of_a_hidden_session_is_not_shown(
    engine: str, ask: Ask, number: int
) -> None:
    """A session that is elsewhere during any one call only shows nothing of what it was there."""
    changes = [
        Change(("before", number), "v0", HIDDEN),
        Change(("after", number), "v0", SEEN),
    ]
    quiet = asyncio.run(raced(engine, [PARENT, SEEN], ask, []))
    assert quiet.text is not None
    assert '"v0"' in quiet.text
    found = asyncio.run(raced(engine, [PARENT, SEEN], ask, changes))
    assert not found.has_canary
    assert found.code in {None, REFUSED}


class CarelessEngine(ScriptedEngine):
    """Answers with sessions that nobody asked for."""

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        given = SessionSearchRequest.of(request)
        wider = SessionSearchRequest(given.query, limit=given.limit, match=given.match)
        return await super().search_sessions(wider, signal)

    async def filter_sessions(
        self,
        filters: Iterable[SessionFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> list[SessionRecord]:
        del filters
        return await self.list_sessions(signal)


def careless(ask: Ask) -> Outcome:
    """Ask an engine that does not look at filters."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    SEEN.put_into(corpus)
    corpus.put(header(f"h {CANARY}", ELSEWHERE), log("rocket", title=CANARY))
    corpus.put(header("p", f"{HERE}/"), log("rocket", title=CANARY))
    engine = CarelessEngine(corpus.sources, SearchConfig())
    return asyncio.run(called(engine, ask, caller))


@pytest.mark.requirement("AUTH-5", "AUTH-6", "AUTH-2")
@pytest.mark.parametrize("match", ["auto", "phrase", "all", "any"])
def test_each_hit_is_checked_again(match: str) -> None:
    """Hits of other workspaces and the own session are left out, even where a service has them."""
    found = careless(Ask("session_search", {"query": "rocket", "match": match}))
    assert found.text is not None
    assert re.findall(r'session "(.*)"', found.text) == ["v0"]
    assert "parent: outside this workspace or gone" in found.text
    assert CALLER not in found.text
    assert not found.has_canary


@pytest.mark.requirement("AUTH-3", "AUTH-4")
@pytest.mark.parametrize("session_id", [f"h {CANARY}", "p", "gone"])
@pytest.mark.parametrize("ask", ASKS[2:])
def test_each_listing_is_checked_again(ask: Ask, session_id: str) -> None:
    """A target is authorized by its own header, not by being in the answer."""
    found = careless(ask._replace(arguments={**ask.arguments, "session_id": session_id}))
    assert found.code == REFUSED
