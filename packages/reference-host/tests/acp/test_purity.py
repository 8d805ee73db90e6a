"""Nothing but JSON-RPC lines on stdout, whatever prints, and whatever stdout is (ACP-2)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..scripts import call, environment, sound_log, text, write_script
from .agents import LIMIT_SECONDS, command, running
from .serving_tools import NOISES
from .test_lines import json_lines

INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n'


def serving_tools(state: Path, script: str) -> list[str]:
    """The command of an agent with tools of its own."""
    return [sys.executable, str(Path(__file__).with_name("serving_tools.py")), str(state), script]


@pytest.mark.requirement("ACP-2")
def test_a_tool_that_prints(tmp_path: Path) -> None:
    """What a tool prints, in this process or another, is on stderr; stdin is empty for it.

    A tool whose card fails is run and shown all the same.
    """
    script = write_script(
        tmp_path / "script.json",
        [call("c1", "noisy", {}), call("c2", "bad-card", {"x": 1}, 3)],
        [text("Done.")],
    )
    with running(serving_tools(tmp_path / "state", script), tmp_path) as agent:
        session_id = agent.new_session()
        assert agent.prompt(session_id) == "end_turn"
        shown = [one["params"]["update"] for one in agent.updates]
        titles = [one["title"] for one in shown if one["sessionUpdate"] == "tool_call"]
        assert titles == ["Use noisy", "Call bad-card"]
        assert [one["status"] for one in shown if "content" in one and "status" in one] == [
            "completed",
            "completed",
        ]
        raw = agent.leave()
        errors = agent.stderr
    json_lines(raw)
    assert b"noise:" not in raw
    for noise in NOISES:
        assert f"noise: {noise}" in errors
    assert "noise: stdin b''" in errors
    sound_log(tmp_path / "state", session_id)


@pytest.mark.requirement("ACP-2")
def test_files_in_the_place_of_pipes(tmp_path: Path) -> None:
    """Requests may come from a file, and answers go to one; the agent ends with its last answer."""
    (tmp_path / "in").write_bytes(INITIALIZE + INITIALIZE.replace(b":1,", b":2,")[:-1])
    argv = command("acp", tmp_path / "state", "--replay", write_script(tmp_path / "script.json"))
    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
        with running(argv, tmp_path, stdin=stdin, stdout=stdout) as agent:
            assert agent.ended() == 0, agent.stderr
        assert os.lseek(stdin.fileno(), 0, os.SEEK_CUR) == (tmp_path / "in").stat().st_size
    written = (tmp_path / "out").read_bytes()
    json_lines(written)
    assert [json.loads(line)["id"] for line in written.splitlines()] == [1, 2]


@pytest.mark.requirement("ACP-2")
@pytest.mark.parametrize(
    ("streams", "code"),
    [("</dev/null >/dev/null", 0), ("<&- >&- 2>&-", 0), (">&-", 0), (">/dev/full", 3)],
)
def test_streams_that_are_none(tmp_path: Path, streams: str, code: int) -> None:
    """An agent without stdin ends at once; one without stdout, or a full one, with its stdin."""
    argv = command("acp", tmp_path / "state", "--replay", write_script(tmp_path / "script.json"))
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *argv],
        input=INITIALIZE,
        capture_output=True,
        timeout=LIMIT_SECONDS,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, b""), done.stderr
    assert b"Traceback" not in done.stderr
