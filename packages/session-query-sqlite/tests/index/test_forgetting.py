"""What is gone from the sources is gone from the answers, and then from the file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_query import SessionSearchRequest
from session_query_sqlite import SqliteSessionQueryEngine

from ..corpora import MemoryPersistence, engine_on, header, log


def traces(folder: Path, *words: str) -> list[str]:
    """Return which words stand anywhere in the files of a folder."""
    content = b"".join(path.read_bytes() for path in folder.iterdir()).lower()
    return [word for word in words if word.encode() in content]


async def hits(engine: SqliteSessionQueryEngine, query: str) -> int:
    """Return how many sessions a search finds."""
    return len((await engine.search_sessions(SessionSearchRequest(query))).items)


@pytest.mark.requirement("INDEX-9")
@pytest.mark.parametrize("by", ["refresh", "close"])
def test_a_forgotten_text_leaves_no_byte_behind(tmp_path: Path, by: str) -> None:
    """After a session went and one lost a text, neither is found, nor stands in any file."""

    async def run() -> None:
        persistence = MemoryPersistence()
        for number in range(60):
            persistence.put(
                header(f"s{number}"),
                log(*(f"plainword{n} filler text {number}" for n in range(20))),
            )
        persistence.put(header("gone"), log("xylophonesecret", "another zanzibarsecret here"))
        persistence.put(header("less"), log("keepword", "quetzalsecret"))
        async with engine_on(tmp_path / "index", persistence) as engine:
            assert await hits(engine, "xylophonesecret") == 1
            assert await hits(engine, "quetzalsecret") == 1
            del persistence.logs["gone"]
            persistence.put(header("less"), log("keepword", "other"))
            assert await hits(engine, "xylophonesecret") == 0
            assert await hits(engine, "quetzalsecret") == 0
            assert await hits(engine, "keepword") == 1
            if by == "refresh":
                report = await engine.refresh()
                assert report.removed == 0
                assert traces(tmp_path, "xylophone", "zanzibar", "quetzal") == []
                assert traces(tmp_path, "keepword", "plainword7") != []
        assert traces(tmp_path, "xylophone", "zanzibar", "quetzal") == []

    asyncio.run(run())


@pytest.mark.requirement("INDEX-9")
@settings(max_examples=15)
@given(
    rounds=st.lists(
        st.dictionaries(st.integers(0, 8), st.integers(0, 30), max_size=5), min_size=1, max_size=5
    )
)
def test_after_any_history_only_what_the_sources_hold_is_in_the_file(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[dict[int, int]]
) -> None:
    """Sessions that come, change and go, in any order, leave none of their old texts."""
    folder = tmp_path_factory.mktemp("index")
    once: set[str] = set()

    async def run() -> set[str]:
        persistence = MemoryPersistence()
        now: dict[int, list[str]] = {}
        async with engine_on(folder / "index", persistence) as engine:
            for turn, changes in enumerate(rounds):
                for session, size in changes.items():
                    texts = [f"unique{turn}q{session}q{n}q " + "pad " * 40 for n in range(size)]
                    once.update(text.split()[0] for text in texts)
                    if size:
                        now[session] = texts
                        persistence.put(header(f"s{session}"), log(*texts))
                    else:
                        now.pop(session, None)
                        persistence.logs.pop(f"s{session}", None)
                await hits(engine, "pad")
        return {text.split()[0] for texts in now.values() for text in texts}

    kept = asyncio.run(run())
    assert traces(folder, *sorted(once - kept)) == []
    assert traces(folder, *sorted(kept)) == sorted(kept)


@pytest.mark.requirement("INDEX-9")
def test_a_set_aside_file_of_a_killed_process_is_deleted_too(tmp_path: Path) -> None:
    """What an earlier process moved aside and left goes when the index is complete."""
    aside = tmp_path / "index.damaged-1-1"
    aside.write_text("oldsecret")
    (tmp_path / "index.damaged-1-1-wal").write_text("oldsecret")
    (tmp_path / "index.damaged-2-2-wal").write_text("the log of one that was not moved any more")

    async def run() -> None:
        async with engine_on(tmp_path / "index", MemoryPersistence()) as engine:
            await engine.refresh()

    asyncio.run(run())
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.requirement("INDEX-9", "INDEX-8")
def test_a_log_that_grew_deletes_nothing(tmp_path: Path) -> None:
    """Growth alone, read anew by another process, leaves nothing to purge."""

    async def run() -> None:
        persistence = MemoryPersistence()
        persistence.put(header("a"), log("one", "two"))
        async with engine_on(tmp_path / "index", persistence) as engine:
            # nor has a new index anything to forget
            assert engine._database._stored("purge") == "0"
            await hits(engine, "one")
        persistence.put(header("a"), log("one", "two", "three"))
        async with engine_on(tmp_path / "index", persistence) as engine:
            assert await hits(engine, "three") == 1
            assert engine._database._stored("purge") == "0"

    asyncio.run(run())
