"""However a conversation ends, the agent ends, its log is whole, and nothing is left (ACP-1)."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from ..scripts import WAIT, call, sound_log, stored, text, turn_ends, write_script
from .agents import CWD, LIMIT_SECONDS, Agent, command, running, stays_running
from .test_lines import json_lines
from .test_purity import serving_tools

SOON: Final = 8.0
"""How long an agent may take to end, the grace for what nothing can end included."""

IDLE: Final = [text("Done.")]
THINKING: Final = [text("Hm."), WAIT]
WORKING: Final = [call("c1", "waiting", {})]

RELAY: Final = """
import shutil, subprocess, sys, threading
held, command = int(sys.argv[1]), sys.argv[2:]
pipe = subprocess.PIPE
agent = subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, pass_fds=[held])
def answers():
    for line in agent.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.flush()
threading.Thread(target=answers, daemon=True).start()
for line in sys.stdin.buffer:
    agent.stdin.write(line)
"""
"""A client that passes on every line, in both directions."""


def ended(agent: Agent) -> int:
    """Wait for the end, and see that nothing of the agent is left."""
    code = agent.ended(SOON)
    assert not stays_running(agent.process)
    return code


def end_by(agent: Agent, how: str) -> None:
    """Tell an agent to end."""
    if how == "stdin":
        agent.close_stdin()
    else:
        agent.process.send_signal(signal.Signals[how])


@pytest.mark.requirement("ACP-1")
@pytest.mark.parametrize(
    ("how", "reply"),
    [
        ("stdin", IDLE),
        ("SIGINT", IDLE),
        ("stdin", THINKING),
        ("SIGTERM", THINKING),
        ("stdin", WORKING),
        ("SIGINT", WORKING),
    ],
)
def test_the_end_of_an_agent(tmp_path: Path, how: str, reply: list[dict[str, Any]]) -> None:
    """The end of stdin or a signal ends the turn, which is logged and answered, then the agent."""
    script = write_script(tmp_path / "script.json", reply)
    with running(serving_tools(tmp_path / "state", script), tmp_path) as agent:
        session_id = agent.new_session()
        request_id = agent.begin(session_id)
        if reply is THINKING:
            agent.update("agent_message_chunk")
        elif reply is WORKING:
            agent.update("plan")
        else:
            assert agent.answer(request_id)["result"]["stopReason"] == "end_turn"
        end_by(agent, how)
        if reply is not IDLE:
            assert agent.answer(request_id)["result"]["stopReason"] == "cancelled"
        assert ended(agent) == 0, agent.stderr
        json_lines(bytes(agent.raw))
    log = sound_log(tmp_path / "state", session_id)
    assert turn_ends(log) == ["completed" if reply is IDLE else "aborted"]
    if reply is WORKING:
        (result,) = [event.data for event in log.events if event.type == "tool/result"]
        assert isinstance(result, dict)
        assert result["error"] == {"name": "ToolError", "code": "ABORTED"}


@pytest.mark.requirement("ACP-1")
def test_requests_are_answered_at_the_end(tmp_path: Path) -> None:
    """Requests that stdin ends with are answered; a turn that they begin is ended at once."""
    script = write_script(tmp_path / "script.json", THINKING)
    with running(command("acp", tmp_path / "state", "--replay", script), tmp_path) as agent:
        session_id = agent.new_session()
        listing = agent.start("session/list", {})
        prompt = {"sessionId": session_id, "prompt": [{"type": "text", "text": "Go on."}]}
        last = {"jsonrpc": "2.0", "id": 99, "method": "session/prompt", "params": prompt}
        agent.stdin.write(json.dumps(last).encode())  # no end of line: it is read with the end
        agent.close_stdin()
        answers = {one["id"]: one for one in (agent.until(is_answer), agent.until(is_answer))}
        assert answers[99]["result"]["stopReason"] == "cancelled"
        assert "sessions" in answers[listing]["result"]
        assert ended(agent) == 0, agent.stderr
    assert turn_ends(sound_log(tmp_path / "state", session_id)) == ["aborted"]


def is_answer(message: dict[str, Any]) -> bool:
    """Whether a message is no update."""
    return "method" not in message


@pytest.mark.requirement("ACP-1")
@pytest.mark.parametrize("reply", [THINKING, WORKING])
def test_the_client_is_killed(tmp_path: Path, reply: list[dict[str, Any]]) -> None:
    """An agent whose client was killed in mid-turn logs the end of the turn, and ends."""
    script = write_script(tmp_path / "script.json", reply)
    # whoever runs keeps `held` open: reading from the other end tells when nobody does
    until_all_ended, held = os.pipe()
    argv = [sys.executable, "-c", RELAY, str(held), *serving_tools(tmp_path / "state", script)]
    with running(argv, tmp_path, pass_fds=(held,)) as client:
        os.close(held)
        session_id = client.new_session()
        client.begin(session_id)
        client.update("session_info_update")
        client.process.kill()
        ready, _, _ = select.select([until_all_ended], [], [], SOON)
        assert ready, "the agent runs on"
        assert os.read(until_all_ended, 1) == b""
        os.close(until_all_ended)
        assert not client.stderr
    assert turn_ends(sound_log(tmp_path / "state", session_id)) == ["aborted"]


@pytest.mark.requirement("ACP-1")
@pytest.mark.parametrize("how", ["stdin", "SIGTERM"])
def test_a_client_that_stops_reading(tmp_path: Path, how: str) -> None:
    """An agent that nobody reads from still reads, and ends when it is told to."""
    script = write_script(tmp_path / "script.json", [text("x" * 1000) for _ in range(500)])
    with running(command("acp", tmp_path / "state", "--replay", script), tmp_path) as agent:
        session_id = agent.new_session()
        agent.reads.clear()
        agent.begin(session_id)
        for _ in range(1000):
            agent.send_line(b"x")  # whose refusals are more than a pipe takes
        end_by(agent, how)
        assert agent.process.wait(SOON) == 0, agent.stderr
    assert turn_ends(sound_log(tmp_path / "state", session_id)) in (["completed"], ["aborted"])


@pytest.mark.requirement("ACP-1", "HOST-3")
def test_the_agent_is_killed_at_any_moment(tmp_path: Path) -> None:
    """After a kill, another process loads the session, closes its turn, and goes on in it."""
    plan = {"todos": [{"content": "Go on", "status": "pending"}]}
    script = write_script(
        tmp_path / "script.json",
        [text("One."), call("c1", "todo", plan), call("c2", "read", {"path": "x"}, 3)],
        [text("Two."), call("c1", "todo", plan)],
        [text("Three.")],
    )
    argv = command("acp", tmp_path / "state", "--replay", script)
    dice = random.Random(7)
    session_id = ""
    kills = 6
    for kill in range(kills + 1):
        with running(argv, tmp_path) as agent:
            if not session_id:
                session_id = agent.new_session()
            else:
                agent.result("session/load", sessionId=session_id, cwd=CWD, mcpServers=[])
                sound_log(tmp_path / "state", session_id)
            if kill == kills:
                assert agent.prompt(session_id) == "end_turn"
                agent.leave()
                break
            agent.begin(session_id)
            for _ in range(dice.randrange(3 if kill == 0 else 1, 15)):
                agent.receive()
            agent.process.kill()
            agent.process.wait(LIMIT_SECONDS)
            stored(tmp_path / "state", session_id)  # readable, whatever was being written
    ends = turn_ends(sound_log(tmp_path / "state", session_id))
    assert ends[-1] == "completed"
    assert "interrupted" in ends
    assert len(ends) <= kills + 1
