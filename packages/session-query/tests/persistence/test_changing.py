"""Logs that change while they are read: here, whenever the reader asks for an abort."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from session_query.errors import PersistenceCorruptionError, PersistenceError
from session_query.persistence import JsonlPersistence

from .stores import event, events, header_line, inspect, line, lines, put


class Meanwhile:
    """Does something during each of the first reads."""

    def __init__(self, change: Callable[[], object], times: int = 1) -> None:
        self._change = change
        self._times = times

    def __call__(self) -> None:
        if self._times:
            self._times -= 1
            self._change()


OLD = header_line() + lines(events(0, 3))
# Shorter: the system may give two changes one time stamp.
NEW = header_line() + lines([event(0, "new"), *events(1, 3)])


@pytest.mark.requirement("LOG-16")
def test_growth_does_not_show(tmp_path: Path) -> None:
    """What is appended while a log is read is not in what was read, and so says its revision."""
    path = put(tmp_path, OLD)
    before = inspect(tmp_path).revision

    def grow() -> None:
        with path.open("ab") as file:
            file.write(line(event(3)))

    content, revision = JsonlPersistence(tmp_path)._read("s", Meanwhile(grow))
    assert content.events == events(0, 3)
    assert revision == before != inspect(tmp_path).revision


@pytest.mark.requirement("LOG-16")
def test_a_log_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    """Content and revision are of one state, also where another took its place in the meantime."""
    path = put(tmp_path, OLD)
    content, revision = JsonlPersistence(tmp_path)._read(
        "s", Meanwhile(lambda: path.write_bytes(NEW))
    )
    assert [item.type for item in content.events] == ["new", "host/own", "host/own"]
    assert revision == inspect(tmp_path).revision


@pytest.mark.requirement("LOG-16", "LOG-20")
def test_damage_that_is_gone_is_not_reported(tmp_path: Path) -> None:
    """A log is corrupt only if it's still as it was when the damage was seen."""
    path = put(tmp_path, header_line() + b"\n" + line(event(0, "turn/end")))
    store = JsonlPersistence(tmp_path)
    content, _ = store._read("s", Meanwhile(lambda: path.write_bytes(OLD)))
    assert content.events == events(0, 3)
    path.write_bytes(b"\n")
    with pytest.raises(PersistenceCorruptionError):
        store._read("s", Meanwhile(lambda: None))


@pytest.mark.requirement("LOG-16")
def test_a_log_that_never_rests_is_an_error(tmp_path: Path) -> None:
    """A reader gives up on a log that is cut each time."""
    path = put(tmp_path, OLD)

    def cut() -> None:
        os.truncate(path, path.stat().st_size - 1)

    with pytest.raises(PersistenceError, match="changes all the time"):
        JsonlPersistence(tmp_path)._read("s", Meanwhile(cut, times=99))


@pytest.mark.requirement("LOG-16")
@pytest.mark.parametrize("cut", [True, False])
def test_a_log_that_changes_has_no_tail(tmp_path: Path, *, cut: bool) -> None:
    """A tail that was read while the log was cut or written anew is not given."""
    path = put(tmp_path, OLD)
    store = JsonlPersistence(tmp_path)
    revision = asyncio.run(store.inspect("s")).revision
    with path.open("ab") as file:
        file.write(line(event(3)))

    def change() -> None:
        if cut:
            os.truncate(path, len(OLD))
        else:
            path.write_bytes(NEW)

    position = store._positions["s", revision]
    assert store._read_tail("s", revision, position, Meanwhile(change)) is None
