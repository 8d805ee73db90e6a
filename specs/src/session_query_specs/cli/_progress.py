"""How far a run is: a bar on a terminal, and a line for each check elsewhere (CONF-16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from session_query_specs.running import CheckResult

__all__ = ["shown_progress"]


@contextmanager
def shown_progress(*, enabled: bool) -> Iterator[Callable[[CheckResult, int], None] | None]:
    """Show on standard error how far a run is; yields what is to be told of each verdict."""
    console = Console(stderr=True)
    if not enabled:
        yield None
    elif console.is_terminal:
        with _bar(console) as bar:
            task = bar.add_task("", total=None)

            def moved(result: CheckResult, total: int) -> None:
                told = f"{result.name} {result.status.value}"
                bar.update(task, advance=1, total=total, description=told)

            yield moved
    else:
        done = 0

        def printed(result: CheckResult, total: int) -> None:
            nonlocal done
            done += 1
            click.echo(f"{done}/{total} {result.name} {result.status.value}", err=True)

        yield printed


def _bar(console: Console) -> Progress:
    return Progress(
        MofNCompleteColumn(),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
    )
