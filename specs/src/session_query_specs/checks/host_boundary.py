"""What of a failure, and of an abort, gets through to a model (SAN-1 to SAN-5)."""

from __future__ import annotations

import logging
from typing import Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    BEACON,
    FAILED,
    INVALID_ARGUMENT,
    METHODS,
    TARGET_ASKS,
    answered,
    coded,
    host_check,
    same,
    searching,
    targeting,
)
from session_query_specs.hosts import (
    FAILURES,
    HOSTILE,
    NOBODYS_ABORT,
    UNKNOWN,
    Failure,
    Heard,
    HostCall,
    refused_logs,
    visible,
)
from session_query_specs.hosts._calls import World, opened
from session_query_specs.hosts._failures import CAUSED, CAUSES, INTERRUPTS
from session_query_specs.hosts._interrupted import Interrupted
from session_query_specs.hosts._logging import recorded_logs
from session_query_specs.hosts._racing import operation
from session_query_specs.loop import ACTIONS, Action, RefusedError, run_in_time, sweep

__all__: list[str] = []

_HELD_BACK: Final = {ErrorCode.INVALID_CONFIG, ErrorCode.SOURCE_CONFLICT}
_OF_A_TARGET: Final = {
    ErrorCode.CORRUPT_SESSION,
    ErrorCode.EVENT_NOT_FOUND,
    ErrorCode.INVALID_LINEAGE,
    ErrorCode.INVALID_SURFACE,
    ErrorCode.SESSION_NOT_FOUND,
}
_PASSED_ON: Final = sorted(set(ErrorCode) - _HELD_BACK - _OF_A_TARGET)
_STALE: Final = ErrorCode.STALE_CURSOR.value
_ALL_METHODS: Final = ("filter_sessions", "list_sessions", "read_titles", *METHODS.values())
_TITLED: Final = ("session_search", "session_trace")
_SEARCHES: Final = ("search_sessions", "search_events")
_CURSOR: Final = ErrorCode.INVALID_CURSOR.value


def _calls() -> st.SearchStrategy[HostCall]:
    """Draw a plain call of each tool; it is answered."""
    search = searching(
        visible("v0", f"rocket {BEACON}", title="first"), visible("v1", "rocket", title="second")
    )
    child = searching(
        visible("up", "x"), visible("v0", f"rocket {BEACON}", parent_session="up")
    ).asking(parent_session_ids=["up"])
    return st.sampled_from([search, child, *(targeting(tool) for tool in sorted(TARGET_ASKS))])


def _failing(kinds: list[str]) -> st.SearchStrategy[HostCall]:
    """Draw a call that fails where its answer comes from, or where its titles do."""
    return st.builds(
        lambda call, titles, kind: call.but(
            failures=(
                Failure(
                    "read_titles" if titles and call.tool in _TITLED else METHODS[call.tool], kind
                ),
            )
        ),
        _calls(),
        st.booleans(),
        st.sampled_from(kinds),
    )


async def _failed(host: HostUnderTest, call: HostCall) -> Heard | None:
    """Return how a call ended whose engine failed; None if it did not ask for what fails."""
    await answered(host, call.but(failures=()), "v")
    heard = await call.heard(host)
    return heard if call.failures[0].call in heard.methods else None


@host_check(
    "SAN-2/known-codes",
    _failing([NOBODYS_ABORT, *(code.value for code in _PASSED_ON)]),
    weight=2,
)
async def _known_codes(host: HostUnderTest, example: HostCall) -> None:
    """A failure of the service with a known code keeps it, and gets a fixed text."""
    heard = await _failed(host, example)
    if heard is None:
        return
    [failure] = example.failures
    reached(failure.kind)
    code = ErrorCode.ABORTED.value if failure.kind == NOBODYS_ABORT else failure.kind
    coded(heard, code, why="the service failed with it")
    again = example.but(failures=(Failure(failure.call, code, "here", "v1"),))
    same(heard, await again.heard(host), "the text of a code is fixed")


@host_check("SAN-2/unknown", _failing(sorted(UNKNOWN)), weight=3)
async def _unknown(host: HostUnderTest, example: HostCall) -> None:
    """A failure that a model may not know is FAILED, with one generic text."""
    heard = await _failed(host, example)
    if heard is None:
        return
    coded(heard, FAILED, why="a model may know nothing of such a failure")
    other = example.but(failures=(Failure(example.failures[0].call, "an exception"),))
    same(await other.heard(host), heard, "FAILED has one generic text")


@host_check("SAN-2/logged", _failing([CAUSED]), weight=0.5)
async def _logged(host: HostUnderTest, example: HostCall) -> None:
    """A failure is logged with all its causes, of which a model is told nothing."""
    await answered(host, example.but(failures=()), "v")
    with recorded_logs() as logged:
        heard = await example.heard(host)
    if example.failures[0].call not in heard.methods:
        return
    reached("a failure with causes")
    coded(heard, ErrorCode.INDEX_FAILED.value, why="the service failed with it")
    texts = [one.text for one in logged]
    missing = [cause for cause in CAUSES if not any(cause in text for text in texts)]
    if missing:
        told = "; ".join(texts)
        got = f"a log without {missing!r}: {told!r:.300}" if told else "nothing in a log"
        raise Violation(f"a log of the failure and its causes {CAUSES!r}", got)


@host_check("SAN-3/hostile", _failing(sorted(HOSTILE)), weight=3)
async def _hostile(host: HostUnderTest, example: HostCall) -> None:
    """A failure that breaks who prints it keeps its code, or is FAILED."""
    heard = await _failed(host, example)
    if heard is None:
        return
    coded(heard, ErrorCode.INDEX_FAILED.value, why="that is its code, whatever else is odd in it")
    plain = example.but(failures=(Failure(example.failures[0].call, ErrorCode.INDEX_FAILED.value),))
    same(await plain.heard(host), heard, "the text of a code is fixed")


@host_check("SAN-3/logger", _failing([code.value for code in _PASSED_ON]))
async def _logger(host: HostUnderTest, example: HostCall) -> None:
    """Where logging fails as well, the failure that a model gets is FAILED or the known code."""
    await answered(host, example.but(failures=()), "v")
    with refused_logs():
        heard = await example.heard(host)
    if example.failures[0].call in heard.methods:
        coded(heard, FAILED, example.failures[0].kind, why="a broken logger is not the model's")


@host_check("SAN-3/interrupts", _failing(sorted(INTERRUPTS)).map(Interrupted), weight=0.5)
def _interrupts(host: HostUnderTest, example: Interrupted) -> None:
    """What is meant for the process, an interrupt or its exit, passes, and is no answer."""
    call = example.call
    plain = run_in_time(lambda: answered(host, call.but(failures=()), "v"))
    [failure] = call.failures
    if failure.call not in plain.methods:
        return
    reached(failure.kind)
    expected = type(failure.raised())
    got = example.heard(host)
    if type(got) is not expected:
        raise Violation(f"{expected.__name__} to pass", f"{got}")


@host_check(
    "SAN-4/precise",
    st.builds(
        lambda call, kind: call.but(
            failures=tuple(Failure(one, kind, always=True) for one in _ALL_METHODS)
        ),
        _calls(),
        st.sampled_from(sorted(UNKNOWN)),
    ),
)
async def _precise(host: HostUnderTest, example: HostCall) -> None:
    """However broken the service is, a wrong argument is told as precisely as ever."""
    working = example.but(failures=())
    await answered(host, working, "v")
    wrong = await working.asking(colour="red").heard(host)
    coded(wrong, INVALID_ARGUMENT, why="there is no argument 'colour'")
    same(wrong, await example.asking(colour="red").heard(host), "no service is needed to tell it")
    coded(await example.heard(host), FAILED, why="nothing in the service works")


def _aborted(call: HostCall, kind: str, number: int, fault: str | None) -> HostCall:
    """Return a call that is aborted around one of the service, which may do something else."""
    aborted = call.but(abort=(kind, number))
    if fault == _DAMAGE:
        return aborted.but(damage=((number, "v0"), (number, "v1")))
    return aborted if fault is None else aborted.but(failures=(Failure(number, fault),))


_DAMAGE: Final = "damage"
_FAULTS: Final = st.one_of(
    st.none(),
    st.just(_DAMAGE),
    st.sampled_from(sorted({*FAILURES} - {*INTERRUPTS})),
    st.sampled_from(sorted(UNKNOWN)),
)


@host_check(
    "SAN-1/abort",
    st.builds(
        _aborted,
        _calls(),
        st.sampled_from(["before", "after"]),
        st.integers(0, 5),
        _FAULTS,
    ),
    weight=4,
)
async def _abort(host: HostUnderTest, example: HostCall) -> None:
    """An abort around a call of the service raises its reason, whatever the service did."""
    plain = await answered(host, example.but(abort=None, failures=(), damage=()), "v")
    heard = await example.heard(host)
    if not heard.landed:
        return
    reached(f"{example.tool} aborted {len(heard.calls)} of {len(plain.calls)}")
    if heard.outcome is not None:
        raise Violation("the very reason of the abort", f"{heard}")
    _, at = example.abort or ("before", 0)
    # a host that cancels the tool in its turn has until the engine is told of it
    late = [call.method for call in heard.calls[at + 1 :] if call.too_late]
    if late:
        raise Violation("no call of the service after the abort", f"{late}")
    if heard.outlived or heard.running:
        got = f"{max(heard.outlived, heard.running)} that went on as if there were no abort"
        raise Violation("each call of the service to be ended by the abort", got)


@host_check(
    "SAN-1/not-logged",
    st.builds(
        lambda call, kind, number: call.but(abort=(kind, number)),
        _calls(),
        st.sampled_from(["before", "after"]),
        st.integers(0, 3),
    ),
)
async def _not_logged(host: HostUnderTest, example: HostCall) -> None:
    """An abort is nothing that anybody has to look after: it is not logged as a failure."""
    await answered(host, example.but(abort=None), "v")
    with recorded_logs() as logged:
        async with opened(example, host) as world:
            heard = await world.heard()
            reason = str(world.reason)
    if not heard.landed:
        return
    reached("aborted")
    if heard.outcome is not None:
        raise Violation("the very reason of the abort", f"{heard}")
    for one in logged:
        if one.level >= logging.WARNING and reason in one.text:
            raise Violation("an abort that is not logged as a failure", f"{one.text!r:.300}")


@host_check(
    "SAN-1/aborted-before",
    st.builds(
        lambda call, wrong: call.asking(**wrong),
        _calls(),
        st.sampled_from([{}, {"colour": 1}, {"session_id": ["v0"], "match": 3}]),
    ),
)
async def _aborted_before(host: HostUnderTest, example: HostCall) -> None:
    """A call that is aborted already raises the reason, whatever it asks, and asks nothing."""
    plain = (
        targeting(example.tool)
        if example.tool in TARGET_ASKS
        else searching(visible("v0", "rocket"))
    )
    await answered(host, plain, "v")
    async with opened(example, host) as world:
        world.controller.abort(world.reason)
        heard = await world.heard()
    if heard.outcome is not None:
        raise Violation("the very reason of the abort", f"{heard}")
    if heard.calls:
        raise Violation("no call of the service", f"{heard.methods}")


@host_check("SAN-1/signal", _calls(), weight=0.5)
async def _signal(host: HostUnderTest, example: HostCall) -> None:
    """All calls of the service get one signal, and it is aborted with the reason of the call's."""
    heard = await answered(host, example, "v")
    signals = {id(call.signal): call.signal for call in heard.calls}
    if len(signals) != 1 or None in signals.values():
        raise Violation("one signal in all calls of the service", f"{len(signals)} of them")
    aborted = await example.but(abort=("before", 0)).heard(host)
    for call in aborted.calls:
        if call.signal is None or not call.signal.aborted:
            raise Violation("a signal that the abort of the call aborts", f"none in {call.method}")


_SWEPT: Final = st.builds(lambda call, passes: call.but(passes=passes), _calls(), st.integers(0, 1))


def ends_at_each_step(host: HostUnderTest, call: HostCall, action: Action) -> int:
    """Do something to a call before each of its steps; return how often that landed.

    Raises:
        Violation: it ended otherwise than it should, or left something running.
    """
    worlds: list[World] = []
    landings = 0
    for landing in sweep(operation(call, host, worlds.append), action):
        landings += 1
        problem = landing.problem()
        for world in worlds:
            if action == "abort" and world.too_late:
                problem = None
            if world.engine.running:
                problem = f"it left {world.engine.running} calls of the service running"
            if late := [call.method for call in world.engine.calls if call.too_late]:
                problem = f"it asked {late} after the abort"
        worlds.clear()
        if problem:
            done = f"{action} before step {landing.step}"
            raise Violation(f"a clean end of the call after {done}", problem)
    return landings


@host_check("SAN-1/each-step", _SWEPT, weight=0.25)
def _each_step(host: HostUnderTest, example: HostCall) -> None:
    """Aborted or cancelled before any step, a call ends as it should and leaves nothing running."""
    for action in ACTIONS:
        try:
            if not ends_at_each_step(host, example, action):
                raise Violation(f"at least one step at which {action} lands", "none")
        except RefusedError:
            reached("the host uses threads: not swept")
            return


def _paged(tool: str, pages: int) -> HostCall:
    """Return a search that has pages of one hit each."""
    if tool == "session_event_search":
        target = visible("v0", *(f"rocket m{number}m" for number in range(pages)))
        return targeting(tool, target=target).but(page_size=1)
    return searching(*(visible(f"m{number}m", "rocket") for number in range(pages))).but(
        page_size=1
    )


_PAGED: Final = st.builds(
    _paged, st.sampled_from(["session_search", "session_event_search"]), st.integers(2, 5)
)


async def _whole(host: HostUnderTest, call: HostCall) -> tuple[int, list[int]]:
    """See that all pages come to an answer; return how many, and which calls they are."""
    if call.tool == "session_search":
        count = len(call.corpus.sessions) - 1
    else:
        count = len(call.corpus.sessions[1].events)
    heard = await answered(host, call, *(f"m{number}m" for number in range(count)))
    return count, [at for at, method in enumerate(heard.methods) if method in _SEARCHES]


@host_check(
    "SAN-5/stale",
    st.builds(
        lambda call, at: call.but(failures=(Failure(at, _STALE),)), _PAGED, st.integers(1, 4)
    ),
)
async def _stale(host: HostUnderTest, example: HostCall) -> None:
    """A cursor that becomes stale ends the search; the host doesn't search again by itself."""
    [failure] = example.failures
    count, searches = await _whole(host, example.but(failures=()))
    page = failure.call if isinstance(failure.call, int) else 1
    at = searches[min(page, count - 1, len(searches) - 1)]
    heard = await example.but(failures=(Failure(at, _STALE),)).heard(host)
    coded(heard, _STALE, why="history changed between two pages")
    if len(heard.calls) != at + 1:
        raise Violation("no further call after the stale cursor", f"{heard.methods[at + 1 :]}")


@host_check(
    "SAN-5/repeated",
    st.builds(
        lambda call, cursors: call.but(cursors=cursors),
        _PAGED,
        st.sampled_from([("a",), ("a", "b"), ("a", "b", "c", "d"), ("",)]),
    ),
)
async def _repeated(host: HostUnderTest, example: HostCall) -> None:
    """A cursor that comes again ends the search with INVALID_CURSOR, and not a page later."""
    await _whole(host, example.but(cursors=()))
    heard = await example.heard(host)
    coded(heard, _CURSOR, why="the pages go in circles")
    asked = [call.arguments[0].cursor for call in heard.calls if call.method in _SEARCHES]
    if asked != [None, *example.cursors]:
        raise Violation(f"searches with the cursors {[None, *example.cursors]}", f"{asked}")
