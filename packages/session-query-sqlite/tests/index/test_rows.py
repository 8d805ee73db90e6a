"""Rows: what stands in the tables, losslessly, and which of them a change touches."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query import (
    CwdFilter,
    EventSearchRequest,
    IdFilter,
    ParentFilter,
    SessionSearchRequest,
)
from session_query_sqlite._schema import decode_text, encode_text, store_key, store_name

from ..corpora import MemoryPersistence, engine_on, header, log

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)


@pytest.mark.requirement("INDEX-1", "LOG-23")
@given(ANY_TEXT)
def test_names_and_texts_are_stored_losslessly(text: str) -> None:
    """Surrogates, NUL and quotes survive both ways of storing."""
    assert store_key(store_name(text)) == text
    assert store_name(text).isascii()
    assert decode_text(encode_text(text)) == text


@pytest.mark.requirement("INDEX-1", "LOG-23")
@given(st.sets(ANY_TEXT.filter(bool), min_size=2, max_size=6))
def test_hostile_ids_are_told_apart(names: set[str]) -> None:
    """Any two different ids, cwds and parents are different to search and to filters."""

    async def run() -> None:
        persistence = MemoryPersistence()
        for name in names:
            persistence.put(header(name, cwd=name, parent_session=name), log("word"))
        kept = {stored.header.id for stored in persistence.logs.values()}
        async with engine_on(":memory:", persistence) as engine:
            page = await engine.search_sessions(SessionSearchRequest("word"))
            assert {hit.id for hit in page.items} == kept
            for name in kept:
                filters: list[Any] = [IdFilter([name]), CwdFilter([name]), ParentFilter([name])]
                page = await engine.search_sessions(
                    SessionSearchRequest("word", session_filters=filters)
                )
                assert [hit.id for hit in page.items] == [name]
                found = await engine.search_events(EventSearchRequest(name, "word"))
                assert len(found.items) == 1

    asyncio.run(run())


@pytest.mark.requirement("INDEX-8")
def test_a_change_touches_the_rows_of_its_session_only(tmp_path: Path) -> None:
    """Replacing one of three sessions deletes and writes no row of the others."""

    async def run() -> None:
        persistence = MemoryPersistence()
        for name in "abc":
            persistence.put(header(name), log(*(f"{name} word {n}" for n in range(5))))
        async with engine_on(tmp_path / "index", persistence) as engine:
            await engine.refresh()
            connection = engine._database.connection
            persistence.put(header("b"), log("b word 0", "changed", "b word 2"))
            before = connection.total_changes
            await engine.search_sessions(SessionSearchRequest("word"))
            # per document: text, row and inverted index; three go, one comes; then the bookkeeping
            assert connection.total_changes - before < 40
            rows = connection.execute("SELECT count(*) FROM documents").fetchone()
            assert rows == (13,)

    asyncio.run(run())


def everything(folder: Path) -> bytes:
    """Return the bytes of all files of a folder."""
    return b"".join(path.read_bytes() for path in folder.iterdir())


@pytest.mark.requirement("INDEX-1")
def test_live_rows_are_in_no_file(tmp_path: Path) -> None:
    """A live session's text is found, and stands in none of the files of the index."""
    from session_query import SessionStore  # noqa: PLC0415 - only here

    async def run() -> None:
        store = SessionStore()
        live = store.create("l", created_at=0)
        live.append(
            "user/message",
            {"content": [{"type": "text", "text": "livesecretword"}], "role": "user"},
            "append",
        )
        async with engine_on(tmp_path / "index", None, store) as engine:
            page = await engine.search_sessions(SessionSearchRequest("livesecretword"))
            assert len(page.items) == 1
            content = await asyncio.to_thread(everything, tmp_path)
            assert b"livesecret" not in content

    asyncio.run(run())
