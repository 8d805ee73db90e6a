"""`session-query show`: an event with its neighbours, or a surface (CLI-1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click
from rich.text import Text
from session_query import EventWindow, SessionEvent, SessionHeader

from session_query_sqlite.cli._application import Application, Job
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._completion import complete_session
from session_query_sqlite.cli._content import parts
from session_query_sqlite.cli._events import TYPE_STYLES
from session_query_sqlite.cli._help import Command, Option
from session_query_sqlite.cli._neutral import visible
from session_query_sqlite.cli._sessions import kinship, resolve, title_text
from session_query_sqlite.cli._times import iso_local, iso_utc, local_and_utc

__all__ = ["show_command"]

_CLIPPED_ROWS = 12
_WRAPPED = 20_000
"""Longer lines are left to the terminal to wrap."""


@click.command(
    "show",
    cls=Command,
    short_help="Show an event with its neighbours, or what the model sees.",
    examples=[
        ("One event, and three on either side", "session-query show 9f3a 12 -B 3 -A 3"),
        ("What the model sees of a session now", "session-query show 9f3a"),
        ("The same, in a pager", "session-query show 9f3a --full | less"),
        ("One raw event", "session-query show 9f3a 12 --json | jq .target"),
    ],
)  # fmt: skip
@click.argument("session", shell_complete=complete_session)
@click.argument("seq", type=int, required=False)
@Option.of(
    "--before", "-B", metavar="N", type=click.IntRange(min=0), default=0,
    show_default=True, section="Output",
    help="Show so many events before SEQ too.",
)  # fmt: skip
@Option.of(
    "--after", "-A", metavar="N", type=click.IntRange(min=0), default=0,
    show_default=True, section="Output",
    help="Show so many events after SEQ too.",
)  # fmt: skip
@Option.of(
    "--surface", is_flag=True, section="Output",
    help="Show the events that the model sees now, in its order; so does leaving out SEQ.",
)  # fmt: skip
@Option.of(
    "--full", is_flag=True, section="Output",
    help=f"Don't cut the events beside SEQ, or of a surface, after {_CLIPPED_ROWS} rows; they are"
    " cut on a terminal only.",
)  # fmt: skip
@common_options
@click.pass_obj
def show_command(  # noqa: PLR0913, PLR0917 - click passes them by name
    application: Application,
    session: str,
    seq: int | None,
    before: int,
    after: int,
    surface: bool,  # noqa: FBT001
    full: bool,  # noqa: FBT001
) -> int:
    """Show an event of a session with its neighbours, or the surface: what the model sees.

    SESSION is an id or the unique beginning of one; SEQ is the number of an event, which every hit
    tells. Everything that was recorded is shown, reasoning too.
    """
    if seq is None and (before or after):
        raise click.UsageError("--before and --after need a SEQ: show SESSION SEQ --before 3")
    if seq is not None and surface:
        raise click.UsageError("a SEQ and --surface exclude each other; leave one out")

    async def operation(job: Job) -> int:
        name = await resolve(job, session)
        if seq is None:
            await _show_surface(job, name, full=full)
        else:
            window = await job.engine.read_event(name, seq, before, after, job.signal)
            await _show_window(job, window, full=full)
        return 0

    return application.read(operation)


async def _show_surface(job: Job, session_id: str, *, full: bool) -> None:
    snapshot = await job.engine.read_surface(session_id, job.signal)
    if not job.output.for_people:
        job.output.json(snapshot.to_json())
        return
    await _print_header(job, snapshot.header)
    _print_events(job, snapshot.events, None, full=full)
    if not snapshot.events and job.output.on_terminal:
        job.output.line(Text("The model sees nothing of this session.", style="dim"))


async def _show_window(job: Job, window: EventWindow, *, full: bool) -> None:
    if not job.output.for_people:
        job.output.json(window.to_json())
        return
    await _print_header(job, window.header)
    _print_events(job, window.events, window.target.seq, full=full)


async def _print_header(job: Job, header: SessionHeader) -> None:
    if not job.output.on_terminal:
        return
    [title] = await job.engine.read_titles([header.id], job.signal)
    job.output.line(title_text(title))
    job.output.line(
        Text.assemble(
            (visible(header.id), "cyan"), "  ", (local_and_utc(header.created_at), "green")
        )
    )
    relation = kinship(header)
    parent = f" · {relation} {visible(header.parent_session or '')}" if relation else ""
    cwd = "(no workspace)" if header.cwd is None else visible(header.cwd)
    job.output.line(Text(f"{cwd}{parent}", style="dim"))


def _print_events(
    job: Job, events: Iterable[SessionEvent], target: int | None, *, full: bool
) -> None:
    for event in events:
        if job.output.on_terminal:
            job.output.line()
            _print_event(job, event, target, clipped=not full and event.seq != target)
        else:
            _print_plain(job, event)


def _print_event(job: Job, event: SessionEvent, target: int | None, *, clipped: bool) -> None:
    output = job.output
    is_target = event.seq == target
    output.line(
        Text.assemble(
            ("▶ " if is_target else "", "bold yellow"),
            (f"{event.seq}", "bold cyan"),
            (f" {visible(event.type)} ", TYPE_STYLES.get(event.type, "dim")),
            (local_and_utc(event.time), "green"),
        )
    )
    lines = _styled_lines(event)
    for style, line in _clipped(lines, max(output.width - 2, 1)) if clipped else lines:
        output.line(Text(line, style), indent=2, wrap=len(line) <= _WRAPPED)


def _clipped(lines: Iterable[tuple[str, str]], width: int) -> Iterator[tuple[str, str]]:
    """Yield lines as far as they fit into some rows, and a hint where they don't."""
    left = _CLIPPED_ROWS
    for style, line in lines:
        if left > 0:
            yield style, line[: left * width]
        left -= max(1, -(-len(line) // width))
        if left < 0:
            yield "dim italic", "… cut here; --full shows the rest"
            return


def _styled_lines(event: SessionEvent) -> Iterator[tuple[str, str]]:
    for part in parts(event):
        if part.label:
            yield ("dim italic" if part.dim else "magenta"), part.label
        for line in part.text.rstrip("\n").split("\n"):
            yield ("dim" if part.dim else ""), line


def _print_plain(job: Job, event: SessionEvent) -> None:
    """Print an event for a file or a pager: a heading and its lines, indented."""
    output = job.output
    output.row(event.seq, iso_local(event.time), iso_utc(event.time), event.type)
    for part in parts(event):
        if part.label:
            output.raw(f"  [{part.label}]")
        for line in part.text.rstrip("\n").split("\n"):
            output.raw(f"  {line}")
