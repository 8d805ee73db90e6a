"""Which files the process opens, as the interpreter itself reports it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_watching: list[list[str]] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event == "open" and isinstance(arguments[0], str):
        for opened in _watching:
            opened.append(os.path.basename(os.path.dirname(arguments[0])))  # noqa: PTH119, PTH120


# It can't be removed again; it does nothing unless somebody watches.
sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collect the names of the directories in which files are opened meanwhile."""
    opened: list[str] = []
    _watching.append(opened)
    try:
        yield opened
    finally:
        _watching.remove(opened)
