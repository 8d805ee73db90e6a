"""Drawn calls over drawn sessions that change meanwhile (AUTH-3, AUTH-4, AUTH-5, AUTH-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    BEACON,
    METHODS,
    RETRYABLE,
    TARGET_ASKS,
    UNAUTHORIZED,
    answered,
    coded,
    host_check,
    same,
    targeting,
)
from session_query_specs.corpora import Corpus, Session
from session_query_specs.hosts import (
    CALLER,
    CANARY,
    HERE,
    HIDDEN,
    IDS,
    MISSING,
    VISIBLE,
    Change,
    Heard,
    HostCall,
    HostPair,
    Moment,
    hidden,
    hidden_sessions,
    host_calls,
    own,
    visible,
    visible_sessions,
)

__all__: list[str] = []

_ABSENT: Final = {name: name.replace(CANARY, "zzzzzzzz") for name in HIDDEN}
"""Ids of the same order and length that no session has."""


def _absent(given: Any) -> Any:
    if isinstance(given, list):
        return [_absent(one) for one in given]
    return _ABSENT.get(given, given) if isinstance(given, str) else given


def _asking_of_none(call: HostCall) -> HostPair:
    """Return a call, and the same with ids that no session has for those that are hidden."""
    arguments = {name: _absent(given) for name, given in call.arguments.items()}
    return HostPair(call, call.but(arguments=arguments))


def _told(heard: Heard) -> str:
    """Return how a call ended and what it asked, with ids of nobody for those that are hidden."""
    calls = [(call.method, call.arguments) for call in heard.calls]
    told = repr((heard.outcome, calls))
    for name, absent in _ABSENT.items():
        told = told.replace(name, absent)
    return told


@host_check("AUTH-3/any-id", host_calls().map(_asking_of_none), weight=4)
async def _any_id(host: HostUnderTest, example: HostPair) -> None:
    """Wherever an id may stand, a hidden one does what a missing one does, down to the calls."""
    hidden_one, missing = await example.first.heard(host), await example.second.heard(host)
    reached(f"{example.first.tool}: {hidden_one.code or 'an answer'}")
    if _told(hidden_one) != _told(missing):
        raise Violation(
            f"the same as with missing ids: {missing}, by {missing.methods}",
            f"{hidden_one}, by {hidden_one.methods}",
        )


_BETWEEN: Final[st.SearchStrategy[Moment]] = st.tuples(
    st.sampled_from(["before", "after"]), st.integers(0, 4)
)
_EVER: Final[st.SearchStrategy[Moment]] = _BETWEEN | st.tuples(st.just("read"), st.integers(0, 8))
_SIZES: Final = st.sampled_from([None, 1, 2])


@st.composite
def _changes(draw: st.DrawFn) -> Change:
    """Draw a session that comes, goes, is replaced or moves."""
    name = draw(st.sampled_from((*VISIBLE, CALLER, *HIDDEN)))
    becomes = None
    if draw(st.integers(0, 3)):
        moves = name in HIDDEN or draw(st.booleans())
        becomes = draw(hidden_sessions(name, IDS) if moves else visible_sessions(name))
        becomes = _under(name, becomes)
    return Change(draw(_EVER), name, becomes)


def _under(name: str, session: Session) -> Session:
    """Return a session under an id, whatever canary was added to it."""
    return replace(session, header=replace(session.header, id=name))


@st.composite
def _meeting(draw: st.DrawFn) -> HostCall:
    """Draw a call that meets a session of the workspace, among others."""
    call, name = draw(host_calls()), draw(st.sampled_from(VISIBLE))
    if call.tool != "session_search" and draw(st.integers(0, 4)):
        call = call.asking(session_id=name)
    others = [one for one in call.corpus.sessions if one.header.id != name]
    sessions = (*others, draw(visible_sessions(name)))
    return call.but(corpus=Corpus(sessions), page_size=draw(_SIZES))


@st.composite
def _changing(draw: st.DrawFn) -> HostCall:
    """Draw a call while sessions change, or while one is elsewhere during a single call."""
    call = draw(_meeting())
    if draw(st.booleans()):
        return call.but(changes=tuple(draw(st.lists(_changes(), min_size=1, max_size=4))))
    there = call.corpus.sessions[-1]
    name, at = there.header.id, draw(st.integers(0, 4))
    elsewhere = _under(name, draw(hidden_sessions(name, IDS)))
    away, back = Change(("before", at), name, elsewhere), Change(("after", at), name, there)
    return call.but(changes=(away, back))


@host_check("AUTH-4/changes", _changing(), weight=5, after=("AUTH-4/replaced",))
async def _while_sessions_change(host: HostUnderTest, example: HostCall) -> None:
    """Whatever changes meanwhile, nothing is shown of what was hidden when it was looked at."""
    heard = await example.heard(host)
    reached(f"{example.tool} {heard.code or 'answered'}")
    if heard.leaks:
        raise Violation("nothing of a session while it was hidden", f"{heard}")


@st.composite
def _departing(draw: st.DrawFn) -> HostPair:
    """Draw a call while a session leaves the workspace, and while it is deleted."""
    call = draw(_meeting())
    name = call.corpus.sessions[-1].header.id
    elsewhere = _under(name, draw(hidden_sessions(name, (*HIDDEN, *MISSING))))
    moment = draw(_BETWEEN)
    return HostPair(
        call.but(changes=(Change(moment, name, elsewhere),)),
        call.but(changes=(Change(moment, name, None),)),
    )


@host_check("AUTH-8/moved-or-deleted", _departing(), weight=4, after=("AUTH-4/replaced",))
async def _moved_or_deleted(host: HostUnderTest, example: HostPair) -> None:
    """Who moves a session to another workspace can't be told from who deletes it."""
    moved, deleted = await example.first.heard(host), await example.second.heard(host)
    if moved.leaks:
        raise Violation("nothing of a session that left the workspace", f"{moved}")
    if moved.code not in RETRYABLE and deleted.code not in RETRYABLE:
        reached(f"{example.first.tool} {moved.code or 'answered'}")
        same(deleted, moved, "out of sight and deleted must look alike")


_ALMOST: Final = (f"{HERE}/", HERE.upper(), f"{HERE}/x", "/srv", None)


@st.composite
def _unfiltered(draw: st.DrawFn) -> HostCall:
    """Draw a call of an engine that looks at no filter of sessions."""
    there = visible("v0", f"rocket {BEACON}", title="first", parent_session=f"p {CANARY}")
    away = hidden("p", "rocket", title="x", cwd=draw(st.sampled_from(_ALMOST)))
    corpus = Corpus((own(("rocket ownmark",)), there, hidden("h", "rocket", title="x"), away))
    tool = draw(st.sampled_from(["session_search", *sorted(TARGET_ASKS)]))
    asked: Mapping[str, Any] = TARGET_ASKS.get(tool, {"query": "rocket"})
    call = HostCall(corpus, tool, asked, careless=True)
    if tool == "session_search":
        return call.asking(match=draw(st.sampled_from(["auto", "phrase", "all", "any"])))
    return call.asking(session_id=draw(st.sampled_from([f"h {CANARY}", f"p {CANARY}", "gone"])))


@host_check("AUTH-5/rechecked", _unfiltered(), weight=2, after=("AUTH-5/own-workspace",))
async def _rechecked(host: HostUnderTest, example: HostCall) -> None:
    """Each session of an answer is judged by its own header, and not by having been found."""
    if example.tool == "session_search":
        heard = await answered(host, example, "v0", BEACON)
        if heard.leaks or "ownmark" in heard.text:
            raise Violation("the session 'v0' alone", f"{heard}")
        return
    await answered(host, targeting(example.tool), "v")
    heard = await example.heard(host)
    coded(heard, UNAUTHORIZED, why="the target isn't of the workspace")
    if METHODS[example.tool] in heard.methods:
        raise Violation("no operation on a target that is refused", f"{heard.methods}")
