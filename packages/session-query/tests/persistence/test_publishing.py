"""Giving a complete file its name."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from session_query.persistence.jsonl._publish import _link, _rename, publish

WAYS: dict[str, Callable[[str, str], bool | None]] = {
    "the best": publish,
    "rename": _rename,
    "link": _link,
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Callable[[str, str], bool | None]:
    """Each way that there is on this system."""
    if request.param == "rename" and not sys.platform.startswith("linux"):
        pytest.skip("only Linux renames without replacing")
    return WAYS[request.param]


@pytest.mark.requirement("LOG-21")
def test_a_published_file_has_one_name(
    tmp_path: Path, way: Callable[[str, str], bool | None]
) -> None:
    """The file is there under its new name alone, whichever way the system allows."""
    source, target = tmp_path / "source\udcff", tmp_path / "target"
    source.write_text("new")
    assert way(str(source), str(target)) is not False
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
    assert target.read_text() == "new"


@pytest.mark.requirement("LOG-21")
def test_publishing_replaces_nothing(
    tmp_path: Path, way: Callable[[str, str], bool | None]
) -> None:
    """Where the name is taken, both files stay as they are."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("new")
    target.write_text("old")
    with pytest.raises(FileExistsError):
        way(str(source), str(target))
    assert (source.read_text(), target.read_text()) == ("new", "old")


@pytest.mark.requirement("LOG-21")
def test_a_file_that_is_gone_cannot_be_published(
    tmp_path: Path, way: Callable[[str, str], bool | None]
) -> None:
    """The system's own error tells that there is nothing to publish."""
    with pytest.raises(FileNotFoundError) as caught:
        way(str(tmp_path / "source"), str(tmp_path / "target"))
    assert caught.value.errno == errno.ENOENT
