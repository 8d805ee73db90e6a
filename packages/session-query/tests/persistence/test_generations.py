"""Reading large logs beside the garbage collector."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from session_query.persistence.jsonl._generations import PROMOTIONS, promote

from .stores import events, header_line, inspect, lines, put


class Knot:
    """Garbage that only the collector can find."""

    def __init__(self) -> None:
        self.itself = self


def knot() -> weakref.ref[Knot]:
    """Make such garbage."""
    return weakref.ref(Knot())


@pytest.mark.requirement("LOG-22")
@pytest.mark.parametrize("compressed", [False, True])
def test_a_large_log_is_read_without_full_collections(tmp_path: Path, *, compressed: bool) -> None:
    """However many events a log has, reading them sets off no collection of everything."""
    data = [header_line(), lines(events(0, 60_000))]
    put(tmp_path, data if compressed else b"".join(data))
    full: list[int] = []

    def count(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            full.append(len(full))

    gc.collect()
    gc.callbacks.append(count)
    try:
        assert len(inspect(tmp_path).events) == 60_000
    finally:
        gc.callbacks.remove(count)
    assert full == []


@pytest.mark.requirement("LOG-22")
def test_a_small_log_leaves_the_collector_alone(tmp_path: Path) -> None:
    """Garbage that was made before a log of ordinary size is read is found as early as ever."""
    put(tmp_path, header_line() + lines(events(0, 1_000)))
    promote()  # what other tests have read doesn't count
    gc.collect()
    gc.disable()
    try:
        garbage = knot()
        inspect(tmp_path)
        gc.collect(0)
    finally:
        gc.enable()
    assert garbage() is None


@pytest.mark.requirement("LOG-22")
def test_nothing_is_lost_to_the_collector() -> None:
    """What was promoted is garbage for a full collection, and for no smaller one."""
    gc.collect()
    garbage = knot()
    promote()
    gc.collect(1)
    assert garbage() is not None
    gc.collect()
    assert garbage() is None


@pytest.mark.requirement("LOG-22")
def test_full_collections_come_in_the_end() -> None:
    """After many promotions without a full collection, none is made until there was one."""
    gc.collect()
    gc.disable()
    try:
        for _ in range(PROMOTIONS + 1):
            promote()
        garbage = knot()
        promote()
        gc.collect(0)
        assert garbage() is None
        gc.collect()
        garbage = knot()
        promote()
        gc.collect(0)
        assert garbage() is not None
    finally:
        gc.enable()


@pytest.mark.requirement("LOG-22")
def test_frozen_objects_stay_frozen() -> None:
    """A process that has frozen objects of its own keeps them."""
    script = (
        "import gc\n"
        "from session_query.persistence.jsonl._generations import promote\n"
        "gc.freeze()\n"
        "before = gc.get_freeze_count()\n"
        "promote()\n"
        "assert gc.get_freeze_count() == before > 0\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.requirement("LOG-22", "CANCEL-8")
def test_many_small_logs_are_read_without_full_collections(tmp_path: Path) -> None:
    """Logs by the hundred, as an index reads them, set off no collection of everything."""
    put(tmp_path, header_line() + lines(events(0, 500)))
    full: list[int] = []

    def count(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            full.append(len(full))

    gc.collect()
    gc.callbacks.append(count)
    try:
        kept = [inspect(tmp_path) for _ in range(120)]
    finally:
        gc.callbacks.remove(count)
    assert full == []
    assert len(kept) == 120
