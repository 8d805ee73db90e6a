"""One open host that agents of several workspaces call (AUTH-1, AUTH-4, AUTH-8, SAN-1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from session_query import SessionHeader

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import BEACON, TARGET_ASKS, host_check
from session_query_specs.corpora import CREATED, Corpus, Place, Session
from session_query_specs.hosts import (
    CALLER,
    CANARY,
    ELSEWHERE,
    HERE,
    AtOnce,
    Heard,
    HostCall,
    InTurn,
    log,
    own,
)
from session_query_specs.loop import numbered, run_in_time, schedules

__all__: list[str] = []

Ask: TypeAlias = tuple[str, dict[str, Any]]

_MARKS: Final = {HERE: BEACON, ELSEWHERE: CANARY, None: "hermit"}
"""What stands in all that the sessions of each workspace say; those of none have a mark, too."""


def _agent(name: str, cwd: str | None) -> Session:
    """Return the live session of an agent, with a running step."""
    mark = _MARKS[cwd]
    made = own((f"rocket launched {mark} {name}",), (f"rocket fuel {mark}",))
    return replace(made, header=SessionHeader(0, name, CREATED, cwd))


def _session(name: str, cwd: str | None, text: str = "rocket", place: Place = "stored") -> Session:
    """Return a session of a workspace."""
    mark = _MARKS[cwd]
    header = SessionHeader(0, name, CREATED, cwd, "v0" if name == "h0" else None)
    return Session(header, log(f"{text} {mark}", title=f"title {mark}"), place)


_CORPUS: Final = Corpus(
    (
        *(_agent(CALLER, HERE), _agent("other", ELSEWHERE)),
        *(_agent("alone", None), _agent("mate", HERE)),
        *(_session("v0", HERE), _session("h0", ELSEWHERE)),
    )
)
_WORKSPACES: Final = {one.header.id: one.header.cwd for one in _CORPUS.sessions}
_CALLERS: Final = (CALLER, "other", "alone", "mate", None)
_SEARCH: Final[Ask] = ("session_search", {"query": "rocket", "match": "all"})


@st.composite
def _asks(draw: st.DrawFn) -> Ask:
    """Draw what is asked: a search of the workspace, or a call for a session or the own one."""
    tool = draw(st.sampled_from(["session_search", *TARGET_ASKS]))
    if tool == "session_search":
        return _SEARCH
    target = draw(st.sampled_from(["v0", None, "h0", "mate", "alone"]))
    asked = {key: given for key, given in TARGET_ASKS[tool].items() if key != "session_id"}
    return tool, asked if target is None else {**asked, "session_id": target}


def _asking(ask: Ask, caller: str | None, corpus: Corpus = _CORPUS) -> HostCall:
    tool, arguments = ask
    return HostCall(corpus, tool, arguments, caller=caller, passes=1)


def _with_what_matters(calls: Sequence[HostCall]) -> tuple[HostCall, ...]:
    """Return the calls over no more agents than those that call or are asked for."""
    named = {each for call in calls for each in (call.caller, call.arguments.get("session_id"))}
    left_out = {"mate", "alone", "other"} - named
    return tuple(
        call.but(
            corpus=Corpus(
                tuple(one for one in call.corpus.sessions if one.header.id not in left_out)
            )
        )
        for call in calls
    )


@st.composite
def _calls(draw: st.DrawFn) -> tuple[HostCall, ...]:
    """Draw calls of at least two agents, most of which ask for the same."""
    callers = draw(st.lists(st.sampled_from(_CALLERS), min_size=2, max_size=3, unique=True))
    callers += draw(st.lists(st.sampled_from(callers), max_size=1))
    asks = st.sampled_from(draw(st.lists(_asks(), min_size=1, max_size=2)))
    return _with_what_matters([_asking(draw(asks), caller) for caller in callers])


def _marks_of_others(call: HostCall, heard: Heard) -> list[str]:
    """Return the marks of other workspaces that are in what a call of `_CORPUS` was told."""
    told = repr(heard.outcome)
    mine = None if call.caller is None else _MARKS[_WORKSPACES[call.caller]]
    return [mark for mark in _MARKS.values() if mark in told and mark != mine]


async def _alone(host: HostUnderTest, calls: Sequence[HostCall]) -> list[Heard]:
    """Return how each call ends that is made on a host of its own."""
    made: list[tuple[HostCall, Heard]] = []
    for call in calls:
        if all(call != other for other, _ in made):
            made.append((call, await call.but(abort=None).heard(host)))
    return [next(heard for other, heard in made if other == call) for call in calls]


def _as_alone(
    calls: Sequence[HostCall],
    alone: Sequence[Heard],
    heard: Sequence[Heard],
    schedule: Sequence[str] = (),
) -> None:
    """See that each call that isn't aborted ended as it does on a host of its own."""
    for number, (call, expected, got) in enumerate(zip(calls, alone, heard, strict=True)):
        if call.abort is None and got.outcome != expected.outcome:
            raise Violation(
                f"for call {number}, as on a host of its own: {expected}", f"{got}", schedule
            )


@host_check("AUTH-1/each-caller", _calls().map(InTurn), weight=2)
async def _each_caller(host: HostUnderTest, example: InTurn) -> None:
    """Whoever called a host before, each call is answered to the agent that makes it."""
    heard = await example.heard(host)
    for call, one in zip(example.calls, heard, strict=True):
        reached(f"{call.tool} {one.code or 'answered'}")
        if found := _marks_of_others(call, one):
            raise Violation(f"nothing that says {found[0]!r} for {call.caller!r}", f"{one}")
    _as_alone(example.calls, await _alone(host, example.calls), heard)


_CHANGED: Final = (
    _session("v0", ELSEWHERE),
    _session("v0", HERE, "rocket again"),
    _session("v0", HERE, "nothing"),
    _session("v0", HERE, place="live"),
    None,
    _session("h0", HERE),
    _agent(CALLER, ELSEWHERE),
    _agent(CALLER, None),
)
"""What a session of the corpus may become; None is the end of `v0`."""


@st.composite
def _again(draw: st.DrawFn) -> InTurn:
    """Draw a call, and the same once a session has changed; others may call in between."""
    changed = draw(st.sampled_from(_CHANGED))
    name = "v0" if changed is None else changed.header.id
    rest = tuple(one for one in _CORPUS.sessions if one.header.id != name)
    later = Corpus(rest if changed is None else (*rest, changed))
    first = _asking(draw(_asks()), draw(st.sampled_from([CALLER, "mate", "other"])))
    between = [
        first.but(caller=caller, corpus=draw(st.sampled_from([_CORPUS, later])))
        for caller in draw(st.lists(st.sampled_from(_CALLERS), max_size=1))
    ]
    back = [first] if draw(st.booleans()) else []
    return InTurn(_with_what_matters([first, *between, first.but(corpus=later), *back]))


@host_check("AUTH-4/asked-again", _again(), weight=3)
async def _asked_again(host: HostUnderTest, example: InTurn) -> None:
    """A caller that asks again once sessions have changed is answered by what there is then."""
    alone = await _alone(host, example.calls)
    differs = any(one.outcome != alone[0].outcome for one in alone)
    reached("another answer" if differs else "the same answer")
    _as_alone(example.calls, alone, await example.heard(host))


@host_check(
    "AUTH-8/side-by-side",
    st.builds(AtOnce, _calls(), schedules()),
    weight=4,
    after=("AUTH-1/each-caller",),
)
def _side_by_side(host: HostUnderTest, example: AtOnce) -> None:
    """Calls that run at once end as each does by itself, in whatever order tasks run."""
    alone = run_in_time(lambda: _alone(host, example.calls))
    heard, trace = example.heard(host)
    order = numbered(trace)
    for call, one in zip(example.calls, heard, strict=True):
        reached(f"{call.tool} {one.code or 'answered'}")
        if found := _marks_of_others(call, one):
            raise Violation(f"nothing that says {found[0]!r} for {call.caller!r}", f"{one}", order)
    _as_alone(example.calls, alone, heard, order)


@st.composite
def _one_aborted(draw: st.DrawFn) -> AtOnce:
    """Draw calls that are answered and run at once, of which one is aborted meanwhile."""
    callers = draw(st.permutations([CALLER, "other", "mate"]))[: draw(st.integers(2, 3))]
    own_ones = [(tool, {**TARGET_ASKS[tool], "session_id": None}) for tool in TARGET_ASKS]
    asks = st.sampled_from([_SEARCH, *own_ones])
    calls = [_asking(draw(asks), caller).asking().but(passes=2) for caller in callers]
    number = draw(st.integers(0, len(calls) - 1))
    calls[number] = calls[number].but(abort=("task", draw(st.integers(0, 8))))
    return AtOnce(_with_what_matters(calls), draw(schedules()))


@host_check("SAN-1/one-of-several", _one_aborted(), weight=3, after=("AUTH-8/side-by-side",))
def _one_of_several(host: HostUnderTest, example: AtOnce) -> None:
    """An abort ends the one call whose signal it is of, and none of those that run besides."""
    alone = run_in_time(lambda: _alone(host, example.calls))
    heard, trace = example.heard(host)
    for call, one in zip(example.calls, heard, strict=True):
        if call.abort is not None:
            reached("aborted" if one.outcome is None else "ended before its abort")
    _as_alone(example.calls, alone, heard, numbered(trace))
