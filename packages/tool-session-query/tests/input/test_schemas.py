"""The published schemas: flat, closed, valid, and as strict as the tools (TOOL-3, TOOL-4)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no type hints
from tool_session_query import SessionQueryToolError

from ..toolset.scripted import LEAST, TOOLS, ScriptedEngine, answer, tool_of

SCHEMAS = {tool: tool_of(ScriptedEngine(), tool).parameters for tool in TOOLS}
LARGEST = 2**53 - 1

INSTANT = "2026-01-31T09:00:00Z"
TASTES = st.sampled_from(["live", "current", "log-only", "any", "auto", "own", INSTANT, "x y"])
LEAVES = st.one_of(
    TASTES,
    st.none(),
    st.booleans(),
    st.integers(-2, 60),
    st.sampled_from([2**53, LARGEST, 10**400, 0.0, 2.0, -1.0, 0.5, 1e300]),
    st.text(max_size=3),
)
VALUES = st.one_of(
    LEAVES,
    st.lists(TASTES, max_size=2),
    st.lists(LEAVES, max_size=3),
    st.dictionaries(st.text(max_size=2), LEAVES, max_size=1),
)
NAMES = sorted({name for schema in SCHEMAS.values() for name in schema["properties"]})


@pytest.mark.requirement("TOOL-3")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_schema_is_flat_and_closed(tool: str) -> None:
    """A schema is valid, is plain JSON, refers to nothing, and takes no other argument."""
    schema = SCHEMAS[tool]
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    assert schema.keys() <= {"type", "properties", "required", "additionalProperties"}
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema.get("required", []) == list(LEAST[tool])
    for name, each in schema["properties"].items():
        assert name.isidentifier()
        assert name == name.lower()
        assert each["type"] in {"string", "integer", "boolean", "array"}
        assert each["type"] != "array" or each["items"]["type"] == "string"
        assert not each.keys() & {"$ref", "anyOf", "oneOf", "allOf", "properties"}


@pytest.mark.requirement("TOOL-3", "TOOL-4", "INPUT-4")
def test_the_arguments_are_those_of_the_contract() -> None:
    """Each tool has its arguments, and none for a workspace, a limit, a page or a cursor."""
    expected = {
        "session_search": (
            "query session_ids created_at_from created_at_to parent_session_ids"
            " include_root_sessions availability event_seq_from event_seq_to event_time_from"
            " event_time_to event_types event_surfaces match"
        ),
        "session_event_search": (
            "query session_id seq_from seq_to time_from time_to event_types surfaces match"
        ),
        "session_trace": "session_id",
        "session_event_trace": "seq session_id",
        "session_event_read": "seq session_id before after",
    }
    assert {tool: " ".join(schema["properties"]) for tool, schema in SCHEMAS.items()} == expected


@pytest.mark.requirement("TOOL-3")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_schema_that_a_host_changed_is_the_hosts_own(tool: str) -> None:
    """Each reading of `parameters` gives a new object, down to its leaves."""
    definition = tool_of(ScriptedEngine(), tool)
    given_away = definition.parameters
    given_away["properties"].clear()
    given_away["additionalProperties"] = True
    assert definition.parameters == SCHEMAS[tool]


@st.composite
def _arguments(draw: st.DrawFn, tool: str) -> dict[str, Any]:
    """Arguments that are nearly right: right names mostly, and values of any kind."""
    known = sorted(SCHEMAS[tool]["properties"])
    names = draw(st.lists(st.sampled_from(known * 9 + NAMES), max_size=3, unique=True))
    arguments = {name: draw(VALUES) for name in names}
    return arguments if draw(st.integers(0, 9)) == 0 else {**LEAST[tool], **arguments}


def _tool_takes(tool: str, arguments: dict[str, Any]) -> bool:
    try:
        answer(ScriptedEngine(), tool, arguments)
    except SessionQueryToolError as error:
        return error.code != "SESSION_QUERY_TOOL_INVALID_ARGUMENT"
    return True


def _beyond_schemas(arguments: dict[str, Any]) -> bool:
    """Whether the arguments break a rule that JSON Schema can't tell, or the schema leaves out."""
    for name, value in arguments.items():
        if name == "query" and isinstance(value, str) and (not value.strip() or "\0" in value):
            return True
        if name.endswith(("_at_from", "_at_to", "time_from", "time_to")) and value != INSTANT:
            return True
        if isinstance(value, (int, float)) and value > LARGEST:
            return True
    ends = [
        arguments.get(f"{name}_{end}") for name in ("seq", "event_seq") for end in ("from", "to")
    ]
    return any(
        low is not None and high is not None and low > high for low, high in (ends[:2], ends[2:])
    )


@pytest.mark.requirement("TOOL-3", "INPUT-2")
@pytest.mark.parametrize("tool", TOOLS)
@given(data=st.data())
def test_a_tool_takes_what_its_schema_takes(tool: str, data: st.DataObject) -> None:
    """The schema and the tool refuse the same, save for rules that only the tool can know."""
    arguments = data.draw(_arguments(tool))
    if not Draft202012Validator(SCHEMAS[tool]).is_valid(arguments):
        assert not _tool_takes(tool, arguments)
    else:
        assert _tool_takes(tool, arguments) == (not _beyond_schemas(arguments))


@pytest.mark.requirement("TOOL-3")
@pytest.mark.parametrize("name", ["before", "after"])
def test_a_window_is_as_large_as_the_engine_lets_it_be(name: str) -> None:
    """The schema tells the largest window, and the tool refuses the next larger one by name."""
    largest = SCHEMAS["session_event_read"]["properties"][name]["maximum"]
    assert largest == ScriptedEngine().config.read_window_max
    assert _tool_takes("session_event_read", {"seq": 0, name: largest})
    assert not _tool_takes("session_event_read", {"seq": 0, name: largest + 1})
