"""Which files are used as an index, and what becomes of a broken one."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_query import ErrorCode, EventSearchRequest, SessionQueryError, SessionSearchRequest
from session_query_sqlite import SqliteSessionQueryEngine, _schema

from ..corpora import MemoryPersistence, engine_on, header, log


def corpus(count: int = 3) -> MemoryPersistence:
    """Return a store of sessions that all say `word`, forty times each."""
    persistence = MemoryPersistence()
    for number in range(count):
        persistence.put(header(f"s{number}"), log(*(f"word {n} of {number}" for n in range(40))))
    return persistence


async def hits(engine: SqliteSessionQueryEngine, query: str = "word") -> int:
    """Return how many sessions the first page of a search holds."""
    return len((await engine.search_sessions(SessionSearchRequest(query))).items)


async def refusal(path: Path) -> SessionQueryError:
    """Return the error with which opening an index fails."""
    with pytest.raises(SessionQueryError) as caught:
        async with engine_on(path, corpus()):
            pass
    return caught.value


def write_text(path: Path) -> None:
    """Write what is no database."""
    path.write_text("not a database, but somebody's notes " * 10)


def write_tables(path: Path) -> None:
    """Write an unmarked database of something else."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def write_application(path: Path) -> None:
    """Write the database of another application."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA application_id = 42")
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def write_newer(path: Path) -> None:
    """Write an index of a newer release."""
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {_schema.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {_schema.SCHEMA_VERSION + 1}")
        connection.execute("CREATE TABLE settings (key, value)")
    connection.close()


def write_unknown(path: Path) -> None:
    """Write a marked database with a table that no release makes."""
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {_schema.APPLICATION_ID}")
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


@pytest.mark.requirement("INDEX-3", "ERR-2")
@pytest.mark.parametrize(
    "make", [write_text, write_tables, write_application, write_newer, write_unknown, Path.mkdir]
)
def test_a_file_that_is_something_else_is_refused_unchanged(tmp_path: Path, make: object) -> None:
    """Foreign files, newer indexes and unknown tables raise INDEX_FAILED and stay as they are."""
    path = tmp_path / "thing"
    make(path)  # type: ignore[operator]
    before = path.read_bytes() if path.is_file() else None
    error = asyncio.run(refusal(path))
    assert error.code == ErrorCode.INDEX_FAILED
    assert str(path) in str(error)
    assert [one.name for one in tmp_path.iterdir()] == ["thing"]
    assert before is None or path.read_bytes() == before


def modes(folder: Path) -> set[int]:
    """Return the modes of the files in a folder."""
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.mark.requirement("INDEX-3")
def test_missing_directories_and_files_are_made_for_this_user_alone(tmp_path: Path) -> None:
    """Directories are 0700 and files 0600; the mode of what exists stays."""
    tmp_path.chmod(0o755)

    async def run() -> None:
        async with engine_on(tmp_path / "a" / "b" / "index", corpus()) as engine:
            assert await hits(engine) == 3
            assert await asyncio.to_thread(modes, tmp_path / "a" / "b") == {0o600}

    asyncio.run(run())
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


@pytest.mark.requirement("INDEX-3")
def test_an_older_schema_is_rebuilt_in_place(tmp_path: Path) -> None:
    """A recognised index of an older version is emptied and filled again."""
    path = tmp_path / "index"

    async def run() -> None:
        async with engine_on(path, corpus()) as engine:
            assert await hits(engine) == 3
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 0")
            connection.execute("DROP TABLE documents")
        connection.close()
        persistence = corpus()
        async with engine_on(path, persistence) as engine:
            assert await hits(engine) == 3
        assert len(persistence.inspections) == 3

    asyncio.run(run())


@pytest.mark.requirement("INDEX-3")
def test_other_settings_rebuild_and_the_old_process_is_told(tmp_path: Path) -> None:
    """A rebuild with another segmentation is INDEX_FAILED for an engine with the old one."""
    path = tmp_path / "index"

    async def run() -> None:
        async with engine_on(path, corpus()) as engine:
            assert await hits(engine) == 3
            async with engine_on(path, corpus(), segmentation="none") as other:
                assert await hits(other) == 3
                with pytest.raises(SessionQueryError) as caught:
                    await hits(engine)
                assert caught.value.code == ErrorCode.INDEX_FAILED
                assert "segmentation" in str(caught.value)
                assert await hits(other) == 3

    asyncio.run(run())


@pytest.mark.requirement("INDEX-3", "INDEX-5")
def test_a_rebuild_with_the_same_settings_is_followed(tmp_path: Path) -> None:
    """An engine whose index was emptied by another fills it again and answers."""
    path = tmp_path / "index"

    async def run() -> None:
        async with engine_on(path, corpus()) as engine, engine_on(path, corpus()) as other:
            assert await hits(engine) == 3
            await other.rebuild()
            assert await hits(engine) == 3
            assert await hits(other) == 3

    asyncio.run(run())


def truncate(path: Path) -> None:
    """Cut the file in the middle."""
    os.truncate(path, path.stat().st_size // 2)


def scribble(path: Path) -> None:
    """Overwrite a part of every page but the first."""
    size = path.stat().st_size
    with path.open("r+b") as stream:
        for offset in range(4096, size, 4096):
            stream.seek(offset)
            stream.write(b"\xff" * 2048)


def drop_table(path: Path) -> None:
    """Take a table away."""
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE sessions")
    connection.close()


@pytest.mark.requirement("INDEX-4")
@pytest.mark.parametrize("damage", [truncate, scribble, drop_table])
def test_a_damaged_index_is_built_anew_from_the_sources(
    tmp_path: Path, damage: object, caplog: pytest.LogCaptureFixture
) -> None:
    """Damage found at opening is mended: all is found again, and nothing set aside remains."""
    path = tmp_path / "index"

    async def run() -> None:
        async with engine_on(path, corpus(30)) as engine:
            assert await hits(engine) == 20
        damage(path)  # type: ignore[operator]
        async with engine_on(path, corpus(30)) as engine:
            assert await hits(engine) == 20

    with caplog.at_level(logging.WARNING, "session_query"):
        asyncio.run(run())
    assert [one.name for one in tmp_path.iterdir()] == ["index"]
    assert len(caplog.records) <= 1


@pytest.mark.requirement("INDEX-4")
def test_damage_under_an_open_engine_is_mended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Pages that break while the index is open cost a rebuild and no wrong answer."""
    path = tmp_path / "index"

    async def run() -> None:
        async with engine_on(path, corpus(200), journal_mode="delete") as engine:
            assert await hits(engine) == 20
            scribble(path)
            engine._database.connection.execute("PRAGMA cache_size = 1")
            engine._database.connection.execute("PRAGMA shrink_memory")
            for query in ("word 7", "word 8 of 13", "word"):
                assert await hits(engine, query) >= 1

    with caplog.at_level(logging.WARNING, "session_query"):
        asyncio.run(run())


@pytest.mark.requirement("INDEX-4", "ERR-2")
@settings(max_examples=25)
@given(flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=60))
def test_flipped_bytes_never_come_out_as_anything_but_typed_errors(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[float, int]]
) -> None:
    """Whatever bytes of the file change, searches answer or raise a SessionQueryError."""
    path = tmp_path_factory.mktemp("index") / "index"

    async def build() -> None:
        async with engine_on(path, corpus(12)) as engine:
            await engine.refresh()

    async def ask() -> None:
        try:
            async with engine_on(path, corpus(12)) as engine:
                for query in ("word", "word 7 of 3", "of"):
                    await hits(engine, query)
                    await engine.search_events(EventSearchRequest("s3", query, match="any"))
        except SessionQueryError as error:
            assert error.code == ErrorCode.INDEX_FAILED  # noqa: PT017 - may also pass

    asyncio.run(build())
    content = bytearray(path.read_bytes())
    for place, change in flips:
        content[int(place * (len(content) - 1))] ^= change
    path.write_bytes(content)
    asyncio.run(ask())


def clear(folder: Path) -> None:
    """Delete every file of a folder."""
    for path in folder.iterdir():
        path.unlink()


@pytest.mark.requirement("INDEX-4")
def test_a_file_removed_under_an_open_engine_is_made_again(tmp_path: Path) -> None:
    """Somebody who clears the cache directory costs a rebuild."""
    path = tmp_path / "index"

    async def run() -> None:
        async with engine_on(path, corpus()) as engine:
            assert await hits(engine) == 3
            await asyncio.to_thread(clear, tmp_path)
            assert await hits(engine) == 3

    asyncio.run(run())
    assert path.exists()
