"""What was appended since, and the proof that nothing else happened."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.persistence import JsonlPersistence, StoredTail

from .stores import (
    COMPRESSIONS,
    HEADER,
    Compression,
    append,
    event,
    events,
    frame,
    header_line,
    line,
    lines,
    log_path,
    put,
)


def tail(store: JsonlPersistence, revision: str, session_id: str = "s") -> StoredTail | None:
    """Ask for what follows a revision."""
    return asyncio.run(store.inspect_tail(session_id, revision))


@pytest.mark.requirement("LOG-16")
@pytest.mark.parametrize("compression", COMPRESSIONS)
@given(
    sizes=st.lists(st.integers(0, 3), min_size=1, max_size=6),
    torn=st.lists(st.booleans(), min_size=6, max_size=6),
    asks=st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=6),
)
def test_a_tail_continues_what_was_read(
    compression: Compression, sizes: list[int], torn: list[bool], asks: list[tuple[int, bool]]
) -> None:
    """From every state that was inspected, or reached by a tail, the tail leads to the present."""
    compressed = compression == "zstd"
    with tempfile.TemporaryDirectory() as root:
        store = JsonlPersistence(root)
        path = put(Path(root), [header_line()] if compressed else header_line())
        known: dict[str, int] = {}
        count = 0
        for size, cut in zip(sizes, torn, strict=False):
            data = lines(events(count, count + size))
            count += size
            with path.open("ab") as file:
                file.write(frame(data) if compressed and size else data)
            before = path.stat().st_size
            if cut:
                # Another writer's batch in flight, which is gone when the next one comes.
                with path.open("ab") as file:
                    file.write((frame(b"torn") if compressed else b"torn")[:-1])
            stored = asyncio.run(store.inspect("s"))
            assert list(stored.events) == events(0, count)
            known[stored.revision] = count
            for at, remembered in asks:
                revision, since = [*known.items()][at % len(known)]
                found = tail(store, revision)
                assert found is not None
                assert list(found.events) == events(since, count)
                assert found.revision == stored.revision
                if remembered:
                    known[found.revision] = count
            if cut:
                os.truncate(path, before)


@pytest.mark.requirement("LOG-16")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_tail_reads_only_what_is_new(tmp_path: Path, compression: Compression) -> None:
    """Tails can be chained, and an unchanged log has an empty one."""
    append(tmp_path, events(0, 5), compression=compression)
    store = JsonlPersistence(tmp_path)
    revision = asyncio.run(store.inspect("s")).revision
    assert tail(store, revision) == StoredTail((), revision)
    for count in range(5, 9):
        append(tmp_path, events(count, count + 1))
        found = tail(store, revision)
        assert found is not None
        assert [*found.events] == [event(count)]
        assert found.revision == asyncio.run(JsonlPersistence(tmp_path).inspect("s")).revision
        revision = found.revision


def rewrite(path: Path) -> None:
    """Change one letter of an old event, and append."""
    data = path.read_bytes()
    if path.suffix == ".zstd":
        other = [event(0), event(1, "host/owm"), *events(2, 4)]
        data = b"".join(map(frame, [header_line(), lines(other)]))
    path.write_bytes(data.replace(b"own", b"owm", 2) + appended(path))


def appended(path: Path) -> bytes:
    """One more event, as it stands in the file."""
    return frame(line(event(4))) if path.suffix == ".zstd" else line(event(4))


def shrink(path: Path) -> None:
    """Lose the last byte."""
    os.truncate(path, path.stat().st_size - 1)


def damage(path: Path) -> None:
    """Append a line that is bad, and one that makes it matter."""
    bad = b"\n" + line(event(9, "turn/end"))
    with path.open("ab") as file:
        file.write(frame(bad) if path.suffix == ".zstd" else bad)


def rewrite_header(path: Path) -> None:
    """Change the header, and append."""
    header = header_line(createdAt=5)
    data = path.read_bytes()
    length = len(frame(header_line())) if path.suffix == ".zstd" else len(header_line())
    path.write_bytes(
        (frame(header) if path.suffix == ".zstd" else header) + data[length:] + appended(path)
    )


def remove(path: Path) -> None:
    """Remove the log."""
    path.unlink()


def double(path: Path) -> None:
    """Store the session a second time."""
    other = log_path(path.parents[2], compressed=path.suffix != ".zstd")
    other.write_bytes(b"")
    with path.open("ab") as file:
        file.write(appended(path))


@pytest.mark.requirement("LOG-16")
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("change", [rewrite, shrink, damage, rewrite_header, remove, double])
def test_there_is_no_tail_without_proof(
    tmp_path: Path, change: Callable[[Path], None], *, compressed: bool
) -> None:
    """Where anything but a sound append has happened, there is no tail."""
    data = [header_line(), lines(events(0, 4))]
    path = put(tmp_path, data if compressed else b"".join(data))
    store = JsonlPersistence(tmp_path)
    revision = asyncio.run(store.inspect("s")).revision
    change(path)
    assert tail(store, revision) is None


@pytest.mark.requirement("LOG-16")
def test_a_log_that_was_replaced_by_a_longer_one_of_the_same_beginning_has_a_tail(
    tmp_path: Path,
) -> None:
    """The proof is the content: a file that was moved in place of another will do."""
    path = put(tmp_path, header_line() + lines(events(0, 4)))
    store = JsonlPersistence(tmp_path)
    revision = asyncio.run(store.inspect("s")).revision
    copy = tmp_path / "copy"
    copy.write_bytes(path.read_bytes() + line(event(4)))
    copy.replace(path)
    found = tail(store, revision)
    assert found is not None
    assert [*found.events] == [event(4)]


@pytest.mark.requirement("LOG-16")
@pytest.mark.parametrize("session_id", ["s", "other", "", "x" * 300])
def test_a_revision_of_unknown_origin_has_no_tail(tmp_path: Path, session_id: str) -> None:
    """What this object didn't hand out proves nothing."""
    append(tmp_path, events(0, 1))
    old = asyncio.run(JsonlPersistence(tmp_path).inspect("s")).revision
    append(tmp_path, events(1, 2))
    store = JsonlPersistence(tmp_path)
    asyncio.run(store.inspect("s"))
    for revision in (old, "", "1-2-3-4"):
        assert tail(store, revision, session_id) is None


@pytest.mark.requirement("LOG-16", "LOG-20")
def test_lines_of_a_torn_frame_are_not_remembered(tmp_path: Path) -> None:
    """Events that stand in a torn frame are read, but no tail begins behind them."""
    path = put(tmp_path, [header_line(), lines(events(0, 3_000))])
    os.truncate(path, path.stat().st_size - 300)
    store = JsonlPersistence(tmp_path)
    stored = asyncio.run(store.inspect("s"))
    assert 0 < len(stored.events) < 3_000
    assert tail(store, stored.revision) == StoredTail((), stored.revision)
    append(tmp_path, events(len(stored.events), len(stored.events) + 1))
    assert tail(store, stored.revision) is None
    assert stored.header == HEADER
