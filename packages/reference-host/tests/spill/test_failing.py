"""Disks that fail, callers that leave: of a failed saving nothing stays."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reference_host.spill import LocalSpillStore

from ..system_calls import acting_before, every_instant
from .folders import SOURCE, files, save

MEBIBYTE = 1 << 20


def leftovers(root: Path) -> list[Path]:
    """What there is below the root."""
    return sorted(root.rglob("*"))


@pytest.mark.requirement("SPILL-1")
def test_every_call_that_can_fail(tmp_path: Path) -> None:
    """Whichever call to the file system fails, saving raises that and leaves nothing behind."""

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def run(number: int) -> list[str]:
        root = tmp_path / str(number) / "spill"
        failure = None
        with acting_before(number, full) as made:
            try:
                save(LocalSpillStore(root), "x" * (2 * MEBIBYTE))
            except OSError as error:
                failure = error
        if len(made) > number:
            assert failure is not None, f"{made[number]} failed, and nobody was told"
            assert failure.errno == errno.ENOSPC
            assert not leftovers(root), f"{made[number]} failed, and this stayed"
        return made

    assert every_instant(run) > 10


@pytest.mark.requirement("SPILL-1")
def test_other_texts_survive_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed saving takes no other text of its session with it."""
    store = LocalSpillStore(tmp_path / "spill")
    save(store)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", raising(OSError(errno.EIO, "I/O error")))
        with pytest.raises(OSError, match="I/O error"):
            save(store)
    assert len(files(tmp_path)) == 1


def raising(error: BaseException) -> Callable[..., Any]:
    """A function that only fails."""

    def fail(*_: object) -> None:
        raise error

    return fail


FULL_DISK = """
import asyncio, resource, sys
from reference_host.spill import LocalSpillStore, SpillSource
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
store = LocalSpillStore(sys.argv[1])
try:
    asyncio.run(store.save_text("s", SpillSource("t", "c", "l"), "x", "x" * 100_001))
except OSError as error:
    print(error.strerror)
asyncio.run(store.save_text("s", SpillSource("t", "c", "l"), "x", "x" * 100_000))
"""


@pytest.mark.requirement("SPILL-1")
def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """Where the system cuts a file off in the middle, saving fails, and the piece is removed."""
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "spill")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "File too large\n"
    [file] = files(tmp_path)
    assert file.stat().st_size == 100_000


@pytest.mark.requirement("SPILL-1")
def test_writes_that_take_only_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that writes less than it was given is given the rest."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:7]))
    save(LocalSpillStore(tmp_path / "spill"), "0123456789" * 5)
    monkeypatch.undo()
    [file] = files(tmp_path)
    assert file.read_text() == "0123456789" * 5


@pytest.mark.requirement("SPILL-1")
@pytest.mark.parametrize("at", ["write", "fsync", "close"])
def test_a_caller_that_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Of a cancelled saving nothing stays, however far it had come: nobody knows its locator."""
    reached, left = threading.Event(), threading.Event()
    call = getattr(os, at)
    calls = 0

    def held(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        reached.set()
        assert left.wait(10)
        return call(*arguments)

    async def main() -> None:
        store = LocalSpillStore(tmp_path / "spill")
        text = "x" * (2 * MEBIBYTE)
        task = asyncio.ensure_future(store.save_text("s", SOURCE, "x", text))
        with monkeypatch.context() as patch:
            patch.setattr(os, at, held)
            await asyncio.to_thread(reached.wait, 10)
            task.cancel()
            left.set()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert not leftovers(tmp_path / "spill")
        assert at != "write" or calls == 1, "it wrote on though nobody waited"

    asyncio.run(main())


@pytest.mark.requirement("SPILL-1")
def test_a_saved_text_is_on_the_disk(tmp_path: Path) -> None:
    """A locator is given only for what lasts: the file is synced once it is whole, its name too."""
    with acting_before(-1, list) as made:
        save(LocalSpillStore(tmp_path / "spill"))
    written = len(made) - made[::-1].index("write")
    assert made[written : written + 3] == ["fsync", "close", "fsync"]
