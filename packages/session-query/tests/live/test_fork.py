"""Forks: a prefix that ends outside a turn, under a new header."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import SessionStoreError
from session_query.live import LiveSession, SessionStore
from session_query.log import SessionEvent, SessionHeader

from ..log.values import nested

KINDS = st.lists(
    st.sampled_from(["turn/start", "turn/end", "host/own", "user/message"]), max_size=12
)


def parent_of(kinds: list[str], **fields: Any) -> tuple[SessionStore, LiveSession]:
    """A store with a session of these events."""
    store = SessionStore(clock=lambda: 50)
    session = store.create("parent", created_at=10, **fields)
    for kind in kinds:
        session.append(kind, {}, "append" if kind == "user/message" else None)
    return store, session


def code_of(store: SessionStore, *args: Any, **kwargs: Any) -> str:
    """Fork what must be refused, and return the code; no session is made."""
    before = store.list()
    with pytest.raises(SessionStoreError) as caught:
        store.fork(*args, **kwargs)
    assert store.list() == before
    assert len(caught.value.message) < 300
    return caught.value.code.value


@pytest.mark.requirement("LOG-15")
@given(KINDS, st.data())
def test_a_fork_inherits_the_prefix(kinds: list[str], data: st.DataObject) -> None:
    """The child has the events through the boundary and then the mark, unless a turn is open."""
    store, parent = parent_of(kinds, cwd="/w")
    boundary = data.draw(st.none() | st.integers(0, len(kinds) - 1)) if kinds else None
    length = len(kinds) if boundary is None else boundary + 1
    turns = [kind for kind in kinds[:length] if kind.startswith("turn/")]
    if turns[-1:] == ["turn/start"]:
        assert code_of(store, parent, boundary) == "OPEN_TURN"
        return
    source: str | LiveSession = parent if data.draw(st.booleans()) else "parent"
    child = store.fork(source, boundary, "child")
    assert child is store.get("child")
    assert child.header == SessionHeader(0, "child", 50, "/w", "parent", length)
    assert child.events[:length] == parent.events[:length]
    assert child.events[length:] == [SessionEvent("session/end-seed", length, 50, {})]
    child.append("host/own", {"of": "child"})
    parent.append("host/own", {"of": "parent"})
    assert len(child.events) == length + 2
    assert len(parent.events) == len(kinds) + 1


@pytest.mark.requirement("LOG-15")
def test_a_fork_takes_the_workspace_alone() -> None:
    """Origin, depth and preset are the parent's own, and an absent workspace stays absent."""
    store, parent = parent_of([], origin="subagent", delegation_depth=2, agent_preset="p")
    child = store.fork(parent)
    assert child.header == SessionHeader(0, child.id, 50, None, "parent", 0)


@pytest.mark.requirement("LOG-15")
def test_a_fork_of_nothing_begins_with_the_mark() -> None:
    """A session without events can be forked by default only."""
    store, parent = parent_of([])
    child = store.fork(parent)
    assert [event.type for event in child.events] == ["session/end-seed"]
    assert child.header.seed_length == 0
    assert code_of(store, parent, 0) == "INVALID_BOUNDARY"


@pytest.mark.requirement("LOG-15")
def test_a_fork_of_a_fork_does_not_repeat_the_mark() -> None:
    """A prefix that ends in the mark needs no other one; the parent is the nearest."""
    store, parent = parent_of(["host/own"])
    child = store.fork(parent, id="child")
    grandchild = store.fork(child)
    assert [event.type for event in grandchild.events] == ["host/own", "session/end-seed"]
    assert grandchild.header.seed_length == 2
    assert grandchild.header.parent_session == "child"
    earlier = store.fork(child, 0)
    assert [event.type for event in earlier.events] == ["host/own", "session/end-seed"]
    assert earlier.header.seed_length == 1


@pytest.mark.requirement("LOG-15")
def test_a_boundary_is_a_seq_of_the_source() -> None:
    """Anything else is refused; an integral float is a seq."""
    store, parent = parent_of(["host/own", "host/own"])
    wrong: list[Any] = [-1, 2, 2**53, 10**6_000, True, 0.5, "0", [], nested(3_000)]
    for boundary in wrong:
        assert code_of(store, parent, boundary) == "INVALID_BOUNDARY"
    assert len(store.fork(parent, 1.0).events) == 3  # type: ignore[arg-type]


@pytest.mark.requirement("LOG-15")
def test_only_what_this_store_holds_can_be_forked() -> None:
    """An unknown id is not found; a session that was detached, or is another's, is not live."""
    store, parent = parent_of(["host/own"])
    assert code_of(store, "other") == "SESSION_NOT_FOUND"
    assert code_of(SessionStore(), parent) == "SESSION_NOT_LIVE"
    store.detach("parent")
    assert code_of(store, "parent") == "SESSION_NOT_FOUND"
    assert code_of(store, parent) == "SESSION_NOT_LIVE"
    store.create("parent")
    assert code_of(store, parent) == "SESSION_NOT_LIVE"


@pytest.mark.requirement("LOG-2", "LOG-15")
def test_the_child_shares_no_state_with_the_parent() -> None:
    """Replacements in one leave the surface of the other alone."""
    store, parent = parent_of(["user/message", "user/message"])
    child = store.fork(parent)
    child.append("user/message", {}, {"op": "replace", "start": 0, "end": 1}, [0, 1])
    assert child.surface().nodes == (3,)
    assert parent.surface().nodes == (0, 1)
    assert not child.header.compatible_with(parent.header)
