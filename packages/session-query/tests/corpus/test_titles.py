"""Titles in batches: order, isolation, memory, and the end of a batch that is cancelled."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.cancellation import AbortController
from session_query.corpus import TitleObservation, TitleResult
from session_query.errors import ErrorCode, PersistenceCorruptionError, SessionQueryError
from session_query.log import SessionEvent, SessionHeader, fold_title
from session_query.query import EngineConfig

from .engines import ExactEngine, attach, engine_over
from .logs import DrawnLog, conversation, drawn_logs, header, titled
from .scripted_persistence import ScriptedPersistence

BAD_TITLE = SessionEvent("session/title", 0, 1, {"title": 5})


def titles(results: Sequence[TitleResult]) -> list[tuple[str, object]]:
    """Each id with its title, None, or the code of its error."""
    found: list[tuple[str, object]] = []
    for result in results:
        if result.value is None:
            assert result.reason is not None
            assert result.status == "rejected"
            found.append((result.session_id, result.reason.code))
        else:
            assert result.status == "fulfilled"
            title = result.value.title
            found.append((result.session_id, title and title.title))
    return found


async def read(engine: ExactEngine, ids: Sequence[str]) -> list[TitleResult]:
    """Read a batch as a coroutine that `asyncio.run` takes."""
    return await engine.read_titles(ids)


@pytest.mark.requirement("READ-3")
@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.booleans(), drawn_logs(8))),
    st.lists(st.sampled_from("abcdefghxy"), max_size=12),
    st.integers(1, 3),
)
def test_a_batch_is_one_result_for_each_unique_id(
    logs: dict[str, tuple[bool, DrawnLog]], ids: list[str], concurrency: int
) -> None:
    """Results follow the first occurrence of their ids, and agree with each log's last title."""
    stored = ScriptedPersistence(
        (header(name), log.events) for name, (live, log) in logs.items() if not live
    )
    engine = engine_over(
        stored, ((header(name), log.events) for name, (live, log) in logs.items() if live)
    )
    engine.config = EngineConfig(persisted_inspect_concurrency=concurrency)
    results = asyncio.run(read(engine, ids))
    expected: list[tuple[str, object]] = [
        (name, logs[name][1].title if name in logs else ErrorCode.SESSION_NOT_FOUND)
        for name in dict.fromkeys(ids)
    ]
    assert titles(results) == expected
    inspected = [name for name in dict.fromkeys(ids) if name in logs and not logs[name][0]]
    listings = int(any(name not in logs or not logs[name][0] for name in ids))
    assert sorted(stored.names) == sorted(["list"] * listings + [f"inspect {n}" for n in inspected])
    assert stored.most_running <= concurrency
    for result in results:
        if result.value is not None:
            events = logs[result.session_id][1].events
            assert result.value == TitleObservation(header(result.session_id), fold_title(events))


@pytest.mark.requirement("READ-3", "CORPUS-4")
def test_a_batch_of_live_ids_touches_no_store() -> None:
    """Live sessions fold directly, while the mounted store is broken and disagrees with them."""
    persistence = ScriptedPersistence([(header("a", cwd="/other"), [])])
    persistence.failures["list"] = OSError("disk")
    engine = engine_over(persistence, [(header("a"), [titled(0, "own")])])
    assert titles(asyncio.run(read(engine, ["a", "a"]))) == [("a", "own")]
    assert persistence.calls == []


@pytest.mark.requirement("READ-3", "ERR-4")
def test_a_session_spoils_only_its_own_result() -> None:
    """A damaged, failing, conflicting or badly titled session leaves the others as they are."""
    persistence = ScriptedPersistence((header(name), [titled(0, name)]) for name in "abcdefg")
    damage, failure = PersistenceCorruptionError("b", 2, "torn"), OSError("disk")
    persistence.failures |= {"inspect b": damage, "inspect d": failure}
    persistence.put(header("e"), [BAD_TITLE])
    persistence.at_start["inspect f"] = lambda: persistence.put(header("f", cwd="/other"))
    persistence.at_start["inspect g"] = lambda: attach(engine, header("g"), [titled(0, "live")])
    engine = engine_over(persistence, [(header("h"), [BAD_TITLE])])
    results = asyncio.run(read(engine, [*"abcdefgh"]))
    assert titles(results) == [
        ("a", "a"),
        ("b", ErrorCode.CORRUPT_SESSION),
        ("c", "c"),
        ("d", ErrorCode.PERSISTENCE_FAILED),
        ("e", ErrorCode.CORRUPT_SESSION),
        ("f", ErrorCode.SOURCE_CONFLICT),
        ("g", "live"),
        ("h", ErrorCode.CORRUPT_SESSION),
    ]
    reasons = {result.session_id: result.reason for result in results if result.reason}
    assert {name: reason.header for name, reason in reasons.items()} == {
        name: header(name) for name in "bdefh"
    }
    assert reasons["b"].__cause__ is damage
    assert reasons["d"].__cause__ is failure


@pytest.mark.requirement("READ-3")
def test_a_listing_that_fails_is_the_result_of_each_stored_id() -> None:
    """Live ids still fold, those that became live meanwhile too; nothing is inspected."""
    persistence = ScriptedPersistence([(header("a"), []), (header("c"), [])])
    persistence.failures["list"] = OSError("disk")
    engine = engine_over(persistence, [(header("b"), [titled(0, "live")])])
    persistence.at_start["list"] = lambda: attach(engine, header("c"), [titled(0, "now live")])
    results = asyncio.run(read(engine, ["a", "b", "x", "c"]))
    assert titles(results) == [
        ("a", ErrorCode.PERSISTENCE_FAILED),
        ("b", "live"),
        ("x", ErrorCode.PERSISTENCE_FAILED),
        ("c", "now live"),
    ]
    assert persistence.names == ["list"]


class TrackedEvent(SessionEvent):
    """An event that can be watched while it goes away."""

    __slots__ = ("__weakref__",)


class MeasuredPersistence(ScriptedPersistence):
    """Counts how many of the logs that it handed out are still in memory."""

    def __init__(self, *, passes: int) -> None:
        super().__init__(passes=passes)
        self.alive: weakref.WeakSet[SessionEvent] = weakref.WeakSet()
        self.most_alive = 0
        self.wrap = self._tracked

    def _tracked(self, events: Sequence[SessionEvent]) -> Sequence[SessionEvent]:
        first = TrackedEvent.from_json(events[0].to_json())
        self.alive.add(first)
        # Those that wait for a worker to pick them up count too.
        self.most_alive = max(self.most_alive, len(self.alive))
        return [first, *events[1:]]


@pytest.mark.requirement("READ-3")
@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("length", [2, 3_000])
def test_memory_holds_no_more_logs_than_inspections(concurrency: int, length: int) -> None:
    """A worker has let go of its log before it takes the next id, however the log turns out."""
    persistence = MeasuredPersistence(passes=2)
    for number in range(20):
        name = f"s{number}"
        events = [titled(seq, name) for seq in range(length)]
        if number % 4 == 1:
            events[-1] = SessionEvent("session/title", length - 1, 1, {"title": None})
        persistence.put(header(name), events)
        if number % 4 == 2:
            persistence.at_start[f"inspect {name}"] = partial(
                persistence.put, header(name, cwd="/other"), events
            )
    engine = engine_over(persistence)
    engine.config = EngineConfig(persisted_inspect_concurrency=concurrency)

    async def measured() -> list[TitleResult]:
        gc.disable()
        try:
            return await engine.read_titles([f"s{number}" for number in range(20)])
        finally:
            gc.enable()

    results = asyncio.run(measured())
    assert persistence.most_alive == concurrency
    assert len(persistence.alive) == 0
    assert [result.status for result in results[:4]] == [
        "fulfilled",
        "rejected",
        "rejected",
        "fulfilled",
    ]


@pytest.mark.requirement("READ-4", "CANCEL-3")
def test_an_aborted_batch_starts_nothing_more_and_waits() -> None:
    """After an abort no queued inspection starts; those that run end; then the reason is raised."""
    persistence = ScriptedPersistence((header(name), []) for name in "abcdef")
    engine = engine_over(persistence, [(header("live"), [titled(0, "live")])])
    controller, reason = AbortController(), ValueError("enough")

    async def abort() -> None:
        persistence.gates["inspect"] = asyncio.Event()
        batch = asyncio.ensure_future(engine.read_titles([*"abcdef", "live"], controller.signal))
        await persistence.reached(5)
        controller.abort(reason)
        for _ in range(20):
            await asyncio.sleep(0)
        assert not batch.done()
        assert len(persistence.running) == 4
        persistence.gates["inspect"].set()
        with pytest.raises(ValueError, match="enough") as caught:
            await batch
        assert caught.value is reason
        assert persistence.running == []

    asyncio.run(abort())
    assert persistence.names == ["list", *(f"inspect {name}" for name in "abcd")]


@pytest.mark.requirement("READ-3")
def test_one_title_raises_its_error() -> None:
    """`read_title` returns the observation of its id, or raises what went wrong with it."""
    persistence = ScriptedPersistence([(header("a"), [titled(0, "t")]), (header("b"), [BAD_TITLE])])
    engine = engine_over(persistence)
    found = asyncio.run(engine.read_title("a"))
    assert found.header == header("a")
    assert found.title is not None
    assert found.title.title == "t"
    with pytest.raises(SessionQueryError) as caught:
        asyncio.run(engine.read_title("b"))
    assert caught.value.code is ErrorCode.CORRUPT_SESSION
    assert caught.value.header == header("b")


@pytest.mark.requirement("READ-3", "FILTER-3")
def test_the_ids_are_taken_when_the_call_is_made() -> None:
    """A list of ids that changes after the call changes nothing; a single text is no list."""
    engine = engine_over(None, [(header("a"), [titled(0, "t")])])
    ids = ["a"]
    batch = engine.read_titles(ids)
    ids.clear()

    async def wait() -> list[TitleResult]:
        return await batch

    assert titles(asyncio.run(wait())) == [("a", "t")]
    for wrong in ("abc", b"abc", None, 5, [["a"]]):
        with pytest.raises(TypeError):
            asyncio.run(engine.read_titles(wrong))  # type: ignore[arg-type]
    odd = asyncio.run(engine.read_titles([5, None, "a"]))  # type: ignore[list-item]
    missing = ErrorCode.SESSION_NOT_FOUND
    assert titles(odd) == [(5, missing), (None, missing), ("a", "t")]


@pytest.mark.requirement("READ-3")
def test_titles_do_not_ask_for_a_valid_surface() -> None:
    """A log that breaks surface rules still has its title."""
    events = [*conversation("one"), SessionEvent("user/message", 1, 1, {}), titled(2, "t")]
    kept: tuple[SessionHeader, list[SessionEvent]] = (header("a"), events)
    assert titles(asyncio.run(read(engine_over(ScriptedPersistence([kept])), ["a"]))) == [
        ("a", "t")
    ]
