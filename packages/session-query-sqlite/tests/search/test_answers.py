"""What an answer holds, and which requests are refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from session_query import (
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    ErrorCode,
    EventSearchRequest,
    IdFilter,
    ParentFilter,
    SeqFilter,
    SessionQueryError,
    SessionSearchRequest,
    SessionStore,
    SurfaceFilter,
    TimeFilter,
    TypeFilter,
)
from session_query_sqlite import SqliteSessionQueryEngine

from ..corpora import CREATED, MemoryPersistence, engine_on, header, log, message


def compacted(store: SessionStore, name: str = "l") -> None:
    """Make a live session with an event on each of the three surfaces, all saying `word`."""
    live = store.create(name, cwd="/w", created_at=CREATED)
    live.append("user/message", message("word one"), "append", time=1)
    live.append("tool/call", {"callId": "c", "name": "bash", "arguments": "word"}, time=2)
    live.append(
        "user/message",
        message("word two"),
        {"op": "replace", "start": 0, "end": 0},
        [0],
        time=3,
    )


async def seqs(
    engine: SqliteSessionQueryEngine, query: str, *filters: Any, **more: Any
) -> list[int]:
    """Return the seqs that a search in the live session finds, sorted."""
    page = await engine.search_events(EventSearchRequest("l", query, filters=filters, **more))
    return sorted(hit.seq for hit in page.items)


@pytest.mark.requirement("SEARCH-4", "SEARCH-8")
def test_events_of_every_surface_are_found_unless_a_filter_says_otherwise() -> None:
    """Current, shadowed and log-only events match; each filter on events admits what it says."""

    async def run() -> None:
        store = SessionStore()
        compacted(store)
        async with engine_on(":memory:", None, store) as engine:
            assert await seqs(engine, "word") == [0, 1, 2]
            assert await seqs(engine, "word", SurfaceFilter(["current"])) == [2]
            assert await seqs(engine, "word", SurfaceFilter(["shadowed"])) == [0]
            assert await seqs(engine, "word", SurfaceFilter(["log-only", "shadowed"])) == [0, 1]
            assert await seqs(engine, "word", TypeFilter(["tool/call", "made/up"])) == [1]
            assert await seqs(engine, "word", SeqFilter(1, 2)) == [1, 2]
            assert await seqs(engine, "word", SeqFilter(3, None)) == []
            assert await seqs(engine, "word", TimeFilter(None, 2)) == [0, 1]
            assert await seqs(engine, "word", TimeFilter(2, 2), SeqFilter(None, 5)) == [1]
            assert await seqs(engine, "word", TypeFilter([])) == []

    asyncio.run(run())


@pytest.mark.requirement("SEARCH-8", "SEARCH-1")
def test_the_strongest_admitted_event_stands_for_its_session() -> None:
    """An event that a filter refuses neither ranks nor represents."""

    async def run() -> None:
        persistence = MemoryPersistence()
        persistence.put(header("a"), log("word word word", "word"))
        persistence.put(header("b"), log("other", "word word"))
        async with engine_on(":memory:", persistence) as engine:
            page = await engine.search_sessions(SessionSearchRequest("word"))
            assert [(hit.id, hit.best_match.seq) for hit in page.items] == [("a", 0), ("b", 1)]
            page = await engine.search_sessions(
                SessionSearchRequest("word", event_filters=[SeqFilter(1, None)])
            )
            assert [(hit.id, hit.best_match.seq) for hit in page.items] == [("b", 1), ("a", 1)]

    asyncio.run(run())


@pytest.mark.requirement("FILTER-1", "SEARCH-8", "SEARCH-12")
def test_session_filters_choose_the_sessions() -> None:
    """Each filter on sessions, alone and with 125,000 values or 50 clauses, admits what it says."""

    async def run() -> None:
        persistence, store = MemoryPersistence(), SessionStore()
        persistence.put(header("a", cwd="/w"), log("word"))
        persistence.put(header("b", cwd="/w/"), log("word"))
        persistence.put(header("c", parent_session="a"), log("word"))
        store.create("d", created_at=5, cwd="/w").append("user/message", message("word"), "append")
        many = [f"x{number}" for number in range(125_000)]
        async with engine_on(":memory:", persistence, store) as engine:
            cases: list[tuple[list[Any], str]] = [
                ([CwdFilter(["/w"])], "ad"),
                ([CwdFilter([None])], "c"),
                ([ParentFilter(["a"])], "c"),
                ([ParentFilter([None])], "abd"),
                ([CreatedAtFilter(None, 5)], "d"),
                ([AvailabilityFilter(["live"])], "d"),
                ([AvailabilityFilter(["persisted"]), IdFilter(["a", "b"])], "ab"),
                ([IdFilter([*many, "a"])], "a"),
                ([CwdFilter(["/w", *many]), *[IdFilter([*"abcd"])] * 49], "ad"),
                ([IdFilter([])], ""),
            ]
            for filters, expected in cases:
                page = await engine.search_sessions(
                    SessionSearchRequest("word", session_filters=filters)
                )
                assert sorted(hit.id for hit in page.items) == list(expected), filters
            types = [TypeFilter([*many, "user/message"])] * 50
            page = await engine.search_sessions(SessionSearchRequest("word", event_filters=types))
            assert len(page.items) == 4

    asyncio.run(run())


@pytest.mark.requirement("SEARCH-2", "SEARCH-3", "SEARCH-13")
def test_a_hit_is_a_record_a_snippet_and_the_matched_words() -> None:
    """The forms of hits and pages, also of one without hits, hold these fields and no others."""

    async def run() -> None:
        store = SessionStore()
        compacted(store)
        async with engine_on(":memory:", None, store) as engine:
            page = await engine.search_events(EventSearchRequest("l", "two"))
            assert page.to_json() == {
                "session": store.get("l").header.to_json(),  # type: ignore[union-attr]
                "items": [
                    {
                        "sessionId": "l",
                        "seq": 2,
                        "type": "user/message",
                        "time": 3,
                        "surface": "current",
                        "snippet": "word two",
                    }
                ],
            }
            found = await engine.search_events(EventSearchRequest("l", "two or word", match="any"))
            assert found.items[0].matched == ("two", "word")
            assert "matched" not in page.items[0].to_json()
            none = await engine.search_events(EventSearchRequest("l", "absent"))
            assert none.items == ()
            assert none.header.id == "l"

    asyncio.run(run())


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


@pytest.mark.requirement("SEARCH-5", "SEARCH-6", "SEARCH-7")
@pytest.mark.parametrize(
    ("text", "found", "absent"),
    [
        ("see POL-358: TODO: fix", ["POL-358", "TODO: fix", "pol 358"], ["POL-35"]),
        ('run -- "" now', ["run now", '"run'], ["NOT run", "run NEAR now", "run OR now"]),
        ("don't edit src/main.py", ["src/main.py", "don't", "main.py"], ["src main.p"]),
        ("the AI said BRAID", ["AI", "ai", "ＡＩ"], ["RAID"]),
        ("tiếng ế STRASSE", ["e", "straße", "TIENG"], ["tien"]),
        ("工作区权限边界", ["权限", "工作区", "界"], ["权边"]),
        ("使用FTS5索引", ["FTS5", "索引", "使用fts5"], ["FTS"]),
        ("ship 🚀 now", ["🚀", "ship 🚀"], ["🚂"]),
        ("a* b^2 c:d (e) +f", ["a* b^2", "c:d", "(e)", "+f", "*a"], ["a*b*c*z"]),
        ("lone \ud800 half and \0 null", ["half and", "and null", "lone half"], ["lone and"]),
    ],
)
def test_queries_are_literal_text(text: str, found: list[str], absent: list[str]) -> None:
    """No character is an operator, and tokens are those of `tokenize`, for live and stored logs."""

    async def run() -> None:
        persistence, store = MemoryPersistence(), SessionStore()
        persistence.put(header("a"), log(text))
        store.create("b", created_at=0).append("user/message", message(text), "append")
        async with engine_on(":memory:", persistence, store) as engine:
            for query in found:
                page = await engine.search_sessions(SessionSearchRequest(query))
                assert sorted(hit.id for hit in page.items) == ["a", "b"], query
                assert all(
                    hit.best_match.snippet.isprintable() or "\0" in text for hit in page.items
                )
            for query in absent:
                page = await engine.search_sessions(SessionSearchRequest(query))
                assert page.items == (), query

    asyncio.run(run())


@pytest.mark.requirement("SEARCH-5")
@pytest.mark.parametrize("match", ["phrase", "all", "any"])
def test_a_query_without_tokens_finds_nothing(match: Any) -> None:
    """Punctuation alone is no error."""

    async def run() -> None:
        persistence = MemoryPersistence()
        persistence.put(header("a"), log("!!! …"))
        async with engine_on(":memory:", persistence) as engine:
            for query in ("!!!", "…", "- -"):
                page = await engine.search_sessions(SessionSearchRequest(query, match=match))
                assert page.items == ()
                assert page.next_cursor is None

    asyncio.run(run())


@pytest.mark.requirement("SEARCH-7")
def test_without_segmentation_runs_are_whole_tokens() -> None:
    """`none` finds a run of Han only as a whole."""

    async def run() -> None:
        persistence = MemoryPersistence()
        persistence.put(header("a"), log("工作区 权限"))
        async with engine_on(":memory:", persistence, segmentation="none") as engine:
            for query, count in (("工作区", 1), ("工作", 0), ("权限", 1)):
                page = await engine.search_sessions(SessionSearchRequest(query))
                assert len(page.items) == count

    asyncio.run(run())


@pytest.mark.requirement("SEARCH-11")
def test_the_engine_tells_its_largest_page() -> None:
    """`max_limit` is the configured one, and pages of that size work."""

    async def run() -> None:
        persistence = MemoryPersistence()
        for number in range(12):
            persistence.put(header(f"s{number:02}"), log("word"))
        async with engine_on(":memory:", persistence, max_limit=7, default_limit=5) as engine:
            assert engine.max_limit == 7
            assert len((await engine.search_sessions(SessionSearchRequest("word"))).items) == 5
            request = SessionSearchRequest("word", limit=7)
            assert len((await engine.search_sessions(request)).items) == 7

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


@pytest.mark.requirement("FILTER-3")
def test_a_request_is_copied_when_the_call_is_made() -> None:
    """What the caller does to its JSON before it awaits has no effect."""

    async def run() -> None:
        persistence = MemoryPersistence()
        for name in "ab":
            persistence.put(header(name), log("word"))
        async with engine_on(":memory:", persistence) as engine:
            values = ["a"]
            request = {"query": "word", "sessionFilters": [{"kind": "id", "values": values}]}
            asked = engine.search_sessions(request)
            values[0] = "b"
            request["query"] = "else"
            assert [hit.id for hit in (await asked).items] == ["a"]

    asyncio.run(run())
