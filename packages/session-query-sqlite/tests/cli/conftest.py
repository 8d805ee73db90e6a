"""What the tests of the command share."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .shells import Shell


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may use the command too."""
    for name in ("SESSION_QUERY_ROOT", "SESSION_QUERY_INDEX", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """An empty store and no index."""
    return Shell(tmp_path)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place whose clocks are one hour, in summer two hours, ahead of UTC."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
