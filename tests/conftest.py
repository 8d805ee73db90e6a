"""What the checks of the repository look at."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def root(pytestconfig: pytest.Config) -> Path:
    """The top folder of the checkout."""
    return pytestconfig.rootpath


@pytest.fixture(scope="session")
def tracked(root: Path) -> list[Path]:
    """Every file that git tracks and the work tree still holds."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
    ).stdout
    return [path for name in listing.split("\0") if name and (path := root / name).is_file()]


@pytest.fixture(scope="session")
def packages(root: Path) -> list[Path]:
    """The folder of every package of the workspace."""
    found = [*root.glob("packages/*/pyproject.toml"), root / "specs" / "pyproject.toml"]
    return sorted(path.parent for path in found)
