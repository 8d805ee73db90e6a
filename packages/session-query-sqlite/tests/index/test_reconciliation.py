"""What a search reads of its sources, and what it answers when they move."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from session_query import (
    ErrorCode,
    EventSearchRequest,
    PersistenceCorruptionError,
    SessionEvent,
    SessionQueryError,
    SessionSearchRequest,
    SessionStore,
)
from session_query_sqlite import SqliteSessionQueryEngine, _inspection
from session_query_sqlite._state import StoreIndex

from ..corpora import CREATED, MemoryPersistence, engine_on, header, log, message


async def ids(engine: SqliteSessionQueryEngine, query: str = "word") -> list[str]:
    """Return the ids that a search finds, sorted."""
    page = await engine.search_sessions(SessionSearchRequest(query, limit=500))
    return sorted(hit.id for hit in page.items)


def three() -> MemoryPersistence:
    """Return a store of the sessions a, b and c, which all say `word`."""
    persistence = MemoryPersistence()
    for name in "abc":
        persistence.put(header(name), log(f"word {name}"))
    return persistence


@pytest.mark.requirement("RECON-1", "RECON-2")
def test_only_what_is_new_or_changed_is_inspected(tmp_path: Path) -> None:
    """An unchanged corpus costs one listing, also after the index was closed and reopened."""

    async def run() -> None:
        persistence = three()
        async with engine_on(tmp_path / "i", persistence) as engine:
            assert await ids(engine) == ["a", "b", "c"]
            assert sorted(persistence.reads) == ["a", "b", "c", "list", "list"]
            persistence.reads.clear()
            assert await ids(engine) == ["a", "b", "c"]
            assert persistence.reads == ["list"]
            persistence.put(header("b"), log("word", "changed"))
            assert await ids(engine, "changed") == ["b"]
            assert persistence.inspections == ["b"]
        persistence.reads.clear()
        async with engine_on(tmp_path / "i", persistence) as engine:
            assert await ids(engine) == ["a", "b", "c"]
        assert persistence.reads == ["list"]

    asyncio.run(run())


@pytest.mark.requirement("RECON-2", "RECON-3")
def test_rows_belong_to_the_identity_of_their_store(tmp_path: Path) -> None:
    """Another store with equal ids and revisions is read; remounting one reads nothing."""

    async def run() -> None:
        one, other = three(), MemoryPersistence("other")
        other.put(header("a"), log("another"))
        async with engine_on(tmp_path / "i", one) as engine:
            await ids(engine)
            engine.sources.mount(other)
            assert await ids(engine) == []
            assert await ids(engine, "another") == ["a"]
            engine.sources.unmount()
            assert await ids(engine, "another") == []
            one.reads.clear()
            engine.sources.mount(one)
            assert await ids(engine) == ["a", "b", "c"]
            assert one.inspections == []

    asyncio.run(run())


@pytest.mark.requirement("RECON-3", "SEARCH-4")
def test_a_live_session_shadows_its_stored_log_entirely() -> None:
    """Its log is not inspected while it is live, and shows again, refreshed, when it goes."""

    async def run() -> None:
        persistence, store = three(), SessionStore()
        live = store.create("b", created_at=CREATED)
        live.append("user/message", message("fresh"), "append")
        async with engine_on(":memory:", persistence, store) as engine:
            assert await ids(engine) == ["a", "c"]
            assert await ids(engine, "fresh") == ["b"]
            assert "b" not in persistence.inspections
            store.detach("b")
            assert await ids(engine) == ["a", "b", "c"]
            assert await ids(engine, "fresh") == []

    asyncio.run(run())


@pytest.mark.requirement("RECON-1")
def test_a_log_that_grows_meanwhile_is_answered_as_inspected() -> None:
    """Revisions that never stand still don't keep a search from answering."""

    async def run() -> None:
        persistence = three()

        async def grow(what: str) -> None:
            if what in ("c", "list"):
                persistence.put(header("a"), log("word", "more", "and more"))

        persistence.before = grow
        async with engine_on(":memory:", persistence) as engine:
            assert await ids(engine) == ["a", "b", "c"]
            assert persistence.inspections.count("a") == 2
            assert persistence.inspections.count("b") == 1

    asyncio.run(run())


@pytest.mark.requirement("RECON-1")
@pytest.mark.parametrize("moves", [1, 2])
def test_ids_that_keep_changing_are_a_failure_after_one_retry(moves: int) -> None:
    """A session that comes while logs are read is included; a second one is too much."""

    async def run() -> None:
        persistence = three()

        async def come(what: str) -> None:
            name = f"n{persistence.reads.count('list')}"
            if (
                what != "list"
                and len(persistence.logs) < 3 + moves
                and name not in persistence.logs
            ):
                persistence.put(header(name), log("word"))

        persistence.before = come
        async with engine_on(":memory:", persistence) as engine:
            if moves == 1:
                assert await ids(engine) == ["a", "b", "c", "n1"]
            else:
                with pytest.raises(SessionQueryError) as caught:
                    await ids(engine)
                assert caught.value.code == ErrorCode.PERSISTENCE_FAILED
                assert await ids(engine) == ["a", "b", "c", "n1", "n2"]

    asyncio.run(run())


@pytest.mark.requirement("RECON-4")
def test_batches_before_a_failure_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failure in the middle, the next search goes on where the last commit stopped."""
    monkeypatch.setattr(_inspection, "BATCH_SESSIONS", 2)
    monkeypatch.setattr(_inspection, "INSPECTIONS", 1)

    async def run() -> None:
        persistence = MemoryPersistence()
        for number in range(7):
            persistence.put(header(f"s{number}"), log("word"))

        class Crash(BaseException):
            pass

        async def crash(what: str) -> None:
            if what == "s5" and "s0" in persistence.reads:
                raise Crash

        persistence.before = crash
        async with engine_on(":memory:", persistence) as engine:
            with pytest.raises(Crash):
                await ids(engine)
            persistence.reads.clear()
            assert len(await ids(engine)) == 7
            assert persistence.inspections == ["s4", "s5", "s6"]

    asyncio.run(run())


@pytest.mark.requirement("RECON-5", "ERR-5")
def test_a_bad_session_is_left_out_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """A damaged log is remembered, a failed read tried again; both raise when asked for by id."""

    async def run() -> None:
        persistence = three()
        persistence.broken = {
            "a": PersistenceCorruptionError("a", 3, "no JSON"),
            "b": OSError("disk"),
        }
        persistence.put(
            header("s"), [SessionEvent("user/message", 0, CREATED, message("word"), None)]
        )
        async with engine_on(":memory:", persistence) as engine:
            for _ in range(2):
                persistence.reads.clear()
                assert await ids(engine) == ["c"]
            assert persistence.inspections == ["b"]
            said = {record.session_id: record.code for record in caplog.records}  # type: ignore[attr-defined]
            assert said == {
                "a": ErrorCode.CORRUPT_SESSION,
                "b": ErrorCode.PERSISTENCE_FAILED,
                "s": ErrorCode.INVALID_SURFACE,
            }
            assert len(caplog.records) == 3
            assert all(record.levelno == logging.WARNING for record in caplog.records)
            for name, code in said.items():
                with pytest.raises(SessionQueryError) as caught:
                    await engine.search_events(EventSearchRequest(name, "word"))
                assert caught.value.code == code
                assert caught.value.header == persistence.logs[name].header
            persistence.broken.clear()
            persistence.put(header("a"), log("word"))
            assert await ids(engine) == ["a", "b", "c"]

    with caplog.at_level(logging.WARNING, "session_query"):
        asyncio.run(run())


@pytest.mark.requirement("RECON-6")
def test_a_live_append_indexes_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """After one append to a long session, one document is written."""
    from session_query_sqlite._rows import SessionRows  # noqa: PLC0415 - patched below

    written: list[int] = []
    add = SessionRows.add

    def counted(self: SessionRows, number: int, documents: object) -> None:
        written.append(len(documents))  # type: ignore[arg-type]
        add(self, number, documents)  # type: ignore[arg-type]

    async def run() -> None:
        store = SessionStore()
        live = store.create("l", created_at=0)
        for number in range(3000):
            live.append("user/message", message(f"word{number}"), "append")
        async with engine_on(":memory:", None, store) as engine:
            await ids(engine)
            monkeypatch.setattr(SessionRows, "add", counted)
            live.append("user/message", message("newest"), "append")
            assert await ids(engine, "newest") == ["l"]
            assert written == [1]

    asyncio.run(run())


@pytest.mark.requirement("RECON-6")
def test_a_stored_tail_is_added_to_what_is_there() -> None:
    """Where the store proves the prefix, the log is not inspected again."""

    async def run() -> None:
        persistence = three()
        persistence.tails = True
        async with engine_on(":memory:", persistence) as engine:
            await ids(engine)
            persistence.put(header("a"), log("word a", "tailword"))
            persistence.reads.clear()
            assert await ids(engine, "tailword") == ["a"]
            assert persistence.inspections == ["a+"]
            assert await ids(engine) == ["a", "b", "c"]

    asyncio.run(run())


@pytest.mark.requirement("RECON-8")
def test_a_search_in_one_session_reads_no_other() -> None:
    """A live target touches no store at all; a stored one has its own log read and no other."""

    async def run() -> None:
        persistence, store = three(), SessionStore()
        live = store.create("l", created_at=0)
        live.append("user/message", message("word"), "append")
        async with engine_on(":memory:", persistence, store) as engine:
            page = await engine.search_events(EventSearchRequest("l", "word"))
            assert [hit.seq for hit in page.items] == [0]
            assert persistence.reads == []
            page = await engine.search_events(EventSearchRequest("b", "word"))
            assert [hit.seq for hit in page.items] == [0]
            assert page.header == header("b")
            assert persistence.inspections == ["b"]
            with pytest.raises(SessionQueryError) as caught:
                await engine.search_events(EventSearchRequest("none", "word"))
            assert caught.value.code == ErrorCode.SESSION_NOT_FOUND

    asyncio.run(run())


@pytest.mark.requirement("RECON-4", "RECON-6", "RECON-7")
def test_logs_that_grew_are_taken_in_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tails are never added at once: the second job doesn't begin while the first is held."""
    extend = StoreIndex.extend
    meeting = threading.Barrier(2)
    met: list[bool] = []

    def held(self: StoreIndex, *tail: Any) -> bool:
        if not meeting.broken:
            try:
                meeting.wait(timeout=0.3)
            except threading.BrokenBarrierError:
                met.append(False)
            else:
                met.append(True)
        return extend(self, *tail)

    async def run() -> None:
        persistence = MemoryPersistence(tails=True)
        for name in "abcd":
            persistence.put(header(name), log("word", "again"))
        async with engine_on(":memory:", persistence) as engine:
            await ids(engine)
            monkeypatch.setattr(StoreIndex, "extend", held)
            for name in "abcd":
                persistence.put(header(name), log("word", "again", "more"))
            assert await ids(engine, "more") == [*"abcd"]

    asyncio.run(run())
    assert met == [False]
