"""The tools that are offered (HOST-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.tools import ToolRegistry

from ..scripted_tools import ScriptedTool, quick


@pytest.mark.requirement("HOST-2")
@given(st.permutations(["b", "a-1", "A", "c_2", "a"]))
def test_schemas_are_in_one_order_whatever_was_registered_first(names: list[str]) -> None:
    """Name, description and parameters of each tool, ordered by name."""
    tools = ToolRegistry()
    for name in names:
        tools.register(ScriptedTool(name, quick))
    assert tools.names == ("A", "a", "a-1", "b", "c_2")
    assert tools.schemas() == [
        {"name": name, "description": f"Does {name}.", "parameters": {"type": "object"}}
        for name in tools.names
    ]


@pytest.mark.requirement("HOST-2")
def test_a_name_is_taken_until_its_tool_is_removed() -> None:
    """A second tool of a name is refused; removing twice removes nobody else's tool."""
    tools = ToolRegistry()
    first, second = ScriptedTool("dig", quick), ScriptedTool("dig", quick)
    remove = tools.register(first)
    with pytest.raises(ValueError, match="there is a tool 'dig' already"):
        tools.register(second)
    assert tools.get("dig") is first
    remove()
    assert (tools.get("dig"), tools.names, tools.schemas()) == (None, (), [])
    tools.register(second)
    remove()
    assert tools.get("dig") is second


@pytest.mark.requirement("HOST-2")
@pytest.mark.parametrize("name", ["", "a b", "a.b", "né", "a" * 65, "a\n"])
def test_a_name_that_no_model_takes_is_refused(name: str) -> None:
    """Letters, digits, underscore and hyphen, at most 64 of them."""
    with pytest.raises(ValueError, match="can't be called"):
        ToolRegistry().register(ScriptedTool(name, quick))
