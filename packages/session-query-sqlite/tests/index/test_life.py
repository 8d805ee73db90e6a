"""Opening, closing, taking turns, and refreshing on purpose."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from session_query import (
    AbortController,
    ErrorCode,
    EventSearchRequest,
    PersistenceCorruptionError,
    SessionQueryError,
    SessionSearchRequest,
    SessionSources,
    SessionStore,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine

from ..corpora import MemoryPersistence, engine_on, header, log


def corpus() -> MemoryPersistence:
    """Return a store of three sessions that all say `word`."""
    persistence = MemoryPersistence()
    for name in "abc":
        persistence.put(header(name), log("word"))
    return persistence


SEARCH = SessionSearchRequest("word")


@pytest.mark.requirement("INDEX-2")
def test_never_disables_both_searches_and_touches_no_file(tmp_path: Path) -> None:
    """SEARCH_DISABLED comes before the request is even looked at; exact operations work."""

    async def run() -> None:
        async with engine_on(tmp_path / "index", corpus(), open_at="never") as engine:
            for search in (
                engine.search_sessions({"query": ""}),
                engine.search_events({"made": "up"}),
            ):
                with pytest.raises(SessionQueryError) as caught:
                    await search
                assert caught.value.code == ErrorCode.SEARCH_DISABLED
            assert len(await engine.list_sessions()) == 3

    asyncio.run(run())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("INDEX-2")
def test_first_search_opens_once_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Concurrent first searches share one opening; before them there is no file."""
    opened: list[object] = []
    connect = sqlite3.connect

    def counted(path: str, *args: Any, **more: Any) -> Any:
        opened.append(path)
        return connect(path, *args, **more)

    monkeypatch.setattr(sqlite3, "connect", counted)

    async def run() -> None:
        async with engine_on(tmp_path / "index", corpus(), open_at="first-search") as engine:
            assert opened == []
            pages = await asyncio.gather(*(engine.search_sessions(SEARCH) for _ in range(5)))
            assert [len(page.items) for page in pages] == [3] * 5
            assert len(opened) == 1

    asyncio.run(run())


@pytest.mark.requirement("INDEX-2")
def test_startup_fails_where_the_index_is_unusable(tmp_path: Path) -> None:
    """With `startup` the engine doesn't open; with `first-search` only searches fail."""
    (tmp_path / "index").mkdir()

    async def run() -> None:
        with pytest.raises(SessionQueryError) as caught:
            async with engine_on(tmp_path / "index", corpus()):
                pass
        assert caught.value.code == ErrorCode.INDEX_FAILED
        async with engine_on(tmp_path / "index", corpus(), open_at="first-search") as engine:
            assert len(await engine.list_sessions()) == 3
            with pytest.raises(SessionQueryError) as caught:
                await engine.search_sessions(SEARCH)
            assert caught.value.code == ErrorCode.INDEX_FAILED

    asyncio.run(run())


@pytest.mark.requirement("RECON-7")
def test_closing_waits_for_the_accepted_and_refuses_the_rest(tmp_path: Path) -> None:
    """Searches that wait when `close` is called are answered; later ones are INDEX_FAILED."""

    async def run() -> None:
        persistence = corpus()
        reached, release = asyncio.Event(), asyncio.Event()

        async def hold(_: str) -> None:
            reached.set()
            await release.wait()

        persistence.before = hold
        sources = SessionSources(SessionStore(), persistence)
        engine = SqliteSessionQueryEngine(sources, SqliteConfig(str(tmp_path / "index")))
        await engine.open()
        accepted = [asyncio.ensure_future(engine.search_sessions(SEARCH)) for _ in range(3)]
        await reached.wait()
        closing = asyncio.ensure_future(engine.close())
        await asyncio.wait_for(asyncio.shield(_turns(5)), None)
        with pytest.raises(SessionQueryError) as caught:
            await engine.search_sessions(SEARCH)
        assert caught.value.code == ErrorCode.INDEX_FAILED
        assert not closing.done()
        release.set()
        assert [len(page.items) for page in await asyncio.gather(*accepted)] == [3, 3, 3]
        await closing

    async def _turns(count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    asyncio.run(run())


@pytest.mark.requirement("RECON-7")
def test_operations_take_turns_in_arrival_order() -> None:
    """While one search is held in its store, none of the others begins; then each has its turn."""

    async def run() -> None:
        persistence = corpus()
        running, most, order = 0, 0, []

        async def watch(what: str) -> None:
            nonlocal running, most
            running += what == "list"
            most = max(most, running)
            await asyncio.sleep(0)
            running -= what == "list"

        persistence.before = watch
        async with engine_on(":memory:", persistence) as engine:

            async def search(number: int) -> None:
                await engine.search_sessions(SEARCH)
                order.append(number)

            await asyncio.gather(*(search(number) for number in range(6)))
        assert order == list(range(6))
        assert most == 1

    asyncio.run(run())


@pytest.mark.requirement("INDEX-10", "RECON-5")
def test_refresh_reports_what_it_did(tmp_path: Path) -> None:
    """Indexed, removed, unchanged and skipped sessions are counted, and progress is told."""

    async def run() -> None:
        persistence = corpus()
        persistence.broken["b"] = PersistenceCorruptionError("b", 1, "no JSON")
        told: list[tuple[int, int]] = []
        async with engine_on(tmp_path / "index", persistence) as engine:
            report = await engine.refresh(on_progress=lambda *counts: told.append(counts))
            assert report.to_json() == {
                "indexed": 2,
                "removed": 0,
                "unchanged": 0,
                "skipped": [["b", ErrorCode.CORRUPT_SESSION]],
            }
            assert told[-1] == (3, 3)
            del persistence.logs["a"]
            report = await engine.refresh()
            assert (report.indexed, report.removed, report.unchanged) == (0, 1, 1)

    asyncio.run(run())


@pytest.mark.requirement("INDEX-10")
def test_a_search_runs_between_the_transactions_of_a_refresh() -> None:
    """A refresh that waits for its store doesn't hold up a search in a live session."""

    async def run() -> None:
        persistence, store = corpus(), SessionStore()
        live = store.create("l", created_at=0)
        live.append(
            "user/message",
            {"content": [{"type": "text", "text": "word"}], "role": "user"},
            "append",
        )
        reached, release = asyncio.Event(), asyncio.Event()

        async def hold(what: str) -> None:
            if what == "b":
                reached.set()
                await release.wait()

        persistence.before = hold
        async with engine_on(":memory:", persistence, store) as engine:
            refresh = asyncio.ensure_future(engine.refresh())
            await reached.wait()
            page = await engine.search_events(EventSearchRequest("l", "word"))
            assert len(page.items) == 1
            assert not refresh.done()
            release.set()
            assert (await refresh).indexed == 3

    asyncio.run(run())


@pytest.mark.requirement("CANCEL-2", "INDEX-2")
def test_an_aborted_signal_comes_before_everything() -> None:
    """The reason is raised even where search is disabled or the request is nonsense."""

    async def run() -> None:
        controller = AbortController()
        reason = RuntimeError("stop")
        controller.abort(reason)
        async with engine_on(":memory:", corpus(), open_at="never") as engine:
            for search in (
                engine.search_sessions({"query": ""}, controller.signal),
                engine.search_events({"query": ""}, controller.signal),
                engine.refresh(controller.signal),
            ):
                with pytest.raises(RuntimeError) as caught:
                    await search
                assert caught.value is reason

    asyncio.run(run())
