"""Several processes on one index file, and processes that are killed."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import pytest
from session_query import JsonlPersistence, SessionSearchRequest

from ..corpora import MemoryPersistence, engine_on, header, log

WORKER = Path(__file__).with_name("worker.py")
SEARCH = SessionSearchRequest("word", limit=500)


async def grow(root: Path, *names: str) -> None:
    """Write one session a name."""
    persistence = JsonlPersistence(root, compression="none")
    for name in names:
        await persistence.append(header(name), log(*(f"word {n} of {name}" for n in range(30))))


def worker(root: Path, index: Path, rounds: int) -> subprocess.Popen[str]:
    """Start a process that searches so many times."""
    return subprocess.Popen(
        [sys.executable, str(WORKER), str(root), str(index), "word", str(rounds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.requirement("INDEX-5")
def test_processes_that_index_at_once_all_answer_right(tmp_path: Path) -> None:
    """Three processes on a cold index each find every session, each time, without an error."""
    root, index = tmp_path / "root", tmp_path / "index"
    asyncio.run(grow(root, *(f"s{number}" for number in range(60))))
    processes = [worker(root, index, 5) for _ in range(3)]
    for process in processes:
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        assert out.split() == ["60"] * 5


@pytest.mark.requirement("INDEX-5", "RECON-4")
def test_a_killed_process_hurts_no_other(tmp_path: Path) -> None:
    """Killed at any instant of a cold index, a process leaves an index that others go on with."""
    root, index = tmp_path / "root", tmp_path / "index"
    asyncio.run(grow(root, *(f"s{number}" for number in range(120))))
    rng = random.Random(7)

    async def run() -> None:
        for attempt in range(6):
            process = worker(root, index, 1000)
            assert process.stdout is not None
            # kill it after it has told of a few searches, or while it still indexes
            for _ in range(rng.randrange(3)):
                process.stdout.readline()
            process.kill()
            process.communicate()
            await grow(root, f"new{attempt}")
            async with engine_on(index, JsonlPersistence(root)) as engine:
                page = await engine.search_sessions(SEARCH)
                assert len(page.items) == 121 + attempt
                check = engine._database.connection.execute("PRAGMA integrity_check").fetchall()
                assert check == [("ok",)]

    asyncio.run(run())


@pytest.mark.requirement("INDEX-5")
def test_what_another_engine_indexed_is_not_indexed_again(tmp_path: Path) -> None:
    """Two engines on one store and file each answer right after what the other took in."""

    async def run() -> None:
        persistence = MemoryPersistence()
        async with (
            engine_on(tmp_path / "index", persistence) as one,
            engine_on(tmp_path / "index", persistence) as other,
        ):
            for number in range(8):
                persistence.put(header(f"s{number % 5}"), log(f"word {number}", "x"))
                if number == 6:
                    persistence.logs.pop("s0")
                engines = (one, other) if number % 2 else (other, one)
                persistence.reads.clear()
                expected = sorted(persistence.logs)
                for engine in engines:
                    page = await engine.search_sessions(SEARCH)
                    assert sorted(hit.id for hit in page.items) == expected
                assert len(persistence.inspections) == 1

    asyncio.run(run())


@pytest.mark.requirement("INDEX-5")
def test_a_page_is_of_one_moment_of_the_index(tmp_path: Path) -> None:
    """If another engine changes the index after this search reconciled, it reconciles again."""

    async def run() -> None:
        persistence = MemoryPersistence()
        persistence.put(header("a"), log("word"))
        async with (
            engine_on(tmp_path / "index", persistence) as one,
            engine_on(tmp_path / "index", persistence) as other,
        ):
            await one.search_sessions(SEARCH)
            run_job = one._database.run
            meddled: list[object] = []

            async def meddle(job, signal):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
                if getattr(job, "func", None) == one._search.sessions and not meddled:
                    meddled.append(job)
                    persistence.put(header("b"), log("word"))
                    await other.search_sessions(SEARCH)
                return await run_job(job, signal)

            one._database.run = meddle  # type: ignore[method-assign]
            page = await one.search_sessions(SEARCH)
            assert meddled
            assert sorted(hit.id for hit in page.items) == ["a", "b"]

    asyncio.run(run())
