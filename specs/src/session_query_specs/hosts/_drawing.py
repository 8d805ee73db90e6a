"""Drawn sessions and drawn calls; words are the same everywhere, so that everything matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionEvent

from session_query_specs.corpora import CREATED, Corpus, Place, Session, message
from session_query_specs.hosts._calls import HostCall, HostPair
from session_query_specs.hosts._workspaces import (
    CALLER,
    CANARY,
    HERE,
    LATE,
    hidden,
    own,
    visible,
)

__all__ = ["HIDDEN", "IDS", "MISSING", "VISIBLE", "asks", "hidden_sessions", "host_calls", "pairs"]
__all__ += ["visible_sessions"]

VISIBLE: Final = ("v0", "v1", "v2")
HIDDEN: Final = tuple(f"h{number} {CANARY}" for number in range(3))
MISSING: Final = (f"gone 0 {CANARY}",)
IDS: Final = (*VISIBLE, CALLER, *HIDDEN, *MISSING)

_TEXTS: Final = ("rocket launched", "launched the rocket", "alpha", "rocket alpha rocket")
_CWDS: Final = (f"/srv/{CANARY}", f"{HERE}/{CANARY}", None, "", f"{HERE}/", "/srv/app", CANARY)
"""None is the caller's, though some look much like it."""
_texts = st.lists(st.sampled_from(_TEXTS), min_size=1, max_size=3)
_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "both")
_places = st.sampled_from(_PLACES)


@st.composite
def visible_sessions(draw: st.DrawFn, session_id: str) -> Session:
    """Draw a session of the caller's workspace; its parent may be any session, or gone."""
    parents = st.sampled_from([None, *(each for each in IDS if each != session_id)])
    return visible(
        session_id,
        *draw(_texts),
        title=draw(st.sampled_from([None, f"title of {session_id}"])),
        place=draw(_places),
        created_at=CREATED + draw(st.integers(0, 3)),
        parent_session=draw(parents),
        seed_length=draw(st.sampled_from([None, 0, 1])),
    )


@st.composite
def hidden_sessions(draw: st.DrawFn, session_id: str, parents: Sequence[str]) -> Session:
    """Draw a session of another workspace, with one of some parents or none."""
    place = draw(_places)
    session = hidden(
        session_id,
        *draw(_texts),
        title=draw(st.sampled_from([None, "rocket"])),
        place=place,
        cwd=draw(st.sampled_from(_CWDS)),
        created_at=draw(st.sampled_from([CREATED, LATE])) + draw(st.integers(0, 5)),
        parent_session=draw(st.sampled_from([None, *parents])),
    )
    return _broken(session) if place == "stored" and draw(st.booleans()) else session


def _broken(session: Session) -> Session:
    """Return the session with a message at its end that breaks a rule of the surface."""
    seq = len(session.events)
    last = SessionEvent("user/message", seq, LATE, message(CANARY))
    return replace(session, events=(*session.events, last))


_queries = st.sampled_from(["rocket launched", "rocket", "launched alpha", CANARY])
_several = st.lists(st.sampled_from(IDS), min_size=1, max_size=4)
_seqs = st.integers(0, 3)
_target: dict[str, st.SearchStrategy[Any]] = {"session_id": st.sampled_from(IDS)}
_match = st.sampled_from(["auto", "phrase", "all", "any"])

_TOOLS: dict[str, tuple[dict[str, st.SearchStrategy[Any]], dict[str, st.SearchStrategy[Any]]]] = {
    "session_search": (
        {"query": _queries},
        {
            "match": _match,
            "session_ids": _several,
            "parent_session_ids": _several,
            "include_root_sessions": st.booleans(),
            "availability": st.sampled_from([["live"], ["persisted"]]),
            "event_seq_from": _seqs,
            "event_types": st.sampled_from([["user/message"], ["session/title"]]),
            "event_surfaces": st.sampled_from([["current"], ["log-only"]]),
        },
    ),
    "session_event_search": (
        {"query": _queries},
        {**_target, "match": _match, "seq_to": _seqs, "surfaces": st.just(["current"])},
    ),
    "session_trace": ({}, _target),
    "session_event_trace": ({"seq": _seqs}, _target),
    "session_event_read": ({"seq": _seqs}, {**_target, "before": _seqs, "after": _seqs}),
}


def asks(*tools: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Draw calls of these tools, or of all, with ids of all kinds."""
    return st.one_of(
        [
            st.tuples(st.just(tool), st.fixed_dictionaries(required, optional=optional))
            for tool, (required, optional) in _TOOLS.items()
            if tool in tools or not tools
        ]
    )


@st.composite
def host_calls(draw: st.DrawFn, *tools: str) -> HostCall:
    """Draw a call over some sessions of the caller's workspace and some of others."""
    sessions = [own()]
    some, others = (draw(st.lists(st.sampled_from(ids), unique=True)) for ids in (VISIBLE, HIDDEN))
    sessions += [draw(visible_sessions(name)) for name in some]
    sessions += [draw(hidden_sessions(name, IDS)) for name in others]
    tool, arguments = draw(asks(*tools))
    return HostCall(Corpus(tuple(sessions)), tool, arguments)


@st.composite
def pairs(draw: st.DrawFn) -> HostPair:
    """Draw one call over two corpora that differ in sessions of other workspaces only.

    Which sessions of the workspace have a hidden child is the same in both: that bare fact may be
    shown, and how is up to the host.
    """
    seen = [own(parent=draw(st.sampled_from([None, *HIDDEN, "v0"])))]
    some = draw(st.lists(st.sampled_from(VISIBLE), unique=True))
    seen += [draw(visible_sessions(name)) for name in some]
    forked = draw(st.lists(st.sampled_from([one.header.id for one in seen]), unique=True))
    tool, arguments = draw(asks())
    first, second = (
        HostCall(Corpus((*seen, *draw(_others(forked)))), tool, arguments) for _ in range(2)
    )
    return HostPair(first, second)


@st.composite
def _others(draw: st.DrawFn, forked: Sequence[str]) -> list[Session]:
    """Draw sessions of other workspaces, among them a child of each of these."""
    children = [
        draw(hidden_sessions(f"child {number} of {parent} {CANARY}", [parent]).filter(_has_parent))
        for parent in forked
        for number in range(draw(st.integers(1, 2)))
    ]
    others = [
        draw(hidden_sessions(name, (*HIDDEN, *MISSING)))
        for name in draw(st.lists(st.sampled_from((*HIDDEN, *MISSING)), unique=True))
    ]
    return [*others, *children]


def _has_parent(session: Session) -> bool:
    return session.header.parent_session is not None
