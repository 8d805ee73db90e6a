"""The command `reference-host` as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..scripts import environment

__all__ = ["LIMIT_SECONDS", "Ended", "host", "host_command"]

LIMIT_SECONDS: Final = 30.0


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[Any]:
        """Its lines of JSON."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def complaint(self) -> str:
        """The one line that it has written to stderr."""
        (line,) = self.stderr.splitlines()
        return line


def host_command(command: str, composition: str, state: Path, *more: str) -> list[str]:
    """The command line of a host."""
    host_module = [sys.executable, "-m", "reference_host"]
    return [*host_module, command, "--composition", composition, "--state", str(state), *more]


def host(
    argv: list[str],
    folder: Path,
    *,
    stdin: bytes = b"",
    extra: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command to its end."""
    done = subprocess.run(
        argv,
        input=stdin,
        capture_output=True,
        timeout=LIMIT_SECONDS,
        cwd=folder,
        env={**environment(), **(extra or {})},
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
