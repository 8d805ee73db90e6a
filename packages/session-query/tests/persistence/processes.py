"""Writers in other processes, to be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class WriterProcess:
    """Runs one task of `writer_process.py` after another, each in a new process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._child: int | None = None

    def start(self, task: str, *arguments: object) -> None:
        """Begin a task."""
        self.tell(json.dumps([task, *arguments]))
        self._child = int(self._line())

    def tell(self, text: str) -> None:
        """Send a line to the task."""
        assert self._process.stdin is not None
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def hear(self) -> str | None:
        """Return the next line of the task; None when it has ended."""
        text = self._line()
        if not text.startswith("ended "):
            return text
        self._child = None
        return None

    def kill(self) -> list[str]:
        """Kill the task at once, as with `kill -9`; return what it had still said."""
        if self._child is None:
            return []
        os.kill(self._child, signal.SIGKILL)
        return self.rest()

    def rest(self) -> list[str]:
        """Wait for the end of the task; return what it said until then."""
        found = []
        while (text := self.hear()) is not None:
            found.append(text)
        return found

    def _line(self) -> str:
        assert self._process.stdout is not None
        text = self._process.stdout.readline()
        assert text, "the writer process has died"
        return text.rstrip("\n")


@contextmanager
def writer_process() -> Iterator[WriterProcess]:
    """Start a process that serves tasks, and end it and its task when the test is over."""
    script = Path(__file__).with_name("writer_process.py")
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        writer = WriterProcess(process)
        try:
            assert writer.hear() == "serving"
            yield writer
        finally:
            writer.kill()
            process.kill()
