"""What searching and indexing cost, counted and not timed."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from session_query import SessionSearchRequest, SessionStore
from session_query_sqlite._matches import Finder

from ..corpora import MemoryPersistence, engine_on, header, log, message


@pytest.mark.requirement("INDEX-7")
@pytest.mark.parametrize("query", ["word", "word here"])
def test_a_common_term_reads_no_text_but_those_of_the_page(
    query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 4,000 matches, only the texts of the five hits of a page are read."""
    read: list[int] = []
    texts = Finder.texts

    def counted(self: Finder, ids: Iterable[int]) -> Iterator[tuple[int, str]]:
        for found in texts(self, ids):
            read.append(found[0])
            yield found

    monkeypatch.setattr(Finder, "texts", counted)

    async def run() -> None:
        persistence = MemoryPersistence()
        for number in range(40):
            persistence.put(
                header(f"s{number}"), log(*("word here " * (1 + n % 7) for n in range(100)))
            )
        async with engine_on(":memory:", persistence) as engine:
            page = await engine.search_sessions(SessionSearchRequest(query, limit=5))
            assert len(page.items) == 5
            assert len(read) == 5

    asyncio.run(run())


@pytest.mark.requirement("INDEX-7", "SEARCH-9")
def test_one_huge_event_is_counted_exactly() -> None:
    """40,000 matches in one event are 40,000 spans, so that it stands before one with 39,999."""

    async def run() -> None:
        persistence = MemoryPersistence()
        persistence.put(header("most"), log("word number " * 40_000))
        persistence.put(header("less"), log("word number " * 39_999))
        async with engine_on(":memory:", persistence) as engine:
            for query in ("word", "word number"):
                page = await engine.search_sessions(SessionSearchRequest(query))
                assert [hit.id for hit in page.items] == ["most", "less"]

    asyncio.run(run())


def prose(rng: random.Random, words: list[str]) -> str:
    """Return a paragraph whose words are as unevenly frequent as those of a language."""
    return " ".join(
        words[min(int(rng.paretovariate(0.6)), len(words)) - 1] for _ in range(rng.randint(30, 150))
    )


def size_of(folder: Path) -> int:
    """Return the bytes that the files of a folder take."""
    return sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.requirement("INDEX-6")
def test_the_text_stands_once(tmp_path: Path) -> None:
    """The index and its log take less than 1.75 times the text, whoever is counting."""
    rng = random.Random(11)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(5000)]
    logs = [[prose(rng, words) for _ in range(100)] for _ in range(60)]
    size = sum(len(text.encode()) for texts in logs for text in texts)

    taken: list[int] = []

    async def run() -> None:
        persistence = MemoryPersistence()
        for number, texts in enumerate(logs):
            persistence.put(header(f"s{number}"), log(*texts))
        async with engine_on(tmp_path / "index", persistence) as engine:
            await engine.refresh()
            taken.append(await asyncio.to_thread(size_of, tmp_path))

    assert size > 2_000_000
    asyncio.run(run())
    assert taken[0] < 1.75 * size


@pytest.mark.requirement("CANCEL-8")
def test_no_statement_runs_on_the_thread_of_the_loop(tmp_path: Path) -> None:
    """Opening, indexing, searching, purging and closing all happen in worker threads."""
    threads: set[int] = set()

    async def run() -> None:
        persistence, store = MemoryPersistence(), SessionStore()
        persistence.put(header("a"), log("word"))
        live = store.create("l", created_at=0)
        live.append("user/message", message("word"), "append")
        async with engine_on(tmp_path / "index", persistence, store) as engine:
            engine._database.connection.set_trace_callback(
                lambda _: threads.add(threading.get_ident())
            )
            await engine.search_sessions(SessionSearchRequest("word"))
            persistence.logs.clear()
            live.append("user/message", message("word again"), "append")
            await engine.refresh()

    asyncio.run(run())
    assert threads
    assert threading.get_ident() not in threads


@pytest.mark.requirement("INDEX-7")
def test_many_small_changes_leave_few_segments(tmp_path: Path) -> None:
    """However often something small is indexed, a search looks into few pieces."""
    path = tmp_path / "index.db"

    async def run() -> None:
        persistence = MemoryPersistence()
        async with engine_on(str(path), persistence) as engine:
            for number in range(60):
                persistence.put(header(f"s{number}"), log(f"word number {number}"))
                await engine.search_sessions(SessionSearchRequest("word"))

    asyncio.run(run())
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (segments,) = connection.execute("SELECT count(DISTINCT segid) FROM search_idx").fetchone()
    assert segments < 30
