"""Observers: told after each append, and unable to harm it."""

from __future__ import annotations

import asyncio
import logging

import pytest
from session_query.errors import SessionStoreError
from session_query.live import LiveSession, SessionStore
from session_query.log import SessionEvent


@pytest.fixture
def session() -> LiveSession:
    """A session with one event."""
    session = SessionStore().create("s")
    session.append("first", {})
    return session


class Recorder:
    """An observer that keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __call__(self, session: LiveSession, event: SessionEvent) -> None:
        assert session.events[-1] is event
        self.told.append(event.type)


@pytest.mark.requirement("LOG-14")
def test_observers_are_told_after_each_append(session: LiveSession) -> None:
    """Each event is visible by the time that each observer hears of it, in order, once."""
    one, other = Recorder(), Recorder()
    session.subscribe(one)
    stop = session.subscribe(other)
    session.append("a", {})
    with pytest.raises(SessionStoreError):
        session.append("user/message", {})
    stop()
    stop()
    session.append("b", {})
    assert one.told == ["a", "b"]
    assert other.told == ["a"]


@pytest.mark.requirement("LOG-14")
def test_one_observer_may_subscribe_twice(session: LiveSession) -> None:
    """Each subscription counts, and ends, on its own."""
    recorder = Recorder()
    stop = session.subscribe(recorder)
    session.subscribe(recorder)
    session.append("a", {})
    stop()
    session.append("b", {})
    assert recorder.told == ["a", "a", "b"]


@pytest.mark.requirement("LOG-14", "ERR-5")
@pytest.mark.parametrize("error", [ValueError("bad\x1b[2J\n"), asyncio.CancelledError("late")])
def test_a_failing_observer_is_contained(
    session: LiveSession, caplog: pytest.LogCaptureFixture, error: BaseException
) -> None:
    """The append succeeds, the others are told, and one record says what failed, escaped."""

    def fail(_session: LiveSession, _event: SessionEvent) -> None:
        raise error

    recorder = Recorder()
    session.subscribe(fail)
    session.subscribe(recorder)
    assert session.append("a", {}) is session.events[1]
    assert recorder.told == ["a"]
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("session_query", logging.WARNING)
    assert vars(record)["session_id"] == "s"
    assert vars(record)["code"] == "OBSERVER_FAILED"
    assert "session s: an observer failed on event 1" in record.getMessage()
    assert record.getMessage().isprintable()
    session.append("b", {})
    assert recorder.told == ["a", "b"]


@pytest.mark.requirement("LOG-14")
def test_an_interrupt_is_not_contained(session: LiveSession) -> None:
    """What is meant to end the process ends it, and leaves the session usable."""

    def interrupt(_session: LiveSession, _event: SessionEvent) -> None:
        raise KeyboardInterrupt

    stop = session.subscribe(interrupt)
    with pytest.raises(KeyboardInterrupt):
        session.append("a", {})
    stop()
    assert session.append("b", {}).seq == 2


@pytest.mark.requirement("LOG-14")
def test_an_observer_may_not_append(session: LiveSession) -> None:
    """An append to the same session is refused, however it is reached; one to another is not."""
    store = SessionStore()
    other = store.create("other")
    refused = []

    def append(_session: LiveSession, event: SessionEvent) -> None:
        if event.type == "a":
            other.append("copied", {})
        try:
            session.append("echo", {})
        except SessionStoreError as error:
            refused.append((error.code.value, "'echo'" in error.message))

    session.subscribe(append)
    other.subscribe(append)
    session.append("a", {})
    assert refused == [("INVALID_EVENT", True)] * 2
    assert [event.type for event in session.events] == ["first", "a"]
    assert [event.type for event in other.events] == ["copied"]
    session.append("b", {})
    assert len(session.events) == 3


@pytest.mark.requirement("LOG-14")
def test_observers_may_come_and_go_while_others_are_told(session: LiveSession) -> None:
    """Who unsubscribed hears nothing more, and who subscribed hears of the next event."""
    leaving, coming = Recorder(), Recorder()

    def change(_session: LiveSession, event: SessionEvent) -> None:
        if event.type == "a":
            leave()
            session.subscribe(coming)

    session.subscribe(change)
    leave = session.subscribe(leaving)
    session.append("a", {})
    session.append("b", {})
    assert leaving.told == []
    assert coming.told == ["b"]


@pytest.mark.requirement("LOG-14", "LOG-15")
def test_an_observer_may_use_the_store() -> None:
    """Forking and detaching the observed session work, and the others are still told."""
    store = SessionStore()
    session = store.create("s")
    recorder = Recorder()

    def move(session: LiveSession, event: SessionEvent) -> None:
        assert store.fork(session, id="child").events[0] is event
        store.detach(session.id)

    session.subscribe(move)
    session.subscribe(recorder)
    session.append("a", {})
    assert recorder.told == ["a"]
    assert [each.id for each in store.list()] == ["child"]
    with pytest.raises(SessionStoreError, match="detached"):
        session.append("b", {})


@pytest.mark.requirement("LOG-15")
def test_a_fork_has_no_observers(session: LiveSession) -> None:
    """Who observes a session does not hear of its forks, nor of what they inherit."""
    store = SessionStore()
    parent = store.attach(session.header, session.events)
    recorder = Recorder()
    parent.subscribe(recorder)
    store.fork(parent).append("a", {})
    assert recorder.told == []
