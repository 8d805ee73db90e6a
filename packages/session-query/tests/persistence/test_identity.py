"""Names of stores and revisions of logs."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest
from session_query.persistence import (
    JsonlPersistence,
    SessionPersistence,
    WritableSessionPersistence,
)

from .stores import HEADER, append, event, events, frame, header_line, inspect, line, put


@pytest.mark.requirement("LOG-16")
def test_the_default_store_can_write() -> None:
    """The default store is a persistence that can also write."""
    assert issubclass(JsonlPersistence, WritableSessionPersistence)
    assert issubclass(WritableSessionPersistence, SessionPersistence)


@pytest.mark.requirement("LOG-17")
def test_other_compressions_are_refused(tmp_path: Path) -> None:
    """The error names the value and what there is."""
    with pytest.raises(ValueError, match=r"'zstd' or 'none', not 'gzip'"):
        JsonlPersistence(tmp_path, "gzip")  # type: ignore[arg-type]


@pytest.mark.requirement("LOG-16")
def test_every_opening_of_a_store_has_one_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Symbolic links, relative and roundabout paths, and the encoding make no difference."""
    root = tmp_path / "a" / "r\udcff\u00e9"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("a")

    def identities() -> set[str]:
        paths: list[str | Path] = [
            root,
            str(root),
            f"{tmp_path}/a/../link/{root.name}",
            f"link/{root.name}/",
        ]
        stores = [JsonlPersistence(path) for path in paths] + [JsonlPersistence(root, "none")]
        return {store.identity for store in stores}

    (tmp_path / "a").mkdir()
    before = JsonlPersistence(root)
    assert identities() == {before.identity}
    root.mkdir()
    assert identities() == {before.identity}
    assert before.identity.isascii()


@pytest.mark.requirement("LOG-16")
def test_no_two_stores_share_an_identity(tmp_path: Path) -> None:
    """A copy has another one, and so has a store that was put in the place of a removed one."""
    append(tmp_path / "a", events(0, 1))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    (tmp_path / "c").mkdir()
    store = JsonlPersistence(tmp_path / "a")
    found = [store.identity, JsonlPersistence(tmp_path / "b").identity]
    (tmp_path / "a").rename(tmp_path / "old")
    (tmp_path / "c").rename(tmp_path / "a")
    found += [store.identity, JsonlPersistence(tmp_path / "missing").identity]
    assert len(set(found)) == 4


@pytest.mark.requirement("LOG-16")
def test_a_revision_changes_with_the_log(tmp_path: Path) -> None:
    """It stays while nothing happens, and changes with each append, cut and replacement."""
    path = put(tmp_path, [header_line(), line(event(0))])
    data = path.read_bytes()

    def revision() -> str:
        found = inspect(tmp_path).revision
        (snapshot,) = asyncio.run(JsonlPersistence(tmp_path).list_snapshots())
        assert snapshot.revision == inspect(tmp_path).revision == found
        return found

    found = [revision()]
    append(tmp_path, [event(1)])
    found.append(revision())
    os.truncate(path, len(data))
    found.append(revision())
    copy = tmp_path / "copy"
    copy.write_bytes(data)
    copy.replace(path)
    found.append(revision())
    with path.open("ab") as file:
        file.write(frame(line(event(1)))[:-1])
    found.append(revision())
    assert len(set(found)) == 5


@pytest.mark.requirement("LOG-16", "LOG-20")
def test_reading_changes_nothing(tmp_path: Path) -> None:
    """Listing and inspecting leave names, bytes, modes and times as they were, damage included."""
    put(tmp_path, [header_line(), line(event(0))]).chmod(0o640)
    put(tmp_path, header_line() + b"x", directory="bad")
    path = put(tmp_path, header_line(HEADER, id="torn") + line(event(0)) + b"x", directory="torn")

    def state() -> list[tuple[str, int, int, int, bytes]]:
        return [
            (str(item), found.st_mode, found.st_mtime_ns, found.st_ctime_ns,
             item.read_bytes() if item.is_file() else b"")
            for item in sorted([tmp_path, *tmp_path.rglob("*")])
            for found in [item.stat()]
        ]  # fmt: skip

    before = state()
    store = JsonlPersistence(tmp_path)
    for _ in range(2):
        assert len(asyncio.run(store.list())) == 2
        stored = asyncio.run(store.inspect("torn"))
        tail = asyncio.run(store.inspect_tail("torn", stored.revision))
        assert tail is not None
        asyncio.run(store.close())
    assert state() == before
    assert path.read_bytes().endswith(b"x")
