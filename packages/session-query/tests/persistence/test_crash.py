"""Real processes: killed at any instant, competing, and reading while another writes."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from session_query.errors import PersistenceConflictError, PersistenceNotFoundError
from session_query.log import SessionEvent
from session_query.persistence import JsonlPersistence

from .processes import WriterProcess, writer_process
from .stores import COMPRESSIONS, Compression, inspect
from .writer_process import HEADER, LARGEST_BATCH, event, events

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the writer processes fork")

_KILLS = 25


@pytest.fixture(scope="module")
def writers() -> Iterator[list[WriterProcess]]:
    """Three processes that run writers; starting them is what takes most of the time."""
    with ExitStack() as stack:
        yield [stack.enter_context(writer_process()) for _ in range(3)]


@pytest.fixture
def writer(writers: list[WriterProcess]) -> Iterator[WriterProcess]:
    """One of them; what it still runs after the test is killed."""
    yield writers[0]
    writers[0].kill()


def spend(steps: int) -> None:
    """Let a little time pass, without waiting for anything."""
    for _ in range(steps):
        pass


def append(root: Path, batch: list[SessionEvent], session_id: str = "s", cwd: str = "/w") -> None:
    """Append a batch in this process."""

    async def run() -> None:
        async with JsonlPersistence(root) as store:
            await store.append(replace(HEADER, id=session_id, cwd=cwd), batch)

    asyncio.run(run())


@pytest.mark.requirement("LOG-21", "LOG-20")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_killed_writer_loses_at_most_its_batch_in_flight(
    tmp_path: Path, writer: WriterProcess, compression: Compression
) -> None:
    """After `kill -9` at any instant, all that was acknowledged is there, and can be continued."""
    chance = random.Random(compression)
    acknowledged = 0
    for _ in range(_KILLS):
        writer.start("stream", str(tmp_path), compression, chance.random())
        heard = [writer.hear() for _ in range(chance.choice([0, 0, 1, 2, 5]))]
        spend(chance.randrange(60_000))
        heard += writer.kill()
        acknowledged = max([acknowledged, *(int(text) for text in heard if text)])
        try:
            count = len(inspect(tmp_path).events)
        except PersistenceNotFoundError:
            count = 0
        assert acknowledged <= count <= acknowledged + LARGEST_BATCH
        acknowledged = count
        if chance.random() < 0.5:
            append(tmp_path, [event(count)])
            acknowledged += 1
    assert list(inspect(tmp_path).events) == events(0, acknowledged)
    assert acknowledged > _KILLS


@pytest.mark.requirement("LOG-21", "LOG-20")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_killed_writer_leaves_whole_sessions_or_none(
    tmp_path: Path, writer: WriterProcess, compression: Compression
) -> None:
    """After `kill -9` during creations, each session is complete or absent, and can be written."""
    chance = random.Random(compression)
    begun = 0
    for _ in range(_KILLS):
        writer.start("create", str(tmp_path), compression, begun)
        heard = [writer.hear() for _ in range(chance.choice([0, 0, 1, 3]))]
        spend(chance.randrange(60_000))
        heard += writer.kill()
        done = begun + len([text for text in heard if text])
        listed = {header.id for header in asyncio.run(JsonlPersistence(tmp_path).list())}
        assert {str(number) for number in range(done)} <= listed
        assert listed <= {str(number) for number in range(done + 1)}
        if str(done) in listed:
            append(tmp_path, events(20, 21), str(done), cwd=f"/{done % 7}")
        else:
            append(tmp_path, events(0, 21), str(done), cwd=f"/{done % 7}")
        assert list(inspect(tmp_path, str(done)).events) == events(0, 21)
        begun = done + 1
    for number in range(begun):
        assert list(inspect(tmp_path, str(number)).events)[:20] == events(0, 20)


@pytest.mark.requirement("LOG-21")
def test_the_death_of_a_writer_frees_its_session(tmp_path: Path, writer: WriterProcess) -> None:
    """A second process is refused while the first lives, and can write when it was killed."""
    for count in range(0, 6, 2):
        writer.start("hold", str(tmp_path), count)
        assert writer.hear() == "owned"
        assert len(inspect(tmp_path).events) == count + 1
        with pytest.raises(PersistenceConflictError, match="another writer"):
            append(tmp_path, events(count + 1, count + 2))
        writer.kill()
        append(tmp_path, events(count + 1, count + 2))


@pytest.mark.requirement("LOG-21")
def test_a_fork_neither_frees_a_session_nor_keeps_it(tmp_path: Path, writer: WriterProcess) -> None:
    """A forked copy of a writer that ends takes no lock along, and one that lives on holds none."""
    writer.start("fork", str(tmp_path), 0)
    assert writer.hear() == "forked"
    with pytest.raises(PersistenceConflictError, match="another writer"):
        append(tmp_path, events(1, 2))
    writer.tell("go on")
    assert writer.hear() == "released"
    append(tmp_path, events(1, 2))
    writer.tell("end")
    assert writer.rest() == []


@pytest.mark.requirement("LOG-21", "LOG-20")
@pytest.mark.parametrize("same", [True, False], ids=["one place", "different places"])
def test_one_of_several_creators_wins(
    tmp_path: Path, writers: list[WriterProcess], *, same: bool
) -> None:
    """Processes that create one session at the same time leave one log, of one of them."""
    for number in range(10):
        root = tmp_path / str(number)
        for at, writer in enumerate(writers):
            compression = "zstd" if same or at else "none"
            writer.start("race", str(root), compression, "/w" if same else f"/{at}")
            assert writer.hear() == "ready"
        for writer in writers:
            writer.tell("go")
        outcomes = [writer.hear() for writer in writers]
        for writer in writers:
            writer.tell("enough")
            assert writer.rest() == []
        assert sorted(filter(None, outcomes)) == ["PersistenceConflictError"] * 2 + ["written"]
        assert [*inspect(root).events] == events(0, 1)
        assert len([path for path in root.rglob("*") if path.is_file()]) == 1


@pytest.mark.requirement("LOG-16", "LOG-20")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_reader_beside_a_writer_sees_whole_prefixes(
    tmp_path: Path, writer: WriterProcess, compression: Compression
) -> None:
    """Whenever it looks, a reader sees a prefix of the log that only grows, and tails that fit."""

    async def read() -> None:
        store = JsonlPersistence(tmp_path)
        writer.tell("first")
        writer.hear()
        seen = await store.inspect("s")
        known, revision = [*seen.events], seen.revision
        for number in range(60):
            writer.tell(str(number))
            spend(chance.randrange(200_000))
            tail = await store.inspect_tail("s", revision)
            fresh = await JsonlPersistence(tmp_path).inspect("s")
            assert [header.id for header in await store.list()] == ["s"]
            if tail is None:
                fresh = await store.inspect("s")
                known, revision = [*fresh.events], fresh.revision
            else:
                known += tail.events
                revision = tail.revision
            assert list(fresh.events)[: len(known)] == known
            assert len(known) <= int(writer.hear() or 0)
        assert known == events(0, len(known))
        assert list((await store.inspect("s")).events)[: len(known)] == known

    chance = random.Random(compression)
    writer.start("step", str(tmp_path), compression)
    asyncio.run(read())


@pytest.mark.requirement("LOG-21")
@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("stored", [0, 3])
@pytest.mark.parametrize("room", [0, 1, 500])
def test_a_failed_append_leaves_the_log_as_it_was(
    tmp_path: Path, writer: WriterProcess, compression: Compression, stored: int, room: int
) -> None:
    """When the disk is full, the log keeps its length, or there is none; the next append works."""
    if stored:
        append(tmp_path, events(0, stored))
    writer.start("fill", str(tmp_path), compression, stored, room)
    assert writer.rest() == ["PersistenceWriteError", "True", "written"]
    assert list(inspect(tmp_path).events) == events(0, stored + 1)
