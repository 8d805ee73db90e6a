"""Old texts are removed, and nothing else is."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from reference_host.spill import LocalSpillStore

from .folders import file_of, files, opened, save

NOW = 1_700_000_000
DAY = 86_400


def store_in(root: Path) -> LocalSpillStore:
    """A store at a known time."""
    return LocalSpillStore(root, clock=lambda: NOW * 1000)


def saved(root: Path, age: float, owner: str = "s") -> Path:
    """The file of a text of some age in seconds."""
    file = file_of(root, save(store_in(root), owner=owner))
    os.utime(file, (NOW - age, NOW - age))
    return file


def remove(root: Path, age: float = DAY) -> int:
    """Remove what is older."""
    return asyncio.run(store_in(root).remove_older_than(age))


@pytest.mark.requirement("SPILL-4")
def test_what_is_older_goes(tmp_path: Path) -> None:
    """A text goes once it is older than the age, and one that is just as old stays."""
    root = tmp_path / "spill"
    old, just, new = (saved(root, age) for age in (DAY + 1, DAY, -DAY))
    assert remove(root) == 1
    assert files(root) == sorted([just, new])
    with pytest.raises(FileNotFoundError):
        store_in(root).open_spilled(f"spill:{old.relative_to(root)}")
    assert remove(root) == 0


@pytest.mark.requirement("SPILL-4")
def test_folders_without_texts_go(tmp_path: Path) -> None:
    """The folder of a session goes with its last text, and one that was empty before goes too."""
    root = tmp_path / "spill"
    emptied = saved(root, DAY + 1, "one").parent
    kept = saved(root, 0, "two").parent
    empty = root / f"session-{'0' * 16}"
    empty.mkdir(mode=0o700)
    remove(root)
    assert not emptied.exists()
    assert not empty.exists()
    assert list(root.iterdir()) == [kept]


@pytest.mark.requirement("SPILL-4")
def test_what_is_not_ours_stays(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Files, folders and symlinks of other names or kinds stay, and so does what holds them."""
    root = tmp_path / "spill"
    elsewhere = saved(tmp_path / "elsewhere", DAY + 1)
    mine = saved(root, DAY + 1)
    foreign = [
        root / "README",
        root / "session-x" / mine.name,
        root / mine.parent.name.upper() / mine.name,
        root / f"session-{'1' * 16}",
        mine.parent / "notes.txt",
        mine.parent / f"{mine.name}\n",
    ]
    for path in foreign:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text("not ours")
        os.utime(path, (0, 0))
    links = [root / f"session-{'2' * 16}", mine.parent / f"{'2' * 16}-x"]
    links[0].symlink_to(elsewhere.parent)
    links[1].symlink_to(elsewhere)
    for link in links:
        os.utime(link, (0, 0), follow_symlinks=False)
    assert remove(root, -2 * DAY) == 1
    assert files(root) == sorted([*foreign, *links])
    assert elsewhere.exists()
    assert not caplog.records


@pytest.mark.requirement("SPILL-4")
def test_a_root_that_is_not_there_yet(tmp_path: Path) -> None:
    """Where nothing was ever kept there is nothing to remove, and nothing is made."""
    assert remove(tmp_path / "spill") == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.requirement("SPILL-4")
def test_a_root_that_others_may_write_to(tmp_path: Path) -> None:
    """Nothing is removed below a folder that somebody else may change."""
    file = saved(tmp_path / "spill", DAY + 1)
    (tmp_path / "spill").chmod(0o777)
    with pytest.raises(PermissionError):
        remove(tmp_path / "spill")
    assert file.exists()


@pytest.mark.requirement("SPILL-4")
def test_what_can_not_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What can't be removed keeps nothing else from being removed, and is logged once."""
    root = tmp_path / "spill"
    stuck, *others = (saved(root, DAY + 1, str(owner % 2)) for owner in range(5))
    shared = saved(root, DAY + 1, "shared")
    shared.parent.chmod(0o770)
    unlink = os.unlink

    def failing(name: str, *, dir_fd: int) -> None:
        if name == stuck.name:
            raise PermissionError(1, "stuck")
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", failing)
    assert remove(root) == len(others)
    monkeypatch.undo()
    assert files(root) == sorted([stuck, shared])
    [record] = caplog.records
    assert (record.name, record.levelname) == ("reference_host", "WARNING")
    assert record.getMessage().startswith("2 spilled texts")
    assert vars(record)["code"] == "SPILL_NOT_REMOVED"


@pytest.mark.requirement("SPILL-4")
def test_young_texts_can_still_be_read(tmp_path: Path) -> None:
    """What was saved just now survives a removal, whatever the real time is."""
    store = LocalSpillStore(tmp_path / "spill")
    ref = save(store)
    assert asyncio.run(store.remove_older_than(DAY)) == 0
    assert opened(store, ref) == b"text"
