"""Somebody who puts symlinks where the store is about to go, at every instant."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from reference_host.spill import LocalSpillStore
from reference_host.spill._locators import folder_of, place_of

from ..system_calls import acting_before, every_instant
from .folders import TOKEN, file_of, files, save, store_with_token

FILE = place_of(folder_of("s"), TOKEN, "x")
LEVELS = pytest.mark.parametrize("level", [0, 1, 2], ids=["file", "folder", "root"])


def replaced(root: Path, level: int) -> Path:
    """What is replaced: the file, its folder, or the root."""
    file = root / FILE.folder / FILE.name
    return (file, *file.parents)[level]


def swap(place: Path, target: Path) -> None:
    """Put a symlink where something is, or will be."""
    if os.path.lexists(place):
        place.rename(place.with_name("moved"))
    with suppress(FileNotFoundError):  # so early there is nothing that it could be in
        place.symlink_to(target)


@pytest.mark.requirement("SPILL-1")
@LEVELS
def test_nothing_is_written_elsewhere(tmp_path: Path, level: int) -> None:
    """A symlink that comes in at any instant of a saving leads no text out of the root."""

    def run(number: int) -> list[str]:
        mine, elsewhere = tmp_path / f"{number}/mine", tmp_path / f"{number}/elsewhere"
        mine.mkdir(parents=True)
        (elsewhere / FILE.folder).mkdir(parents=True, mode=0o700)
        root = mine / "spill"
        target = [elsewhere / "new", elsewhere / FILE.folder, elsewhere][level]
        act = partial(swap, replaced(root, level), target)
        with acting_before(number, act) as made, suppress(OSError):
            save(store_with_token(root))
        assert not files(elsewhere)
        return made

    assert every_instant(run) > 8


@pytest.mark.requirement("SPILL-1", "SPILL-4")
@LEVELS
def test_nothing_is_read_elsewhere(tmp_path: Path, level: int) -> None:
    """A symlink that comes in at any instant of a reading gives no other file for the text."""
    outcomes = set()

    def run(number: int) -> list[str]:
        root, other = tmp_path / f"{number}/spill", tmp_path / f"{number}/other"
        store = store_with_token(root)
        ref = save(store, "mine")
        save(store_with_token(other), "secret")
        act = partial(swap, replaced(root, level), replaced(other, level))
        content = b"refused"
        with (
            acting_before(number, act) as made,
            suppress(OSError),
            store.open_spilled(ref.locator) as file,
        ):
            content = file.read()
        outcomes.add(content)
        return made

    assert every_instant(run) > 4
    assert outcomes == {b"mine", b"refused"}


@pytest.mark.requirement("SPILL-4")
@LEVELS
def test_nothing_is_removed_elsewhere(tmp_path: Path, level: int) -> None:
    """A symlink that comes in while old texts are removed leads to no other file's removal."""

    def run(number: int) -> list[str]:
        root, other = tmp_path / f"{number}/spill", tmp_path / f"{number}/other"
        save(store_with_token(root))
        save(store_with_token(other))
        store = LocalSpillStore(root, clock=lambda: 2**53)
        act = partial(swap, replaced(root, level), replaced(other, level))
        with acting_before(number, act) as made, suppress(OSError):
            asyncio.run(store.remove_older_than(0))
        assert len(files(other)) == 1
        return made

    assert every_instant(run) > 8


@pytest.mark.requirement("SPILL-1", "SPILL-4")
def test_removing_and_saving_side_by_side(tmp_path: Path) -> None:
    """A host that removes an empty folder at any instant of another's saving does not fail it."""

    def run(number: int) -> list[str]:
        root = tmp_path / str(number)
        folder = root / FILE.folder
        folder.mkdir(parents=True, mode=0o700)
        root.chmod(0o700)

        def remove_empty() -> None:
            with suppress(OSError):
                folder.rmdir()

        with acting_before(number, remove_empty) as made:
            ref = save(store_with_token(root))
        assert file_of(root, ref).read_text() == "text"
        return made

    assert every_instant(run) > 8
