"""What looks like a path of a machine, and what doesn't."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from acp_snapshot.guards import real_paths


@pytest.mark.requirement("SNAP-6")
@pytest.mark.parametrize(
    "path",
    [
        "/home/alice/work",
        "/Users/alice",
        "/tmp/pytest-of-root/x",  # noqa: S108 - searched for, not written to
        "/private/var/folders/ab/x",
        "/var/folders/ab/x",
        "/" + "root/.cache",  # written in two, as no file of the project holds such a path
        "C:\\Users\\alice",
        "c:/Users/alice",
        sys.prefix,
        str(Path.cwd() / "a.txt"),
    ],
)
def test_real_paths(path: str) -> None:
    """A path of a machine is found in every spelling, wherever it stands."""
    assert real_paths(f"in {path}.") or real_paths(f"in {path} .")
    assert real_paths(json.dumps({"text": json.dumps(f"see {path}")}))
    assert real_paths(f'"{path}"') == [path]
    if not path[0].isalpha():
        assert real_paths(f"file://{path}")
        assert real_paths(quote(path, safe=""))


@pytest.mark.requirement("SNAP-6")
@pytest.mark.parametrize("before", ["see:\n", "\t", "\r\n", "a\x1f", "+++\n-", ""])
@pytest.mark.parametrize("path", ["/home/alice/secret.txt", "/" + "root/.ssh/id"])
def test_a_path_that_begins_a_line(path: str, before: str) -> None:
    """A path after a line end or tab is found where that is escaped, and however deep, too."""
    inner = f"{before}{path}"
    row = json.dumps({"text": json.dumps([{inner: 1}])})
    for text in (inner, json.dumps(inner), row, f'{{"a": 1}}\n{row}\n', row[:-6], f"told {row}"):
        assert real_paths(text) == [path]
    assert real_paths(json.dumps({"text": json.dumps(inner)}, indent=2)) == [path]


@pytest.mark.requirement("SNAP-6")
@pytest.mark.parametrize(
    "text",
    [
        "<workspace>/home/x",
        "<run>/tmp/x",
        "/srv/orbit/launch-api",
        "https://example.org/home/alice",
        "at the root/base of it",
        "/home",
        "a/tmp/b",
        "/usr/bin/env",
    ],
)
def test_other_paths(text: str) -> None:
    """A path below a token, an invented one, or a part of an address is no real path."""
    assert real_paths(text) == []


@pytest.mark.requirement("SNAP-6")
def test_paths_that_are_content() -> None:
    """A host can allow what is part of its fixtures, as whole paths."""
    text = "/home/alice/a and /home/alice/b"
    assert real_paths(text, ["/home/alice/a"]) == ["/home/alice/b"]
