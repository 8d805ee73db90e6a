"""`session-query events`: the records of one session (CLI-1)."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.text import Text
from session_query import EventDocument, EventRecord, normalize_event_filters

from session_query_sqlite.cli._application import Application, Job
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._completion import complete_session
from session_query_sqlite.cli._filters import EventChoice, event_options
from session_query_sqlite.cli._help import Command, Option
from session_query_sqlite.cli._neutral import visible, visible_line
from session_query_sqlite.cli._sessions import resolve
from session_query_sqlite.cli._times import iso_local, iso_utc, moment

__all__ = ["TYPE_STYLES", "events_command"]

TYPE_STYLES = {
    "user/message": "bold blue",
    "assistant/message": "bold",
    "tool/result": "yellow",
    "tool/call": "yellow",
    "session/title": "",
    "todo/write": "",
    "turn/end": "",
}
"""How the types with text look; the others step back."""

_SURFACE_MARKS = {
    "current": ("●", "green"),
    "shadowed": ("○", "yellow"),
    "log-only": ("·", "dim"),
}
"""How the surface of an event is shown where there is little room."""

_PREVIEW = 4_000
"""So much of a text is looked at for one line of it."""


@click.command(
    "events",
    cls=Command,
    short_help="List the events of one session.",
    examples=[
        ("All of them", "session-query events 9f3a"),
        ("What the model sees now", "session-query events 9f3a --surface current"),
        ("The whole texts that hold a phrase, as JSON",
         'session-query events 9f3a --text "rate limit" --json'),
    ],
)  # fmt: skip
@click.argument("session", shell_complete=complete_session)
@event_options
@Option.of(
    "--text",
    metavar="TEXT",
    section="Which events",
    help="Only events whose text holds this literally, case and white space aside; also inside"
    " words.",
)
@Option.of(
    "--with-text",
    is_flag=True,
    section="Which events",
    help="Only events with searchable text, and all of it in the last field, as with --text.",
)
@Option.of(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1),
    section="Output",
    help="Print at most so many, and say if there are more; without it, all.",
)
@common_options
@click.pass_obj
def events_command(  # noqa: PLR0913, PLR0917 - click passes them by name
    application: Application,
    session: str,
    events: EventChoice,
    text: str | None,
    with_text: bool,  # noqa: FBT001 - likewise
    limit: int | None,
) -> int:
    """List the events of one session, in the order of its log.

    SESSION is an id or the unique beginning of one. Elsewhere than on a terminal, each event is one
    line of fields between tabs: seq, time (local), time (UTC), surface, type, text.
    """

    async def operation(job: Job) -> int:
        filters = events.filters(text)
        admitted = normalize_event_filters(filters, "filters", text=True).compiled
        name = await resolve(job, session)
        texts = await job.engine.filter_events(name, filters, job.signal)
        found: Sequence[EventRecord | EventDocument] = texts
        if text is None and not with_text:
            known = {document.seq: document for document in texts}
            found = [
                record if not job.output.for_people else known.get(record.seq, record)
                for record in await job.engine.list_events(name, job.signal)
                if admitted.admits(record.seq, record.type, record.time, record.surface)
            ]
        shown = found[:limit]
        _print(job, shown)
        if len(shown) < len(found):
            job.output.more(f"{len(found) - len(shown)} more; raise --limit to see them")
        return 0 if shown else 1

    return application.read(operation)


def _print(job: Job, events: Sequence[EventRecord | EventDocument]) -> None:
    output = job.output
    if not output.for_people:
        for event in events:
            output.json(event.to_json())
    elif not output.on_terminal:
        for event in events:
            output.row(
                event.seq, iso_local(event.time), iso_utc(event.time), event.surface, event.type,
                event.text if isinstance(event, EventDocument) else "",
            )  # fmt: skip
    else:
        _print_table(job, events)


def _print_table(job: Job, events: Sequence[EventRecord | EventDocument]) -> None:
    output = job.output
    wide = max((len(str(event.seq)) for event in events), default=1)
    types = min(max((len(event.type) for event in events), default=1), 24)
    day = None
    for event in events:
        clocks = moment(event.time)
        if clocks is None:
            heading, at = None, f"{event.time} ms"
        else:
            offset = clocks.local.isoformat()[-6:]
            heading = f"{clocks.local.date()} {offset}"
            at = f"{clocks.local:%H:%M:%S} ({clocks.utc:%H:%M:%S}Z)"
        if heading is not None and heading != day:
            output.line(Text(heading, style="bold"))
            day = heading
        preview = event.text[:_PREVIEW] if isinstance(event, EventDocument) else ""
        output.line(
            Text.assemble(
                (f"{event.seq:>{wide}} ", "bold cyan"),
                _SURFACE_MARKS[event.surface],
                (f" {at} ", "green"),
                (f"{visible(event.type):<{types}} ", TYPE_STYLES.get(event.type, "dim")),
                (visible_line(preview), ""),
            ),
            crop=True,
        )
    legend = "  ".join(f"{mark} {surface}" for surface, (mark, _) in _SURFACE_MARKS.items())
    if events:
        output.line(Text(legend, style="dim"))
