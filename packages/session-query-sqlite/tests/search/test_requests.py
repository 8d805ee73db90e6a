"""What this provider adds to the contract of searches: no call of the store, and a setting."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from session_query import ErrorCode, EventSearchRequest, SessionQueryError, SessionStore
from session_query_sqlite import SqliteSessionQueryEngine

from ..corpora import MemoryPersistence, engine_on


async def seqs(
    engine: SqliteSessionQueryEngine, query: str, *filters: Any, **more: Any
) -> list[int]:
    """Return the seqs that a search in the live session finds, sorted."""
    page = await engine.search_events(EventSearchRequest("l", query, filters=filters, **more))
    return sorted(hit.seq for hit in page.items)


@pytest.mark.requirement("SEARCH-5", "SEARCH-11", "ERR-1", "FILTER-2")
@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"query": " \n"}, ErrorCode.INVALID_QUERY),
        ({"query": "a\0b"}, ErrorCode.INVALID_QUERY),
        ({"query": "word " * 50_000}, ErrorCode.INVALID_QUERY),
        ({"query": "w", "match": "fuzzy"}, ErrorCode.INVALID_QUERY),
        ({"query": "w", "limit": 0}, ErrorCode.INVALID_LIMIT),
        ({"query": "w", "limit": 501}, ErrorCode.INVALID_LIMIT),
        ({"query": "w", "limit": True}, ErrorCode.INVALID_LIMIT),
        ({"query": "w", "sessionFilters": [{"kind": "made-up"}]}, ErrorCode.INVALID_FILTER),
        ({"query": "w", "eventFilters": [{"kind": "seq", "from": 2, "to": 1}]},
         ErrorCode.INVALID_FILTER),
        ({"query": "w", "cursor": "x"}, ErrorCode.INVALID_CURSOR),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_request_is_refused_before_any_source_is_touched(
    request_: dict[str, Any], code: ErrorCode
) -> None:
    """Each fault has its code, and the store is not asked."""

    async def run() -> None:
        persistence = MemoryPersistence()
        async with engine_on(":memory:", persistence) as engine:
            with pytest.raises(SessionQueryError) as caught:
                await engine.search_sessions(request_)
            assert caught.value.code == code
            assert persistence.reads == []

    asyncio.run(run())


@pytest.mark.requirement("LOG-24")
def test_a_search_does_not_find_an_earlier_search() -> None:
    """Calls and results of the query tools give no documents unless the config says so."""

    async def run() -> None:
        store = SessionStore()
        live = store.create("l", created_at=0)
        call = {"callId": "c", "name": "session_search", "arguments": '{"query":"echoword"}'}
        live.append("tool/call", call)
        result = {
            "message": {
                "id": "r",
                "role": "user",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c",
                        "content": [{"type": "text", "text": "echoword"}],
                    }
                ],
                "source": {"kind": "tool", "callId": "c"},
            }
        }
        live.append("tool/result", result, "append")
        async with engine_on(":memory:", None, store) as engine:
            assert await seqs(engine, "echoword") == []
        async with engine_on(":memory:", None, store, unsearchable_tools=()) as engine:
            assert await seqs(engine, "echoword") == [0, 1]

    asyncio.run(run())
