"""Listings: what is there just now, at the cost of what changed."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from session_query.errors import (
    PersistenceCorruptionError,
    PersistenceError,
    PersistenceNotFoundError,
)
from session_query.persistence import JsonlPersistence
from session_query.persistence.jsonl._folders import Folder

from .opens import opened_files, read_directories
from .stores import HEADER, append, events, frame, header_line, inspect, line, lines, log_path, put

NAMES = st.sampled_from(["a", "b", "c"])
PROJECTS = st.sampled_from(["--w--", "--v--", "_no-cwd"])
CWDS = {"--w--": "/w", "--v--": "/v", "_no-cwd": None}


def sound(name: str, project: str = "--w--") -> bytes:
    """The header line of a session that belongs there."""
    return header_line(replace(HEADER, id=name, cwd=CWDS[project]))


def ids(store: JsonlPersistence) -> list[str]:
    """The ids that a store lists, sorted."""
    return sorted(header.id for header in asyncio.run(store.list()))


def records(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """The session and the code of each log record."""
    assert all(record.levelno == logging.WARNING for record in caplog.records)
    return [(vars(record)["session_id"], vars(record)["code"]) for record in caplog.records]


def sessions(paths: list[str]) -> list[str]:
    """The directories of files, sorted."""
    return sorted(Path(path).parent.name for path in paths)


class Listing(RuleBasedStateMachine):
    """Others change a store between the listings of one object."""

    def __init__(self) -> None:
        super().__init__()
        self.above = tempfile.TemporaryDirectory()
        self.root = Path(self.above.name) / "root"
        self.store = JsonlPersistence(self.root)
        self.loop = asyncio.Runner()

    def teardown(self) -> None:
        self.loop.close()
        self.above.cleanup()

    def path(self, project: str, name: str, compressed: bool) -> Path:
        return log_path(self.root, compressed=compressed, project=project, directory=name)

    @rule(project=PROJECTS, name=NAMES, compressed=st.booleans(), as_name=NAMES)
    def write(self, project: str, name: str, compressed: bool, as_name: str) -> None:
        data = sound(as_name, project)
        new = self.root / "new"
        path = self.path(project, name, compressed)
        new.write_bytes(frame(data) if compressed else data)
        new.replace(path)

    @rule(
        project=PROJECTS, name=NAMES, compressed=st.booleans(), data=st.sampled_from([b"", b"x\n"])
    )
    def damage(self, project: str, name: str, compressed: bool, data: bytes) -> None:
        self.path(project, name, compressed).write_bytes(data)

    @rule(project=PROJECTS, name=NAMES, compressed=st.booleans())
    def grow(self, project: str, name: str, compressed: bool) -> None:
        data = lines(events(0, 1))
        with self.path(project, name, compressed).open("ab") as file:
            file.write(frame(data) if compressed else data)

    @rule(project=PROJECTS, name=NAMES, compressed=st.booleans())
    def remove(self, project: str, name: str, compressed: bool) -> None:
        self.path(project, name, compressed).unlink(missing_ok=True)

    @rule(project=PROJECTS, name=NAMES)
    def remove_session(self, project: str, name: str) -> None:
        shutil.rmtree(self.root / project / name, ignore_errors=True)

    @rule(project=PROJECTS)
    def remove_project(self, project: str) -> None:
        shutil.rmtree(self.root / project, ignore_errors=True)

    @rule(source=PROJECTS, project=PROJECTS, name=NAMES, as_name=NAMES)
    def copy(self, source: str, project: str, name: str, as_name: str) -> None:
        target = self.root / project / as_name
        if (self.root / source / name).is_dir() and not target.exists():
            shutil.copytree(self.root / source / name, target)

    @rule()
    def remove_root(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    @invariant()
    def lists_what_a_new_object_does(self) -> None:
        """However quickly changes follow, a listing tells what a first listing would."""
        self.loop.run(self._compare())

    async def _compare(self) -> None:
        found = await self.store.list_snapshots()
        assert found == await JsonlPersistence(self.root).list_snapshots()
        for snapshot in found:
            stored = await JsonlPersistence(self.root).inspect(snapshot.header.id)
            assert (stored.header, stored.revision) == (snapshot.header, snapshot.revision)
        for name in {"a", "b", "c"} - {snapshot.header.id for snapshot in found}:
            with pytest.raises(PersistenceError):
                await self.store.inspect(name)


TestListing = pytest.mark.requirement("LOG-16", "LOG-20", "LOG-22")(Listing.TestCase)


@pytest.mark.requirement("LOG-22")
def test_a_directory_is_read_again_until_its_time_stamp_is_past(tmp_path: Path) -> None:
    """Another change could still get the same time stamp, so nothing is concluded from it."""
    (tmp_path / "a").mkdir()
    folder = Folder(str(tmp_path), str.isalpha)
    later = time.time_ns() + 10**12
    os.utime(tmp_path, ns=(later, later))
    assert [folder.refresh() for _ in range(3)] == [True] * 3
    assert folder.names == ["a"]


@pytest.mark.requirement("LOG-22")
def test_directories_that_rest_are_not_read(tmp_path: Path) -> None:
    """Once their time stamps are past, directories are read no more until they change."""
    for name in "abc":
        put(tmp_path, sound(name), directory=name)
    store = JsonlPersistence(tmp_path)
    looks = 0
    read = ["unknown"]
    while read and looks < 10_000:
        looks += 1
        with read_directories() as read:
            assert ids(store) == ["a", "b", "c"]
    assert read == []
    put(tmp_path, sound("d"), directory="d")
    with read_directories() as read:
        assert ids(store) == ["a", "b", "c", "d"]
    assert read == [str(tmp_path / "--w--")]


@pytest.mark.requirement("LOG-22")
def test_a_listing_opens_only_what_changed(tmp_path: Path) -> None:
    """The first listing opens each file once, and later ones only those that changed."""
    names = [f"s{number}" for number in range(50)]
    for name in names:
        put(tmp_path, [sound(name), lines(events(0, 3))], directory=name)
    store = JsonlPersistence(tmp_path)
    with opened_files() as opened:
        assert ids(store) == sorted(names)
    assert sessions(opened) == sorted(names)
    with opened_files() as opened:
        first = asyncio.run(store.list_snapshots())
    assert opened == []
    with log_path(tmp_path, compressed=True, directory="s7").open("ab") as file:
        file.write(frame(lines(events(3, 4))))
    put(tmp_path, [sound("new")], directory="new")
    with opened_files() as opened:
        second = asyncio.run(store.list_snapshots())
    assert sessions(opened) == ["new", "s7"]
    revisions = {snapshot.header.id: snapshot.revision for snapshot in first}
    changed = [s.header.id for s in second if revisions.get(s.header.id) != s.revision]
    assert changed == ["new", "s7"]


@pytest.mark.requirement("LOG-22", "LOG-20")
def test_a_listing_reads_headers_only(tmp_path: Path) -> None:
    """A session whose events are damaged, or endless, is listed."""
    put(tmp_path, sound("a") + b"\xff\n" + line(events(0, 1)[0]), directory="a")
    path = put(tmp_path, sound("b"), directory="b")
    os.truncate(path, 2**40)
    assert ids(JsonlPersistence(tmp_path)) == ["a", "b"]


@pytest.mark.requirement("LOG-20", "LOG-22")
def test_a_bad_file_hides_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A damaged log leaves one record, however often it's listed, and another if it changes."""
    store = JsonlPersistence(tmp_path)
    for name in "abc":
        put(tmp_path, sound(name), directory=name)
    bad = put(tmp_path, header_line(version=1), directory="evil\x1b".replace("\x1b", "~001B"))
    for _ in range(3):
        assert ids(store) == ["a", "b", "c"]
    assert records(caplog) == [("evil\\x1b", "SESSION_QUERY_CORRUPT_SESSION")]
    with pytest.raises(PersistenceCorruptionError, match="header"):
        asyncio.run(store.inspect("evil\x1b"))
    bad.write_bytes(b"\n")
    assert ids(store) == ["a", "b", "c"]
    assert len(records(caplog)) == 2
    bad.write_bytes(sound("evil\x1b"))
    assert len(ids(store)) == 4
    assert len(records(caplog)) == 2


def raw_beside_zstd(root: Path) -> None:
    """Store a session in both encodings."""
    put(root, sound("twice"), directory="twice")
    put(root, [sound("twice")], directory="twice")


def in_two_projects(root: Path) -> None:
    """Copy the directory of a session into another workspace."""
    put(root, [sound("twice")], directory="twice")
    shutil.copytree(root / "--w--/twice", root / "--v--/twice")


def in_two_projects_soundly(root: Path) -> None:
    """Store one id in two workspaces, each log sound by itself."""
    put(root, [sound("twice")], directory="twice")
    put(root, sound("twice", "_no-cwd"), directory="twice", project="_no-cwd")


@pytest.mark.requirement("LOG-20")
@pytest.mark.parametrize("double", [raw_beside_zstd, in_two_projects, in_two_projects_soundly])
@pytest.mark.parametrize("listed", [False, True])
def test_an_id_in_two_places_is_damaged(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    double: Callable[[Path], None],
    *,
    listed: bool,
) -> None:
    """It's in no list, leaves one record, and is corrupt when inspected, until one is gone."""
    put(tmp_path, sound("a"), directory="a")
    double(tmp_path)
    store = JsonlPersistence(tmp_path)
    if listed:
        assert ids(store) == ids(store) == ["a"]
        assert records(caplog) == [("twice", "SESSION_QUERY_CORRUPT_SESSION")]
    for asked in (store, JsonlPersistence(tmp_path)):
        with pytest.raises(PersistenceCorruptionError, match="two places") as caught:
            asyncio.run(asked.inspect("twice"))
        assert caught.value.line is None
    next(tmp_path.glob("*/twice/session.jsonl.zstd")).unlink()
    shutil.rmtree(tmp_path / "--v--", ignore_errors=True)
    if double is not in_two_projects:
        assert ids(store) == ["a", "twice"]
        assert asyncio.run(store.inspect("twice")).header.id == "twice"


@pytest.mark.requirement("LOG-20")
def test_a_second_log_in_a_listed_directory_is_noticed(tmp_path: Path) -> None:
    """A session that a listing knew is corrupt once its directory holds two logs, or is gone."""
    path = put(tmp_path, sound("a"), directory="a")
    store = JsonlPersistence(tmp_path)
    assert ids(store) == ["a"]
    other = put(tmp_path, [sound("a")], directory="a")
    with pytest.raises(PersistenceCorruptionError, match="two places"):
        asyncio.run(store.inspect("a"))
    path.unlink()
    assert asyncio.run(store.inspect("a")).header.id == "a"
    other.unlink()
    with pytest.raises(PersistenceNotFoundError):
        asyncio.run(store.inspect("a"))


@pytest.mark.requirement("LOG-20")
def test_a_copy_under_another_name_leaves_the_original(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A header that doesn't match its directory spoils that directory alone."""
    put(tmp_path, [sound("a")], directory="a")
    shutil.copytree(tmp_path / "--w--/a", tmp_path / "--w--/a-copy")
    store = JsonlPersistence(tmp_path)
    assert ids(store) == ["a"]
    assert asyncio.run(store.inspect("a")).header.id == "a"
    assert records(caplog) == [("a-copy", "SESSION_QUERY_CORRUPT_SESSION")]


@pytest.mark.requirement("LOG-22", "LOG-17")
def test_what_is_no_session_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Other files and directories at any level are neither listed nor reported."""
    put(tmp_path, sound("a"), directory="a")
    (tmp_path / "file").write_text("x")
    (tmp_path / "--file--").write_text("x")
    (tmp_path / "--dangling--").symlink_to(tmp_path / "nowhere")
    (tmp_path / "--w--" / "file").write_text("x")
    (tmp_path / "--w--" / "loop").symlink_to("loop")
    put(tmp_path, sound("b"), project="other", directory="b")
    put(tmp_path, sound("b"), directory="b b")
    log_path(tmp_path, compressed=True, directory="empty")
    log_path(tmp_path, compressed=True, directory="nested").mkdir()
    log_path(tmp_path, compressed=False, directory="backup").with_suffix(".bak").write_text("x")
    os.mkfifo(log_path(tmp_path, compressed=False, directory="pipe"))
    assert ids(JsonlPersistence(tmp_path)) == ["a"]
    assert records(caplog) == []
    for name in ("empty", "nested", "backup", "pipe"):
        with pytest.raises(PersistenceError):
            inspect(tmp_path, name)


@pytest.mark.requirement("LOG-16", "LOG-22")
def test_a_missing_root_is_an_empty_store(tmp_path: Path) -> None:
    """Nothing is listed where the root doesn't exist, and nothing is created."""
    store = JsonlPersistence(tmp_path / "root")
    assert asyncio.run(store.list_snapshots()) == []
    assert not (tmp_path / "root").exists()
    put(tmp_path / "root", sound("a"), directory="a")
    assert ids(store) == ["a"]


@pytest.mark.requirement("LOG-16")
def test_an_unreadable_root_is_an_error(tmp_path: Path) -> None:
    """A root that can't be read is reported, and not taken for an empty store."""
    put(tmp_path / "root", sound("a"), directory="a")
    store = JsonlPersistence(tmp_path / "root")
    assert ids(store) == ["a"]
    (tmp_path / "root").rename(tmp_path / "elsewhere")
    (tmp_path / "root").write_text("a file")
    for reading in (store.list, store.list_snapshots, lambda: store.inspect("a")):
        with pytest.raises(PersistenceError) as caught:
            asyncio.run(reading())
        assert isinstance(caught.value.__cause__, NotADirectoryError)


@contextmanager
def unprivileged() -> Iterator[Path]:
    """Give a directory that this process, root or not, has no special rights in meanwhile."""
    with tempfile.TemporaryDirectory() as root:
        Path(root).chmod(0o755)
        if os.geteuid():
            yield Path(root)
            return
        os.chown(root, 65_534, 65_534)
        os.seteuid(65_534)
        try:
            yield Path(root)
        finally:
            os.seteuid(0)


@pytest.mark.requirement("LOG-20", "LOG-22")
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are those of POSIX")
def test_what_cannot_be_read_hides_no_other(caplog: pytest.LogCaptureFixture) -> None:
    """A log or directory without permission leaves one record, and is an error when inspected."""
    with unprivileged() as root:
        put(root, sound("a"), directory="a")
        put(root, sound("b"), directory="b").chmod(0)
        closed = [put(root, sound("c"), directory="c").parent]
        closed.append(put(root, sound("d", "--v--"), project="--v--", directory="d").parents[1])
        for directory in closed:
            directory.chmod(0)
        store = JsonlPersistence(root)
        assert ids(store) == ids(store) == ["a"]
        assert sorted(records(caplog)) == [
            (name, "SESSION_QUERY_PERSISTENCE_FAILED") for name in ("--v--/*", "b", "c")
        ]
        for name in "bcd":
            with pytest.raises(PersistenceError) as caught:
                asyncio.run(store.inspect(name))
            assert isinstance(caught.value.__cause__, PermissionError)
        append(root, events(0, 1))
        assert ids(store) == ["a", "s"]
        for directory in closed:
            directory.chmod(0o700)
        assert ids(store) == ["a", "c", "d", "s"]
