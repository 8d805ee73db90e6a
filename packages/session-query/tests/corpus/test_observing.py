"""Reading one session: whose log is returned, and what is raised instead."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from session_query.errors import (
    ErrorCode,
    PersistenceCorruptionError,
    PersistenceNotFoundError,
    SessionQueryError,
)
from session_query.log import SessionEvent, SurfaceError
from session_query.persistence import StoredSession

from .engines import ExactEngine, attach, engine_over
from .logs import broken, conversation, header, said
from .scripted_persistence import ScriptedPersistence

Read = Callable[[ExactEngine, str], Awaitable[Any]]

READS: dict[str, Read] = {
    "read_session": lambda engine, session_id: engine.read_session(session_id),
    "list_events": lambda engine, session_id: engine.list_events(session_id),
    "filter_events": lambda engine, session_id: engine.filter_events(session_id, []),
    "read_surface": lambda engine, session_id: engine.read_surface(session_id),
    "read_event": lambda engine, session_id: engine.read_event(session_id, 0),
    "read_title": lambda engine, session_id: engine.read_title(session_id),
    "trace_event": lambda engine, session_id: engine.trace_event(session_id, 0),
}
each_read = pytest.mark.parametrize("read", READS.values(), ids=READS.keys())


async def call(read: Read, engine: ExactEngine, session_id: str = "a") -> Any:
    """Make a read as a coroutine that `asyncio.run` takes."""
    return await read(engine, session_id)


def failure(read: Read, engine: ExactEngine, session_id: str = "a") -> SessionQueryError:
    """What a read raises."""
    with pytest.raises(SessionQueryError) as caught:
        asyncio.run(call(read, engine, session_id))
    return caught.value


@pytest.mark.requirement("CORPUS-4")
@each_read
def test_a_live_session_needs_no_store(read: Read) -> None:
    """A read of a session known to be live touches no persistence, so a broken one is no matter."""
    persistence = ScriptedPersistence([(header("a", cwd="/other"), [])])
    persistence.failures["list"] = OSError("disk")
    engine = engine_over(persistence, [(header("a"), conversation("one"))])
    asyncio.run(call(read, engine))
    assert persistence.calls == []


@pytest.mark.requirement("CORPUS-5", "CANCEL-5")
@each_read
def test_a_stored_session_is_listed_then_inspected(read: Read) -> None:
    """A read of a stored session lists once, then inspects that session alone, once."""
    persistence = ScriptedPersistence(
        [(header("a"), conversation("one")), (header("b"), conversation("two"))]
    )
    asyncio.run(call(read, engine_over(persistence)))
    assert persistence.names == ["list", "inspect a"]
    assert all(found.signal is not None for found in persistence.calls)


@pytest.mark.requirement("CORPUS-5")
@pytest.mark.parametrize("step", ["list", "inspect"])
@pytest.mark.parametrize("ends", ["answering", "failing"])
def test_an_owner_that_attaches_meanwhile_wins(step: str, ends: str) -> None:
    """If a live owner attaches during the listing or the inspection, its log is the answer."""
    persistence = ScriptedPersistence([(header("a"), conversation("old"))])
    engine = engine_over(persistence)
    persistence.at_start[step] = lambda: attach(engine, header("a"), conversation("new", "er"))
    if ends == "failing":
        persistence.failures[step] = OSError("disk")
    found = asyncio.run(engine.read_session("a"))
    assert found.events == conversation("new", "er")
    assert persistence.names == ["list", "inspect a"][: 1 + (step == "inspect")]


@pytest.mark.requirement("CORPUS-3", "CORPUS-5", "ERR-4")
@pytest.mark.parametrize("step", ["list", "inspect"])
@each_read
def test_an_owner_of_another_session_conflicts(read: Read, step: str) -> None:
    """If what attaches meanwhile can't be the listed session, the sources are not combined."""
    persistence = ScriptedPersistence([(header("a"), conversation("old"))])
    engine = engine_over(persistence)
    other = header("a", cwd="/other")
    persistence.at_end[step] = lambda: attach(engine, other, conversation("new"))
    error = failure(read, engine)
    assert error.code is ErrorCode.SOURCE_CONFLICT
    assert error.header == other


@pytest.mark.requirement("CORPUS-5")
@each_read
def test_an_owner_that_goes_meanwhile_leaves_the_stored_log(read: Read) -> None:
    """A session that is attached and detached again while it is read is read from the store."""
    persistence = ScriptedPersistence([(header("a"), conversation("old"))])
    engine = engine_over(persistence)
    persistence.at_start["list"] = lambda: attach(engine, header("a"))
    persistence.at_end["list"] = lambda: engine.sources.store.detach("a")
    asyncio.run(call(read, engine))
    assert persistence.names == ["list", "inspect a"]


@pytest.mark.requirement("CORPUS-5", "ERR-4")
@each_read
def test_a_header_that_changes_between_the_two_conflicts(read: Read) -> None:
    """If the inspected header is not compatible with the listed one, the read is refused."""
    persistence = ScriptedPersistence([(header("a"), conversation("old"))])
    persistence.at_end["list"] = lambda: persistence.put(
        header("a", cwd="/other"), conversation("secret")
    )
    error = failure(read, engine_over(persistence))
    assert error.code is ErrorCode.SOURCE_CONFLICT
    assert error.header == header("a")
    assert "cwd" in str(error)


@pytest.mark.requirement("CORPUS-5")
def test_origin_and_preset_are_no_part_of_the_identity() -> None:
    """A header that changes only in what LOG-2 leaves aside is that of the log returned."""
    persistence = ScriptedPersistence([(header("a"), conversation("old"))])
    changed = header("a", agent_preset="p", origin="subagent", delegation_depth=0)
    persistence.at_end["list"] = lambda: persistence.put(changed, conversation("old"))
    assert asyncio.run(engine_over(persistence).read_session("a")).header == changed


@pytest.mark.requirement("CORPUS-1")
@pytest.mark.parametrize("step", ["list", "inspect"])
def test_one_read_asks_one_store(step: str) -> None:
    """A read lists and inspects the store that was mounted when it began."""
    persistence = ScriptedPersistence([(header("a"), conversation("old"))])
    other = ScriptedPersistence([(header("a"), conversation("other"))])
    engine = engine_over(persistence)
    persistence.at_start[step] = lambda: engine.sources.mount(other)
    assert asyncio.run(engine.read_session("a")).events == conversation("old")
    assert other.calls == []


@pytest.mark.requirement("ERR-1", "ERR-4", "SEARCH-2")
@each_read
def test_an_unknown_session_is_not_found(read: Read) -> None:
    """An id that no source knows raises, with no header as none was seen; so does what is no id."""
    for engine in (engine_over(), engine_over(ScriptedPersistence([(header("b"), [])]))):
        for session_id in ("a", "", "B", None, 5, 1.5):
            error = failure(read, engine, session_id)  # type: ignore[arg-type]
            assert error.code is ErrorCode.SESSION_NOT_FOUND
            assert error.header is None


@pytest.mark.requirement("ERR-2", "ERR-4")
@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (PersistenceCorruptionError("a", 3, "torn"), ErrorCode.CORRUPT_SESSION),
        (PersistenceNotFoundError("a"), ErrorCode.SESSION_NOT_FOUND),
        (OSError("disk"), ErrorCode.PERSISTENCE_FAILED),
        (asyncio.CancelledError(), ErrorCode.PERSISTENCE_FAILED),
        (GeneratorExit(), ErrorCode.PERSISTENCE_FAILED),
        (StopAsyncIteration(), ErrorCode.PERSISTENCE_FAILED),
        (SessionQueryError("x", ErrorCode.INVALID_QUERY), ErrorCode.PERSISTENCE_FAILED),
    ],
)
@each_read
def test_failures_of_an_inspection_are_translated(
    read: Read, cause: BaseException, code: ErrorCode
) -> None:
    """Each failure of an inspection has its code, its cause, and the header that was listed."""
    persistence = ScriptedPersistence([(header("a"), conversation("one"))])
    persistence.failures["inspect"] = cause
    error = failure(read, engine_over(persistence))
    assert error.code is code
    assert error.__cause__ is cause
    assert error.header == header("a")


@pytest.mark.requirement("ERR-2")
@pytest.mark.parametrize("cause", [PersistenceNotFoundError("a"), OSError("disk")])
@each_read
def test_a_listing_that_fails_says_nothing_of_a_session(read: Read, cause: Exception) -> None:
    """Whatever a listing raises, the session is not said to be missing."""
    persistence = ScriptedPersistence([(header("a"), conversation("one"))])
    persistence.failures["list"] = cause
    error = failure(read, engine_over(persistence))
    assert error.code is ErrorCode.PERSISTENCE_FAILED
    assert error.__cause__ is cause
    assert error.header is None


class UnprintableError(Exception):
    """Can't be shown."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.requirement("ERR-2")
@pytest.mark.parametrize("step", ["list", "inspect"])
def test_a_failure_that_cannot_be_printed_is_translated_too(step: str) -> None:
    """An exception of a store whose text raises does not get out in place of the error."""
    persistence = ScriptedPersistence([(header("a"), conversation("one"))])
    persistence.failures[step] = UnprintableError()
    error = failure(READS["read_session"], engine_over(persistence))
    assert error.code is ErrorCode.PERSISTENCE_FAILED
    assert "UnprintableError" in str(error)


@pytest.mark.requirement("ERR-2")
@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("list", None),
        ("list", 5),
        ("list", [header("a")]),
        ("list", [None]),
        ("inspect", None),
        ("inspect", header("a")),
        ("inspect", StoredSession(None, [], "1")),  # type: ignore[arg-type]
        ("inspect", StoredSession(header("a"), None, "1")),  # type: ignore[arg-type]
        ("inspect", StoredSession(header("a"), [{"type": "x"}], "1")),  # type: ignore[list-item]
    ],
)
def test_an_answer_of_the_wrong_kind_is_a_failure_of_the_store(step: str, answer: object) -> None:
    """What a store answers against the seam never gets out as a stray exception."""
    persistence = ScriptedPersistence([(header("a"), conversation("one"))])
    persistence.answers[step] = answer
    error = failure(READS["read_session"], engine_over(persistence))
    assert error.code is ErrorCode.PERSISTENCE_FAILED
    assert isinstance(error.__cause__, (TypeError, AttributeError))


@pytest.mark.requirement("READ-1", "READ-2", "READ-3", "ERR-4")
@pytest.mark.parametrize("name", READS)
def test_who_checks_the_surface(name: str) -> None:
    """All reads of one session but the window and the title refuse a log that breaks a rule."""
    persistence = ScriptedPersistence([(header("a"), broken(conversation("one")))])
    engine = engine_over(persistence)
    if name in ("read_event", "read_title"):
        asyncio.run(call(READS[name], engine))
        return
    error = failure(READS[name], engine)
    assert error.code is ErrorCode.INVALID_SURFACE
    assert isinstance(error.__cause__, SurfaceError)
    assert error.header == header("a")


@pytest.mark.requirement("LOG-5", "READ-1")
def test_an_answer_is_detached_from_its_source() -> None:
    """What was returned stays as it is when its source goes on, live or stored."""
    persistence = ScriptedPersistence([(header("a"), [])])
    kept = conversation("one", "two")
    persistence.answers["inspect"] = StoredSession(header("a"), kept, "1")
    engine = engine_over(persistence, [(header("b"), conversation("one", "two"))])
    answers = [asyncio.run(engine.read_session(session_id)) for session_id in "ab"]
    kept[:] = [said(0, "other")]
    live = engine.sources.store.get("b")
    assert live is not None
    live.append("turn/start", {"turn": 1})
    for answer in answers:
        assert answer.events == conversation("one", "two")
        assert not hasattr(answer.events, "append")
        assert all(isinstance(event, SessionEvent) for event in answer.events)
