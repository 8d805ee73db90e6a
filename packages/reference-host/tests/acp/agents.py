"""An agent process, and the other end of its pipes: raw lines, kept byte by byte."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from ..scripts import environment

__all__ = ["CWD", "LIMIT_SECONDS", "Agent", "Message", "command", "running", "stays_running"]

Message = dict[str, Any]

CWD: Final = "/srv/orbit/launch-api"
"""The directory of most of the recorded sessions; it need not exist."""

LIMIT_SECONDS: Final = 30.0
"""How long a test waits for what must happen: it fails, and never hangs."""


def command(composition: str, state: Path, *more: str) -> list[str]:
    """The command of an agent."""
    host = [sys.executable, "-m", "reference_host", "acp"]
    return [*host, "--composition", composition, "--state", str(state), *more]


class Agent:
    """A process that speaks in lines of JSON, and a client that is as rude as a test wants.

    Attributes:
        process: the process, leader of a group of its own.
        raw: all that it has written to stdout, once it has ended.
        updates: the notifications that came while an answer was waited for.
        reads: cleared by a test whose client stops reading stdout.
    """

    def __init__(self, process: subprocess.Popen[bytes], stderr: Path) -> None:
        self.process = process
        self._stderr = stderr
        self.updates: list[Message] = []
        self.raw = bytearray()
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reading: threading.Thread | None = None
        self._next_id = 0
        self.reads = threading.Event()
        self.reads.set()
        if process.stdout is not None:
            arguments = (process.stdout,)
            self._reading = threading.Thread(target=self._read, args=arguments, daemon=True)
            self._reading.start()

    def _read(self, stdout: IO[bytes]) -> None:
        for line in stdout:
            self.raw += line
            self._lines.put(line)
            self.reads.wait()
        self._lines.put(None)

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def stderr(self) -> str:
        """What it has written to stderr so far."""
        return self._stderr.read_text("utf-8", "replace")

    def send_line(self, line: bytes) -> None:
        """Send a line as it is."""
        self.stdin.write(line + b"\n")
        self.stdin.flush()

    def send(self, message: object) -> None:
        """Send a value as one line of JSON."""
        self.send_line(json.dumps(message).encode())

    def start(self, method: str, params: Mapping[str, Any]) -> int:
        """Send a request and return its id."""
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        self.send(message)
        return self._next_id

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def receive(self) -> Message:
        """Return the next message; EOFError at the end."""
        try:
            line = self._lines.get(timeout=LIMIT_SECONDS)
        except queue.Empty:
            raise AssertionError(f"nothing came; on stderr is: {self.stderr}") from None
        if line is None:
            raise EOFError(self.stderr)
        message = json.loads(line)
        assert isinstance(message, dict), line
        return message

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """Return the next message of a kind; the ones before are kept as `updates`."""
        while not wanted(message := self.receive()):
            self.updates.append(message)
        return message

    def answer(self, request_id: object) -> Message:
        """Return the answer to a request."""
        return self.until(lambda one: "method" not in one and one["id"] == request_id)

    def ask(self, method: str, **params: Any) -> Message:
        """Send a request and return the whole answer."""
        return self.answer(self.start(method, params))

    def result(self, method: str, **params: Any) -> Any:
        """Send a request that succeeds and return its result."""
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def refusal(self, method: str, **params: Any) -> Any:
        """Send a request that fails and return its error."""
        answer = self.ask(method, **params)
        assert "error" in answer, answer
        return answer["error"]

    def new_session(self, cwd: str = CWD) -> str:
        """Make a session and return its id."""
        return str(self.result("session/new", cwd=cwd, mcpServers=[])["sessionId"])

    def begin(self, session_id: str, text: str = "Go on.") -> int:
        """Begin a turn and return the id of the request."""
        prompt = [{"type": "text", "text": text}]
        return self.start("session/prompt", {"sessionId": session_id, "prompt": prompt})

    def prompt(self, session_id: str, text: str = "Go on.") -> Any:
        """Run a turn and return its stop reason."""
        answer = self.answer(self.begin(session_id, text))
        assert "result" in answer, answer
        return answer["result"]["stopReason"]

    def update(self, kind: str, **fields: object) -> Message:
        """Wait for an update of a kind with these fields and return it."""

        def wanted(message: Message) -> bool:
            shown = message.get("params", {}).get("update", {})
            alike = all(shown.get(name) == value for name, value in fields.items())
            return shown.get("sessionUpdate") == kind and alike

        update: Message = self.until(wanted)["params"]["update"]
        return update

    def close_stdin(self) -> None:
        """Leave as a client does that is done."""
        self.stdin.close()

    def ended(self, seconds: float = LIMIT_SECONDS) -> int:
        """Wait until the process has ended by itself, and return its exit code."""
        code = self.process.wait(seconds)
        self.all_read()
        return code

    def all_read(self) -> None:
        """Wait until all that was written has been read."""
        self.reads.set()
        if self._reading is not None:
            self._reading.join(LIMIT_SECONDS)
            assert not self._reading.is_alive(), "somebody keeps stdout open"

    def leave(self) -> bytes:
        """Close stdin, see the process end well, and return all that was on stdout."""
        self.close_stdin()
        assert self.ended() == 0, self.stderr
        assert not stays_running(self.process)
        return bytes(self.raw)


@contextmanager
def running(
    argv: list[str],
    folder: Path,
    *,
    stdin: int | IO[bytes] = subprocess.PIPE,
    stdout: int | IO[bytes] = subprocess.PIPE,
    pass_fds: tuple[int, ...] = (),
) -> Iterator[Agent]:
    """Run an agent in a process group of its own, and kill what is left of it at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    stderr = folder / "stderr.txt"
    with (
        stderr.open("ab") as errors,
        subprocess.Popen(
            argv,
            stdin=stdin,
            stdout=stdout,
            stderr=errors,
            cwd=folder,
            env=environment(),
            start_new_session=True,
            pass_fds=pass_fds,
        ) as process,
    ):
        agent = Agent(process, stderr)
        try:
            yield agent
        finally:
            agent.reads.set()
            if process.poll() is None or stays_running(process):
                os.killpg(process.pid, signal.SIGKILL)
            agent.all_read()
            if process.stdin is not None:
                with suppress(BrokenPipeError):
                    process.stdin.close()


def stays_running(process: subprocess.Popen[bytes]) -> bool:
    """Whether anything is left of the group of a process that has ended."""
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True
