"""Times in answers: UTC with milliseconds, and integers where there is no year (INPUT-3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query import EventRecord, EventTrace, EventWindow, SessionEvent

from ..toolset.scripted import ScriptedEngine, answer, header

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1)
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC) - EPOCH) // timedelta(
    milliseconds=1
)


def shown(time: int) -> tuple[str, str]:
    """A time in a trace and beside a target."""
    target = EventRecord("own", 0, "note", time, "log-only")
    trace = EventTrace(header("own"), target, None, (), (), (), ())
    events = SessionEvent("note", 0, 0, {}), SessionEvent("note", 1, time, {})
    engine = ScriptedEngine(
        trace_event=trace, read_event=EventWindow(header("own"), events[0], events, 0, 1)
    )
    first = answer(engine, "session_event_trace", {"seq": 0}).split("\n")[0]
    last = answer(engine, "session_event_read", {"seq": 0, "after": 1}).split("\n")[-1]
    return first.rpartition(", ")[2], last.rpartition(", ")[2]


@pytest.mark.requirement("INPUT-3", "RENDER-1")
@given(st.integers(FIRST, LAST))
@example(FIRST)
@example(LAST)
@example(-1)
@example(0)
def test_a_time_reads_back(time: int) -> None:
    """A time within the years 1 to 9999 is UTC, exact to the millisecond."""
    text, again = shown(time)
    assert text == again
    assert (len(text), text[-1]) == (24, "Z")
    assert (datetime.fromisoformat(text) - EPOCH) // timedelta(milliseconds=1) == time


@pytest.mark.requirement("INPUT-3")
@given(st.one_of(st.integers(-(2**53) + 1, FIRST - 1), st.integers(LAST + 1, 2**53 - 1)))
@example(FIRST - 1)
@example(LAST + 1)
@example(2**53 - 1)
@example(1 - 2**53)
def test_a_time_outside_the_calendar_is_its_number(time: int) -> None:
    """A time before the year 1 or after 9999 is shown as the integer that it is."""
    assert shown(time) == (str(time), str(time))


@pytest.mark.requirement("INPUT-3")
def test_a_time_has_a_fixed_form() -> None:
    """Years have four digits and milliseconds three."""
    assert shown(0)[0] == "1970-01-01T00:00:00.000Z"
    assert shown(FIRST)[0] == "0001-01-01T00:00:00.000Z"
    assert shown(LAST)[0] == "9999-12-31T23:59:59.999Z"
    assert shown(-1)[0] == "1969-12-31T23:59:59.999Z"
