"""Which files and directories the process reads, as the interpreter itself reports it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

_watching: list[tuple[str, list[str]]] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    for watched_event, found in _watching:
        if event == watched_event and isinstance(arguments[0], str):
            found.append(arguments[0])


# It can't be removed again; it does nothing unless somebody watches.
sys.addaudithook(_hook)


@contextmanager
def _watched(event: str) -> Iterator[list[str]]:
    entry: tuple[str, list[str]] = (event, [])
    _watching.append(entry)
    try:
        yield entry[1]
    finally:
        _watching.remove(entry)


def opened_files() -> AbstractContextManager[list[str]]:
    """Collect the paths of the files that are opened meanwhile."""
    return _watched("open")


def read_directories() -> AbstractContextManager[list[str]]:
    """Collect the paths of the directories that are read meanwhile."""
    return _watched("os.scandir")
