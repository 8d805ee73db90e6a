"""A live session: appends are checked first, and every view of the log is a snapshot."""

from __future__ import annotations

import copy
import math
import pickle
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import SessionStoreError, SurfaceError
from session_query.live import EventSnapshot, LiveSession, SessionStore
from session_query.log import SessionEvent, fold_surface
from session_query.log._json import MAX_DEPTH, dumps, same

from ..log.surfaces import broken_logs, events_of, valid_logs
from ..log.values import JSON, TEXTS, depth_of, nested


def session_at(*times: int) -> LiveSession:
    """A session whose clock gives these times after that of its creation."""
    return SessionStore(clock=iter([0, *times]).__next__).create("s")


def add(session: LiveSession, event: SessionEvent) -> SessionEvent:
    """Append what an event says."""
    return session.append(
        event.type, event.data, event.surface_op, event.source_event_seqs, event.time
    )


def refusal(session: LiveSession, *args: Any, **kwargs: Any) -> str:
    """Append what must be refused, and return why; nothing may have changed."""
    before, surface = session.events, session.surface()
    with pytest.raises(SessionStoreError) as caught:
        session.append(*args, **kwargs)
    assert caught.value.code == "INVALID_EVENT"
    assert session.events is before
    assert session.surface() == surface
    assert len(caught.value.message) < 300
    return caught.value.message


def reason_against(events: list[SessionEvent]) -> str | None:
    """Why a log does not fold; None if it does."""
    try:
        fold_surface(events)
    except SurfaceError as error:
        return error.reason
    return None


@pytest.mark.requirement("LOG-3", "LOG-4", "LOG-14", "LOG-23")
@given(TEXTS, JSON, st.integers(-9, 9))
def test_what_is_appended_is_what_is_read(kind: str, data: Any, time: int) -> None:
    """An event has the given type, data and time, and the next seq."""
    session = session_at()
    for seq in range(3):
        event = session.append("x" + kind, data, time=time - seq)
        assert (event.type, event.seq, event.time) == ("x" + kind, seq, time - seq)
        assert same(event.data, data)
        assert session.events[seq] is event


@pytest.mark.requirement("LOG-7", "LOG-8", "LOG-9", "LOG-10", "LOG-14")
@given(broken_logs())
def test_an_append_obeys_the_surface_rules(log: list[dict[str, Any]]) -> None:
    """An event is taken exactly if the log with it would fold, and is invisible otherwise."""
    session = session_at()
    for form in log:
        event = SessionEvent.from_json({**form, "seq": len(session.events)})
        before = session.events
        reason = reason_against([*before, event])
        if reason is None:
            assert add(session, event) == event
            continue
        with pytest.raises(SessionStoreError) as caught:
            add(session, event)
        assert caught.value.code == "INVALID_EVENT"
        assert repr(event.type) in caught.value.message
        assert reason in caught.value.message
        assert session.events is before
    assert session.surface() == fold_surface(session.events)


@pytest.mark.requirement("LOG-4", "LOG-14")
def test_a_refused_event_is_named_by_type() -> None:
    """Data that is not JSON, a bad time and a bad type are refused in few words."""
    session = session_at(*range(99))
    for data in (math.nan, {"a": [math.inf]}, {1}, b"", {1: 1}, nested(MAX_DEPTH + 1)):
        assert "'host/own'" in refusal(session, "host/own", data)
    for time in (0.5, True, "now", 2**53, math.nan, nested(3_000)):
        assert "'host/own': time" in refusal(session, "host/own", {}, time=time)
    for kind in (None, 1, nested(3_000)):
        assert "type" in refusal(session, kind, {})
    assert "'user/message'" in refusal(session, "user/message", {"content": []})
    assert "'turn/start'" in refusal(session, "turn/start", {}, "append")
    assert "'turn/start'" in refusal(session, "turn/start", {}, None, [])


@pytest.mark.requirement("LOG-14")
def test_the_time_is_now_unless_given() -> None:
    """The clock of the store is asked for events without a time only; times need not rise."""
    session = session_at(70, 60)
    assert [session.append("t", {}, time=at).time for at in (None, 5, None)] == [70, 5, 60]
    assert session.append("t", {}, time=-1.0).time == -1  # type: ignore[arg-type]


@pytest.mark.requirement("LOG-5", "LOG-14")
def test_the_session_keeps_copies() -> None:
    """What the caller does to the arguments later does not reach the log."""
    session = session_at()
    first = {"a": [1]}
    session.append("user/message", first, "append", time=0)
    operation, sources = {"op": "replace", "start": 0, "end": 0}, [0]
    event = session.append("user/message", first, operation, sources, time=0)
    expected = event.to_json()
    first["a"].append(2)
    operation["start"] = 9
    sources.append(9)
    event.to_json()["data"]["a"].append(2)
    assert session.events[1].to_json() == expected
    assert session.surface().nodes == (1,)


@pytest.mark.requirement("LOG-14")
@given(valid_logs(), st.data())
def test_a_snapshot_is_a_fixed_sequence(log: list[dict[str, Any]], data: st.DataObject) -> None:
    """A snapshot keeps its length while the log grows, and acts like a tuple of its events."""
    session = session_at()
    cut = data.draw(st.integers(0, len(log)))
    events = events_of(log)
    for event in events[:cut]:
        add(session, event)
    snapshot = session.events
    assert session.events is snapshot
    iterator = iter(snapshot)
    for event in events[cut:]:
        add(session, event)
    expected = tuple(events[:cut])
    assert tuple(iterator) == tuple(snapshot) == expected
    assert tuple(reversed(snapshot)) == expected[::-1]
    assert len(snapshot) == cut
    ends = st.none() | st.integers(-len(log) - 2, len(log) + 2)
    steps = st.none() | st.integers(-3, 3).filter(bool)
    part = slice(data.draw(ends), data.draw(ends), data.draw(steps))
    assert snapshot[part] == list(expected[part])
    for at in range(-len(log) - 1, len(log) + 1):
        if -cut <= at < cut:
            assert snapshot[at] == expected[at]
        else:
            with pytest.raises(IndexError):
                snapshot[at]
    assert (snapshot == session.events) is (cut == len(log))
    assert all(event in snapshot for event in expected)
    assert not any(event in snapshot for event in events[cut:])


@pytest.mark.requirement("LOG-5", "LOG-14")
def test_a_snapshot_compares_and_copies_like_a_value() -> None:
    """It equals any sequence of equal events, can't be changed, and pickles alone."""
    session = session_at(1, 2, 3)
    events = [session.append("a", {}), session.append("b", {})]
    snapshot = session.events
    session.append("c", {})
    for other in (events, tuple(events), SessionStore().create(seed=events).events[:2]):
        assert snapshot == other
        assert other == snapshot
    others: list[Any] = [events[:1], [events[1], events[0]], "ab", None, session.events]
    for different in others:
        assert snapshot != different
    assert session_at().events == []
    nothing: list[Any] = ["", b""]
    for different in nothing:
        assert session_at().events != different
    with pytest.raises(TypeError):
        snapshot[0] = events[1]  # type: ignore[index]
    with pytest.raises(TypeError):
        del snapshot[0]  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        hash(snapshot)
    own: Any = snapshot[:]
    own.clear()
    assert len(snapshot) == 2
    assert copy.copy(snapshot) is copy.deepcopy(snapshot) is snapshot
    back = pickle.loads(pickle.dumps(snapshot))  # noqa: S301 - it is our own
    assert back == snapshot
    assert type(back) is EventSnapshot
    assert repr(snapshot) == "<EventSnapshot of 2 events>"


class Untouchable(list[SessionEvent]):
    """A list that can be appended to, and read at one place at a time."""

    def __iter__(self) -> Any:
        raise AssertionError("the log was walked")

    def __getitem__(self, index: Any) -> Any:
        assert isinstance(index, int), "the log was copied"
        return super().__getitem__(index)


@pytest.mark.requirement("LOG-14")
def test_a_snapshot_walks_no_event() -> None:
    """Taking a snapshot of a long session, and appending to it, never touches the events."""
    session = session_at(*range(20_001))
    for _ in range(20_000):
        session.append("t", {})
    session._events = Untouchable(session._events)
    session._snapshot = EventSnapshot(session._events, 0)
    for _ in range(3):
        assert session.events[-1].seq == 19_999
    session.append("t", {})
    assert len(session.events) == 20_001


@pytest.mark.requirement("LOG-4", "LOG-14")
@pytest.mark.parametrize("depth", [2_000, MAX_DEPTH])
def test_deep_data_can_be_appended(depth: int) -> None:
    """Deep nesting is no error, and reads back."""
    session = session_at(1)
    session.append("t", nested(depth))
    assert depth_of(session.events[0].data) == depth
    assert dumps(session.events[0].to_json()["data"]) == dumps(nested(depth))


@pytest.mark.requirement("LOG-14")
def test_a_session_tells_who_it_is() -> None:
    """Id and header can be read and not set."""
    session = session_at()
    assert session.id == session.header.id == "s"
    assert session.is_live
    assert repr(session) == "<LiveSession 's', 0 events>"
    assert weakref.ref(session)() is session
    for name in ("id", "header", "events", "is_live", "other"):
        with pytest.raises(AttributeError):
            setattr(session, name, None)
