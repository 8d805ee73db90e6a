"""Guides as their tests see them: files to write, and commands with what they print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"

_BLOCK = re.compile(
    r"<!-- (?P<file>[\w./-]+) -->\n```\w+\n(?P<content>.*?)^```$"
    r"|^```console\n(?P<console>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


def blocks(guide: str) -> Iterator[tuple[str, str]]:
    """Yield each marked file with its content, and each console as `("", what it shows)`."""
    for found in _BLOCK.finditer((DOCS / guide).read_text("utf-8")):
        yield found["file"] or "", found["content"] or found["console"]


def commands(console: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a console with the lines that are shown below it."""
    for piece in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, *shown = piece.splitlines()
        yield command, shown


def run(command: str, folder: Path, programs: Path | None = None) -> str:
    """Run a command in a folder, on a screen of 100 columns; return what it prints."""
    name, *rest = shlex.split(command)
    program = (programs or Path(sys.executable).parent) / name
    done = subprocess.run(
        [str(program), *rest],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", "PYTHONUTF8": "1", "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def without_numbers(lines: list[str]) -> list[str]:
    """Return lines in which no count, time or version is left."""
    return [re.sub(r"(?<![\w#-])\d+(\.\d+)*(\.dev\d+)?", "N", line.rstrip()) for line in lines]


def missing(shown: list[str], printed: str) -> list[str]:
    """Return the first run of shown lines that was not printed, numbers aside; `…` is anything."""
    lines = without_numbers(printed.splitlines())
    at = 0
    for gap, run_of in groupby(without_numbers(shown), lambda line: line == "…"):
        wanted = list(run_of)
        if gap:
            continue
        size = len(wanted)
        places = (n for n in range(at, len(lines) - size + 1) if lines[n : n + size] == wanted)
        found = next(places, None)
        if found is None:
            return wanted
        at = found + size
    return []
