"""What of an abort, and of history that changes, isn't for every host to keep to (SAN-1, SAN-5)."""

from __future__ import annotations

from typing import Any

import pytest
from session_query import AbortController, AbortError, SessionSearchPage, TitleResult

from ..toolset.scripted import ScriptedEngine, answer, failure, refusal
from .failures import UNKNOWN, UNPRINTABLE


class Reason(BaseException):
    """Why a host ends a call; it is no exception that anyone would catch by chance."""


@pytest.mark.requirement("SAN-1")
def test_an_abort_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The very reason comes out, without a cause, and no failure of an aborted call is logged."""
    makes = [*UNKNOWN.values(), *UNPRINTABLE.values(), AbortError]
    for make in makes:
        controller, reason = AbortController(), Reason()

        def trace(_: str, make: Any = make, controller: Any = controller, why: Any = reason) -> Any:
            controller.abort(why)
            raise make()

        with pytest.raises(Reason) as caught:
            answer(
                ScriptedEngine(trace_session=trace), "session_trace", {}, signal=controller.signal
            )
        assert caught.value is reason
        assert reason.__cause__ is None
    assert not caplog.records


@pytest.mark.requirement("SAN-1", "TITLE-2")
def test_a_failed_title_of_an_aborted_batch_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A title that failed in an aborted batch is no failure."""
    controller, reason = AbortController(), Reason()

    def titles(ids: list[str]) -> list[TitleResult]:
        controller.abort(reason)
        return [TitleResult(one, None, failure("SESSION_QUERY_INDEX_FAILED")) for one in ids]

    with pytest.raises(Reason):
        answer(ScriptedEngine(read_titles=titles), "session_trace", {}, signal=controller.signal)
    assert not caplog.records


@pytest.mark.requirement("SAN-1", "SAN-2")
def test_an_abort_error_without_an_abort_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A service that says that it was aborted, when nobody did, has failed."""
    error = refusal(lambda: answer(ScriptedEngine(trace_session=AbortError()), "session_trace", {}))
    assert error.code == "SESSION_QUERY_ABORTED"
    assert len(caplog.records) == 1


@pytest.mark.requirement("SAN-5")
def test_a_stale_cursor_is_told_as_history_that_changed() -> None:
    """The text says that history changed and the whole search is to be done again."""

    def page(request: Any) -> Any:
        if request.cursor is not None:
            raise failure("SESSION_QUERY_STALE_CURSOR")
        return SessionSearchPage((), "a")

    engine = ScriptedEngine(search_sessions=page)
    error = refusal(lambda: answer(engine, "session_search", {"query": "a"}))
    assert "changed" in error.message
    assert "whole search again" in error.message
