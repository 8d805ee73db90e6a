"""Matches and their order, against brute force, by every strategy and for every kind of source."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from session_query import EventSearchRequest, SessionSearchRequest, SessionStore
from session_query_sqlite import _matches

from ..corpora import MemoryPersistence, engine_on, header, log, message
from .model import Doc, first_of_each, ranked

WORDS = ["red", "Red", "blue", "ré", "a.b", "x", "the", "blue-red", "ＲＥＤ", "🚀", "don't"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=90).map(" ".join)
LOGS = st.dictionaries(
    st.sampled_from(["s1", "s2", "S3", "ß", "a"]),
    st.lists(st.tuples(TEXTS, st.integers(0, 3)), max_size=5),
    max_size=4,
)
QUERIES = st.one_of(
    st.sampled_from(["red", "red blue", "red red", "a.b", "blue red blue", "🚀", "x the", "!!"]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
)
MODES = st.sampled_from(["phrase", "all", "any"])


async def answers(
    logs: dict[str, list[tuple[str, int]]],
    live: set[str],
    query: str,
    match: str,
    size: int,
) -> tuple[list[tuple[str, int]], dict[str, list[int]]]:
    """Return all session hits and all event hits, page by page."""
    stored, store = MemoryPersistence(), SessionStore()
    for name, texts in logs.items():
        if name in live:
            session = store.create(name, created_at=0)
            for text, time in texts:
                session.append("user/message", message(text), "append", time=time)
        else:
            events = log(*(text for text, _ in texts), times=[time for _, time in texts])
            stored.put(header(name), events)
    async with engine_on(":memory:", stored, store) as engine:
        sessions, cursor = [], None
        while True:
            page = await engine.search_sessions(
                SessionSearchRequest(query, limit=size, cursor=cursor, match=match)  # type: ignore[arg-type]
            )
            sessions += [(hit.id, hit.best_match.seq) for hit in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        events_of = {}
        for name in logs:
            found, cursor = [], None
            while True:
                events_page = await engine.search_events(
                    EventSearchRequest(name, query, limit=size, cursor=cursor, match=match)  # type: ignore[arg-type]
                )
                found += [hit.seq for hit in events_page.items]
                cursor = events_page.next_cursor
                if cursor is None:
                    break
            events_of[name] = found
    return sessions, events_of


def expected(
    logs: dict[str, list[tuple[str, int]]], query: str, match: str
) -> tuple[list[tuple[str, int]], dict[str, list[int]]]:
    """Return the same by brute force."""
    docs = [
        Doc(name, seq, time, text)
        for name, texts in logs.items()
        for seq, (text, time) in enumerate(texts)
    ]
    order = ranked(docs, query, match)
    sessions = [(doc.session_id, doc.seq) for doc in first_of_each(order)]
    return sessions, {name: [doc.seq for doc in order if doc.session_id == name] for name in logs}


@pytest.mark.requirement("SEARCH-1", "SEARCH-4", "SEARCH-5", "SEARCH-9", "SEARCH-13", "CURSOR-1")
@pytest.mark.parametrize(
    "costs",
    [(0, 10**9, 10**6), (0, 10**9, 0), (300, 1, 0), (300, 400, 10**6)],
    ids=["texts of keys", "rows of keys", "by text", "as it is"],
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    logs=LOGS,
    live=st.sets(st.sampled_from(["s1", "s2", "ß"])),
    asked=st.tuples(QUERIES, MODES, st.integers(1, 4)),
)
def test_hits_and_their_order_are_those_of_brute_force(
    monkeypatch: pytest.MonkeyPatch,
    costs: tuple[int, int, int],
    logs: dict[str, list[tuple[str, int]]],
    live: set[str],
    asked: tuple[str, str, int],
) -> None:
    """Any corpus, query, mode, page size, and mix of live and stored gives the contract's order."""
    for name, value in zip(("FEW", "_TEXT_COST", "_BULK"), costs, strict=True):
        monkeypatch.setattr(_matches, name, value)
    query, match, size = asked
    assert asyncio.run(answers(logs, live, query, match, size)) == expected(logs, query, match)
