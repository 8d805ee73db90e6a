"""How the tools put it that an argument can't be meant (INPUT-2 to INPUT-4)."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from ..toolset.scripted import (
    LEAST,
    TOOLS,
    ScriptedEngine,
    answer,
    refusal,
    tool_of,
)

ARGUMENTS = [
    (tool, name, schema["type"])
    for tool in TOOLS
    for name, schema in tool_of(ScriptedEngine(), tool).parameters["properties"].items()
]
ALL = [(tool, name) for tool, name, _ in ARGUMENTS]
LISTS = [(tool, name) for tool, name, kind in ARGUMENTS if kind == "array"]


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
@pytest.mark.parametrize(("tool", "name"), LISTS)
def test_a_list_that_is_empty_is_no_filter_left_out(tool: str, name: str) -> None:
    """An empty list is an error that says to leave the argument out."""
    assert "leave the argument out" in refused(tool, **{name: []})


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize(("tool", "name"), ALL)
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
@pytest.mark.parametrize(("tool", "name"), ALL)
def test_what_is_no_json_is_refused_by_name_too(tool: str, name: str) -> None:
    """A value that no JSON holds is wrong like any other, and the text says what was expected."""
    for wrong in (math.nan, math.inf, -math.inf, 10**6000, -(10**6000), b"a", (1,)):
        assert "expected" in refused(tool, **{name: wrong})


@pytest.mark.requirement("INPUT-4")
@pytest.mark.parametrize(
    ("tool", "name", "closed"),
    [
        ("session_search", "availability", {"live", "persisted"}),
        ("session_search", "event_surfaces", {"current", "shadowed", "log-only"}),
        ("session_event_search", "surfaces", {"current", "shadowed", "log-only"}),
    ],
)
def test_a_closed_set_is_told_whole(tool: str, name: str, closed: set[str]) -> None:
    """Who asks for what isn't in the set is told what is."""
    message = refused(tool, **{name: ["gone"]})
    assert all(known in message for known in closed)


@pytest.mark.requirement("INPUT-3")
@pytest.mark.parametrize(
    "text", [f"2026-01-01T00:00:00.{'1' * 4001}Z", "\ud800", "2026-01-01T00:00:00Z" * 99]
)
def test_a_time_that_is_too_long_is_refused_shortly(text: str) -> None:
    """A fraction has 4,000 digits at most, and what isn't taken is told in a short text."""
    assert len(refused("session_search", created_at_from=text)) < 300


@pytest.mark.requirement("INPUT-2")
def test_what_is_missing_or_empty_is_told_so() -> None:
    """A required argument that is left out, and an id that is empty, have texts of their own."""
    error = refusal(lambda: answer(ScriptedEngine(), "session_search", {}))
    assert error.message == "query: is missing"
    message = refused("session_trace", session_id="")
    assert message == 'session_id: expected a text that is not empty, got ""'
