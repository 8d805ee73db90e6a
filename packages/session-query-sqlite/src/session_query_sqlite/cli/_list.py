"""`session-query list`: the sessions of the store, newest first (CLI-1)."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.text import Text
from session_query import SessionRecord, TitleResult

from session_query_sqlite.cli._application import Application, Job
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._filters import SessionChoice, session_options
from session_query_sqlite.cli._gaps import tell_gaps
from session_query_sqlite.cli._help import Command, Option
from session_query_sqlite.cli._logging import left_out
from session_query_sqlite.cli._neutral import visible
from session_query_sqlite.cli._sessions import ShortIds, kinship, title_text, titles
from session_query_sqlite.cli._times import iso_local, iso_utc, local_and_utc

__all__ = ["availability", "list_command", "session_details"]

_BATCH = 32
"""So many titles are read before their sessions are printed."""


@click.command(
    "list",
    cls=Command,
    short_help="List sessions, newest first.",
    examples=[
        ("The last ten of this workspace", 'session-query list --cwd "$PWD" --limit 10'),
        ("What was delegated from one session", "session-query list --parent 9f3a"),
        ("The ids of last week's sessions, for a script",
         "session-query list --created-from 2026-03-02 --no-titles | cut -f1"),
    ],
)  # fmt: skip
@session_options
@Option.of(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1),
    help="Print at most so many, and say if there are more; without it, all.",
    section="Output",
)
@Option.of(
    "--titles/--no-titles",
    default=None,
    help="Read each log for its title. With --json, print the titles instead of the records."
    " [default: --titles, but with --json --no-titles]",
    section="Output",
)
@common_options
@click.pass_obj
def list_command(
    application: Application,
    sessions: SessionChoice,
    limit: int | None,
    titles: bool | None,  # noqa: FBT001 - click passes it by name
) -> int:
    """List sessions, newest first, with their titles.

    No log is opened but for its title. Elsewhere than on a terminal, each session is one line of
    fields between tabs: id, created (local), created (UTC), availability, what it is to its parent,
    parent, workspace, title.
    """
    titled = application.output.for_people if titles is None else titles

    async def operation(job: Job) -> int:
        with left_out() as reasons:
            found = await job.engine.filter_sessions(await sessions.filters(job), job.signal)
            shown = found[:limit]
            await _print(job, shown, titled=titled)
        if len(shown) < len(found):
            job.output.more(f"{len(found) - len(shown)} more; raise --limit to see them")
        await tell_gaps(job, reasons, found=bool(shown))
        return 0 if shown else 1

    return application.read(operation)


async def _print(job: Job, records: Sequence[SessionRecord], *, titled: bool) -> None:
    output = job.output
    ids = await ShortIds.of(job)
    if not titled:
        for record in records:
            _print_one(job, record, None, ids)
        return
    for start in range(0, len(records), _BATCH):
        batch = records[start : start + _BATCH]
        results = await titles(job, [record.id for record in batch])
        for record in batch:
            if output.for_people:
                _print_one(job, record, results[record.id], ids)
            else:
                output.json(results[record.id].to_json())


def _print_one(job: Job, record: SessionRecord, title: TitleResult | None, ids: ShortIds) -> None:
    output, header = job.output, record.header
    if not output.for_people:
        output.json(record.to_json())
    elif output.on_terminal:
        indent = 0 if title is None else 2
        if title is not None:
            output.line(title_text(title), crop=True)
        created = Text(local_and_utc(header.created_at), "green")
        named = Text("  ").join([ids.text(record.id), created])
        output.joined([named, session_details(record, ids)], indent=indent)
    else:
        output.row(
            visible(record.id),
            iso_local(header.created_at),
            iso_utc(header.created_at),
            availability(record),
            kinship(header) or "",
            header.parent_session or "",
            "" if header.cwd is None else header.cwd,
            title_text(title).plain,
        )


def session_details(record: SessionRecord, ids: ShortIds) -> Text:
    """Return where a session belongs: its workspace, its availability and its parent."""
    header = record.header
    text = Text(style="dim")
    text.append("(no workspace)" if header.cwd is None else visible(header.cwd))
    text.append(f" · {availability(record)}")
    if (relation := kinship(header)) is not None and header.parent_session is not None:
        text.append(f" · {relation} {ids.short(header.parent_session)}", "magenta")
    return text


def availability(record: SessionRecord) -> str:
    """Return which sources hold a session."""
    return "+".join(
        name for name, holds in (("live", record.live), ("persisted", record.persisted)) if holds
    )
