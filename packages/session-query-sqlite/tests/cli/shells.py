"""The command as a shell runs it: in this process, in another one, on a terminal."""

from __future__ import annotations

import asyncio
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from session_query import JsonlPersistence, SessionEvent, SessionHeader
from session_query_sqlite.cli import main

from ..corpora import CREATED, log

COMMAND = (sys.executable, "-c", "from session_query_sqlite.cli import main; exit(main())")


class Outcome(NamedTuple):
    """What a run of the command came to."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def rows(self) -> list[list[str]]:
        """The fields of each line."""
        return [line.split("\t") for line in self.out.split("\n")[:-1]]

    @property
    def values(self) -> list[Any]:
        """The JSON value of each line."""
        return [json.loads(line) for line in self.out.split("\n")[:-1]]


def damage(path: Path) -> None:
    """Break the second line of a log, and end its turn after that, so that it isn't a mere tail."""
    header = path.read_bytes().splitlines()[0]
    ending = b'{"type":"turn/end","seq":1,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}'
    path.write_bytes(b"\n".join([header, b'{"broken', ending, b""]))


class Shell:
    """Runs the command on one store and one index below a folder."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "store"
        self.index = folder / "cache" / "index.sqlite"
        self.root.mkdir(exist_ok=True)

    def write(self, session_id: str, events: Sequence[SessionEvent], **fields: Any) -> None:
        """Write a session into the store."""
        head = {"version": 0, "created_at": CREATED, **fields}
        persistence = JsonlPersistence(self.root, compression="none")

        async def append() -> None:
            async with persistence:
                await persistence.append(SessionHeader(id=session_id, **head), events)

        asyncio.run(append())

    def say(self, session_id: str, *texts: str, **fields: Any) -> None:
        """Write a session of user messages into the store."""
        self.write(session_id, log(*texts), **fields)

    def log_of(self, session_id: str) -> Path:
        """Return the file of a session."""
        [path] = self.root.glob(f"*/{session_id}/session.jsonl")
        return path

    @property
    def options(self) -> list[str]:
        return ["--root", str(self.root), "--index", str(self.index)]

    def run(self, *arguments: str, encoding: str = "utf-8") -> Outcome:
        """Run the command in this process, with its output going into pipes."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding, newline="\n") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*self.options, *arguments])
        texts = []
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
        return Outcome(code, *texts)

    def spawn(
        self, *arguments: str, environment: Mapping[str, str] | None = None, **settings: Any
    ) -> subprocess.Popen[bytes]:
        """Start the command in a process of its own."""
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
        return subprocess.Popen(
            [*COMMAND, *self.options, *arguments],
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
            **settings,
        )

    def process(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Outcome:
        """Run the command in a process of its own, to its end."""
        process = self.spawn(*arguments, environment=environment)
        out, err = process.communicate()
        return Outcome(process.returncode, out.decode(), err.decode())

    def terminal(
        self, *arguments: str, columns: int = 100, environment: Mapping[str, str] | None = None
    ) -> Outcome:
        """Run the command on a terminal; what it shows and what it says on stderr come as one."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        unset = {"NO_COLOR", "COLUMNS", "FORCE_COLOR"}
        inherited = {key: value for key, value in os.environ.items() if key not in unset}
        process = subprocess.Popen(
            [*COMMAND, *self.options, *arguments],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**inherited, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})},
        )
        os.close(follower)
        shown = b""
        while piece := _read(leader):
            shown += piece
        os.close(leader)
        return Outcome(process.wait(), shown.decode().replace("\r\n", "\n"), "")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # all who could write to the terminal are gone
        return b""
