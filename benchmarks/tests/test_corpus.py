"""The corpora that the benchmarks make."""

from __future__ import annotations

import asyncio
import filecmp
from pathlib import Path

import numpy as np
import pytest
from session_query import (
    JsonlPersistence,
    SessionPersistence,
    StoredSession,
    extract_event_text,
    fold_surface,
    fold_title,
    turn_is_open,
)

from ..corpus import Texts, copy_first, generate, session_files

SESSIONS, EVENTS, SEED = 60, 90, 5


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of plain logs."""
    root = tmp_path_factory.mktemp("corpus") / "store"
    generate(root, SESSIONS, EVENTS, SEED)
    return root


def inspected(persistence: SessionPersistence) -> dict[str, StoredSession]:
    """Every session of a store by its id."""

    async def read() -> dict[str, StoredSession]:
        headers = await persistence.list()
        return {header.id: await persistence.inspect(header.id) for header in headers}

    return asyncio.run(read())


@pytest.fixture(scope="module")
def logs(store: Path) -> dict[str, StoredSession]:
    """The logs of the store, as the project reads them."""
    return inspected(JsonlPersistence(store))


def relative(root: Path) -> list[str]:
    """The logs of a store, by their place in it."""
    return [str(path.relative_to(root)) for path in session_files(root)]


def test_it_is_as_large_as_asked(logs: dict[str, StoredSession]) -> None:
    """Each of the sessions is read without damage and has as many events as were asked for."""
    assert [len(log.events) for log in logs.values()] == [EVENTS] * SESSIONS


def test_it_folds(logs: dict[str, StoredSession]) -> None:
    """Every log keeps the rules of the surface and begins with a titled turn."""
    for log in logs.values():
        assert fold_surface(log.events).nodes
        assert fold_title(log.events)


def test_it_has_what_recorded_sessions_have(logs: dict[str, StoredSession]) -> None:
    """There are compactions, forks, sub-agents, deltas, and texts of many lengths."""
    events = [event for log in logs.values() for event in log.events]
    assert any(fold_surface(log.events).replacements for log in logs.values())
    forks = [log for log in logs.values() if log.header.seed_length is not None]
    assert forks
    for fork in forks:
        parent = logs[str(fork.header.parent_session)]
        length = int(fork.header.seed_length or 0)
        assert tuple(fork.events[:length]) == tuple(parent.events[:length])
        assert fork.events[length].type == "session/end-seed"
        assert not turn_is_open(fork.events[:length])
    assert any(log.header.origin == "subagent" for log in logs.values())
    assert {"assistant/chunk", "todo/write", "tool/call", "tool/result", "turn/end"} <= {
        event.type for event in events
    }
    lengths = sorted(len(text) for event in events if (text := extract_event_text(event)))
    assert 300 < lengths[len(lengths) // 2] < 900
    assert lengths[-1] > 5_000


def test_equal_seeds_make_equal_texts() -> None:
    """Texts depend on the seed of the vocabulary and on the generator that is given, alone."""
    made = [
        Texts(seed).make(np.random.default_rng(1), style, [50, 3], ["own"])
        for style in ("prose", "code")
        for seed in (SEED, SEED, SEED + 1)
    ]
    assert made[0] == made[1] != made[2]
    assert made[3] == made[4] != made[5]


def test_equal_seeds_make_equal_stores(store: Path, tmp_path: Path) -> None:
    """The same seed makes the same bytes; another seed makes other ones."""
    generate(tmp_path / "same", SESSIONS, EVENTS, SEED)
    generate(tmp_path / "other", 2, EVENTS, SEED + 1)
    names = relative(store)
    assert relative(tmp_path / "same") == names
    equal, *_ = filecmp.cmpfiles(store, tmp_path / "same", names, shallow=False)
    assert equal == names
    first = next(session_files(tmp_path / "other"))
    assert first.read_bytes() != next(session_files(store)).read_bytes()


def test_a_smaller_store_is_the_beginning_of_a_larger_one(store: Path, tmp_path: Path) -> None:
    """A store of fewer sessions holds the first sessions of one with more."""
    generate(tmp_path / "made", 20, EVENTS, SEED)
    copy_first(store, 20, tmp_path / "copied")
    for folder in ("made", "copied"):
        names = relative(tmp_path / folder)
        assert names == relative(store)[:20]
        equal, *_ = filecmp.cmpfiles(store, tmp_path / folder, names, shallow=False)
        assert equal == names


def test_compressed_logs_hold_the_same(logs: dict[str, StoredSession], tmp_path: Path) -> None:
    """A compressed store is read as the same sessions as a plain one."""
    generate(tmp_path, 12, EVENTS, SEED, compress=True)
    found = inspected(JsonlPersistence(tmp_path))
    assert len(found) == 12
    for name, log in found.items():
        assert (log.header, tuple(log.events)) == (logs[name].header, tuple(logs[name].events))
