"""Cursors: what they are bound to, and what following them costs."""

from __future__ import annotations

import asyncio
import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query import (
    ErrorCode,
    SessionQueryError,
    SessionSearchRequest,
)
from session_query_sqlite import SqliteSessionQueryEngine
from session_query_sqlite._answer import SearchJob
from session_query_sqlite._cursors import Cursors, Position
from session_query_sqlite._ranking import Ranking

from ..corpora import MemoryPersistence, engine_on, header, log


def stored(*names: str) -> MemoryPersistence:
    """Return a store of sessions that all say `pageword`, in the order of their names."""
    persistence = MemoryPersistence()
    for name in names:
        persistence.put(header(name), log(f"pageword in {name}", "pageword twice pageword"))
    return persistence


async def first(engine: SqliteSessionQueryEngine, **more: object) -> str:
    """Return the cursor of a first page of one."""
    page = await engine.search_sessions(SessionSearchRequest("pageword", limit=1, **more))  # type: ignore[arg-type]
    assert page.next_cursor is not None
    return page.next_cursor


async def code_of(engine: SqliteSessionQueryEngine, cursor: str, **more: object) -> str:
    """Return what following a cursor comes to: an error's code, or the id of the hit."""
    given = {"query": "pageword", "limit": 1, **more}
    try:
        page = await engine.search_sessions(SessionSearchRequest(cursor=cursor, **given))  # type: ignore[arg-type]
    except SessionQueryError as error:
        return error.code
    return page.items[0].id


@pytest.mark.requirement("CURSOR-2")
@given(damage=st.data())
def test_any_change_to_a_cursor_is_noticed(damage: st.DataObject) -> None:
    """A cursor that was cut, extended or altered in one character is invalid."""
    cursors = Cursors()
    digest = b"d" * 16
    cursor = cursors.issue(digest, Position("g", 7))
    assert cursors.read(digest, cursor) == Position("g", 7)
    at = damage.draw(st.integers(0, len(cursor)))
    new = damage.draw(st.text(max_size=2))
    cut = damage.draw(st.integers(0, 2))
    forged = cursor[:at] + new + cursor[at + cut :]
    if forged == cursor:
        return
    with pytest.raises(SessionQueryError) as caught:
        cursors.read(digest, forged)
    assert caught.value.code == ErrorCode.INVALID_CURSOR


@pytest.mark.requirement("CURSOR-2")
def test_a_cursor_in_another_spelling_of_base64_is_forged() -> None:
    """Bits that no one reads can't make a second spelling of a cursor."""
    cursors = Cursors()
    cursor = cursors.issue(b"d", Position("generation", 1))
    raw = base64.urlsafe_b64decode(cursor)
    assert base64.urlsafe_b64encode(raw).decode() == cursor
    with pytest.raises(SessionQueryError):
        cursors.read(b"d", cursor + "====")


@pytest.mark.requirement("CURSOR-4")
def test_a_following_page_does_not_search_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches are collected for the first page only; an evicted ranking is worked out again."""
    collected = []
    collect = Ranking.collect

    def counted(self: Ranking, *args: object) -> None:
        collected.append(self)
        collect(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Ranking, "collect", counted)

    async def run() -> None:
        async with engine_on(":memory:", stored(*"abcdef")) as engine:
            seen, cursor = [], None
            while True:
                page = await engine.search_sessions(
                    SessionSearchRequest("pageword", limit=2, cursor=cursor)
                )
                seen += [hit.id for hit in page.items]
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert seen == list("abcdef")
            assert len(collected) == 1
            cursor = await first(engine)
            SearchJob.forget(engine._search)
            assert await code_of(engine, cursor) == "b"
            assert len(collected) == 3

    asyncio.run(run())
