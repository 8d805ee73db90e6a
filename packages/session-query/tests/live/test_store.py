"""The store: one live session for each id, and nothing half made."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import SessionStoreError
from session_query.live import LiveSession, SessionStore
from session_query.log import SessionEvent, SessionHeader, fold_surface

from ..log.surfaces import broken_logs, events_of, valid_logs, verdict
from ..log.values import nested


def code_of(operation: Callable[..., object], *args: Any, **kwargs: Any) -> str:
    """Run what must be refused, and return the code."""
    with pytest.raises(SessionStoreError) as caught:
        operation(*args, **kwargs)
    assert len(caught.value.message) < 300
    return caught.value.code.value


def event(kind: str, seq: int, data: Any = None) -> SessionEvent:
    """An event off the surface."""
    return SessionEvent(kind, seq, 0, {} if data is None else data)


@pytest.mark.requirement("LOG-1", "LOG-14")
def test_a_session_is_made_with_its_header() -> None:
    """Each argument is a field of the header; what is not given is absent."""
    store = SessionStore(clock=lambda: 77)
    assert store.create("a").header == SessionHeader(0, "a", 77)
    full = store.create(
        "b", cwd="/w", parent_session="a", created_at=5, seed=[event("x", 0)], origin="subagent",
        delegation_depth=1, agent_preset="fast",
    )  # fmt: skip
    assert full.header == SessionHeader(0, "b", 5, "/w", "a", 1, "subagent", 1, "fast")
    assert store.create().events == []


@pytest.mark.requirement("LOG-14")
def test_ids_are_made_up_unless_given() -> None:
    """A session without an id gets a UUID, a new one each time."""
    store = SessionStore()
    ids = {store.create().id for _ in range(10)}
    assert len(ids) == 10
    assert {uuid.UUID(session_id).version for session_id in ids} == {4}


@pytest.mark.requirement("LOG-14")
def test_the_default_clock_is_the_time_of_day() -> None:
    """Without a clock of their own, sessions and events carry the present in milliseconds."""
    before = time.time_ns() // 1_000_000
    session = SessionStore().create()
    session.append("x", {})
    after = time.time_ns() // 1_000_000
    assert before <= session.header.created_at <= session.events[0].time <= after


@pytest.mark.requirement("LOG-14")
def test_sessions_are_found_until_they_are_detached() -> None:
    """Getting and listing tell what is live, in order of arrival; an unknown id gives None."""
    store = SessionStore()
    first, second = store.create("a"), store.create("b")
    assert store.get("a") is first
    assert store.get("c") is None
    assert store.list() == [first, second]
    listed: Any = store.list()
    listed.clear()
    assert store.detach("a") is first
    assert store.list() == [second]
    assert store.get("a") is None
    assert code_of(store.detach, "a") == "SESSION_NOT_FOUND"


@pytest.mark.requirement("LOG-14", "LOG-15")
def test_a_detached_session_can_be_read_only() -> None:
    """It keeps its events, refuses new ones, and its id is free again."""
    store = SessionStore()
    session = store.create("a")
    session.append("x", {})
    store.detach("a")
    assert not session.is_live
    assert code_of(session.append, "y", {}) == "SESSION_NOT_LIVE"
    assert [each.type for each in session.events] == ["x"]
    assert repr(session) == "<LiveSession 'a', 1 events, detached>"
    assert store.create("a") is not session
    assert code_of(session.append, "y", {}) == "SESSION_NOT_LIVE"


@pytest.mark.requirement("LOG-14", "LOG-15")
def test_two_live_sessions_never_share_an_id() -> None:
    """Creating, attaching and forking under a live id are refused, and change nothing."""
    store = SessionStore()
    session = store.create("a")
    for make in (
        lambda: store.create("a", cwd="/w"),
        lambda: store.attach(SessionHeader(0, "a", 1)),
        lambda: store.fork("a", id="a"),
    ):
        assert code_of(make) == "SESSION_ALREADY_EXISTS"
    assert store.list() == [session]
    assert session.events == []


@pytest.mark.requirement("LOG-1", "LOG-15")
def test_a_header_value_that_is_not_allowed_is_refused() -> None:
    """Each is named, and no session is left behind."""
    store = SessionStore()
    store.create("a")
    wrong: list[dict[str, Any]] = [
        {"id": ""}, {"id": 5}, {"cwd": 5}, {"created_at": -1}, {"created_at": True},
        {"parent_session": nested(3_000)}, {"origin": "user"}, {"delegation_depth": -1},
        {"agent_preset": 1},
    ]  # fmt: skip
    for fields in wrong:
        assert code_of(store.create, **fields) == "INVALID_EVENT"
    assert code_of(store.fork, "a", id="") == "INVALID_EVENT"
    assert [session.id for session in store.list()] == ["a"]


@pytest.mark.requirement("LOG-15")
@given(valid_logs())
def test_a_seed_is_inherited_whole(log: list[dict[str, Any]]) -> None:
    """The seed comes first, its length is recorded, and its end is marked."""
    seed = events_of(log)
    session = SessionStore(clock=lambda: 9).create(seed=iter(seed))
    if not seed:
        assert session.header.seed_length is None
        assert session.events == []
        return
    assert session.header.seed_length == len(seed)
    assert session.events[:-1] == seed
    assert session.events[-1] == SessionEvent("session/end-seed", len(seed), 9, {})
    assert session.surface() == fold_surface(session.events)


@pytest.mark.requirement("LOG-15")
def test_a_seed_that_ends_in_the_mark_needs_no_other() -> None:
    """The mark counts as inherited then, and is not repeated."""
    seed = [event("x", 0), event("session/end-seed", 1)]
    session = SessionStore().create(seed=seed)
    assert session.events == seed
    assert session.header.seed_length == 2
    longer = [*seed, event("y", 2)]
    assert [each.type for each in SessionStore().create(seed=longer).events] == [
        "x", "session/end-seed", "y", "session/end-seed",
    ]  # fmt: skip


@pytest.mark.requirement("LOG-11", "LOG-14", "LOG-15")
@given(broken_logs())
def test_a_seed_is_judged_before_the_session_exists(log: list[dict[str, Any]]) -> None:
    """A seed or stored log that breaks a rule makes no session at all."""
    store = SessionStore()
    makers: list[Callable[[], LiveSession]] = [
        lambda: store.create("a", seed=events_of(log)),
        lambda: store.attach(SessionHeader(0, "b", 1), events_of(log)),
    ]
    for make in makers:
        if verdict(log) is None:
            make()
        else:
            assert code_of(make) == "INVALID_EVENT"
    assert len(store.list()) == (2 if verdict(log) is None else 0)


@pytest.mark.requirement("LOG-3", "LOG-15")
@pytest.mark.parametrize("seed", [[event("x", 1)], [event("x", 0)] * 2, ["x"], [None], "ab"])
def test_a_seed_is_numbered_events(seed: Any) -> None:
    """Seqs begin at 0 and have no gaps, and anything but an event is refused."""
    assert code_of(SessionStore().create, seed=seed) == "INVALID_EVENT"


@pytest.mark.requirement("LOG-14")
def test_a_stored_session_is_taken_up_as_it_is() -> None:
    """Attaching adds no mark and changes no header; appends go on from the last event."""
    header = SessionHeader(0, "a", 1, seed_length=1)
    log = [event("x", 0), event("turn/start", 1)]
    session = SessionStore().attach(header, iter(log))
    assert session.header is header
    assert session.events == log
    assert session.append("y", {}).seq == 2
    log.clear()
    assert len(session.events) == 3


@pytest.mark.requirement("LOG-14")
@given(st.lists(st.tuples(st.sampled_from(["create", "detach", "append"]),
                          st.sampled_from("abc")), max_size=20))  # fmt: skip
def test_the_store_acts_like_a_dictionary(steps: list[tuple[str, str]]) -> None:
    """After any steps, the live sessions are those created and not detached, each its own."""
    store = SessionStore()
    expected: dict[str, list[int]] = {}
    for number, (step, session_id) in enumerate(steps):
        live = store.get(session_id)
        assert (live is not None) is (session_id in expected)
        if step == "create" and live is None:
            store.create(session_id)
            expected[session_id] = []
        elif step == "create":
            assert code_of(store.create, session_id) == "SESSION_ALREADY_EXISTS"
        elif live is None:
            assert code_of(store.detach, session_id) == "SESSION_NOT_FOUND"
        elif step == "detach":
            store.detach(session_id)
            del expected[session_id]
        else:
            live.append("x", {"n": number})
            expected[session_id].append(number)
    found = {s.id: [e.data["n"] for e in s.events] for s in store.list()}
    assert found == expected
    assert list(found) == list(expected)
