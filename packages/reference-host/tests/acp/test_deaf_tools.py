"""A tool that never ends does not keep the process of an agent whose client has left (ACP-1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..scripts import call, stored, text, write_script
from .agents import CWD, command, running
from .test_purity import serving_tools


@pytest.mark.requirement("ACP-1", "LOG-25")
def test_a_tool_that_never_ends(tmp_path: Path) -> None:
    """The process says so and ends; loading the session closes the turn that it left."""
    script = write_script(tmp_path / "script.json", [text("Hm."), call("c1", "deaf", {})])
    with running(serving_tools(tmp_path / "state", script), tmp_path) as agent:
        session_id = agent.new_session()
        agent.begin(session_id)
        agent.update("plan")
        agent.close_stdin()
        assert agent.ended() == 1
        assert "a tool goes on though it was cancelled" in agent.stderr
    script = write_script(tmp_path / "script.json", [text("On.")])
    argv = command("acp", tmp_path / "state", "--replay", script)
    with running(argv, tmp_path) as agent:
        agent.result("session/load", sessionId=session_id, cwd=CWD, mcpServers=[])
        assert agent.prompt(session_id) == "end_turn"
        agent.leave()
    log = stored(tmp_path / "state", session_id)
    codes = [event.data.get("error") for event in log.events if event.type == "tool/result"]
    assert codes == [{"name": "ToolError", "code": "TOOL_OUTCOME_UNKNOWN"}]
