"""Whatever is not a clear yes is a no (ACP-1)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from acp.exceptions import RequestError
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

from ..scripts import call, sound_log, text, write_composition, write_script
from .agents import Agent, command, running
from .talking import talking

ASK = '[policies.permission]\nask = ["read"]'
ANSWERS: dict[str, Any] = {
    "allow": {"result": {"outcome": {"outcome": "selected", "optionId": "allow"}}},
    "reject": {"result": {"outcome": {"outcome": "selected", "optionId": "reject"}}},
    "another option": {"result": {"outcome": {"outcome": "selected", "optionId": "allow_always"}}},
    "cancelled": {"result": {"outcome": {"outcome": "cancelled"}}},
    "no outcome": {"result": {}},
    "nothing": {"result": None},
    "neither": {},
    "an outcome that is text": {"result": {"outcome": "allow"}},
    "an error": {"error": {"code": -32603, "message": "no"}},
    "an error that is none": {"error": ["allow"], "result": {}},
    "allow in meta": {
        "result": {"outcome": {"outcome": "cancelled"}, "_meta": {"outcome": "selected"}}
    },
}


def asked(agent: Agent) -> Any:
    """Wait until the client is asked, and return the request."""
    return agent.until(lambda one: one.get("method") == "session/request_permission")


@pytest.mark.requirement("ACP-1")
def test_each_answer(tmp_path: Path) -> None:
    """A tool runs when its option was chosen, and for no other answer; the turn goes on."""
    (tmp_path / "notes.txt").write_text("the notes")
    reading = call("c1", "read", {"path": "notes.txt"})
    replies = [reply for _ in ANSWERS for reply in ([reading], [text("Well.")])]
    write_script(tmp_path / "script.json", *replies)
    composition = write_composition(tmp_path / "composition.toml", ASK)
    with running(command(composition, tmp_path / "state"), tmp_path) as agent:
        session_id = agent.new_session(str(tmp_path))
        ran = {}
        for turn, (name, answer) in enumerate(ANSWERS.items(), 1):
            request_id = agent.begin(session_id)
            request = asked(agent)
            assert request["params"]["sessionId"] == session_id
            shown = request["params"]["toolCall"]
            assert (shown["toolCallId"], shown["title"]) == (f"{turn}.1.c1", "Read notes.txt")
            agent.send({"jsonrpc": "2.0", "id": request["id"], **answer})
            done = agent.update("tool_call_update", toolCallId=f"{turn}.1.c1")
            if done["status"] == "in_progress":
                done = agent.update("tool_call_update", toolCallId=f"{turn}.1.c1")
            ran[name] = done["status"]
            assert ("the notes" in str(done)) == (done["status"] == "completed")
            assert agent.answer(request_id)["result"]["stopReason"] == "end_turn"
        agent.leave()
    assert ran == {name: "completed" if name == "allow" else "failed" for name in ANSWERS}
    log = sound_log(tmp_path / "state", session_id)
    codes = [event.data.get("error") for event in log.events if event.type == "tool/result"]
    denied = {"name": "ToolError", "code": "TOOL_PERMISSION_DENIED"}
    assert codes == [None] + [denied] * (len(ANSWERS) - 1)


@pytest.mark.requirement("ACP-1")
def test_nobody_answers(tmp_path: Path) -> None:
    """A turn is cancelled while the client is asked; its answer, which comes too late, is nobody's.

    A turn whose client leaves in that moment is ended and logged.
    """
    reading = call("c1", "read", {"path": "notes.txt"})
    write_script(tmp_path / "script.json", [reading], [text("On.")], [reading])
    composition = write_composition(tmp_path / "composition.toml", ASK)
    with running(command(composition, tmp_path / "state"), tmp_path) as agent:
        session_id = agent.new_session(str(tmp_path))
        request_id = agent.begin(session_id)
        request = asked(agent)
        agent.notify("session/cancel", {"sessionId": session_id})
        assert agent.answer(request_id)["result"]["stopReason"] == "cancelled"
        agent.send({"jsonrpc": "2.0", "id": request["id"], **ANSWERS["allow"]})
        assert agent.prompt(session_id) == "end_turn"
        request_id = agent.begin(session_id)
        asked(agent)
        agent.close_stdin()
        assert agent.answer(request_id)["result"]["stopReason"] == "cancelled"
        assert agent.ended() == 0
    log = sound_log(tmp_path / "state", session_id)
    codes = [event.data["error"]["code"] for event in log.events if event.type == "tool/result"]
    assert codes == ["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]


@pytest.mark.requirement("ACP-1", "ACP-3")
def test_the_client_of_the_sdk_is_asked(tmp_path: Path) -> None:
    """The SDK's client is asked, and may allow, deny, or fail to answer."""
    (tmp_path / "notes.txt").write_text("the notes")
    reading = call("c1", "read", {"path": "notes.txt"})
    replies = [reply for _ in range(3) for reply in ([reading], [text("Well.")])]
    write_script(tmp_path / "script.json", *replies)
    composition = write_composition(tmp_path / "composition.toml", ASK)
    outcomes: list[Any] = [
        AllowedOutcome(option_id="allow", outcome="selected"),
        DeniedOutcome(outcome="cancelled"),
        None,
    ]

    async def permission(request: dict[str, Any]) -> RequestPermissionResponse:
        kinds = [option.kind for option in request["options"]]
        assert kinds == ["allow_once", "reject_once"]
        outcome = outcomes.pop(0)
        if outcome is None:
            raise RequestError(-32603, "nobody is here")
        return RequestPermissionResponse(outcome=outcome)

    async def main() -> list[str]:
        async with talking(composition, tmp_path / "state", permission=permission) as talk:
            session_id = await talk.new(str(tmp_path))
            for _ in range(3):
                assert await talk.prompt(session_id) == "end_turn"
            updates = talk.client.of(session_id, "tool_call_update")
            return [one.status for one in updates if one.status != "in_progress"]

    assert asyncio.run(main()) == ["completed", "failed", "failed"]
    assert not outcomes
