"""`reference-host run` prints the log of one task, and tells how it ended (HOST-9)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from session_query import LOG_VERSION, dumps

from ..scripts import (
    FIXTURES,
    WAIT,
    call,
    environment,
    sound_log,
    text,
    turn_ends,
    write_composition,
    write_script,
)
from .hosts import LIMIT_SECONDS, host, host_command


@pytest.mark.requirement("HOST-9", "HOST-3")
def test_the_log_is_printed(tmp_path: Path) -> None:
    """The lines are those of the log; resumed, the header and what the task adds.

    Of stdin nothing is read: it may be that of a loop in a shell.
    """
    write_script(
        tmp_path / "script.json",
        [text("Look."), call("c1", "read", {"path": "script.json"})],
        [text("Done 🚀.")],
    )
    state, record = tmp_path / "state", tmp_path / "requests.jsonl"
    composition = write_composition(tmp_path / "composition.toml")
    run = host_command("run", composition, state, "--record", str(record))
    with (tmp_path / "script.json").open("rb") as stdin:
        first = subprocess.run(
            [*run, "What is in the script?"],
            stdin=stdin,
            capture_output=True,
            timeout=LIMIT_SECONDS,
            cwd=tmp_path,
            env=environment(),
            check=False,
        )
        assert os.lseek(stdin.fileno(), 0, os.SEEK_CUR) == 0
    assert (first.returncode, first.stderr) == (0, b"")
    header, *events = [json.loads(line) for line in first.stdout.splitlines()]
    assert (header["type"], header["version"]) == ("session", LOG_VERSION)
    assert header["cwd"] == str(tmp_path)
    assert [header, *events] == printed(state, header["id"])
    # a turn that did not end is closed before the next one begins
    (log,) = (state / "sessions").rglob("session.jsonl")
    kept = [line for line in log.read_bytes().splitlines(keepends=True) if b"turn/end" not in line]
    log.write_bytes(b"".join(kept))
    again = host([*run, "--resume", header["id"], "And again?"], tmp_path)
    assert (again.code, again.stderr) == (0, "")
    resumed, *added = again.lines
    assert resumed == {**header, "delegationDepth": 0}
    assert added[0]["type"] == "turn/start"
    assert added == printed(state, header["id"])[-len(added) :]
    assert turn_ends(sound_log(state, header["id"])) == ["interrupted", "completed"]
    requests = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    assert [len(request["messages"]) for request in requests] == [1, 3, 5, 7]
    headers = [one["data"]["header"] for one in events if one["type"] == "request/header"]
    assert requests[0]["system"] == headers[0]["system"]
    assert requests[0]["tools"] == headers[0]["tools"]


def printed(state: Path, session_id: str) -> list[Any]:
    """The lines of a stored log."""
    log = sound_log(state, session_id)
    lines: list[Any] = [{"type": "session", **log.header.to_json()}]
    return [*lines, *(json.loads(dumps(event.to_json())) for event in log.events)]


@pytest.mark.requirement("HOST-9")
def test_a_turn_that_fails(tmp_path: Path) -> None:
    """The exit code is 1, stderr tells why in one line, and the log is whole."""
    script = write_script(tmp_path / "script.json")
    run = host_command("run", "headless", tmp_path / "state", "--replay", script, "Hello")
    ended = host(run, tmp_path)
    assert ended.code == 1
    assert "has 0 replies" in ended.complaint
    assert ended.lines[-1]["data"]["reason"]["kind"] == "error"
    sound_log(tmp_path / "state", ended.lines[0]["id"])


@pytest.mark.requirement("HOST-9")
def test_text_that_is_no_utf8(tmp_path: Path) -> None:
    """A task that is no UTF-8 is logged; so is one that begins like an option."""
    script = write_script(tmp_path / "script.json", [text("Well.")])
    run = host_command("run", "headless", tmp_path / "state", "--replay", script)
    for task in (os.fsdecode(b"caf\xe9 \xff"), "--help"):
        ended = host([*run, "--", task], tmp_path)
        assert (ended.code, ended.stderr) == (0, "")
        sound_log(tmp_path / "state", ended.lines[0]["id"])


@pytest.mark.requirement("HOST-9")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    """A signal ends the turn, which is logged and printed; the exit code is 130."""
    script = write_script(tmp_path / "script.json", [text("Hm."), WAIT])
    run = host_command("run", "headless", tmp_path / "state", "--replay", script, "Hello")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        run, stdout=pipe, stderr=pipe, cwd=tmp_path, env=environment(), text=True
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(json.loads(line))
            if lines[-1]["type"] == "assistant/chunk":
                process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == 130
    assert "aborted" in errors
    assert len(errors.splitlines()) == 1
    assert lines[-1]["data"]["reason"]["kind"] == "aborted"
    assert turn_ends(sound_log(tmp_path / "state", lines[0]["id"])) == ["aborted"]


@pytest.mark.requirement("HOST-9")
def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    """`| head -1` ends the turn, without a trace; a stdout that is full is told."""
    script = write_script(tmp_path / "script.json", [text("Hm."), WAIT])
    run = host_command("run", "headless", tmp_path / "state", "--replay", script, "Hello")
    shell = ["/bin/bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash", *run]
    ended = host(shell, tmp_path)
    assert ended.code == 130
    assert "aborted" in ended.complaint
    (header,) = ended.lines
    assert turn_ends(sound_log(tmp_path / "state", header["id"])) == ["aborted"]
    ended = host(["/bin/sh", "-c", 'exec "$@" > /dev/full', "sh", *run], tmp_path)
    assert (ended.code, ended.stdout) == (3, "")
    assert "No space left on device" in ended.complaint


@pytest.mark.requirement("HOST-9")
def test_a_reader_that_leaves_a_silent_model(tmp_path: Path) -> None:
    """A reader that goes away is noticed though nothing more is printed; nothing is left."""
    script = write_script(tmp_path / "script.json", [text("Hm."), WAIT])
    run = host_command("run", "headless", tmp_path / "state", "--replay", script, "Hello")
    with subprocess.Popen(
        run, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        header = json.loads(process.stdout.readline())
        while b'"text-delta"' not in process.stdout.readline():
            pass
        process.stdout.close()
        try:
            assert process.wait(LIMIT_SECONDS) == 130
        finally:
            process.kill()
    assert turn_ends(sound_log(tmp_path / "state", header["id"])) == ["aborted"]


@pytest.mark.requirement("HOST-9")
def test_sessions_that_cannot_be_resumed(tmp_path: Path) -> None:
    """One that is missing, or of another directory, is 2; one whose log is broken is 3."""
    state = tmp_path / "state"
    shutil.copytree(FIXTURES, state / "sessions")
    script = write_script(tmp_path / "script.json", [text("Well.")])
    run = host_command("run", "headless", state, "--replay", script)
    ended = host([*run, "--resume", "missing", "Hello"], tmp_path)
    assert (ended.code, ended.stdout) == (2, "")
    assert "missing" in ended.complaint
    ended = host([*run, "--resume", "flaky-login-7c1e", "Hello"], tmp_path)
    assert (ended.code, ended.stdout) == (2, "")
    assert "another working directory" in ended.complaint
    (log,) = (state / "sessions").rglob("launch-window-c0d5/session.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:3], b"broken\n", *lines[3:]]))
    ended = host([*run, "--resume", "launch-window-c0d5", "Hello"], tmp_path)
    assert (ended.code, ended.stdout) == (3, "")
    assert "launch-window-c0d5" in ended.complaint


@pytest.mark.requirement("HOST-9")
def test_a_session_that_another_process_writes(tmp_path: Path) -> None:
    """It is not resumed, which is told in one line; the other process goes on."""
    script = write_script(tmp_path / "script.json", [text("Hm."), WAIT])
    run = host_command("run", "headless", tmp_path / "state", "--replay", script)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*run, "Hello"], stdout=pipe, stderr=pipe, cwd=tmp_path, env=environment(), text=True
    ) as process:
        assert process.stdout is not None
        session_id = json.loads(process.stdout.readline())["id"]
        for line in process.stdout:
            if '"assistant/chunk"' in line:
                break
        ended = host([*run, "--resume", session_id, "Me too"], tmp_path)
        assert ended.code == 2
        assert "another process" in ended.complaint
        process.terminate()
        process.communicate(timeout=LIMIT_SECONDS)
    assert turn_ends(sound_log(tmp_path / "state", session_id)) == ["aborted"]


@pytest.mark.requirement("HOST-9")
def test_a_pipe_is_left_as_it_was(tmp_path: Path) -> None:
    """A pipe or terminal that others share blocks them as before: its flags are those of all."""
    script = write_script(tmp_path / "script.json", [text("Well.")])
    run = host_command("run", "headless", tmp_path / "state", "--replay", script, "Hello")
    read, write = os.pipe()
    with os.fdopen(read, "rb") as reader, os.fdopen(write, "wb") as shared:
        done = subprocess.run(
            run, stdout=shared, timeout=LIMIT_SECONDS, cwd=tmp_path, env=environment(), check=False
        )
        assert done.returncode == 0
        assert os.get_blocking(shared.fileno())
        shared.close()
        assert json.loads(reader.readlines()[-1])["type"] == "turn/end"


@pytest.mark.requirement("HOST-9")
def test_interrupted_while_nobody_reads(tmp_path: Path) -> None:
    """One more signal ends a command whose reader has stopped to read; its log is whole."""
    script = write_script(tmp_path / "script.json", [*[text("x" * 1000) for _ in range(200)], WAIT])
    run = host_command("run", "headless", tmp_path / "state", "--replay", script, "Hello")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        run, stdout=pipe, stderr=pipe, cwd=tmp_path, env=environment(), bufsize=0
    ) as process:
        assert process.stdout is not None
        with os.fdopen(os.dup(process.stdout.fileno()), "rb", 0) as stdout:
            header = json.loads(stdout.readline())
            # the interrupted answer will be one more line, longer than what a pipe takes
            while b'"seq":120,' not in stdout.readline():
                pass
        code = None
        for _ in range(int(LIMIT_SECONDS / 0.2)):
            process.send_signal(signal.SIGINT)
            try:
                code = process.wait(0.2)
                break
            except subprocess.TimeoutExpired:
                continue
        process.kill()
    assert code == 130
    assert turn_ends(sound_log(tmp_path / "state", header["id"])) == ["aborted"]
