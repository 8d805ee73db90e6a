"""`session-query index`: bring the index up to date on purpose (CLI-5)."""

from __future__ import annotations

from collections.abc import Mapping

import click
from rich.text import Text

from session_query_sqlite import IndexReport
from session_query_sqlite.cli._application import Application, Job
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._help import Command
from session_query_sqlite.cli._logging import LeftOut, left_out
from session_query_sqlite.cli._neutral import visible

__all__ = ["index_command", "print_report", "refreshed"]


@click.command(
    "index",
    cls=Command,
    short_help="Bring the index up to date, and report what was done.",
    examples=[
        ("Before a long flight", "session-query index"),
        ("Into a file of your own", "session-query index --index ~/sessions.sqlite"),
        ("From a timer, with the report as JSON", "session-query index --json"),
    ],
)
@common_options
@click.pass_obj
def index_command(application: Application) -> int:
    """Bring the index up to date with the store, and remove what is gone from it for good.

    Searches do the former by themselves. The report tells how many sessions were indexed, how many
    were removed, how many had not changed, and which were skipped and why.
    """

    async def operation(job: Job) -> int:
        report, reasons = await refreshed(job)
        print_report(job, report, reasons)
        return 0

    return application.search(operation)


async def refreshed(job: Job) -> tuple[IndexReport, Mapping[str, LeftOut]]:
    """Bring the index up to date; return the report, and all that the store left out with why."""
    with left_out() as reasons, job.output.progress("Indexing") as advance:
        report = await job.engine.refresh(job.signal, advance)
    for session_id, code in report.skipped:
        reasons.setdefault(visible(session_id), LeftOut(code, ""))
    return report, reasons


def print_report(job: Job, report: IndexReport, reasons: Mapping[str, LeftOut]) -> None:
    """Print what was done; sessions that the store can't even list count as skipped too."""
    output = job.output
    skipped = sorted(reasons.items())
    if not output.for_people:
        told = [
            {"sessionId": name, "code": found.code, "reason": found.reason}
            for name, found in skipped
        ]
        output.json({**report.to_json(), "reasons": told})
    elif not output.on_terminal:
        for what in ("indexed", "removed", "unchanged"):
            output.row(what, getattr(report, what))
        output.row("skipped", len(skipped))
        for name, found in skipped:
            output.row("skipped", name, found.code, found.reason)
    else:
        output.line(
            Text.assemble(
                (f"{report.indexed} indexed", "bold green" if report.indexed else ""),
                f"  {report.removed} removed  {report.unchanged} unchanged  ",
                (f"{len(skipped)} skipped", "bold red" if skipped else ""),
            )
        )
        for name, found in skipped:
            output.line(Text.assemble(("  ✗ ", "red"), (name, "cyan"), f"  {found.told}"))
