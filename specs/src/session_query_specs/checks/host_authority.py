"""Whom a host answers, and what of (AUTH-1 to AUTH-5, AUTH-7)."""

from __future__ import annotations

import re
from typing import Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    BEACON,
    FAILED,
    METHODS,
    MISSING_AGENT,
    NO_CURRENT_STEP,
    RETRYABLE,
    SHOWN,
    TARGET_ASKS,
    UNAUTHORIZED,
    answered,
    asked_for,
    coded,
    host_check,
    kept_to_workspace,
    same,
    searching,
    targeting,
)
from session_query_specs.corpora import Corpus, Session
from session_query_specs.hosts import (
    CALLER,
    CANARY,
    HERE,
    Change,
    Failure,
    HostCall,
    HostPair,
    Moment,
    Race,
    hidden,
    host_calls,
    own,
    visible,
)
from session_query_specs.loop import schedules

__all__: list[str] = []

_TOOLS: Final = st.sampled_from(sorted(TARGET_ASKS))
_CWDS: Final = (
    HERE,
    f"{HERE}/",
    "/",
    "C:\\work",
    "\\\\server\\share",
    None,
    "",
    "work",
    "/w\ufffd",
)
_WORKSPACE: Final = re.compile(r"(/|[A-Za-z]:[\\/]|\\\\[^\\])[^\ufffd]*")


@host_check(
    "AUTH-1/no-agent",
    st.builds(
        lambda call, extra: call.but(caller=None, arguments={**call.arguments, **extra}),
        host_calls(),
        st.sampled_from([{}, {"limit": 3}, {"query": 3}]),
    ),
)
async def _no_agent(host: HostUnderTest, example: HostCall) -> None:
    """A call of no agent is MISSING_AGENT before anything else, and nothing is asked."""
    heard = await example.heard(host)
    coded(heard, MISSING_AGENT)
    if heard.calls:
        raise Violation("no call of the service without an agent", f"{heard.methods}")


def _with_cwds(tool: str, caller: str | None, target: str | None) -> HostCall:
    session = visible("v0", f"rocket {BEACON}", title="first", cwd=target)
    return HostCall(Corpus((own(cwd=caller), session)), tool, TARGET_ASKS[tool])


@host_check(
    "AUTH-2/same-cwd",
    st.builds(
        _with_cwds,
        _TOOLS,
        st.shared(st.sampled_from(_CWDS), key="cwd"),
        st.one_of(st.shared(st.sampled_from(_CWDS), key="cwd"), st.sampled_from(_CWDS)),
    ),
    weight=2,
)
async def _same_cwd(host: HostUnderTest, example: HostCall) -> None:
    """A target is shown if its cwd is the very string of the caller's, and names a workspace."""
    await answered(host, targeting(example.tool), SHOWN[example.tool])
    caller, target = (one.header.cwd for one in example.corpus.sessions)
    if caller == target and caller is not None and _WORKSPACE.fullmatch(caller):
        reached("a target in the workspace")
        await answered(host, example, SHOWN[example.tool])
    else:
        reached("a target outside the workspace")
        coded(await example.heard(host), UNAUTHORIZED, why=f"{caller!r} and {target!r} share none")
    await answered(host, example.asking(session_id=CALLER))


@host_check(
    "AUTH-2/no-workspace",
    st.builds(
        lambda cwd: HostCall(
            Corpus((own(cwd=cwd), visible("v0", "rocket", cwd=cwd))),
            "session_search",
            {"query": "rocket"},
        ),
        st.sampled_from([None, "", "work", "/w\ufffd"]),
    ),
)
async def _no_workspace(host: HostUnderTest, example: HostCall) -> None:
    """A caller without a workspace is refused a search of the workspace."""
    heard = await example.heard(host)
    coded(heard, UNAUTHORIZED, why="the caller has no workspace")
    if "search_sessions" in heard.methods:
        raise Violation("no search for a caller without a workspace", f"{heard.methods}")


@st.composite
def _hidden_and_missing(draw: st.DrawFn) -> HostPair:
    name = f"h0 {CANARY}"
    cwd = draw(st.sampled_from([f"/srv/{CANARY}", f"{HERE}/{CANARY}", f"{HERE}/", None]))
    place = draw(st.sampled_from(["stored", "live", "both"]))
    other = hidden(name, "rocket", title="other", cwd=cwd, place=place)  # type: ignore[arg-type]
    tool = draw(_TOOLS)
    there = targeting(tool, other).asking(session_id=name)
    return HostPair(there, there.but(corpus=Corpus(there.corpus.sessions[:-1])))


@host_check("AUTH-3/hidden-is-missing", _hidden_and_missing())
async def _hidden_is_missing(host: HostUnderTest, example: HostPair) -> None:
    """A session of another workspace and one that isn't there get one refusal, by one way."""
    await answered(host, example.first.asking(session_id="v0"), SHOWN[example.first.tool])
    there, missing = await example.first.heard(host), await example.second.heard(host)
    coded(there, UNAUTHORIZED, why="the target is of another workspace")
    same(missing, there, "what is hidden must look like what isn't there")
    if asked_for(there) != asked_for(missing):
        raise Violation(f"the same calls: {missing.methods}", f"{there.methods}")


def _moments(last: int = 4) -> st.SearchStrategy[Moment]:
    kinds = st.sampled_from(["before", "after"])
    return st.tuples(kinds, st.integers(0, last))


@st.composite
def _replaced(draw: st.DrawFn) -> HostCall:
    tool = draw(st.sampled_from(["session_search", *sorted(TARGET_ASKS)]))
    moment = draw(_moments())
    if tool == "session_search":
        first = visible("v0", f"rocket {BEACON}", title="first")
        call = searching(first, visible("v1", "rocket", parent_session="v0"))
    else:
        call = targeting(tool)
    if tool != "session_search" and draw(st.booleans()):
        moved = hidden(CANARY, "rocket", "rocket", "rocket", "rocket", title="x", place="live")
        header = own(cwd=f"/srv/{CANARY}").header
        change = Change(moment, CALLER, Session(header, moved.events, "live"))
        return call.asking(session_id=CALLER).but(changes=(change,))
    place = draw(st.sampled_from(["stored", "live"]))
    other = hidden(CANARY, "rocket", "rocket", title="rocket", place=place)  # type: ignore[arg-type]
    header = visible("v0", cwd=other.header.cwd, created_at=draw(st.sampled_from([1, 2]))).header
    return call.but(changes=(Change(moment, "v0", Session(header, other.events, place)),))  # type: ignore[arg-type]


@host_check("AUTH-4/replaced", _replaced(), weight=4)
async def _replaced_between(host: HostUnderTest, example: HostCall) -> None:
    """A session that is replaced between two calls never leaks, and looks like a deleted one."""
    plain = await answered(host, example.but(changes=()))
    heard = await example.heard(host)
    reached(f"{example.tool} {'refused' if heard.code else 'answered'}")
    if heard.leaks:
        raise Violation("nothing of a session that moved out of the workspace", f"{heard}")
    if heard.code is not None and heard.code not in RETRYABLE:
        coded(heard, UNAUTHORIZED, why="a session moved out of the workspace")
    [change] = example.changes
    if change.moment[1] >= len(plain.calls):
        same(plain, heard, "nothing happened before the call had ended")
    elif change.session_id != CALLER and example.tool != "session_search":
        gone = example.but(changes=(Change(change.moment, change.session_id, None),))
        same(await gone.heard(host), heard, "out of sight and deleted must look alike")


_OF_A_TARGET: Final = (
    ErrorCode.EVENT_NOT_FOUND,
    ErrorCode.CORRUPT_SESSION,
    ErrorCode.INVALID_SURFACE,
    ErrorCode.INVALID_LINEAGE,
)


def _failing(tool: str, code: ErrorCode, header: str) -> HostCall:
    return targeting(tool).but(failures=(Failure(METHODS[tool], code.value, header),))


@host_check(
    "AUTH-4/failures",
    st.builds(
        _failing,
        _TOOLS,
        st.sampled_from([*_OF_A_TARGET, ErrorCode.SESSION_NOT_FOUND]),
        st.sampled_from(["here", "elsewhere", "none"]),
    ),
    weight=2,
)
async def _failures_of_targets(host: HostUnderTest, example: HostCall) -> None:
    """A failure of a target keeps its code only with the header of a session of the workspace."""
    await answered(host, example.but(failures=()), SHOWN[example.tool])
    [failure] = example.failures
    heard = await example.heard(host)
    if failure.call not in heard.methods:
        return
    if failure.header == "here" and failure.kind != ErrorCode.SESSION_NOT_FOUND.value:
        coded(heard, failure.kind, why="it is a session of the workspace that is broken")
        return
    missing = await example.asking(session_id="gone").but(failures=()).heard(host)
    coded(missing, UNAUTHORIZED, why="there is no such session")
    same(missing, heard, "the broken session is none of the workspace")


_RACES = st.builds(
    lambda call, at, schedule: Race(
        call.but(
            passes=1,
            changes=tuple(
                Change(("task", at), one.session_id, one.session) for one in call.changes
            ),
        ),
        schedule,
    ),
    _replaced(),
    st.integers(0, 12),
    schedules(),
)


@host_check("AUTH-4/schedules", _RACES, weight=6, after=("AUTH-4/replaced",))
def _replaced_meanwhile(host: HostUnderTest, example: Race) -> None:
    """In whatever order tasks run, a session that moves out of the workspace never leaks."""
    plain, _ = Race(example.call.but(changes=())).heard(host)
    if plain.code is not None or not plain.text:
        raise Violation("an answer, since nothing changes", f"{plain}")
    heard, _ = example.heard(host)
    reached(f"{example.call.tool} {'refused' if heard.code else 'answered'}")
    if heard.leaks:
        raise Violation("nothing of a session that moved out of the workspace", f"{heard}")
    if heard.code is not None and heard.code not in RETRYABLE:
        # a move between two reads of the store is a conflict of sources, which SAN-2 makes FAILED
        coded(heard, UNAUTHORIZED, FAILED, why="a session moved out of the workspace")


def _marked(call: HostCall) -> HostCall:
    """Return the call of an agent whose own session has a mark in all that it says."""
    mine = own(("rocket launched ownmark",), ("rocket ownmark",))
    first = visible("v9", f"rocket launched alpha {BEACON}")
    return call.but(corpus=Corpus((mine, first, *call.corpus.sessions[1:])))


@host_check("AUTH-5/own-workspace", host_calls("session_search").map(_marked), weight=2)
async def _own_workspace(host: HostUnderTest, example: HostCall) -> None:
    """A search shows sessions of the workspace alone, and never the caller's own."""
    everything = example.but(arguments={"query": "rocket", "match": "any"})
    for call in (everything, example):
        heard = await call.heard(host)
        if call is everything and BEACON not in heard.text:
            raise Violation("the session 'v9' of the workspace among the hits", f"{heard}")
        if heard.leaks:
            raise Violation("nothing of other workspaces", f"{heard}")
        if "ownmark" in heard.text:
            raise Violation("nothing of the caller's own session", f"{heard}")
        if not kept_to_workspace(heard, HERE):
            raise Violation(f"searches with the filter cwd={HERE!r}", "one without it")


def _stepping(earlier: int, running: int) -> HostCall:
    mine = own([f"rocket earlier{at}" for at in range(earlier)], ["rocket nowmark"] * running)
    asked = {"query": "rocket", "match": "any"}
    return HostCall(Corpus((mine,)), "session_event_search", asked)


@host_check(
    "AUTH-7/running-step",
    st.builds(_stepping, st.integers(1, 4), st.integers(1, 3)),
)
async def _running_step(host: HostUnderTest, example: HostCall) -> None:
    """A search of the own session ends right before the running step."""
    [mine] = example.corpus.sessions
    [step] = [event.seq for event in mine.events if event.type == "step/start"]
    for call in (example, example.asking(session_id=CALLER)):
        heard = await answered(host, call, *(f"earlier{at}" for at in range(step)))
        if "nowmark" in heard.text:
            raise Violation("nothing of the running step", f"{heard}")
    inside = await answered(host, example.asking(seq_from=step))
    if inside.calls:
        raise Violation("no call of the service for a range in the running step", inside.methods[0])
    stepless = example.but(corpus=Corpus((own(("rocket",), None),)))
    coded(await stepless.heard(host), NO_CURRENT_STEP, why="the own session has no step")
