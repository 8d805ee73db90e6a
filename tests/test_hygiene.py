"""No tracked file tells where or with what it was made."""

from __future__ import annotations

import re
from pathlib import Path

# Spelt in parts, so that this file passes its own check.
HOSTS = "|".join(
    rf"{name}\.{top}"
    for name, top in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "(?:org|com)"),
        ("crates", "io"),
        ("proxy.golang", "org"),
        ("deb.debian", "org"),
    ]
)
FOLDERS = "opt/wheels|root|tmp/design|work"
FORBIDDEN = re.compile(rf"\b(?:{HOSTS})\b|(?<![\w./~$}}*-])/(?:{FOLDERS})/")
LOCK_FILES = {"uv.lock", "poetry.lock", "Pipfile.lock", "package-lock.json", "pnpm-lock.yaml"}


def test_no_registry_and_no_machine_is_named(root: Path, tracked: list[Path]) -> None:
    """No tracked file names a package registry's host or a folder of one particular machine."""
    found = [
        f"{path.relative_to(root)}:{number}: {match.group()}"
        for path in tracked
        for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1)
        if (match := FORBIDDEN.search(line))
    ]
    assert not found, "\n".join(["names that belong to one machine or registry:", *found])


def test_no_lock_file_is_tracked(root: Path, tracked: list[Path]) -> None:
    """No lock file is tracked: each holds the addresses of the registry that resolved it."""
    found = [str(path.relative_to(root)) for path in tracked if path.name in LOCK_FILES]
    assert not found, f"pin versions in pyproject.toml instead, and untrack: {found}"
