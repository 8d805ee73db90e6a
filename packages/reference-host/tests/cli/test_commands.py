"""The other commands, and what each failure is told as (HOST-9)."""

from __future__ import annotations

import asyncio
import shutil
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from session_query import SessionHeader

from ..scripts import (
    FIXTURES,
    environment,
    sound_log,
    store_session,
    text,
    titled,
    write_composition,
    write_script,
)
from .hosts import LIMIT_SECONDS, host, host_command

SECRET = "sk-live-0f83a1c55d"


@pytest.mark.requirement("HOST-9")
def test_search_and_rename(tmp_path: Path) -> None:
    """People search with one line a session, and give titles; neither needs a model or a key."""
    state = tmp_path / "state"
    shutil.copytree(FIXTURES, state / "sessions")
    search = host_command("search", "headless", state)
    ended = host([*search, "flaky", "login"], tmp_path)
    assert (ended.code, ended.stderr) == (0, "")
    found = [line.split("\t") for line in ended.stdout.splitlines()]
    assert found[0][0] == "flaky-login-7c1e"
    assert all(len(fields) == 3 and fields[1].isdecimal() for fields in found)
    ended = host([*search, "--limit", "1", "--cwd", "/srv/orbit/console", "login"], tmp_path)
    assert [line.split("\t")[0] for line in ended.stdout.splitlines()] == [
        "019c41f6-2b70-7d3e-8f15-6a0c93e4d721"
    ]
    ended = host([*search, "--cwd", "/srv/orbit", "login"], tmp_path)
    assert (ended.code, ended.stdout) == (1, "")
    assert "nothing" in ended.complaint
    rename = host_command("rename", "acp", state)
    assert host([*rename, "flaky-login-7c1e", " Zirkonia "], tmp_path).code == 0
    title = sound_log(state, "flaky-login-7c1e").events[-1].data
    assert title == {"title": "Zirkonia", "messageSeqs": [], "source": {"kind": "user"}}
    assert host([*search, "zirkonia"], tmp_path).stdout.startswith("flaky-login-7c1e\t")
    for session_id, name, code in (("missing", "X", 2), ("rate-limiter-41f0", "  ", 2)):
        ended = host([*rename, session_id, name], tmp_path)
        assert (ended.code, ended.stdout) == (code, "")
        assert ended.complaint
    ended = host(host_command("search", "acp", state, "x"), tmp_path)
    assert ended.code == 2
    assert "mounts no index" in ended.complaint


@pytest.mark.requirement("HOST-9")
def test_a_hit_is_one_line(tmp_path: Path) -> None:
    """Text that would end a line, or tell a terminal something, does neither."""
    odd = "comet\n\x1b[2Jtail\r\u2028\u202e\ttab \ud800"
    message = {"id": "m", "role": "user", "content": [{"type": "text", "text": odd}]}
    header = SessionHeader(0, "odd\n\x1bid", 0, "/srv")
    asyncio.run(store_session(tmp_path / "state", header, titled("t"), ("user/message", message)))
    ended = host(host_command("search", "headless", tmp_path / "state", "comet"), tmp_path)
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.count("\n") == 1
    assert ended.stdout.endswith("\n")
    assert len(ended.stdout.split("\t")) == 3
    assert all(char.isprintable() or char == "\t" for char in ended.stdout[:-1])


def compositions(folder: Path) -> dict[str, tuple[str, int, str]]:
    """Compositions by what is wrong with them: the name, the exit code, a part of what is told."""
    (folder / "broken.toml").write_text("prompt = [")
    (folder / "unknown.toml").write_text('prompt = "x"\nmodell = 1\n[model]\nkind = "replay"\n')
    (folder / "bytes.toml").write_bytes(b'prompt = "\xff"')
    no_index = 'prompt = "x"\n[model]\nkind = "replay"\nscript = "s"\n[tools.session_query]\n'
    (folder / "no-index.toml").write_text(no_index)
    write_script(folder / "script.json")
    no_script = Path(write_composition(folder / "no-script.toml"))
    no_script.write_text(no_script.read_text().replace("script.json", "none.json"))
    (folder / "none").mkdir()
    return {
        "missing": ("no-such-name", 2, "headless"),
        "a folder": ("none", 2, "none"),
        "no toml": ("broken.toml", 2, "broken.toml"),
        "unknown key": ("unknown.toml", 2, "modell"),
        "no utf-8": ("bytes.toml", 2, "bytes.toml"),
        "no index": ("no-index.toml", 2, "[index]"),
        "no script": ("no-script.toml", 2, "none.json"),
        "no key": ("headless", 2, "OPENAI_API_KEY"),
    }


@pytest.mark.requirement("HOST-9", "HOST-1")
def test_compositions_that_cannot_be_mounted(tmp_path: Path) -> None:
    """Each is told in one line, by `run` and by `acp`; nothing is on stdout, nothing is made."""
    for wrong, (name, code, told) in compositions(tmp_path).items():
        command = ("acp",) if wrong in {"unknown key", "no key"} else ("run", "Hello")
        argv = host_command(command[0], name, tmp_path / "state", *command[1:])
        ended = host(argv, tmp_path)
        assert (ended.code, ended.stdout) == (code, ""), (wrong, ended)
        assert told in ended.complaint, wrong
    assert not (tmp_path / "state").exists()


@pytest.mark.requirement("HOST-9")
def test_stores_that_cannot_be_used(tmp_path: Path) -> None:
    """A state directory that can't be made, a broken index and a broken script are told."""
    script = write_script(tmp_path / "script.json", [text("Well.")])
    ended = host(
        host_command("run", "headless", Path("/dev/null/state"), "--replay", script, "Hello"),
        tmp_path,
    )
    assert (ended.code, ended.stdout) == (3, "")
    assert "/dev/null/state" in ended.complaint
    state = tmp_path / "state"
    state.mkdir()
    with sqlite3.connect(state / "index.sqlite") as connection:
        connection.execute("CREATE TABLE somebody_elses (x)")
    connection.close()
    ended = host(host_command("search", "headless", state, "x"), tmp_path)
    assert (ended.code, ended.stdout) == (3, "")
    assert ended.complaint
    (tmp_path / "script.json").write_text('{"replies": [[{"type": "text-delta"}]]}')
    ended = host(host_command("run", "acp", state, "--replay", script, "Hello"), tmp_path)
    assert (ended.code, ended.stdout) == (2, "")
    assert "replies.0.0" in ended.complaint


@pytest.mark.requirement("HOST-9")
def test_no_secret_is_told(tmp_path: Path) -> None:
    """Neither a model that fails nor a fault of this program shows the key, or any text."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        composition = tmp_path / "composition.toml"
        composition.write_text(
            f'prompt = "x"\n[model]\nkind = "openai-compatible"\nmodel = "m"\nmax_retries = 0\n'
            f'base_url = "http://127.0.0.1:{port}/v1"\n'
        )
        for key in (SECRET, f"{SECRET}\n", f"{SECRET}\udc80"):
            ended = host(
                host_command("run", str(composition), tmp_path / "state", "Hello"),
                tmp_path,
                extra={"OPENAI_API_KEY": key},
            )
            assert ended.code in {1, 2}
            assert ended.complaint
            assert SECRET not in ended.stdout + ended.stderr
    fault = (
        "import reference_host.headless as headless\n"
        "async def run_task(*_):\n"
        f"    raise RuntimeError('{SECRET}')\n"
        "headless.run_task = run_task\n"
        "from reference_host.cli import main\n"
        "main(['run', '--composition', 'acp', '--replay', 'x', 'Hello'])\n"
    )
    ended = host([sys.executable, "-c", fault], tmp_path)
    assert ended.code == 1
    assert "RuntimeError" in ended.complaint
    assert SECRET not in ended.stderr


@pytest.mark.requirement("HOST-9")
def test_the_command_line(tmp_path: Path) -> None:
    """It says what it takes, from any directory, installed or as a module; wrong use is 2."""
    installed = Path(sys.executable).with_name("reference-host")
    module = [sys.executable, "-m", "reference_host"]
    shown = [host([*start, "--help"], tmp_path) for start in ([str(installed)], module)]
    assert shown[0] == shown[1]
    assert (shown[0].code, shown[0].stderr) == (0, "")
    assert all(command in shown[0].stdout for command in ("acp", "rename", "run", "search"))
    assert host([*module, "run", "--help"], tmp_path).stdout.count("Exit codes") == 1
    for wrong in (["run", "--composition", "acp"], ["fly"], ["acp", "-x"]):
        ended = host([*module, *wrong], tmp_path)
        assert (ended.code, ended.stdout) == (2, ""), ended
        assert "Usage:" in ended.stderr
    gone = tmp_path / "gone"
    gone.mkdir()
    script = write_script(tmp_path / "script.json", [text("Well.")])
    run = host_command("run", "acp", tmp_path / "state", "--replay", script, "--cwd", "/", "Hello")
    shell = ["/bin/sh", "-c", 'rmdir . 2>/dev/null || rmdir "$PWD"; exec "$@"', "sh", *run]
    done = subprocess.run(
        shell,
        capture_output=True,
        timeout=LIMIT_SECONDS,
        cwd=gone,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
