"""Appending: whole batches, by one writer, to a log that is sound."""

from __future__ import annotations

import asyncio
import gc
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import (
    PersistenceConflictError,
    PersistenceCorruptionError,
    PersistenceWriteError,
)
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence import JsonlPersistence
from session_query.persistence.jsonl._writer import OWNED_LIMIT

from ..log.values import TEXTS, nested
from .chunks import event_lists
from .opens import opened_files
from .stores import (
    COMPRESSIONS,
    HEADER,
    Compression,
    append,
    event,
    events,
    exact,
    frame,
    header_line,
    inspect,
    line,
    lines,
    put,
    verdict,
)

HEADERS = st.builds(
    SessionHeader,
    version=st.just(0),
    id=st.just("s"),
    created_at=st.integers(0, 2**53 - 1),
    cwd=st.none() | TEXTS,
    parent_session=st.none() | TEXTS,
    seed_length=st.none() | st.integers(0, 9),
    origin=st.sampled_from([None, "subagent"]),
    delegation_depth=st.none() | st.integers(0, 9),
    agent_preset=st.none() | TEXTS,
)


@pytest.fixture(params=COMPRESSIONS)
def compression(request: pytest.FixtureRequest) -> Compression:
    """Each of the two encodings."""
    found: Compression = request.param
    return found


def only_file(root: Path) -> Path:
    """The one file of a store."""
    (path,) = [path for path in root.rglob("*") if path.is_file()]
    return path


@pytest.mark.requirement("LOG-16", "LOG-18", "LOG-19", "LOG-21", "LOG-23")
@pytest.mark.parametrize("compression", COMPRESSIONS)
@given(
    header=HEADERS,
    stored=event_lists(),
    cuts=st.lists(st.integers(0, 20), max_size=4),
    reopened=st.booleans(),
)
def test_what_is_appended_is_read_back(
    compression: Compression,
    header: SessionHeader,
    stored: list[SessionEvent],
    cuts: list[int],
    reopened: bool,
) -> None:
    """Any events, in any batches, by one store object or several, are read back as they were."""
    bounds = [0, *sorted(min(at, len(stored)) for at in cuts), len(stored)]

    async def run(root: str) -> None:
        store = JsonlPersistence(root, compression)
        for start, end in pairwise(bounds):
            await store.append(header, stored[start:end])
            if reopened:
                await store.close()
                store = JsonlPersistence(root, "none" if compression == "zstd" else "zstd")
        await store.close()

    with tempfile.TemporaryDirectory() as root:
        asyncio.run(run(root))
        found = inspect(Path(root))
        assert only_file(Path(root)).name.endswith("zstd") is (compression == "zstd")
    assert found.header == replace(header, delegation_depth=header.delegation_depth or 0)
    assert exact([item.to_json() for item in found.events]) == exact(
        [item.to_json() for item in stored]
    )


@pytest.mark.requirement("LOG-4", "LOG-23")
def test_deep_and_long_data_is_written(tmp_path: Path, compression: Compression) -> None:
    """Ten thousand levels and integers of ten thousand digits are read back; deeper is refused."""
    stored = [event(0, data=nested(10_000, leaf=10**10_000))]
    append(tmp_path, stored, compression=compression)
    assert list(inspect(tmp_path).events) == stored
    before = only_file(tmp_path).read_bytes()
    deep = SessionEvent("host/deep", 1, 0, {}, surface_op=nested(10_016))
    with pytest.raises(PersistenceWriteError, match=r"host/deep.*nested"):
        append(tmp_path, [deep])
    assert only_file(tmp_path).read_bytes() == before


@pytest.mark.requirement("LOG-18", "LOG-21")
def test_lines_are_written_as_other_writers_do(tmp_path: Path) -> None:
    """The header has its fields in order, and an event its citations before its operation."""
    header = SessionHeader(0, "s", 5, "/w", "p", 2, "subagent", None, "fast")
    stored = SessionEvent("host/own", 0, 7, {"b": 1, "a": "é\ud800"}, "append", [3], ignorable=True)

    async def run() -> None:
        async with JsonlPersistence(tmp_path, "none") as store:
            await store.append(header, [stored])

    asyncio.run(run())
    assert only_file(tmp_path).read_bytes().decode() == (
        '{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/w","parentSession":"p",'
        '"seedLength":2,"origin":"subagent","delegationDepth":0,"agentPreset":"fast"}\n'
        '{"type":"host/own","seq":0,"time":7,"data":{"b":1,"a":"é\\ud800"},"ignorable":true,'
        '"sourceEventSeqs":[3],"surfaceOp":"append"}\n'
    )


@pytest.mark.requirement("LOG-21")
@pytest.mark.parametrize("umask", [0, 0o077])
def test_files_are_private(tmp_path: Path, compression: Compression, umask: int) -> None:
    """Files have mode 0600 and directories 0700, whatever the umask lets others do."""
    before = os.umask(umask)
    try:
        append(tmp_path / "a/root", events(0, 1), compression=compression)
    finally:
        os.umask(before)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {True: 0o700 & ~umask, False: 0o600 & ~umask}


@pytest.mark.requirement("LOG-21", "LOG-16")
def test_a_log_without_events_can_be_created(tmp_path: Path, compression: Compression) -> None:
    """An empty batch creates the log, and adds nothing to one that exists."""
    append(tmp_path, [], compression=compression)
    before = only_file(tmp_path).read_bytes()
    append(tmp_path, [], [])
    assert only_file(tmp_path).read_bytes() == before
    assert verdict(tmp_path) == []


@pytest.mark.requirement("LOG-21")
@pytest.mark.parametrize("owned", [False, True])
@pytest.mark.parametrize(
    "batch",
    [events(2, 3), events(4, 6), [event(3), event(5)], [event(3), event(3)], [event(3), event(2)]],
    ids=["again", "ahead", "gap", "twice", "back"],
)
def test_events_must_follow_the_stored_ones(
    tmp_path: Path, compression: Compression, batch: list[SessionEvent], *, owned: bool
) -> None:
    """A batch that doesn't begin at the stored count, or has a gap, is refused and not written."""

    async def run() -> None:
        async with JsonlPersistence(tmp_path, compression) as store:
            await store.append(HEADER, events(0, 3))
            if not owned:
                await store.close()
            before = only_file(tmp_path).read_bytes()
            with pytest.raises(PersistenceConflictError, match="seq"):
                await store.append(HEADER, batch)
            assert only_file(tmp_path).read_bytes() == before
            await store.append(HEADER, events(3, 4))

    asyncio.run(run())
    assert list(inspect(tmp_path).events) == events(0, 4)


@pytest.mark.requirement("LOG-21")
def test_a_new_log_begins_at_0(tmp_path: Path) -> None:
    """A first batch with another seq is refused, and nothing is created."""
    with pytest.raises(PersistenceConflictError, match="nothing is stored"):
        append(tmp_path / "root", events(1, 2))
    assert not (tmp_path / "root").exists()


@pytest.mark.requirement("LOG-21")
@pytest.mark.parametrize(
    "change",
    [
        {"cwd": "/v"},
        {"cwd": None},
        {"created_at": 1},
        {"origin": "subagent"},
        {"delegation_depth": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("owned", [False, True])
def test_the_header_must_be_the_stored_one(
    tmp_path: Path, change: dict[str, str | int | None], *, owned: bool
) -> None:
    """A batch for another header of the id is refused, whatever its workspace."""

    async def run() -> None:
        async with JsonlPersistence(tmp_path) as store:
            await store.append(replace(HEADER, delegation_depth=None), events(0, 1))
            if not owned:
                await store.close()
            with pytest.raises(PersistenceConflictError, match="header"):
                await store.append(replace(HEADER, **change), events(1, 2))  # type: ignore[arg-type]
            await store.append(HEADER, events(1, 2))

    asyncio.run(run())
    assert len(inspect(tmp_path).events) == 2


@pytest.mark.requirement("LOG-21")
def test_a_session_has_one_writer(tmp_path: Path, compression: Compression) -> None:
    """Until its owner releases it, closes or is gone, nobody else can write to a session."""

    async def run() -> None:
        first = JsonlPersistence(tmp_path, compression)
        await first.append(HEADER, events(0, 1))
        second = JsonlPersistence(tmp_path, compression)
        other = replace(HEADER, id="other")
        await second.append(other, events(0, 1))
        for _ in range(2):
            with pytest.raises(PersistenceConflictError, match="another writer"):
                await second.append(HEADER, events(1, 2))
        assert (await second.inspect("s")).events == (event(0),)
        await first.append(HEADER, events(1, 2))
        await first.release("s")
        await first.release("s")
        await second.append(HEADER, events(2, 3))
        with pytest.raises(PersistenceConflictError, match="another writer"):
            await first.append(HEADER, events(3, 4))
        await second.close()
        await first.append(HEADER, events(3, 4))
        del first
        gc.collect()  # the error above refers to where it was raised
        async with second:
            await second.append(HEADER, events(4, 5))
        for seq in range(5, 30):
            await JsonlPersistence(tmp_path).append(HEADER, events(seq, seq + 1))

    asyncio.run(run())
    assert list(inspect(tmp_path).events) == events(0, 30)


@pytest.mark.requirement("LOG-21")
def test_a_refused_batch_takes_no_session(tmp_path: Path) -> None:
    """Whoever is refused doesn't keep the session from others."""
    append(tmp_path, events(0, 1))

    async def run() -> None:
        refused, other = JsonlPersistence(tmp_path), JsonlPersistence(tmp_path)
        with pytest.raises(PersistenceConflictError):
            await refused.append(HEADER, events(7, 8))
        await other.append(HEADER, events(1, 2))
        await other.close()

    asyncio.run(run())


def descriptors() -> int:
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a Path would open one more


@pytest.mark.requirement("LOG-21")
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors are counted in /proc")
def test_a_store_keeps_a_bounded_number_of_files_open(tmp_path: Path) -> None:
    """However many sessions are written, those written last stay owned, and the others are free."""

    async def run() -> None:
        store, other = JsonlPersistence(tmp_path), JsonlPersistence(tmp_path)
        await store.append(replace(HEADER, id="s0"), events(0, 1))
        before = descriptors()
        for number in range(1, OWNED_LIMIT + 5):
            await store.append(replace(HEADER, id=f"s{number}"), events(0, 1))
        assert descriptors() <= before + OWNED_LIMIT
        await other.append(replace(HEADER, id="s1"), events(1, 2))
        with pytest.raises(PersistenceConflictError):
            await other.append(replace(HEADER, id=f"s{OWNED_LIMIT + 4}"), events(1, 2))
        await other.close()
        await store.append(replace(HEADER, id="s1"), events(2, 3))
        await store.close()
        assert descriptors() < before

    asyncio.run(run())


@pytest.mark.requirement("LOG-21", "LOG-22")
def test_later_appends_read_nothing(tmp_path: Path, compression: Compression) -> None:
    """The owner of a session appends without opening its log again, however long it is."""

    async def run() -> None:
        async with JsonlPersistence(tmp_path, compression) as store:
            await store.append(HEADER, events(0, 1))
            with opened_files() as opened:
                for seq in range(1, 9):
                    await store.append(HEADER, events(seq, seq + 1))
            assert opened == []

    asyncio.run(run())
    assert list(inspect(tmp_path).events) == events(0, 9)


@pytest.mark.requirement("LOG-21")
def test_what_others_do_to_an_owned_log_is_noticed(
    tmp_path: Path, compression: Compression
) -> None:
    """Lines written without a lock count, and a log that was removed is created anew."""

    async def run() -> None:
        async with JsonlPersistence(tmp_path, compression) as store:
            await store.append(HEADER, events(0, 1))
            path = only_file(tmp_path)
            with path.open("ab") as file:
                file.write(frame(line(event(1))) if compression == "zstd" else line(event(1)))
            with pytest.raises(PersistenceConflictError, match="2 events are stored"):
                await store.append(HEADER, events(1, 2))
            await store.append(HEADER, events(2, 3))
            path.unlink()
            with pytest.raises(PersistenceConflictError, match="nothing is stored"):
                await store.append(HEADER, events(3, 4))
            await store.append(HEADER, events(0, 1))
            other = path.with_name("other")
            other.write_bytes(path.read_bytes())
            other.replace(path)
            await store.append(HEADER, events(1, 2))

    asyncio.run(run())
    assert list(inspect(tmp_path).events) == events(0, 2)


DAMAGE = {
    "header": b"{}\n",
    "line": header_line() + b"\n" + line(event(0, "turn/end")),
}


@pytest.mark.requirement("LOG-21", "LOG-20")
@pytest.mark.parametrize("data", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("compressed", [False, True])
def test_a_damaged_log_is_left_alone(tmp_path: Path, data: bytes, *, compressed: bool) -> None:
    """An append to a corrupt log fails with its corruption, and changes nothing."""
    path = put(tmp_path, [data] if compressed else data)
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(PersistenceCorruptionError):
            append(tmp_path, events(0, 1))
    put(tmp_path, header_line(), directory="t")
    assert path.read_bytes() == before


@pytest.mark.requirement("LOG-21", "LOG-20")
def test_a_session_in_two_places_is_not_written(tmp_path: Path) -> None:
    """An append to an id that is found in two places fails with that corruption."""
    put(tmp_path, header_line())
    put(tmp_path, [header_line()])
    with pytest.raises(PersistenceCorruptionError, match="two places"):
        append(tmp_path, events(0, 1))


TAILS = [b"x", line(event(2))[:-1], b"\n", b"x\n" + line(event(2)), line(event(5)), bytes(99)]


@pytest.mark.requirement("LOG-20", "LOG-21")
@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("compressed", [False, True])
def test_the_uncommitted_tail_is_cut_before_the_first_append(
    tmp_path: Path, tail: bytes, *, compressed: bool
) -> None:
    """What inspection drops stays until a batch is accepted, and is gone when that is written."""
    kept = [header_line(), lines(events(0, 2))]
    path = put(tmp_path, [*kept, tail] if compressed else b"".join([*kept, tail]))
    before = path.read_bytes()
    assert len(inspect(tmp_path).events) == 2
    append(tmp_path, [])
    for wrong in (events(1, 2), events(3, 4)):
        with pytest.raises(PersistenceConflictError):
            append(tmp_path, wrong)
    assert path.read_bytes() == before
    append(tmp_path, events(2, 3), events(3, 4))
    pieces = [*kept, lines(events(2, 3)), lines(events(3, 4))]
    assert path.read_bytes() == b"".join(map(frame, pieces) if compressed else pieces)


@pytest.mark.requirement("LOG-20", "LOG-21")
@pytest.mark.parametrize("compressed", [False, True])
def test_a_log_cut_at_any_byte_can_be_continued(tmp_path: Path, *, compressed: bool) -> None:
    """Wherever a crash cut the last batches off, the next append follows what is left."""
    batches = [events(0, 1), events(1, 4), events(4, 6)]
    pieces = [header_line(), *map(lines, batches)]
    stored = [frame(piece) for piece in pieces] if compressed else pieces
    ends = [len(b"".join(stored[: number + 1])) for number in range(len(stored))]
    path = put(tmp_path, [] if compressed else b"")
    for end in range(ends[0], ends[-1] + 1):
        path.write_bytes(b"".join(stored)[:end])
        left = inspect(tmp_path).events
        complete = sum(len(batch) for batch, at in zip(batches, ends[1:], strict=True) if at <= end)
        assert len(left) >= complete
        append(tmp_path, [event(len(left))])
        assert list(inspect(tmp_path).events) == events(0, len(left) + 1)


def torn_frames() -> Iterator[tuple[str, bytes]]:
    """Files whose last frame is cut off, or holds a bad line, after some good ones."""
    start = frame(header_line()) + frame(lines(events(0, 2)))
    last = frame(lines(events(2, 3_000)))
    yield "torn late", start + last[:-1]
    yield "torn in the middle", start + last[: len(last) // 2]
    yield "torn early", start + last[:20]
    yield "bad line", start + frame(lines(events(2, 9)) + b"x\n" + lines(events(9, 12)))
    yield "open line", start + frame(lines(events(2, 9)) + line(event(9))[:-1])
    yield "torn header frame", frame(header_line() + lines(events(0, 3_000)))[:-30]
    yield "torn header alone", frame(header_line())[:-2]


@pytest.mark.requirement("LOG-19", "LOG-20", "LOG-21")
@pytest.mark.parametrize("name", dict(torn_frames()))
def test_committed_lines_of_a_torn_frame_outlast_the_cut(tmp_path: Path, name: str) -> None:
    """Lines that were read from a torn frame are there after the append, and so are all frames."""
    data = dict(torn_frames())[name]
    path = put(tmp_path, [])
    path.write_bytes(data)
    path.chmod(0o640)
    before = list(inspect(tmp_path).events)
    assert path.read_bytes() == data
    append(tmp_path, [event(len(before))], [event(len(before) + 1)])
    assert list(inspect(tmp_path).events) == events(0, len(before) + 2)
    assert before == events(0, len(before))
    assert only_file(tmp_path) == path
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    if "header" not in name:
        assert path.read_bytes().startswith(frame(header_line()) + frame(lines(events(0, 2))))


@pytest.mark.requirement("LOG-21")
def test_leftovers_of_killed_writers_are_removed(tmp_path: Path, compression: Compression) -> None:
    """A temporary file that nobody will finish is neither listed nor kept."""
    directory = tmp_path / "--w--" / "s"
    directory.mkdir(parents=True)
    for number in range(3):
        (directory / f".session-{number}.tmp").write_bytes(header_line())
        assert asyncio.run(JsonlPersistence(tmp_path).list()) == [HEADER] * bool(number)
        append(tmp_path, events(number, number + 1), compression=compression)
        assert only_file(tmp_path).name.startswith("session.jsonl")
    assert len(inspect(tmp_path).events) == 3


@pytest.mark.requirement("LOG-21")
@pytest.mark.parametrize("where", ["root", "root/--w--", "root/--w--/s"])
def test_a_log_that_cannot_be_created_is_a_typed_error(tmp_path: Path, where: str) -> None:
    """A file where a directory should be is a write error with the system's own as its cause."""
    (tmp_path / where).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / where).write_text("x")
    with pytest.raises(PersistenceWriteError) as caught:
        append(tmp_path / "root", events(0, 1))
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.session_id == "s"
    assert (tmp_path / where).read_text() == "x"


@pytest.mark.requirement("LOG-21")
def test_a_header_that_no_listing_would_read_is_refused(tmp_path: Path) -> None:
    """A header line of more than 2**20 bytes is a write error, and creates nothing."""

    async def run() -> None:
        store = JsonlPersistence(tmp_path / "root")
        with pytest.raises(PersistenceWriteError, match="header"):
            await store.append(replace(HEADER, agent_preset="x" * 2**20), [])

    asyncio.run(run())
    assert not (tmp_path / "root").exists()
