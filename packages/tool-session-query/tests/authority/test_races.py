"""Sessions that change between any two calls of the service, and within them (AUTH-4, AUTH-8)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from .calling import REFUSED, RETRYABLE, Ask, Outcome
from .corpora import CALLER
from .drawing import HIDDEN, VISIBLE, Drawn, asks, sessions, some
from .racing import Change, Moment, raced

CORPORA = st.tuples(some(HIDDEN, hidden=True), some(VISIBLE, hidden=False)).map(
    lambda both: [*both[0], *both[1]]
)
VICTIMS = (*VISIBLE, CALLER)
BETWEEN = st.tuples(st.sampled_from(["before", "after"]), st.integers(0, 4))
ANY_TIME = BETWEEN | st.tuples(st.just("read"), st.integers(0, 8))
LIMITS = st.sampled_from([500, 1, 2])
ENGINES = pytest.mark.parametrize("engine", ["scripted", "sqlite"])
EXAMPLES = settings(max_examples=70)


@st.composite
def changes(draw: st.DrawFn, ids: Sequence[str]) -> Change:
    """A session that comes, goes, is replaced or moves."""
    session_id = draw(st.sampled_from(ids))
    becomes = None
    if draw(st.integers(0, 3)):
        is_hidden = session_id in HIDDEN or draw(st.booleans())
        becomes = draw(sessions(session_id, hidden=is_hidden))
    return Change(draw(ANY_TIME), session_id, becomes)


def outcome(
    engine: str, sessions: Sequence[Drawn], ask: Ask, changes: Sequence[Change], page: int
) -> Outcome:
    """What comes of one call."""
    limits = {"default_limit": page, "max_limit": page}
    return asyncio.run(raced(engine, sessions, ask, changes, most=2, **limits))


@ENGINES
@pytest.mark.requirement("AUTH-1", "AUTH-4", "AUTH-5", "AUTH-6", "TITLE-2", "AUTH-8")
@given(
    CORPORA,
    asks(),
    st.lists(changes((*VICTIMS, *HIDDEN)), min_size=1, max_size=4),
    LIMITS,
)
@EXAMPLES
def test_nothing_of_a_hidden_session_is_shown_whenever_sessions_change(
    engine: str,
    corpus: list[Drawn],
    ask: Ask,
    changed: list[Change],
    page: int,
) -> None:
    """What is shown comes from sessions that were authorized when they were observed."""
    found = outcome(engine, corpus, ask, changed, page)
    event(f"{ask.tool} {found.code}")
    assert not found.has_canary


@ENGINES
@pytest.mark.requirement("AUTH-8")
@given(
    CORPORA,
    asks(),
    st.lists(changes(HIDDEN), min_size=1, max_size=4),
    LIMITS,
)
@EXAMPLES
def test_changes_of_hidden_sessions_are_not_noticed(
    engine: str,
    corpus: list[Drawn],
    ask: Ask,
    changed: list[Change],
    page: int,
) -> None:
    """An answer is what it would have been had no hidden session changed."""
    quiet, busy = (outcome(engine, corpus, ask, some, page) for some in ([], changed))
    if busy.code not in RETRYABLE:
        assert quiet.within_workspace() == busy.within_workspace()


class Departure(NamedTuple):
    """A session of the workspace, what it is from some moment on, and a call that meets it."""

    session: Drawn
    elsewhere: Drawn
    moment: Moment
    ask: Ask


@st.composite
def departures(draw: st.DrawFn) -> Departure:
    """A session that leaves the workspace between two calls of the service."""
    session_id = draw(st.sampled_from(VISIBLE))
    session = draw(sessions(session_id, hidden=False))
    ask = draw(asks())
    if ask.tool != "session_search" and draw(st.integers(0, 4)):
        ask.arguments["session_id"] = session_id
    number = st.integers(0, 4 if ask.tool == "session_search" else 2)
    moment = draw(st.tuples(st.sampled_from(["before", "after"]), number))
    return Departure(session, draw(sessions(session_id, hidden=True)), moment, ask)


@ENGINES
@pytest.mark.requirement("AUTH-8", "AUTH-3", "AUTH-4", "TITLE-2")
@given(CORPORA, departures(), LIMITS)
@EXAMPLES
def test_a_moved_session_looks_like_a_deleted_one(
    engine: str,
    corpus: list[Drawn],
    departure: Departure,
    page: int,
) -> None:
    """Whoever moves a session to another workspace can't be told from whoever deletes it."""
    session, elsewhere, moment, ask = departure
    moved, deleted = (
        outcome(
            engine,
            [*corpus, session],
            ask,
            [Change(moment, session.header.id, became)],
            page,
        )
        for became in (elsewhere, None)
    )
    assert not moved.has_canary
    if not RETRYABLE & {moved.code, deleted.code}:
        event("refused" if moved.code == REFUSED else "answered")
        assert moved.within_workspace() == deleted.within_workspace()


@ENGINES
@pytest.mark.requirement("AUTH-4", "AUTH-5", "AUTH-6", "TITLE-2")
@given(CORPORA, departures(), LIMITS)
@EXAMPLES
def test_a_session_that_was_hidden_for_one_call_is_not_shown_as_it_was_then(
    engine: str, corpus: list[Drawn], departure: Departure, page: int
) -> None:
    """Nothing that one call saw of a hidden session is shown, though the session came back."""
    session, elsewhere, (_, number), ask = departure
    session_id = session.header.id
    changes = [
        Change(("before", number), session_id, elsewhere),
        Change(("after", number), session_id, session),
    ]
    assert not outcome(engine, [*corpus, session], ask, changes, page).has_canary
