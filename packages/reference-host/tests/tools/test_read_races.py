"""Somebody who puts symlinks, FIFOs and folders where a file was found, at every instant."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from reference_host.errors import ToolError
from reference_host.tools import ReadTool

from ..system_calls import acting_before, every_instant, open_files
from .sessions import call, session_in


def to_secret_file(work: Path) -> None:
    """Replace the file by a symlink."""
    (work / "sub/file").rename(work / "sub/moved")
    (work / "sub/file").symlink_to(work.parent / "elsewhere/file")


def to_secret_folder(work: Path) -> None:
    """Replace its folder by a symlink."""
    (work / "sub").rename(work / "moved")
    (work / "sub").symlink_to(work.parent / "elsewhere")


def to_secret_root(work: Path) -> None:
    """Replace the folder of the session by a symlink."""
    work.rename(work.parent / "moved")
    work.symlink_to(work.parent / "other")


def to_link_elsewhere(work: Path) -> None:
    """Have the symlink on the path lead elsewhere."""
    (work / "link").unlink()
    (work / "link").symlink_to(work.parent / "elsewhere")


def to_fifo(work: Path) -> None:
    """Replace the file by a FIFO that nobody writes to."""
    (work / "sub/file").unlink()
    os.mkfifo(work / "sub/file")


@pytest.mark.requirement("SPILL-4")
@pytest.mark.parametrize(
    "act", [to_secret_file, to_secret_folder, to_secret_root, to_link_elsewhere, to_fifo]
)
@pytest.mark.parametrize("path", ["sub/file", "link/file"])
def test_no_race_leads_elsewhere(tmp_path: Path, act: Callable[[Path], None], path: str) -> None:
    """Whatever comes in the way at any instant, it is read or refused, and no file stays open."""
    outcomes = set()
    before = open_files()

    def run(number: int) -> list[str]:
        work = tmp_path / str(number) / "work"
        for folder, content in (("work/sub", "mine"), ("elsewhere", "secret")):
            (work.parent / folder).mkdir(parents=True)
            (work.parent / folder / "file").write_text(content)
        (work / "link").symlink_to("sub")
        (work.parent / "other").symlink_to("elsewhere")
        session = session_in(work)
        with acting_before(number, lambda: act(work)) as made:
            try:
                outcomes.add(call(ReadTool(), session, {"path": path})[:4])
            except ToolError as error:
                outcomes.add(error.code)
        assert open_files() == before, "a file was left open"
        return made

    assert every_instant(run) > 10
    assert outcomes <= {"mine", "TOOL_READ_REFUSED"}
    assert "mine" in outcomes
