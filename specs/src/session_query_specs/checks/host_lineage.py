"""Where a lineage leaves the workspace, and what differs outside of it (AUTH-6, AUTH-8)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    RETRYABLE,
    answered,
    coded,
    host_check,
    same,
    searching,
    shows,
)
from session_query_specs.corpora import Corpus, Session
from session_query_specs.hosts import (
    CALLER,
    CANARY,
    Change,
    Heard,
    HostCall,
    HostPair,
    Moment,
    Race,
    hidden,
    hidden_sessions,
    own,
    pairs,
    visible,
)
from session_query_specs.loop import schedules

__all__: list[str] = []

_OUTSIDE: Final = (f"h0 {CANARY}", f"h1 {CANARY}", f"h2 {CANARY}")
_BURIED: Final = "buried"
_CYCLE: Final = "SESSION_QUERY_INVALID_LINEAGE"


def _tracing(target: str, *sessions: Session) -> HostCall:
    return HostCall(Corpus((own(), *sessions)), "session_trace", {"session_id": target})


@st.composite
def _above(draw: st.DrawFn) -> HostPair:
    """Draw traces of `v0` whose ancestors go on with hidden sessions, and with a missing one."""
    line = [f"v{number}" for number in range(draw(st.integers(0, 2)) + 1)]
    above = _OUTSIDE[: draw(st.integers(1, 3))]
    last = draw(st.sampled_from([None, "back", "gone", *above, *line]))
    parents = [*line[1:], _OUTSIDE[0]]
    inside = [visible(one, "x", parent_session=up) for one, up in zip(line, parents, strict=True)]
    outside = [
        hidden(one, "x", title="x", parent_session=up)
        for one, up in zip(above, [*above[1:], last], strict=True)
    ]
    back = visible("back", "x", title="back again")
    # the last of the hidden ones may be a child of the target, which is told of in either way
    child = hidden("child", "x", parent_session="v0")
    return HostPair(
        _tracing("v0", *inside, child, *outside, back), _tracing("v0", *inside, child, back)
    )


@host_check("AUTH-6/ancestors", _above(), weight=2)
async def _ancestors(host: HostUnderTest, example: HostPair) -> None:
    """Ancestors are shown up to the first that is hidden or missing; both look the same."""
    inside = [one.header.id for one in example.second.corpus.sessions[1:-2]]
    missing = await answered(host, example.second, *inside)
    there = await example.first.heard(host)
    same(missing, there, "a hidden parent must look like one that isn't there")
    if there.leaks or "back" in there.text:
        raise Violation("nothing from behind the first hidden ancestor", f"{there}")
    sessions = example.second.corpus.sessions
    top = replace(sessions[-3], header=replace(sessions[-3].header, parent_session=None))
    rooted = example.second.but(corpus=Corpus((*sessions[:-3], top, *sessions[-2:])))
    if (await answered(host, rooted, *inside)).text == there.text:
        raise Violation("a marker where a lineage goes on outside", "the same as for a root")


@st.composite
def _below(draw: st.DrawFn) -> HostPair:
    """Draw a target with visible and hidden children; in the second there is one hidden child."""
    kids = draw(st.integers(0, 3))
    inside = [visible("v0", "x"), *(_child(f"v{at}", "v0") for at in range(1, kids + 1))]
    one = hidden("child", "x", title="x", parent_session="v0")
    more = [
        hidden(f"other {at}", "x", title="x", parent_session=draw(st.sampled_from(["v0", "child"])))
        for at in range(draw(st.integers(1, 3)))
    ]
    under = [_child(_BURIED, one.header.id)] if draw(st.booleans()) else []
    order = draw(st.permutations([*inside, one, *more, *under]))
    return HostPair(_tracing("v0", *order), _tracing("v0", *inside, one))


def _child(name: str, parent: str) -> Session:
    return visible(name, "x", title=f"title of {name}", parent_session=parent)


@host_check("AUTH-6/descendants", _below())
async def _descendants(host: HostUnderTest, example: HostPair) -> None:
    """All hidden children of a session leave one marker, and nothing of what comes of them."""
    inside = [one for one in example.second.corpus.sessions[1:] if CANARY not in one.header.id]
    shown = [one.header.id for one in inside]
    single = await answered(host, example.second, *shown)
    several = await example.first.heard(host)
    for heard in (single, several):
        if heard.leaks or _BURIED in heard.text:
            raise Violation("nothing of hidden children and what comes of them", f"{heard}")
    same(single, several, "hidden children leave one marker, however many they are")
    none = await answered(host, _tracing("v0", *inside), *shown)
    if none.text == single.text:
        raise Violation("a marker for hidden children", "the same as without them")
    lines = single.text.split("\n")
    marker = max(at for at, line in enumerate(lines) if line not in none.text.split("\n"))
    if any(repr(name)[1:-1] in line for line in lines[marker:] for name in shown[1:]):
        raise Violation("the marker after the children that may be seen", f"{single}")


@st.composite
def _circle(draw: st.DrawFn) -> HostCall:
    """Draw a trace whose ancestors end in a circle; one of them may be hidden, or a child is."""
    size, before = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    hidden_one = draw(st.one_of(st.none(), st.integers(1, before + size - 1 or 1)))
    ids = [f"v{at}" if at != hidden_one else f"h {CANARY}" for at in range(before + size)]
    parents = [*ids[1:], ids[before]]
    members = [
        (hidden if CANARY in name else visible)(name, "x", title="x", parent_session=parent)
        for name, parent in zip(ids, parents, strict=True)
    ]
    child = [hidden("child", "x", title="x", parent_session="v0")] if draw(st.booleans()) else []
    return _tracing("v0", *members, *child)


@host_check("AUTH-6/cycles", _circle())
async def _cycles(host: HostUnderTest, example: HostCall) -> None:
    """A circle is told only if all of its sessions are of the workspace."""
    await answered(host, _tracing("v0", visible("v0", "x")), "v0")
    heard = await example.heard(host)
    sessions = example.corpus.sessions
    outside = [one for one in sessions if one.header.id == f"h {CANARY}"]
    if not outside:
        coded(heard, _CYCLE, why="every session of the circle is of the workspace")
        return
    shows(heard, "v0")
    if heard.leaks:
        raise Violation("nothing of the hidden session of the circle", f"{heard}")
    open_ended = [
        one if one not in outside else replace(one, header=replace(one.header, parent_session=None))
        for one in sessions
    ]
    parent = outside[0].header.parent_session
    child = hidden("other child", "x", title="x", parent_session=parent)
    apart = example.but(corpus=Corpus((*open_ended, child)))
    same(await apart.heard(host), heard, "a circle with a hidden session is no other boundary")


@host_check(
    "AUTH-6/parents-of-hits",
    st.builds(
        lambda cwd: searching(
            visible("v0", "rocket", title="x", parent_session=_OUTSIDE[0]),
            hidden(_OUTSIDE[0], "x", title="x", cwd=cwd),
        ),
        st.sampled_from([f"/srv/{CANARY}", None, f"/srv/here/{CANARY}"]),
    ),
)
async def _parents_of_hits(host: HostUnderTest, example: HostCall) -> None:
    """A hit's parent is named if it is of the workspace; hidden and missing ones look the same."""
    upper = visible("upper", "nothing")
    for parent in ("upper", CALLER):
        known = searching(visible("v0", "rocket", title="x", parent_session=parent), upper)
        await answered(host, known, "v0", parent)
    there = await answered(host, example, "v0")
    if there.leaks:
        raise Violation("no id of a hidden parent", f"{there}")
    missing = example.but(corpus=Corpus(example.corpus.sessions[:-1]))
    same(await missing.heard(host), there, "a hidden parent must look like a missing one")


def _situation(heard: Heard, call: HostCall) -> str:
    return f"{call.tool}: {'an answer' if heard.code is None else heard.code}"


@host_check("AUTH-8/other-workspaces", pairs(), weight=3)
async def _other_workspaces(host: HostUnderTest, example: HostPair) -> None:
    """Whatever sessions other workspaces have, a call ends the same."""
    first, second = await example.first.heard(host), await example.second.heard(host)
    reached(_situation(first, example.first))
    for heard in (first, second):
        if heard.leaks:
            raise Violation("nothing of other workspaces", f"{heard}")
    same(first, second, "the corpora differ in other workspaces only")


def _changed(moments: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Change]]:
    names = st.sampled_from(_OUTSIDE)
    made = names.flatmap(
        lambda name: st.builds(
            Change,
            moments,
            st.just(name),
            st.one_of(st.none(), hidden_sessions(name, (*_OUTSIDE, "gone"))),
        )
    )
    return st.lists(made, min_size=1, max_size=4)


_MOMENTS: st.SearchStrategy[Moment] = st.one_of(
    st.tuples(st.sampled_from(["before", "after"]), st.integers(0, 5)),
    st.tuples(st.just("read"), st.integers(0, 12)),
)


@st.composite
def _changing_pairs(draw: st.DrawFn) -> HostPair:
    pair, size = draw(pairs()), draw(st.sampled_from([None, 1, 2]))
    changes = tuple(draw(_changed(_MOMENTS)))
    damage = tuple((0, name) for name in draw(st.sets(st.sampled_from(_OUTSIDE))))
    return HostPair(
        pair.first.but(page_size=size),
        pair.second.but(page_size=size, changes=changes, damage=damage),
    )


def _alike(first: Heard, second: Heard) -> None:
    """See that calls ended alike, but for failures that say only that something has changed."""
    for heard in (first, second):
        if heard.leaks:
            raise Violation("nothing of other workspaces", f"{heard}")
    if first.code not in RETRYABLE and second.code not in RETRYABLE:
        same(first, second, "only sessions of other workspaces differ and change")


@host_check(
    "AUTH-8/changes",
    _changing_pairs(),
    weight=3,
    after=("AUTH-8/other-workspaces",),
)
async def _changes(host: HostUnderTest, example: HostPair) -> None:
    """Whatever becomes of other workspaces meanwhile, a call ends the same, or can be repeated."""
    first, second = await example.first.heard(host), await example.second.heard(host)
    reached(_situation(second, example.second))
    _alike(first, second)


@st.composite
def _races(draw: st.DrawFn) -> Race:
    tasks = st.tuples(st.just("task"), st.integers(0, 20))
    call = draw(pairs()).first.but(passes=1)
    return Race(call.but(changes=tuple(draw(_changed(tasks)))), draw(schedules()))


@host_check("AUTH-8/schedules", _races(), weight=2, after=("AUTH-8/other-workspaces",))
def _schedules(host: HostUnderTest, example: Race) -> None:
    """In whatever order tasks run, changes of other workspaces change nothing that is answered."""
    plain = searching(visible("v0", "rocket beacon"))
    shows(Race(plain).heard(host)[0], "beacon")
    first, _ = Race(example.call.but(changes=())).heard(host)
    second, _ = example.heard(host)
    reached(_situation(second, example.call))
    _alike(first, second)
