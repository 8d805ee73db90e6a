"""Arguments that can't be meant are refused under their own name (INPUT-1, INPUT-2, INPUT-4)."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query import (
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    IdFilter,
    SeqFilter,
    SurfaceFilter,
    TimeFilter,
    TypeFilter,
)

from ..toolset.scripted import (
    LEAST,
    TOOLS,
    WORKSPACE,
    ScriptedEngine,
    answer,
    refusal,
    tool_of,
)

TEXT, TEXTS, WHOLE, BOOL, TIME, CHOICE = "text", "texts", "whole", "bool", "time", "choice"
KINDS = {
    "query": TEXT,
    "session_id": TEXT,
    "session_ids": TEXTS,
    "parent_session_ids": TEXTS,
    "event_types": TEXTS,
    "availability": TEXTS,
    "event_surfaces": TEXTS,
    "surfaces": TEXTS,
    "include_root_sessions": BOOL,
    "match": CHOICE,
}
WHOLES = ("seq", "before", "after", "event_seq_from", "event_seq_to", "seq_from", "seq_to")
KINDS |= dict.fromkeys(WHOLES, WHOLE)
ARGUMENTS = [
    (tool, name)
    for tool in TOOLS
    for name in tool_of(ScriptedEngine(), tool).parameters["properties"]
]

WRONG: dict[str, list[Any]] = {
    TEXT: [None, 1, True, [], ["a"], {}, 1.5, math.nan],
    TEXTS: [None, "a", 1, True, {}, {"a": 1}, [1], ["a", None], [["a"]], [True], [{}]],
    WHOLE: [
        None, "1", True, False, -1, -(2**53), 2**53, 10**6000, -(10**6000), 0.5, -0.5, 1e300,
        2.0**53, math.nan, math.inf, -math.inf, [1], {},
    ],
    BOOL: [None, 0, 1, "true", [], {}, 1.0],
    TIME: [None, 0, 1_790_000_000_000, True, 1.5, [], {}, ["2026-01-01T00:00Z"]],
    CHOICE: [None, "", "AUTO", "exact", "auto ", 1, True, [], ["any"], {}],
}  # fmt: skip
CASES = [(tool, name, wrong) for tool, name in ARGUMENTS for wrong in WRONG[KINDS.get(name, TIME)]]


def refused(tool: str, **arguments: Any) -> str:
    """The message for arguments that a tool refuses before it asks anything."""
    engine = ScriptedEngine()
    error = refusal(lambda: answer(engine, tool, {**LEAST[tool], **arguments}))
    assert error.code == "SESSION_QUERY_TOOL_INVALID_ARGUMENT"
    assert not engine.asked
    [named] = {error.argument} & arguments.keys()
    assert error.message.startswith(f"{named}: ")
    assert len(error.message) < 500
    return error.message


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize(("tool", "name"), ARGUMENTS)
def test_a_value_of_the_wrong_kind_is_told_by_the_name_of_its_argument(
    tool: str, name: str
) -> None:
    """Each wrong value of each argument is refused with its name, and says what was expected."""
    for wrong in WRONG[KINDS.get(name, TIME)]:
        if wrong != []:  # that has a text of its own
            assert "expected" in refused(tool, **{name: wrong})


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize(
    ("tool", "name"), [(tool, name) for tool, name in ARGUMENTS if KINDS.get(name) == TEXTS]
)
def test_a_list_that_is_empty_is_no_filter_left_out(tool: str, name: str) -> None:
    """An empty list is an error that says to leave the argument out."""
    assert "leave the argument out" in refused(tool, **{name: []})


@pytest.mark.requirement("INPUT-2", "TOOL-4")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "name",
    ["cwd", "workspace", "limit", "page_size", "offset", "cursor", "signal", "Query", "", "seq "],
)
def test_no_argument_names_a_workspace_a_limit_or_a_page(tool: str, name: str) -> None:
    """An argument that a tool doesn't have is an error that lists those it has."""
    message = refused(tool, **{name: "a"})
    for known in tool_of(ScriptedEngine(), tool).parameters["properties"]:
        assert known in message


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize("tool", TOOLS)
def test_an_argument_that_is_required_is_missed_by_name(tool: str) -> None:
    """A required argument that is left out is named."""
    for required in LEAST[tool]:
        engine = ScriptedEngine()
        error = refusal(lambda engine=engine: answer(engine, tool, {}))  # type: ignore[misc]
        assert (error.argument, error.message) == (required, f"{required}: is missing")
        assert not engine.asked


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize("tool", TOOLS[1:])
def test_an_empty_session_id_is_no_id(tool: str) -> None:
    """An id that is empty is a wrong argument, not a session that is not there."""
    message = refused(tool, session_id="")
    assert message == 'session_id: expected a text that is not empty, got ""'


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize(("tool", "name"), ARGUMENTS)
def test_null_is_no_value(tool: str, name: str) -> None:
    """A null in the place of any argument says to leave it out."""
    expected = f"{name}: expected a value, got null; leave the argument out"
    assert refused(tool, **{name: None}) == expected


@pytest.mark.requirement("INPUT-2")
def test_one_error_tells_up_to_five_mistakes() -> None:
    """The first mistake is the argument's that is named; one for each other argument follows."""
    wrong = {"match": "exact", "seq_from": -1, "seq_to": None, "surfaces": "current", "cwd": "/"}
    engine = ScriptedEngine()
    error = refusal(lambda: answer(engine, "session_event_search", {"query": " ", **wrong}))
    assert error.argument == "query"
    named = re.findall(r"(?:^|; )(\w+): ", error.message)
    assert named == ["query", "seq_from", "surfaces", "match", "cwd"]
    assert '; surfaces: expected a list, such as ["current"]; ' in error.message
    assert not engine.asked
    assert refused("session_event_search", match="exact", surfaces=None, seq_to=None) == (
        "match: expected 'auto', 'phrase', 'all' or 'any', got \"exact\""
        "; seq_to: expected a value, got null; leave the argument out"
        "; surfaces: expected a value, got null; leave the argument out"
    )
    message = refused("session_trace", seq=1, query="a", session_id=5)
    known = ", ".join(tool_of(engine, "session_trace").parameters["properties"])
    assert message == (
        f"session_id: expected a text, got 5; seq: no such argument; query: no such argument;"
        f" there are: {known}"
    )


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000\u2028", "needle\0", "\0"], ids=ascii)
@pytest.mark.parametrize("tool", ["session_search", "session_event_search"])
def test_a_query_without_words_is_an_error(tool: str, blank: str) -> None:
    """A query that is blank, or that holds NUL, is refused under its name."""
    refused(tool, query=blank)


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize(
    ("tool", "name"), [("session_search", "event_seq"), ("session_event_search", "seq")]
)
@given(st.integers(0, 50), st.integers(0, 50))
def test_a_range_of_seqs_has_its_ends_in_order(tool: str, name: str, low: int, high: int) -> None:
    """A reversed range is an error; one seq alone is a range."""
    if low > high:
        refused(tool, **{f"{name}_from": low, f"{name}_to": high})
    else:
        answer(ScriptedEngine(), tool, {**LEAST[tool], f"{name}_from": low, f"{name}_to": high})


@pytest.mark.requirement("INPUT-4")
@pytest.mark.parametrize(
    ("tool", "name", "closed"),
    [
        ("session_search", "availability", {"live", "persisted"}),
        ("session_search", "event_surfaces", {"current", "shadowed", "log-only"}),
        ("session_event_search", "surfaces", {"current", "shadowed", "log-only"}),
    ],
)
@given(value=st.sampled_from(["live", "persisted", "current", "shadowed", "log-only", "LIVE", ""]))
def test_a_closed_set_takes_its_own_values_alone(
    tool: str, name: str, closed: set[str], value: str
) -> None:
    """What is in the set is taken; all else is told what the set is."""
    if value in closed:
        answer(ScriptedEngine(), tool, {**LEAST[tool], name: [value]})
    else:
        assert all(known in refused(tool, **{name: [value]}) for known in closed)


@pytest.mark.requirement("INPUT-4")
@pytest.mark.parametrize("tool", ["session_search", "session_event_search"])
@given(types=st.lists(st.text(), min_size=1, max_size=4))
def test_event_types_are_an_open_set(tool: str, types: list[str]) -> None:
    """Any texts are event types, and come to the service as they are."""
    engine = ScriptedEngine()
    answer(engine, tool, {**LEAST[tool], "event_types": types})
    request = engine.asked[0][1]
    filters = request.event_filters if tool == "session_search" else request.filters
    assert TypeFilter(types) in filters


@pytest.mark.requirement("INPUT-2", "AUTH-5")
def test_each_argument_is_one_filter_more() -> None:
    """The values of a list stay together in one filter; each argument adds one."""
    engine = ScriptedEngine()
    instant = "1970-01-01T00:00:00.005Z"
    answer(
        engine,
        "session_search",
        {
            "query": "a",
            "match": "any",
            "session_ids": ["x", "y"],
            "created_at_from": instant,
            "created_at_to": instant,
            "availability": ["live", "persisted"],
            "event_seq_from": 3.0,
            "event_seq_to": 2**53 - 1,
            "event_time_to": instant,
            "event_types": ["t", "u"],
            "event_surfaces": ["current", "shadowed"],
        },
    )
    request = engine.asked[0][1]
    assert list(request.session_filters) == [
        CwdFilter([WORKSPACE]),
        IdFilter(["x", "y"]),
        CreatedAtFilter(5, 5),
        AvailabilityFilter(["live", "persisted"]),
    ]
    assert list(request.event_filters) == [
        SeqFilter(3, 2**53 - 1),
        TimeFilter(None, 5),
        TypeFilter(["t", "u"]),
        SurfaceFilter(["current", "shadowed"]),
    ]
    assert request.match == "any"


@pytest.mark.requirement("INPUT-1")
def test_what_is_left_out_means_the_own_session_and_the_event_alone() -> None:
    """Without `session_id` the service is asked of the caller's session, without neighbours."""
    engine = ScriptedEngine()
    for tool in TOOLS[1:]:
        engine.asked.clear()
        answer(engine, tool, LEAST[tool])
        [first] = [asked for asked in engine.asked if asked[0] != "filter_sessions"][:1]
        target = first[1] if isinstance(first[1], str) else first[1].session_id
        assert target == "own"
    assert ("read_event", "own", 0, 0, 0) in engine.asked
