"""How far a long operation has come, shown on standard error (CLI-5)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["Advance", "bar_progress", "plain_progress"]

Advance: TypeAlias = Callable[[int, int], None]
"""Is told how many of how many are done."""


@contextmanager
def bar_progress(what: str, console: Console) -> Iterator[Advance]:
    """Show a bar that is gone at the end; none where there is nothing to do."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(what, total=None)

    def advance(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        if not bar.live.is_started:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()


@contextmanager
def plain_progress(what: str) -> Iterator[Advance]:
    """Count on one line that is written over, without any escape sequence."""
    shown = ""

    def write(line: str) -> None:
        nonlocal shown
        sys.stderr.write(f"\r{line:{len(shown)}}" + (f"\r{line}" if len(line) < len(shown) else ""))
        sys.stderr.flush()
        shown = line

    try:
        yield lambda done, total: write(f"{what} {done}/{total}")
    finally:
        if shown:
            write("")
