"""Runs happen under paths that are alike on every machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from acp_snapshot import AcpSnapshotError
from acp_snapshot.suite._run_folder import PATH_LENGTH, run_folder


@pytest.mark.requirement("SNAP-4", "SNAP-8")
def test_the_path_of_a_run(tmp_path: Path) -> None:
    """Its length is fixed, no link is in it, nobody else sees it, and it can be looked at later."""
    kept = [tmp_path / "one", tmp_path / "two"]
    with run_folder(kept[0]) as one, run_folder(kept[1]) as two:
        assert one != two
        for root in (one, two):
            assert len(os.fsencode(root)) == PATH_LENGTH
            assert os.path.realpath(root) == str(root)
            assert root.stat().st_mode & 0o777 == 0o700
            (root / "log").touch()
    assert not one.exists()
    assert not two.exists()
    assert all((root / "log").is_file() for root in kept)


@pytest.mark.requirement("SNAP-8")
def test_where_no_run_can_be(tmp_path: Path) -> None:
    """A base that can't be used is passed over; where none can, it's told what to do."""
    bases = [tmp_path / "not there", tmp_path / ("long" * 10)]
    with (
        pytest.raises(AcpSnapshotError, match="make /tmp writable, or have TMPDIR name a folder"),
        run_folder(tmp_path / "kept", bases),
    ):
        pass
    with run_folder(tmp_path / "kept", [*bases, Path("/tmp")]):  # noqa: S108 - what is made there is private
        pass
