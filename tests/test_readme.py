"""Every command and program of the README runs, and shows what the README says."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def block(mark: str, text: str = README) -> str:
    """Return the fenced block after a mark."""
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert found is not None, f"there is no block after <!-- {mark} -->"
    return found[1]


def shown_after(mark: str, nth: int = 0, text: str = README) -> str:
    """Return the nth block of output that follows a mark."""
    rest = text[text.index(f"<!-- {mark} -->") :]
    return str(re.findall(r"```text\n(.*?)```", rest, re.DOTALL)[nth])


def commands(mark: str) -> list[list[str]]:
    """Return the commands of the project in a block."""
    lines = [line.removeprefix("python -m uv run ") for line in block(mark).splitlines()]
    ours = ("session-query", "reference-host")
    return [shlex.split(line) for line in lines if line.startswith(ours)]


def run(command: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with a home that has the sample store where one's own logs are."""
    program = Path(sys.executable).with_name(command[0])
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("SESSION_QUERY_")
    }
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PYTHONUTF8": "1"}
    return subprocess.run(
        [str(program), *command[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home directory whose agent logs are the sample store."""
    folder = tmp_path_factory.mktemp("home")
    (folder / ".dsh").mkdir()
    (folder / ".dsh" / "sessions").symlink_to(ROOT / "fixtures" / "sessions")
    # a slow machine would show its progress on the first search
    run(["session-query", "--root", "fixtures/sessions", "index"], folder)
    return folder


@pytest.mark.parametrize(
    ("mark", "number"),
    [(mark, n) for mark in ("sample-commands", "own-logs") for n in range(len(commands(mark)))],
)
def test_every_command_of_the_readme_runs(mark: str, number: int, home: Path) -> None:
    """It finds something, or says that there is nothing of the kind, without a complaint."""
    done = run(commands(mark)[number], home)
    assert done.returncode in ((0,) if mark == "sample-commands" else (0, 1)), done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1 or done.stdout


@pytest.mark.requirement("HOST-9")
def test_the_commands_of_the_host_run(home: Path, tmp_path: Path) -> None:
    """A task is done and logged, and its session is found by its words."""
    shown = "/tmp/reference-host"  # noqa: S108 - what the README says
    task, search = (
        [str(tmp_path) if word == shown else word for word in command]
        for command in commands("host-commands")
    )
    done = run(task, home)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"type":"turn/end"' in done.stdout.splitlines()[-1]
    found = run(search, home)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.count("\n") == 1


def run_on_terminal(command: list[str], home: Path) -> str:
    """Run a command on a terminal of 100 columns, without colours, in UTC; return what it shows."""
    program = Path(sys.executable).with_name(command[0])
    ours, theirs = pty.openpty()
    environment = dict(os.environ) | {
        "COLUMNS": "100",
        "HOME": str(home),
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        "TERM": "xterm",
        "TZ": "UTC",
        "XDG_CACHE_HOME": str(home / "cache"),
    }
    with subprocess.Popen(
        [str(program), *command[1:]],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        shown = b""
        # a terminal that nobody holds any more ends with an error, not with an empty read
        with contextlib.suppress(OSError):
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.requirement("CONF-14")
def test_the_main_command_ends_in_the_report_that_is_shown(home: Path) -> None:
    """The provider that the project brings passes its suite, with the shown counts."""
    [command] = commands("main-command")
    done = run(command, home)
    assert done.returncode == 0, ascii(done.stdout)
    assert table_of(done.stdout) == table_of(shown_after("main-command"))


def table_of(report: str) -> list[str]:
    """Return the lines of a report, without what differs between two runs."""
    lines = [line.rstrip() for line in report.strip().splitlines()]
    return [re.sub(r", \d+\.\d s$", "", line) for line in lines if line]


@pytest.mark.parametrize("number", range(3))
def test_the_readme_shows_what_its_commands_print(number: int, home: Path) -> None:
    """On a terminal of 100 columns, the answers are those that are shown, to the letter."""
    shown = run_on_terminal(commands("sample-commands")[number], home)
    without_codes = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert without_codes.split("\n") == shown_after("sample-commands", number).split("\n")


@pytest.mark.parametrize(
    ("document", "mark"),
    [
        ("README.md", "python-tour"),
        ("README.md", "tools-tour"),
        ("docs/programs.md", "program"),
    ],
)
def test_the_programs_of_the_documents_print_what_is_shown(document: str, mark: str) -> None:
    """Each Python program runs as it stands, and prints what stands below it."""
    text = (ROOT / document).read_text("utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", "-c", block(mark, text)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == shown_after(mark, text=text)
