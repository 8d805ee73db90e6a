"""Reading spilled results: those that one's own log tells of, and no others."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from reference_host.errors import ToolError
from reference_host.spill import LocalSpillStore, SpillPolicy, SpillSource
from reference_host.tools import ReadTool, ToolOutput
from session_query import LiveSession, SessionStore

from ..texts import TEXTS
from .sessions import call, session_in, spilled_to

LONG = "".join(f"{number} é😀\ud800\n" for number in range(2000))


@pytest.fixture
def store(tmp_path: Path) -> LocalSpillStore:
    """A store of its own."""
    return LocalSpillStore(tmp_path / "spill")


def spilled(store: LocalSpillStore, owner: LiveSession) -> str:
    """The locator of a text that was saved for a session."""
    source = SpillSource("t", "c", "l")
    return asyncio.run(store.save_text(owner.id, source, "x", "text")).locator


def refusal(tool: ReadTool, session: LiveSession, path: str) -> str:
    """The message with which a path is refused."""
    with pytest.raises(ToolError) as refused:
        call(tool, session, {"path": path})
    assert refused.value.code == "TOOL_READ_REFUSED"
    return refused.value.message


@pytest.mark.requirement("SPILL-3", "SPILL-4")
def test_a_spilled_result_is_read_back_whole(store: LocalSpillStore) -> None:
    """What the policy spilled for a session, that session reads in parts, to the last byte."""
    session = session_in(None)
    policy = SpillPolicy(store, 1000)
    output = asyncio.run(
        policy.apply(
            ToolOutput.of_text(LONG), owner_session_id=session.id, tool_name="t", call_id="c"
        )
    )
    locator = output.meta["spill"]["locator"]
    spilled_to(session, locator)
    assert locator in (output.text or "")
    parts, offset = [], 0
    while offset < output.meta["spill"]["bytes"]:
        answer = call(ReadTool(store), session, {"path": locator, "offset": offset, "limit": 5001})
        part, line = answer.rsplit("\n", 1)
        parts.append(part)
        offset += len(part.encode("utf-8", "surrogatepass"))
        assert line.endswith((f"; next offset {offset}]", "; the end]"))
    assert "".join(parts) == LONG


@pytest.mark.requirement("SPILL-4")
def test_only_the_own_log_opens_a_locator(store: LocalSpillStore, tmp_path: Path) -> None:
    """Another session's locator is refused like a missing file, though it is right in every way."""
    tool = ReadTool(store)
    mine, other = session_in(tmp_path), session_in(tmp_path)
    locator = spilled(store, mine)
    missing = refusal(tool, mine, "missing")
    assert refusal(tool, mine, locator) == missing, "saved, but not in the log"
    spilled_to(mine, locator)
    assert call(tool, mine, {"path": locator}).startswith("text\n")
    assert refusal(tool, other, locator) == missing
    assert refusal(ReadTool(None), mine, locator) == missing


@pytest.mark.requirement("SPILL-4")
def test_a_fork_reads_what_it_inherited(store: LocalSpillStore) -> None:
    """A fork reads what was spilled before it, and not what its parent spilled later."""
    sessions = SessionStore()
    parent = session_in(None, sessions)
    before, after = spilled(store, parent), spilled(store, parent)
    spilled_to(parent, before)
    child = sessions.fork(parent)
    spilled_to(parent, after)
    tool = ReadTool(store)
    assert call(tool, child, {"path": before}).startswith("text\n")
    assert refusal(tool, child, after) == refusal(tool, child, "missing")
    assert call(tool, parent, {"path": after}).startswith("text\n")


@pytest.mark.requirement("SPILL-4")
def test_other_events_open_nothing(store: LocalSpillStore) -> None:
    """A locator that stands elsewhere in the log, such as in a message, opens nothing."""
    session = session_in(None)
    locator = spilled(store, session)
    meta = {"spill": {"locator": locator}}
    session.append("user/message", {"text": locator, "meta": meta}, surface_op="append")
    session.append("tool/result", {"spill": meta["spill"], "meta": None}, surface_op="append")
    session.append("tool/result", {"meta": {"spill": [locator]}}, surface_op="append")
    session.append("tool/result", {"meta": {"spill": locator}}, surface_op="append")
    assert refusal(ReadTool(store), session, locator) == refusal(ReadTool(store), session, "x")


@pytest.mark.requirement("SPILL-4")
def test_a_text_that_is_gone(store: LocalSpillStore, tmp_path: Path) -> None:
    """A spilled text that was removed since is refused like any other missing file."""
    session = session_in(tmp_path)
    locator = spilled(store, session)
    spilled_to(session, locator)
    Path(tmp_path, "spill", locator.removeprefix("spill:")).unlink()
    assert refusal(ReadTool(store), session, locator) == refusal(ReadTool(store), session, "x")


@pytest.mark.requirement("SPILL-4")
@given(TEXTS.filter(bool))
def test_a_logged_text_that_is_no_locator(text: str) -> None:
    """Whatever a log says of spilled texts, nothing outside the store is opened by it."""
    session = session_in(None)
    tool = ReadTool(LocalSpillStore("/"))
    for path in (text, f"spill:../{text}", f"spill:session-/{text}", "/etc/passwd"):
        spilled_to(session, path)
        with pytest.raises(ToolError):
            call(tool, session, {"path": path})
