"""Aborts and cancellations: at every step, inside the database, and while a lock is waited for."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from session_query import (
    AbortController,
    AbortSignal,
    EventSearchRequest,
    SessionSearchRequest,
    SessionStore,
)
from session_query_sqlite import SqliteSessionQueryEngine

from ..corpora import MemoryPersistence, engine_on, header, log, message

SEARCH = SessionSearchRequest("word")


def corpus(count: int = 3) -> MemoryPersistence:
    """Return a store of sessions that all say `word`."""
    persistence = MemoryPersistence()
    for number in range(count):
        persistence.put(header(f"s{number}"), log(f"word {number}", "more words"))
    return persistence


async def stepped(task: asyncio.Task[object], steps: int) -> None:
    """Let a task take so many turns of the loop."""
    for _ in range(steps):
        if task.done():
            return
        await asyncio.sleep(0)


@pytest.mark.requirement("CANCEL-3", "CANCEL-4", "CANCEL-6", "RECON-4")
@pytest.mark.parametrize("how", ["abort", "cancel", "cancel twice", "both"])
def test_ending_a_search_at_any_step_leaves_nothing_running(how: str) -> None:
    """Swept over every turn of the loop: the exact reason, no later read, and a usable engine."""

    async def run() -> None:
        landed, k = True, 0
        while landed:
            persistence = corpus()
            inside = 0

            async def watch(_: str) -> None:
                nonlocal inside
                inside += 1
                await asyncio.sleep(0)
                inside -= 1

            persistence.before = watch
            async with engine_on(":memory:", persistence) as engine:
                controller, reason = AbortController(), RuntimeError("stop")
                task = asyncio.ensure_future(engine.search_sessions(SEARCH, controller.signal))
                await stepped(task, k)
                landed = not task.done()
                if how in ("abort", "both"):
                    controller.abort(reason)
                if how != "abort":
                    task.cancel()
                if how == "cancel twice":
                    await asyncio.sleep(0)
                    task.cancel()
                await asyncio.wait([task])
                if landed:
                    if how == "abort":
                        assert task.exception() is reason
                    else:
                        assert task.cancelled()
                else:
                    assert task.exception() is None
                assert inside == 0
                reads = len(persistence.reads)
                await stepped(asyncio.ensure_future(asyncio.sleep(0)), 5)
                assert len(persistence.reads) == reads
                assert len((await engine.search_sessions(SEARCH)).items) == 3
            k += 1
        assert k > 5

    asyncio.run(run())


def slow_query(engine: SqliteSessionQueryEngine, begun: threading.Event) -> None:
    """Make each search run a statement that would take minutes."""
    job = engine._search.sessions

    def slow(*args: object) -> object:
        begun.set()
        engine._database.connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e10)"
            " SELECT max(i) FROM n"
        ).fetchone()
        return job(*args)  # type: ignore[arg-type]

    engine._search.sessions = slow  # type: ignore[method-assign, assignment]


@pytest.mark.requirement("CANCEL-7")
@pytest.mark.parametrize("how", ["abort", "cancel"])
def test_a_running_statement_is_interrupted(how: str) -> None:
    """A statement that would take minutes ends, with the reason; the engine is usable at once."""

    async def run() -> None:
        async with engine_on(":memory:", corpus()) as engine:
            original, begun = engine._search.sessions, threading.Event()
            slow_query(engine, begun)
            controller, reason = AbortController(), RuntimeError("stop")
            task = asyncio.ensure_future(engine.search_sessions(SEARCH, controller.signal))
            await asyncio.get_running_loop().run_in_executor(None, begun.wait)
            if how == "abort":
                controller.abort(reason)
                with pytest.raises(RuntimeError) as caught:
                    await task
                assert caught.value is reason
            else:
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            engine._search.sessions = original  # type: ignore[method-assign]
            assert len((await engine.search_sessions(SEARCH)).items) == 3

    asyncio.run(run())


@pytest.mark.requirement("CANCEL-7", "INDEX-5")
def test_waiting_for_the_lock_of_another_is_interrupted(tmp_path: Path) -> None:
    """A search that has to write while another connection holds the lock ends when aborted."""

    async def run() -> None:
        persistence = corpus()
        async with engine_on(tmp_path / "index", persistence) as engine:
            other = sqlite3.connect(tmp_path / "index", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            waiting = threading.Event()
            patiently = engine._database.patiently

            def watched(statement: str) -> sqlite3.Cursor:
                if statement == "BEGIN IMMEDIATE":
                    waiting.set()
                return patiently(statement)

            engine._database.patiently = watched  # type: ignore[method-assign]
            controller, reason = AbortController(), RuntimeError("stop")
            task = asyncio.ensure_future(engine.search_sessions(SEARCH, controller.signal))
            await asyncio.get_running_loop().run_in_executor(None, waiting.wait)
            controller.abort(reason)
            with pytest.raises(RuntimeError) as caught:
                await task
            assert caught.value is reason
            other.execute("ROLLBACK")
            other.close()
            assert len((await engine.search_sessions(SEARCH)).items) == 3

    asyncio.run(run())


@pytest.mark.requirement("CANCEL-6")
def test_a_queued_search_leaves_the_queue_at_once() -> None:
    """While one search is held in its store, one that waits behind it can be aborted."""

    async def run() -> None:
        persistence = corpus()
        reached, release = asyncio.Event(), asyncio.Event()

        async def hold(_: str) -> None:
            reached.set()
            await release.wait()

        persistence.before = hold
        async with engine_on(":memory:", persistence) as engine:
            first = asyncio.ensure_future(engine.search_sessions(SEARCH))
            await reached.wait()
            controller, reason = AbortController(), RuntimeError("stop")
            second = asyncio.ensure_future(engine.search_sessions(SEARCH, controller.signal))
            third = asyncio.ensure_future(engine.search_sessions(SEARCH))
            await stepped(second, 3)
            controller.abort(reason)
            with pytest.raises(RuntimeError) as caught:
                await second
            assert caught.value is reason
            assert not first.done()
            release.set()
            assert len((await first).items) == len((await third).items) == 3

    asyncio.run(run())


@pytest.mark.requirement("CANCEL-5")
def test_the_store_receives_the_callers_own_signal() -> None:
    """Listing and inspection get the very object; without one they get one that a cancel aborts."""

    async def run() -> None:
        got: list[AbortSignal | None] = []

        class Recording(MemoryPersistence):
            async def inspect(self, session_id: str, signal: AbortSignal | None = None):  # type: ignore[no-untyped-def]  # noqa: ANN202
                got.append(signal)
                return await super().inspect(session_id, signal)

        persistence = Recording()
        persistence.put(header("a"), log("word"))
        controller = AbortController()
        async with engine_on(":memory:", persistence) as engine:
            await engine.search_sessions(SEARCH, controller.signal)
            assert got == [controller.signal]
            persistence.put(header("a"), log("word", "word"))
            await engine.search_sessions(SEARCH)
            assert isinstance(got[1], AbortSignal)
            assert not got[1].aborted

    asyncio.run(run())


@pytest.mark.requirement("CANCEL-6", "RECON-6")
def test_an_abort_while_a_live_log_is_indexed_loses_nothing() -> None:
    """Interrupted after any slice, a live session is found whole by the next search."""

    async def run() -> None:
        store = SessionStore()
        live = store.create("l", created_at=0)
        for number in range(1500):
            live.append("user/message", message(f"word w{number}"), "append")
        for slices in range(8):
            async with engine_on(":memory:", None, store) as engine:
                controller, seen = AbortController(), 0
                check: Callable[[], None] = engine._database.check

                def counted() -> None:
                    nonlocal seen
                    seen += 1
                    if seen == slices:  # noqa: B023 - called within this round
                        controller.abort(RuntimeError("stop"))  # noqa: B023
                    check()  # noqa: B023

                engine._database.check = counted  # type: ignore[method-assign]
                search: Awaitable[object] = engine.search_sessions(SEARCH, controller.signal)
                with contextlib.suppress(RuntimeError):
                    await search
                engine._database.check = check  # type: ignore[method-assign]
                for query, count in (("word", 500), ("w0", 1), ("w1499", 1)):
                    page = await engine.search_events(EventSearchRequest("l", query, limit=500))
                    assert len(page.items) == count

    asyncio.run(run())


@pytest.mark.requirement("CANCEL-7")
def test_an_interruption_does_not_outlive_its_search() -> None:
    """A statement that was stopped between two of its rows doesn't stop the next search's."""

    async def run() -> None:
        async with engine_on(":memory:", corpus(400)) as engine:
            await engine.search_sessions(SEARCH)
            controller, reason = AbortController(), RuntimeError("stop")
            held = []

            def stopped() -> None:
                cursor = engine._database.connection.execute("SELECT * FROM documents")
                held.append(cursor.fetchone())
                controller.abort(reason)
                while True:
                    engine._database.check()

            with pytest.raises(RuntimeError) as caught:
                await engine._database.run(stopped, controller.signal)
            assert caught.value is reason
            assert len((await engine.search_sessions(SEARCH)).items) == 20

    asyncio.run(run())
