"""Whom a host answers, and what of (AUTH-1 to AUTH-5, AUTH-7)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode, SessionEvent

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
from session_query_specs.corpora import CREATED, Corpus, Place, Session, message
from session_query_specs.hosts import (
    CALLER,
    CANARY,
    HERE,
    LATE,
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
from session_query_specs.hosts._moved_pages import MovedPages
from session_query_specs.loop import schedules

__all__: list[str] = []

_TOOLS: Final = st.sampled_from(sorted(TARGET_ASKS))
_CWDS: Final = (
    *(HERE, f"{HERE}/", "/", "/a/../a", "//a", "/ä 权限", "/a\nb"),
    *("C:\\work", "c:/a", "\\\\server\\share"),
    *(
        None,
        "",
        " ",
        "work",
        "a/b",
        "./a",
        "../a",
        "~",
        "~/a",
        "C:",
        "C:a",
        "\\a",
        "\\\\",
        "/w\ufffd",
    ),
)
_PLACES: Final[st.SearchStrategy[Place]] = st.sampled_from(["stored", "live"])
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


@st.composite
def _with_cwds(draw: st.DrawFn) -> HostCall:
    """Draw a call for a session whose cwd is the caller's, another spelling of it, or another."""
    tool, caller = draw(_TOOLS), draw(st.sampled_from(_CWDS))
    path = caller or HERE
    alike = [f"{path}/", f"{path}/x", f"{path} ", path.swapcase(), path.rstrip("/"), f"/x{path}"]
    target = draw(st.one_of(st.just(caller), st.sampled_from(alike), st.sampled_from(_CWDS)))
    session = visible("v0", f"rocket {BEACON}", title="first", cwd=target)
    call = HostCall(Corpus((own(cwd=caller), session)), tool, TARGET_ASKS[tool])
    return call.but(careless=draw(st.booleans()))


@host_check("AUTH-2/same-cwd", _with_cwds(), weight=4)
async def _same_cwd(host: HostUnderTest, example: HostCall) -> None:
    """A target is shown if its cwd is the very string of the caller's, and names a workspace."""
    await answered(host, targeting(example.tool), SHOWN[example.tool])
    caller, target = (one.header.cwd for one in example.corpus.sessions)
    search = example.but(tool="session_search", arguments={"query": "rocket"})
    if caller == target and caller is not None and _WORKSPACE.fullmatch(caller):
        reached("a target in the workspace")
        await answered(host, example, SHOWN[example.tool])
        await answered(host, search, BEACON)
    else:
        reached("a target outside the workspace")
        coded(await example.heard(host), UNAUTHORIZED, why=f"{caller!r} and {target!r} share none")
        if BEACON in (found := await search.heard(host)).text:
            raise Violation(f"no hit of {target!r} for a caller of {caller!r}", f"{found}")
    await answered(host, example.asking(session_id=CALLER))


@host_check(
    "AUTH-2/no-workspace",
    st.builds(
        lambda cwd: HostCall(
            Corpus((own(cwd=cwd), visible("v0", "rocket", cwd=cwd))),
            "session_search",
            {"query": "rocket"},
        ),
        st.sampled_from([one for one in _CWDS if one is None or not _WORKSPACE.fullmatch(one)]),
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
    name = draw(st.sampled_from([f"h0 {CANARY}", "v0 ", "V0", " "]))
    cwd = draw(st.sampled_from([f"/srv/{CANARY}", f"{HERE}/{CANARY}", f"{HERE}/", None]))
    place = draw(st.sampled_from(["stored", "live", "both"]))
    other = hidden("x", "rocket", title="other", cwd=cwd, place=place)  # type: ignore[arg-type]
    other = replace(other, header=replace(other.header, id=name))
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
    if METHODS[example.first.tool] in there.methods:
        raise Violation("no operation on a target that is refused", f"{there.methods}")


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
        texts = ["rocket"] * 4
        moved = hidden(CANARY, *texts, title="x", place="live", created_at=LATE)
        header = own(cwd=f"/srv/{CANARY}").header
        change = Change(moment, CALLER, Session(header, moved.events, "live"))
        mine = own(cwd=draw(st.sampled_from([HERE, None, "work"])))
        call = call.but(corpus=Corpus((mine, *call.corpus.sessions[1:])))
        return call.asking(session_id=CALLER).but(changes=(change,))
    place = draw(_PLACES)
    texts = ["rocket", "rocket"]
    other = hidden(CANARY, *texts, title="rocket", place=place, created_at=LATE)
    header = visible("v0", cwd=other.header.cwd, created_at=LATE + draw(st.integers(0, 1))).header
    return call.but(changes=(Change(moment, "v0", Session(header, other.events, place)),))


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


@st.composite
def _paged(draw: st.DrawFn) -> MovedPages:
    """Draw a search of one session whose later pages, one hit each, are of elsewhere."""
    pages = draw(st.integers(2, 4))
    texts = [f"rocket m{number}m" for number in range(pages)]
    target = draw(st.sampled_from(["v0", CALLER]))
    call = targeting("session_event_search", target=visible("v0", *texts))
    call = call.but(corpus=Corpus((own(texts), *call.corpus.sessions[1:])), page_size=1)
    cwd = draw(st.sampled_from([f"/srv/{CANARY}", f"{HERE}/", None]))
    return MovedPages(call.asking(session_id=target), draw(st.integers(1, pages - 1)), cwd)


@host_check("AUTH-4/each-page", _paged())
async def _each_page(host: HostUnderTest, example: MovedPages) -> None:
    """Each page of a session is looked at anew: once it is of elsewhere, the search is refused."""
    whole = await answered(host, example.call, "m0m", "m1m")
    if whole.methods.count("search_events") <= example.first:
        raise Violation(f"at least {example.first + 1} searches, one a page", f"{whole.methods}")
    heard = await example.heard(host)
    coded(heard, UNAUTHORIZED, why=f"from page {example.first} on, the session is of elsewhere")


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


@st.composite
def _stepping(draw: st.DrawFn) -> HostCall:
    """Draw a search of the own session, which may go on while it is searched."""
    texts = draw(st.lists(st.sampled_from(["earlier", "step"]), min_size=1, max_size=5))
    kinds = [*texts, "step", *["running"] * draw(st.integers(1, 3))]
    grown = [*kinds, "step", "running"]
    asked: dict[str, Any] = {"query": "rocket", "match": draw(st.sampled_from(["any", "auto"]))}
    for name in ("seq_from", "seq_to"):
        if draw(st.booleans()):
            asked[name] = draw(st.integers(0, len(grown)))
    if draw(st.booleans()):
        asked["session_id"] = CALLER
    changes = (Change(("before", 0), CALLER, _steps(grown)),) if draw(st.booleans()) else ()
    call = HostCall(Corpus((_steps(kinds),)), "session_event_search", asked, changes=changes)
    return call if asked.get("seq_from", 0) <= asked.get("seq_to", 99) else call.asking(seq_to=None)


def _steps(kinds: list[str]) -> Session:
    """Return the caller's session with an event of each kind."""
    events = [
        SessionEvent("step/start", seq, CREATED + seq, {"turn": 1, "step": 1})
        if kind == "step"
        else SessionEvent("user/message", seq, CREATED + seq, message(_word(kind, seq)), "append")
        for seq, kind in enumerate(kinds)
    ]
    return Session(own().header, tuple(events), "live")


def _word(kind: str, seq: int) -> str:
    return f"rocket {kind}{seq}mark"


@host_check("AUTH-7/running-step", _stepping(), weight=3)
async def _running_step(host: HostUnderTest, example: HostCall) -> None:
    """A search of the own session ends right before the step that runs as it begins."""
    [mine] = example.corpus.sessions
    step = max(event.seq for event in mine.events if event.type == "step/start")
    low, high = example.arguments.get("seq_from", 0), example.arguments.get("seq_to", step)
    heard = await answered(host, example)
    shown = {int(seq) for seq in re.findall(r"(?:earlier|running)(\d+)mark", heard.text)}
    earlier = {one.seq for one in mine.events[:step] if one.type == "user/message"}
    expected = {seq for seq in earlier if low <= seq <= high}
    if shown != expected:
        raise Violation(f"hits with seq {sorted(expected)}, before the running step", f"{heard}")
    if low >= step and heard.calls:
        raise Violation("no call of the service for a range in the running step", heard.methods[0])
    found = visible("v0", f"rocket {BEACON}")
    stepless = example.but(corpus=Corpus((own(("rocket",), None), found)), changes=())
    coded(await stepless.heard(host), NO_CURRENT_STEP, why="the own session has no step")
    await answered(host, stepless.but(arguments={"query": "rocket", "session_id": "v0"}), BEACON)
