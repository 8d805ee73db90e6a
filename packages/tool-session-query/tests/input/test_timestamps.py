"""Times in arguments, against exact rational arithmetic (INPUT-3)."""

from __future__ import annotations

import math
from calendar import monthrange
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query import CreatedAtFilter, TimeFilter

from ..toolset.scripted import ScriptedEngine, answer, event_filter, refusal
from .instants import ANYTIME, CLOSE, Written, written

RANGES = [
    ("session_search", "created_at"),
    ("session_search", "event_time"),
    ("session_event_search", "time"),
]
BOUNDS = [f"{name}_{end}" for _, name in RANGES for end in ("from", "to")]


def asked_range(engine: ScriptedEngine, name: str) -> Any:
    """The filter on times that the service was asked with."""
    request = engine.asked[0][1]
    if name == "created_at":
        return event_filter(request.session_filters, CreatedAtFilter)
    filters = request.event_filters if name == "event_time" else request.filters
    return event_filter(filters, TimeFilter)


def tool_with(bound: str) -> str:
    """The search that has an argument."""
    return next(tool for tool, name in RANGES if bound in {f"{name}_from", f"{name}_to"})


@pytest.mark.requirement("INPUT-3")
@given(ANYTIME)
def test_a_lower_bound_is_the_first_millisecond_that_is_not_before_it(at: Written) -> None:
    """No digit is rounded into the range, whatever the offset and the length of the fraction."""
    engine = ScriptedEngine()
    answer(engine, "session_search", {"query": "a", "created_at_from": at.text})
    asked = asked_range(engine, "created_at")
    assert asked.from_ - 1 < at.exact <= asked.from_
    assert asked.to is None


@pytest.mark.requirement("INPUT-3")
@given(ANYTIME)
def test_an_upper_bound_is_the_last_millisecond_that_is_not_after_it(at: Written) -> None:
    """No digit is rounded out of the range, whatever the offset and the length of the fraction."""
    engine = ScriptedEngine()
    answer(engine, "session_search", {"query": "a", "created_at_to": at.text})
    asked = asked_range(engine, "created_at")
    assert asked.to <= at.exact < asked.to + 1
    assert asked.from_ is None


@pytest.mark.requirement("INPUT-2", "INPUT-3")
@pytest.mark.parametrize(("tool", "name"), RANGES)
@given(pair=CLOSE)
def test_a_narrow_range_holds_exactly_its_whole_milliseconds(
    tool: str, name: str, pair: tuple[Written, Written]
) -> None:
    """A reversed range is an error, one without a whole millisecond finds nothing, unasked."""
    low, high = pair
    engine = ScriptedEngine()
    arguments = {"query": "a", f"{name}_from": low.text, f"{name}_to": high.text}
    if low.exact > high.exact:
        error = refusal(lambda: answer(engine, tool, arguments))
        assert error.code == "SESSION_QUERY_TOOL_INVALID_ARGUMENT"
        assert error.argument == f"{name}_from"
        assert not engine.asked
        return
    around = range(math.floor(low.exact) - 1, math.ceil(high.exact) + 2)
    within = [at for at in around if low.exact <= at <= high.exact]
    text = answer(engine, tool, arguments)
    assert text.startswith("Nothing found.")
    if not within:
        assert not engine.asked
        return
    asked = asked_range(engine, name)
    assert (asked.from_, asked.to) == (within[0], within[-1])


@pytest.mark.requirement("INPUT-3")
@pytest.mark.parametrize(("tool", "name"), RANGES)
@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (".0001", ".0001", "nothing"),
        (".0000001", ".0009999", "nothing"),
        (".0002", ".0001", "reversed"),
        (".001", "." + "0" * 30 + "1", "reversed"),
        (".0010000", ",001", "one"),
        (".0009", ".001", "one"),
        ("." + "9" * 3999, "." + "9" * 4000, "nothing"),
        ("." + "9" * 4000, "." + "9" * 3999, "reversed"),
    ],
)
def test_a_range_below_one_millisecond(
    tool: str, name: str, low: str, high: str, outcome: str
) -> None:
    """Digits beyond the third decide: reversed is an error, between two is nothing."""
    engine = ScriptedEngine()
    start = "2026-01-31T09:00:00"
    arguments = {
        "query": "a",
        f"{name}_from": f"{start}{low}Z",
        f"{name}_to": f"{start}{high}Z",
    }
    if outcome == "reversed":
        assert refusal(lambda: answer(engine, tool, arguments)).argument == f"{name}_from"
    else:
        assert answer(engine, tool, arguments).startswith("Nothing found.")
    assert bool(engine.asked) == (outcome == "one")


@pytest.mark.requirement("INPUT-3")
@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2024-02-29T23:59Z", "2024-02-29T23:59:00.000Z"),
        ("2024-02-29T23:59+05:30", "2024-02-29T18:29:00Z"),
        ("2024-02-29T23:59:59+0530", "2024-02-29T18:29:59Z"),
        ("2024-02-29T23:59:59-05", "2024-03-01T04:59:59Z"),
        ("2024-02-29T23:59:59-00:00", "2024-02-29T23:59:59Z"),
        ("2024-02-29T23:59:59,5Z", "2024-02-29T23:59:59.500Z"),
        ("0001-01-01T00:00+23:59", "0001-01-01T00:00:00.0+23:59"),
        ("9999-12-31T23:59:59.999-23:59", "9999-12-31T23:59:59,9990-23:59"),
    ],
)
def test_one_instant_has_many_forms(text: str, same: str) -> None:
    """Seconds and fraction are optional, and an offset is an offset."""
    found = []
    for form in (text, same):
        engine = ScriptedEngine()
        answer(engine, "session_search", {"query": "a", "event_time_from": form})
        found.append(asked_range(engine, "event_time"))
    assert found[0] == found[1]


@pytest.mark.requirement("INPUT-2", "INPUT-3")
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-12-31T23:59:60Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "2026-01-01T00:00:00",
        "2026-01-01",
        "2026-01-01T00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00.5Z",
        "2026-01-01 00:00:00Z",
        "2026-1-01T00:00:00Z",
        "+2026-01-01T00:00:00Z",
        "12026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z\n",
        " 2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00+1:00",
        "2026-01-01T00:00:00 UTC",
        "2026-W01-1T00:00:00Z",
        "2026-01-01T00:00:00Z.5",
        "２０２６-01-01T00:00:00Z",
        "2026-01-01T00:00:00\u221201:00",
        "2026-01-01T00:00:00." + "1" * 4001 + "Z",
        "1790000000000",
        "now",
        "",
        "\ud800",
    ],
)
def test_a_time_that_never_was_is_an_error(bound: str, text: str) -> None:
    """What is no instant is refused under the name of its argument, and nothing is asked."""
    engine = ScriptedEngine()
    error = refusal(lambda: answer(engine, tool_with(bound), {"query": "a", bound: text}))
    assert error.code == "SESSION_QUERY_TOOL_INVALID_ARGUMENT"
    assert error.argument == bound
    assert error.message.startswith(f"{bound}: ")
    assert len(error.message) < 300
    assert not engine.asked


@pytest.mark.requirement("INPUT-3")
@given(st.integers(0, 40), st.integers(0, 13), st.integers(0, 32))
def test_only_days_of_the_calendar_exist(year: int, month: int, day: int) -> None:
    """A day is taken where the calendar has it, and nowhere else."""
    text = f"{2000 + year:04}-{month:02}-{day:02}T00:00Z"
    engine = ScriptedEngine()

    def ask() -> str:
        return answer(engine, "session_search", {"query": "a", "created_at_from": text})

    if month in range(1, 13) and day in range(1, 1 + monthrange(2000 + year, month)[1]):
        ask()
        moment = datetime(2000 + year, month, day)  # noqa: DTZ001 - the model counts offsets itself
        assert asked_range(engine, "created_at").from_ == written(moment, "", 0).exact
    else:
        assert refusal(ask).argument == "created_at_from"
