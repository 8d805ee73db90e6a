"""What is shown of a snapshot that differs."""

from __future__ import annotations

import pytest
from acp_snapshot.suite._difference import difference


@pytest.mark.requirement("SNAP-4")
def test_what_differs_in_a_long_line() -> None:
    """Of a long line the part that differs is shown, with what is around it."""
    old, new = ("a" * 3000 + f'"said":"{text}"' + "b" * 3000 for text in ("yes", "no!!"))
    removed, added = difference(f"{old}\n", f"{new}\n")
    assert removed.startswith("- … (")
    assert '"said":"yes"b' in removed
    assert '"said":"no!!"b' in added
    assert added.endswith("characters) …")
    assert max(map(len, (removed, added))) < 300
    longer, shorter = difference("a" * 5000 + "\n", "a" * 4999 + "\n")
    assert longer.endswith("aa")
    assert shorter.endswith("aa")
    assert longer != shorter


@pytest.mark.requirement("SNAP-4")
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n6\n", ["  ...", "  4", "- 5", "+ 6"]),
        ("1\n2\n", "1\n", ["  1", "- 2"]),
        ("", "1\n", ["+ 1"]),
        ("1\n", "1", ["- 1", "+ 1 (no line end)"]),
        ("1\r\n", "1\n", ["- 1\\r", "+ 1"]),
        ("aXaXa\n", "aXa\n", ["- aXaXa", "+ aXa"]),
        ("1\n2\n", "1\n2\n", []),
    ],
)
def test_what_differs(old: str, new: str, told: list[str]) -> None:
    """Lines that went and came are shown with their neighbours; a line end is told in words."""
    assert difference(old, new) == told


@pytest.mark.requirement("SNAP-4")
def test_a_difference_that_is_long_itself() -> None:
    """Lines that have little in common are shown from where they begin to differ."""
    removed, added = difference("x" * 9000 + "\n", "xy" + "z" * 9000 + "\n")
    assert "xx" in removed
    assert "xyzz" in added
    assert max(map(len, (removed, added))) < 600
