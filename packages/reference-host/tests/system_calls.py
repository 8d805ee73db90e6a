"""Something that happens just before a call to the file system: every race there is, one by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

__all__ = ["acting_before", "every_instant", "open_files"]

_CALLS: Final = (
    "close", "fstat", "fsync", "lstat", "mkdir", "open", "readlink", "rmdir", "scandir", "stat",
    "unlink", "write",
)  # fmt: skip


@contextmanager
def acting_before(number: int, act: Callable[[], object]) -> Iterator[list[str]]:
    """Act once, before the call of that number; yields the names of the calls so far."""
    made: list[str] = []
    acting = False

    def watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watching(*args: Any, **named: Any) -> Any:
            nonlocal acting
            if not acting:
                made.append(name)
                if len(made) == number + 1:
                    acting = True
                    try:
                        act()
                    finally:
                        acting = False
            return call(*args, **named)

        return watching

    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(os, name, watched(name, getattr(os, name)))
        yield made


def open_files() -> int:
    """How many files this process has open."""
    return len(list(Path("/dev/fd").iterdir()))


def every_instant(run: Callable[[int], list[str]]) -> int:
    """Run with each number of a call until there is no such call; return how many there were."""
    number = 0
    while len(run(number)) > number:
        number += 1
    return number
