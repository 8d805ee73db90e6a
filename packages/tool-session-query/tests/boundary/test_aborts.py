"""An abort comes out as its very reason, before any failure; and paging that never ends (SAN-1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from session_query import (
    AbortController,
    AbortError,
    EventHit,
    EventSearchPage,
    SessionHit,
    SessionSearchPage,
    TitleResult,
)

from ..toolset.scripted import (
    LEAST,
    TOOLS,
    ScriptedEngine,
    answer,
    failure,
    header,
    record,
    refusal,
)
from .failures import UNKNOWN, UNPRINTABLE

HIT = SessionHit(
    header(parent_session="parent"), True, True, EventHit("other", 0, "t", 0, "current", "")
)
ARGUMENTS: dict[str, dict[str, Any]] = {
    tool: {**LEAST[tool], "session_id": "other"} for tool in TOOLS
}
ARGUMENTS["session_search"] = {"query": "a", "parent_session_ids": ["parent"]}


class Reason(BaseException):
    """Why a host ends a call."""


def counted(tool: str) -> list[str]:
    """The calls that a tool makes, in their order."""
    engine = finding()
    answer(engine, tool, ARGUMENTS[tool])
    return [asked[0] for asked in engine.asked]


def finding(**answers: Any) -> ScriptedEngine:
    """A service that finds something wherever it's asked."""
    return ScriptedEngine(
        **{
            "filter_sessions": [record(), record("parent")],
            "search_sessions": SessionSearchPage((HIT,)),
            **answers,
        }
    )


CALLS = [(tool, number) for tool in TOOLS for number in range(len(counted(tool)))]


class _Acting(ScriptedEngine):
    """Does something in the call of a number."""

    def __init__(self, number: int, act: Callable[[], object], **answers: Any) -> None:
        super().__init__(**answers)
        self.number = number
        self.act = act

    async def _answer(self, signal: Any, default: Any, *asked: Any) -> Any:
        acting = len(self.asked) == self.number
        result = await super()._answer(signal, default, *asked)
        if acting:
            self.act()
        return result


def aborted_within(tool: str, number: int, failing: BaseException | None) -> tuple[Any, Any, int]:
    """The reason of an abort within a call, what came out, and how many calls were made."""
    controller, reason = AbortController(), Reason()

    def act() -> None:
        controller.abort(reason)
        if failing is not None:
            raise failing

    engine = _Acting(number, act, **finding().answers)
    try:
        outcome: Any = answer(engine, tool, ARGUMENTS[tool], signal=controller.signal)
    except Reason as error:
        outcome = error
    return reason, outcome, len(engine.asked)


@pytest.mark.requirement("SAN-1")
@pytest.mark.parametrize("tool", TOOLS)
def test_the_service_gets_the_signal_itself(tool: str) -> None:
    """Each call of each tool has the very signal of the run."""
    engine, signal = finding(), AbortController().signal
    answer(engine, tool, ARGUMENTS[tool], signal=signal)
    assert len(engine.signals) == len(counted(tool)) > 1
    assert all(each is signal for each in engine.signals)


@pytest.mark.requirement("SAN-1")
@pytest.mark.parametrize("tool", TOOLS)
def test_an_aborted_call_asks_nothing(tool: str) -> None:
    """With a signal that is aborted before, the reason comes out and the service isn't asked."""
    controller, reason, engine = AbortController(), Reason(), finding()
    controller.abort(reason)
    for arguments in (ARGUMENTS[tool], {"nonsense": 1}):
        with pytest.raises(Reason) as caught:
            answer(engine, tool, arguments, signal=controller.signal)
        assert caught.value is reason
    assert not engine.asked


@pytest.mark.requirement("SAN-1")
@pytest.mark.parametrize(("tool", "number"), CALLS)
def test_an_abort_within_a_call_ends_the_tool(
    tool: str, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The very reason comes out although the call answers; no other call is made or logged."""
    reason, outcome, asked = aborted_within(tool, number, None)
    assert outcome is reason
    assert asked == number + 1
    assert not caplog.records


@pytest.mark.requirement("SAN-1")
@pytest.mark.parametrize(("tool", "number"), CALLS)
def test_an_abort_comes_before_any_failure(
    tool: str, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The very reason comes out whatever the call raises, and that isn't logged."""
    failures = [make() for make in (*UNKNOWN.values(), *UNPRINTABLE.values())]
    failures += [AbortError(), failure("SESSION_QUERY_SESSION_NOT_FOUND")]
    for failing in failures:
        reason, outcome, _ = aborted_within(tool, number, failing)
        assert outcome is reason
        assert outcome.__cause__ is None
    assert not caplog.records


@pytest.mark.requirement("SAN-1", "TITLE-2")
def test_an_abort_comes_before_a_failed_title(caplog: pytest.LogCaptureFixture) -> None:
    """A title that failed in an aborted batch is no failure."""
    controller, reason = AbortController(), Reason()

    def titles(ids: list[str]) -> list[TitleResult]:
        controller.abort(reason)
        return [TitleResult(one, None, failure("SESSION_QUERY_INDEX_FAILED")) for one in ids]

    with pytest.raises(Reason) as caught:
        answer(finding(read_titles=titles), "session_trace", {}, signal=controller.signal)
    assert caught.value is reason
    assert not caplog.records


@pytest.mark.requirement("SAN-1", "SAN-2")
def test_an_abort_error_without_an_abort_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    """A service that says that it was aborted, when nobody did, has failed."""
    error = refusal(lambda: answer(finding(trace_session=AbortError()), "session_trace", {}))
    assert error.code == "SESSION_QUERY_ABORTED"
    assert len(caplog.records) == 1


def paged(tool: str, cursors: list[str]) -> tuple[Any, list[Any]]:
    """What a search whose pages have these cursors, over and over, ends with; and what it asked."""
    pages = iter(cursors * 1000)

    def page(_: object) -> Any:
        cursor = next(pages)
        if tool == "session_search":
            return SessionSearchPage((), cursor)
        return EventSearchPage(header("own"), (), cursor)

    engine = ScriptedEngine(search_sessions=page, search_events=page)
    error = refusal(lambda: answer(engine, tool, {"query": "a"}))
    return error, [asked[1].cursor for asked in engine.asked]


@pytest.mark.requirement("SAN-5")
@pytest.mark.parametrize("tool", ["session_search", "session_event_search"])
@pytest.mark.parametrize("cursors", [["a"], ["a", "b"], ["a", "b", "c", "d"], [""]], ids=repr)
def test_a_cursor_that_repeats_ends_the_search(tool: str, cursors: list[str]) -> None:
    """A provider that goes in circles is given up on when a cursor comes back."""
    error, asked = paged(tool, cursors)
    assert error.code == "SESSION_QUERY_INVALID_CURSOR"
    assert asked == [None, *cursors]


@pytest.mark.requirement("SAN-5")
@pytest.mark.parametrize("tool", ["session_search", "session_event_search"])
def test_a_stale_cursor_is_told_and_not_tried_again(tool: str) -> None:
    """The text says that history changed and the whole search is to be done again."""

    def page(request: Any) -> Any:
        if request.cursor is not None:
            raise failure("SESSION_QUERY_STALE_CURSOR")
        if tool == "session_search":
            return SessionSearchPage((), "a")
        return EventSearchPage(header("own"), (), "a")

    engine = ScriptedEngine(search_sessions=page, search_events=page)
    error = refusal(lambda: answer(engine, tool, {"query": "a"}))
    assert error.code == "SESSION_QUERY_STALE_CURSOR"
    assert "changed" in error.message
    assert "whole search again" in error.message
    assert [asked[1].cursor for asked in engine.asked] == [None, "a"]
