"""What `read` refuses in any working directory, and how much it shows (SPILL-2, SPILL-4)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from reference_host.errors import ToolError
from reference_host.tools import HostAgent, HostRun, ReadTool
from session_query import AbortSignal, LiveSession, SessionStore


def read(tool: ReadTool, session: LiveSession, **arguments: object) -> str:
    """Read as the agent of a session."""
    run = HostRun(AbortSignal.any(), HostAgent(session))
    return asyncio.run(tool.execute(arguments, run))


@pytest.mark.requirement("SPILL-4", "HOST-1")
def test_what_the_host_keeps_is_no_file_of_a_session(tmp_path: Path) -> None:
    """Logs and index hold the texts of every session, and may lie in the directory of one."""
    state = tmp_path / "home" / ".local" / "state"
    state.mkdir(parents=True)
    (state / "index.sqlite").write_text("a secret of another session")
    (tmp_path / "home" / "link").symlink_to(state)
    (tmp_path / "home" / "notes.md").write_text("notes")
    session = SessionStore().create(cwd=str(tmp_path / "home"))
    tool = ReadTool(hidden=[tmp_path / "home" / "link"])
    assert read(tool, session, path="notes.md").startswith("notes")
    for path in (".local/state/index.sqlite", "link/index.sqlite", str(state / "index.sqlite")):
        with pytest.raises(ToolError) as refused:
            read(tool, session, path=path)
        assert refused.value.code == "TOOL_READ_REFUSED"


@pytest.mark.requirement("SPILL-4", "HOST-5")
def test_a_path_that_takes_for_ever_to_look_up_is_refused(tmp_path: Path) -> None:
    """Resolving a path takes the square of its length, in which nothing can be cancelled."""
    session = SessionStore().create(cwd=str(tmp_path))
    with pytest.raises(ToolError, match="path") as refused:
        read(ReadTool(), session, path="a/" * 500_000)
    assert refused.value.code == "TOOL_INVALID_ARGUMENT"


@pytest.mark.requirement("SPILL-2")
def test_an_answer_fits_what_is_shown_of_results(tmp_path: Path) -> None:
    """What `read` shows is never spilled, so it keeps to the same number of bytes by itself."""
    (tmp_path / "long").write_text("é" * 50_000)
    session = SessionStore().create(cwd=str(tmp_path))
    tool = ReadTool(largest=2_000)
    most = tool.parameters["properties"]["limit"]["maximum"]
    assert tool.parameters["properties"]["limit"]["default"] == most
    for arguments in ({}, {"limit": most}, {"limit": most, "offset": 99_000}):
        assert len(read(tool, session, path="long", **arguments).encode()) <= 2_000
    with pytest.raises(ToolError, match="limit"):
        read(tool, session, path="long", limit=most + 1)
