"""A tool that would end a turn later is refused when it is registered (HOST-2)."""

from __future__ import annotations

from typing import Any

import pytest
from reference_host.tools import ToolRegistry

from ..scripted_tools import ScriptedTool, quick

WRONG: dict[str, Any] = {
    "description": None,
    "parameters": [],
    "timeout_ms": "5",
    "concurrency": "both",
    "execute": lambda _arguments, _run: "text",
    "present_call": "a card",
}


@pytest.mark.requirement("HOST-2")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_tool_is_refused(name: str) -> None:
    """The message names the tool and what is wrong with it; nothing is registered."""
    tools, tool = ToolRegistry(), ScriptedTool("dig", quick)
    setattr(tool, name, WRONG[name])
    with pytest.raises(TypeError, match=rf"'dig': {name}"):
        tools.register(tool)
    assert not tools.names
    for wrong in (0, -1, True, 1.5):
        tool = ScriptedTool("dig", quick, timeout_ms=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="timeout_ms"):
            tools.register(tool)
    tools.register(ScriptedTool("dig", quick))
    assert tools.names == ("dig",)
