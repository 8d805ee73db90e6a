"""How the command ends: exit codes, errors, closed pipes, Ctrl-C (CLI-2)."""

from __future__ import annotations

import json
import shlex
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ..corpora import log
from .shells import Shell, damage

FULL = Path("/dev/full")
INTERRUPTED = Path(__file__).with_name("interrupted.py")


@pytest.fixture
def some(shell: Shell) -> Shell:
    """A store with two sessions, one of them damaged."""
    shell.say("abc", "hello world", "more")
    shell.say("abd", "broken")
    damage(shell.log_of("abd"))
    return shell


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["list"]),
        (0, ["search", "hello"]),
        (0, ["index"]),
        (0, ["--help"]),
        (0, ["search", "-h"]),
        (0, ["--version"]),
        (0, ["completion", "bash"]),
        (1, ["search", "absent"]),
        (1, ["search", "!!!"]),
        (1, ["list", "--cwd", "/nowhere"]),
        (1, ["events", "abc", "--type", "no/such"]),
        (1, ["show", "xyz"]),
        (1, ["show", "abc", "99"]),
        (1, ["trace", "abc", "99"]),
        (2, []),
        (2, ["frobnicate"]),
        (2, ["list", "--frobnicate"]),
        (2, ["search"]),
        (2, ["search", " "]),
        (2, ["search", "x" * 70_000]),
        (2, ["search", "x", "--limit", "0"]),
        (2, ["search", "x", "--match", "fuzzy"]),
        (2, ["search", "x", "--created-from", "soon"]),
        (2, ["search", "x", "--seq-from", "2", "--seq-to", "1"]),
        (2, ["list", "--root", ""]),
        (2, ["show", "ab", "0"]),
        (2, ["show", "abc", "--before", "1"]),
        (2, ["show", "abc", "1", "--surface"]),
        (2, ["events", "abc", "--text", " "]),
        (3, ["list", "--root", "/nowhere/at/all"]),
        (3, ["events", "abd"]),
        (3, ["show", "abd", "0"]),
        (3, ["search", "hello", "--in", "abd"]),
        (3, ["doctor"]),
    ],
)
def test_the_exit_code_tells_how_it_went(some: Shell, code: int, arguments: list[str]) -> None:
    """0 found or done, 1 nothing found, 2 usage, 3 store or index; an error is one line."""
    outcome = some.run(*arguments)
    assert outcome.code == code
    assert "Traceback" not in outcome.err
    if arguments not in ([], ["doctor"]):
        # of a damaged log a search tells too
        told = code > 1 or "has no event" in outcome.err or "no session" in outcome.err
        told |= "1 session is left out" in outcome.err
        assert len(outcome.err.splitlines()) == told


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize(
    "content", [b"SQLite format 3\0" + bytes(84), b"not a database, but a letter of somebody"]
)
def test_a_foreign_file_is_no_index(some: Shell, content: bytes) -> None:
    """Searching with the path of something else fails with 3, and leaves it as it is."""
    some.index.parent.mkdir()
    some.index.write_bytes(content)
    outcome = some.run("search", "hello")
    assert outcome.code == 3
    assert [line.count("\n") for line in (outcome.out, outcome.err)] == [0, 1]
    assert some.index.read_bytes() == content


@pytest.mark.requirement("CLI-2")
def test_codes_and_errors_leave_the_process(some: Shell) -> None:
    """The exit code and the one line are those of the process; a traceback comes with --debug."""
    for code, arguments in ((0, ["list"]), (1, ["show", "xyz"]), (2, ["list", "x"])):
        assert some.process(*arguments).code == code
    failed = some.process("list", "--root", "/nowhere")
    assert failed.code == 3
    assert failed.err == (
        "session-query: the store '/nowhere' does not exist; name its directory with --root or"
        " SESSION_QUERY_ROOT\n"
    )
    debugged = some.process("list", "--root", "/nowhere", "--debug").err.splitlines()
    assert debugged[0].startswith("Traceback")
    assert debugged[-1] == failed.err.rstrip("\n")


@pytest.mark.requirement("CLI-2", "CLI-3")
def test_errors_are_json_too(some: Shell) -> None:
    """With --json an error is one line of JSON with code and message, also one of usage."""
    for code, arguments in (
        ("SESSION_QUERY_SESSION_NOT_FOUND", ["show", "xyz"]),
        ("SESSION_QUERY_CORRUPT_SESSION", ["show", "abd"]),
        ("USAGE", ["list", "--frobnicate"]),
    ):
        [line] = some.run("--json", *arguments).err.splitlines()
        assert json.loads(line)["code"] == code


@pytest.mark.requirement("CLI-2")
def test_an_error_of_many_lines_is_one_line(some: Shell) -> None:
    """What an error quotes is neutralised and kept on the one line."""
    [line] = some.run("show", "x\ny\x1b[31m").err.splitlines()
    assert "\x1b" not in line


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("arguments", [["list", "--json"], ["events", "abc"], ["show", "abc"]])
def test_a_closed_pipe_is_no_error(shell: Shell, arguments: list[str]) -> None:
    """A reader that stops after one line ends the command quietly, with exit code 0."""
    shell.say("abc", *("some text of some length " * 9 for _ in range(2000)))
    for number in range(200 if "list" in arguments else 0):
        shell.say(f"{number}", "x", cwd="/" + "long/" * 150)
    with shell.spawn(*arguments) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.requirement("CLI-2")
def test_streams_that_are_closed_from_the_start_are_no_error(some: Shell) -> None:
    """Without stdout, stderr or stdin the command still does its work and tells how it went."""
    some.run("index")
    for code, arguments in ((0, "list"), (0, "search hello"), (1, "show xyz")):
        command = [
            sys.executable,
            "-c",
            "from session_query_sqlite.cli import main as m; exit(m())",
        ]
        line = " ".join(
            [*(f"'{one}'" for one in [*command, *some.options]), arguments, ">&- 2>&- <&-"]
        )
        finished = subprocess.run(["sh", "-c", line], check=False)
        assert finished.returncode == code
    with sqlite3.connect(some.index) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.requirement("CLI-2")
@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is full")
def test_a_full_disk_is_told(some: Shell) -> None:
    """Output that can't be written is an error of one line."""
    with FULL.open("wb") as full:
        process = some.spawn("list", stdout=full)
        _, err = process.communicate()
    assert process.returncode == 3
    assert len(err.splitlines()) == 1


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("arguments", [["index"], ["search", "word"], ["list"]])
def test_ctrl_c_ends_the_command_with_its_index_intact(
    shell: Shell, arguments: list[str], times: int
) -> None:
    """Ctrl-C while a log is being read, once or twice, waits for the reader and ends with 130."""
    for number in range(5):
        shell.write(f"s{number}", log("word " * 20))
    process = subprocess.Popen(
        [sys.executable, str(INTERRUPTED), *shell.options, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    for _ in range(times):
        process.send_signal(signal.SIGINT)
    out, err = process.communicate("go on\n")
    assert (process.returncode, out) == (130, "")
    assert err.startswith("session-query: interrupted")
    assert len(err.splitlines()) == 1
    assert len(shell.run("search", "word").rows) == 5
    assert shell.run("doctor", "--verify").code == 0


@pytest.mark.requirement("CLI-2")
def test_ctrl_c_ends_the_command_while_nobody_reads_on(shell: Shell) -> None:
    """Ctrl-C ends a command that waits for its reader."""
    shell.say("abc", *("some text of some length " * 9 for _ in range(2000)))
    with shell.spawn("show", "abc") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline().startswith(b"session-query: interrupted")
        assert process.wait() == 130


@pytest.mark.requirement("CLI-2")
def test_each_that_is_left_out_is_told_only_if_wanted(some: Shell) -> None:
    """What is left out is told with -v, one line each; otherwise one line says how many."""
    for option in ([], ["--json"]):
        quiet = some.process("search", "hello", *option)
        [line] = quiet.err.splitlines()
        assert quiet.code == 0
        assert line.startswith("session-query: 1 session is left out; session-query --root ")
        assert line.endswith(" doctor says why")
    [line] = some.process("search", "hello", "-v").err.splitlines()
    assert line.startswith("session-query: warning: session abd is left out: ")


@pytest.mark.requirement("CLI-2")
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["search", "hello"]])
def test_no_session_is_left_out_silently(some: Shell, arguments: list[str]) -> None:
    """Of sessions that aren't even listed, one line says how many; a terminal shows it too."""
    for name in ("two", "three"):
        some.say(name, "hello")
        some.log_of(name).write_text("nonsense\n")
    count = 3 if arguments[0] == "search" else 2  # a damaged log is listed, and is not searched
    assert f"session-query: {count} sessions are left out; " in some.run(*arguments).err
    assert f"{count} sessions are left out" in some.terminal(*arguments).out


@pytest.mark.requirement("CLI-1", "CLI-2")
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["search", "hello"]])
def test_a_store_without_sessions_is_told(shell: Shell, arguments: list[str]) -> None:
    """A directory that holds no log looks unlike a store in which nothing is found."""
    empty = shell.run(*arguments)
    assert (empty.code, empty.out) == (1, "")
    [line] = empty.err.splitlines()
    assert line.startswith(f"session-query: no session logs in {str(shell.root)!r}; ")
    shell.say("s", "other", cwd="/a")
    found = shell.run(*arguments, "--cwd", "/b")
    assert (found.code, found.out, found.err) == (1, "", "")


@pytest.mark.requirement("CLI-2")
def test_an_error_advises_what_can_be_typed(some: Shell) -> None:
    """The advice names the session that was meant, and the store and the index that were typed."""
    for arguments in (["show", "abc", "99"], ["trace", "abc", "99"]):
        advice = some.run(*arguments).err.partition("; ")[2]
        typed = shlex.split(advice.removesuffix(" shows those there are\n"))
        assert typed == ["session-query", *some.options, "events", "abc"]
        assert some.run(*typed[5:]).code == 0
