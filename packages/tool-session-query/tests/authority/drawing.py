"""Drawn corpora and drawn calls. Words are the same everywhere, so that everything matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st
from session_query import PersistenceCorruptionError, SessionEvent, SessionHeader

from .calling import Ask
from .corpora import CALLER, CANARY, HERE, LATE, Corpus, Where, broken, header, log

VISIBLE = ("v0", "v1", "v2", "v3")
HIDDEN = tuple(f"h{number} {CANARY}" for number in range(4))
MISSING = ("gone 0", "gone 1")
IDS = (*VISIBLE, *HIDDEN, *MISSING, CALLER)

TEXTS = ("rocket launched", "launched the rocket", "alpha", "rocket alpha rocket", "fuel")
OTHER_CWDS = (f"/srv/{CANARY}", f"{HERE}/{CANARY}", f"{CANARY}", None, "", "/srv/here/", "/srv/app")
"""None is the caller's, though some look much like it."""


class Drawn(NamedTuple):
    """A session, and where it is kept."""

    header: SessionHeader
    events: Sequence[SessionEvent]
    where: Where
    is_damaged: bool = False

    def put_into(self, corpus: Corpus) -> None:
        """Put it in the place of the session of that id."""
        corpus.put(self.header, self.events, self.where)
        if self.is_damaged:
            damage = PersistenceCorruptionError(self.header.id, 1, CANARY)
            corpus.persistence.failures[self.header.id] = damage


@st.composite
def sessions(draw: st.DrawFn, session_id: str, *, hidden: bool) -> Drawn:
    """A session with a few of the words; a hidden one has the canary in all that it says."""
    mark = f" {CANARY}" if hidden else ""
    parent = draw(st.sampled_from([None, *IDS]).filter(lambda parent: parent != session_id))
    texts = [text + mark for text in draw(st.lists(st.sampled_from(TEXTS), max_size=3))]
    title = draw(st.sampled_from([None, f"title of {session_id}{mark}", f"rocket{mark}"]))
    cwd = draw(st.sampled_from(OTHER_CWDS)) if hidden else HERE
    head = header(
        session_id,
        cwd,
        created_at=draw(st.integers(0, 3)) + (LATE if hidden else 1_000),
        parent_session=parent,
        seed_length=draw(st.sampled_from([None, 0, 1])),
    )
    where: Where = draw(st.sampled_from(["live", "stored", "both"]))
    events = log(*texts, title=title)
    if where == "stored" and hidden and draw(st.booleans()):
        events = broken(*texts)
    if hidden:
        events = [
            SessionEvent(one.type, one.seq, LATE + one.seq, one.data, one.surface_op)
            for one in events
        ]
    return Drawn(head, events, where, is_damaged=hidden and draw(st.booleans()))


@st.composite
def some(draw: st.DrawFn, ids: Sequence[str], *, hidden: bool) -> list[Drawn]:
    """Sessions of some of the ids."""
    chosen = draw(st.lists(st.sampled_from(ids), unique=True))
    return [draw(sessions(session_id, hidden=hidden)) for session_id in chosen]


_QUERIES = st.sampled_from(["rocket launched", "rocket", "launched fuel alpha", CANARY, "?"])
_SEVERAL = st.lists(st.sampled_from(IDS), min_size=1, max_size=4)
_MATCH = st.sampled_from(["auto", "phrase", "all", "any"])
_SURFACES = st.sampled_from([["current"], ["log-only"], ["current", "shadowed"]])
_TYPES = st.sampled_from([["user/message"], ["session/title"], ["user/message", "host/own"]])
_SEQS = st.integers(0, 4)
_TARGET: dict[str, st.SearchStrategy[Any]] = {"session_id": st.sampled_from(IDS)}

_TOOLS: dict[str, tuple[dict[str, st.SearchStrategy[Any]], dict[str, st.SearchStrategy[Any]]]] = {
    "session_search": (
        {"query": _QUERIES},
        {
            "match": _MATCH,
            "session_ids": _SEVERAL,
            "parent_session_ids": _SEVERAL,
            "include_root_sessions": st.booleans(),
            "availability": st.sampled_from([["live"], ["persisted"]]),
            "created_at_from": st.just("1970-01-01T00:00:01.001Z"),
            "event_seq_from": _SEQS,
            "event_types": _TYPES,
            "event_surfaces": _SURFACES,
        },
    ),
    "session_event_search": (
        {"query": _QUERIES},
        {
            **_TARGET,
            "match": _MATCH,
            "seq_to": _SEQS,
            "time_to": st.just("1970-01-01T00:00:01.001Z"),
            "event_types": _TYPES,
            "surfaces": _SURFACES,
        },
    ),
    "session_trace": ({}, _TARGET),
    "session_event_trace": ({"seq": _SEQS}, _TARGET),
    "session_event_read": ({"seq": _SEQS}, {**_TARGET, "before": _SEQS, "after": _SEQS}),
}


def asks() -> st.SearchStrategy[Ask]:
    """Calls of all tools, with ids of all kinds."""
    return st.one_of([_asks(tool, *arguments) for tool, arguments in _TOOLS.items()])


def _asks(
    tool: str,
    required: dict[str, st.SearchStrategy[Any]],
    optional: dict[str, st.SearchStrategy[Any]],
) -> st.SearchStrategy[Ask]:
    arguments = st.fixed_dictionaries(required, optional=optional)
    return arguments.map(lambda given: Ask(tool, given))
