"""`session-query search`: sessions, or the events of one, that hold a text (CLI-4)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import click
from rich.text import Text
from session_query import (
    EventFilter,
    EventHit,
    EventSearchRequest,
    SessionHit,
    SessionRecord,
    SessionSearchRequest,
)

from session_query_sqlite.cli._application import Application, Job
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._completion import complete_session
from session_query_sqlite.cli._filters import (
    EventChoice,
    SessionChoice,
    event_options,
    session_options,
)
from session_query_sqlite.cli._gaps import tell_gaps, typed_filters
from session_query_sqlite.cli._help import Command, Option
from session_query_sqlite.cli._highlight import Highlighter, how_matched
from session_query_sqlite.cli._list import session_details
from session_query_sqlite.cli._logging import left_out
from session_query_sqlite.cli._neutral import visible
from session_query_sqlite.cli._sessions import ShortIds, resolve, title_text, titles
from session_query_sqlite.cli._times import iso_local, iso_utc, local_and_utc

__all__ = ["search_command"]

Mode: TypeAlias = Literal["phrase", "all", "any"]
Hit = TypeVar("Hit", SessionHit, EventHit)


@click.command(
    "search",
    cls=Command,
    short_help="Search sessions, or the events of one.",
    examples=[
        ("Words in any order, close together", "session-query search rocket launched"),
        ("Only this very phrase, in this workspace",
         'session-query search --match phrase --cwd "$PWD" "connection refused"'),
        ("What was asked since March",
         "session-query search migration --type user/message --time-from 2026-03-01"),
        ("All hits in one session", "session-query search --in 9f3a timeout --limit 100"),
        ("A query that begins with a dash", 'session-query search -- "--no-verify"'),
    ],
)  # fmt: skip
@click.argument("query", nargs=-1, required=True)
@Option.of(
    "--match",
    type=click.Choice(["auto", "phrase", "all", "any"]),
    default="auto",
    show_default=True,
    section="How",
    help="auto: hits of the whole phrase, then of any of its words. phrase: the words side by side,"
    " in order. all, any: all or any of the words, hits with most of them close together first.",
)
@Option.of(
    "--in",
    "within",
    metavar="SESSION",
    shell_complete=complete_session,
    section="How",
    help="Search the events of this session, instead of one hit for each session.",
)
@Option.of(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1, max=100_000),
    default=20,
    show_default=True,
    section="How",
    help="Print at most so many hits, and say if there are more.",
)
@session_options
@event_options
@common_options
@click.pass_obj
def search_command(  # noqa: PLR0913, PLR0917 - click passes them by name
    application: Application,
    query: tuple[str, ...],
    match: str,
    within: str | None,
    limit: int,
    sessions: SessionChoice,
    events: EventChoice,
) -> int:
    """Search what was said and done in sessions; each session is one hit, the strongest first.

    QUERY is literal text: no character of it is an operator. Upper and lower case, accents and
    white space don't matter. The index is brought up to date first.

    Elsewhere than on a terminal, each hit is one line of fields between tabs: session, seq, how it
    matched, time (local), time (UTC), surface, type, workspace, title, snippet.
    """
    text = " ".join(query)
    modes: Sequence[Mode] = ("phrase", "any") if match == "auto" else (_MODES[match],)
    # what is wrong with a query is told before the index is touched
    highlighter = Highlighter(text, application.config().segmentation)
    asked = _Asked(text, modes, events.filters(), limit, highlighter, typed_filters())
    if within is not None:
        if sessions != SessionChoice():
            raise click.UsageError("--in names one session; leave out the options on sessions")
        return application.search(lambda job: _in_session(job, within, asked), limit)
    return application.search(lambda job: _in_store(job, sessions, asked), limit)


_MODES: dict[str, Mode] = {"phrase": "phrase", "all": "all", "any": "any"}


@dataclass(frozen=True, slots=True)
class _Hits(Generic[Hit]):
    items: Sequence[Hit]
    more: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is searched for: the words, how, among which events, how many, and what was typed."""

    query: str
    modes: Sequence[Mode]
    filters: Sequence[EventFilter]
    limit: int
    highlighter: Highlighter
    narrowed: str


async def _collect(
    ask: Callable[[Mode], Coroutine[Any, Any, tuple[Sequence[Hit], bool]]],
    key: Callable[[Hit], object],
    asked: _Asked,
) -> _Hits[Hit]:
    """Return the hits of each mode that are not among those before, as many as are wanted."""
    hits: dict[object, Hit] = {}
    for mode in asked.modes:
        found, more = await ask(mode)
        for hit in found:
            hits.setdefault(key(hit), hit)
        if more or len(hits) > asked.limit:
            return _Hits(tuple(hits.values())[: asked.limit], more=True)
    return _Hits(tuple(hits.values()), more=False)


async def _in_store(job: Job, sessions: SessionChoice, asked: _Asked) -> int:
    with left_out() as reasons:
        hits = await _found_in_store(job, sessions, asked)
        if not job.output.for_people:
            for hit in hits.items:
                job.output.json(hit.to_json())
        else:
            await _print_sessions(job, hits.items, asked.highlighter)
    code = _end(job, hits, asked)
    await tell_gaps(job, reasons, found=bool(hits.items))
    return code


async def _found_in_store(job: Job, sessions: SessionChoice, asked: _Asked) -> _Hits[SessionHit]:
    query, filters = asked.query, asked.filters
    session_filters = await sessions.filters(job)

    async def ask(mode: Mode) -> tuple[Sequence[SessionHit], bool]:
        request = SessionSearchRequest(query, session_filters, filters, asked.limit, match=mode)
        page = await job.engine.search_sessions(request, job.signal)
        return page.items, page.next_cursor is not None

    if job.output.shows_progress:
        with job.output.progress("Indexing") as advance:
            await job.engine.refresh(job.signal, advance)
    return await _collect(ask, lambda hit: hit.id, asked)


async def _in_session(job: Job, session: str, asked: _Asked) -> int:
    query, filters = asked.query, asked.filters
    session_id = await resolve(job, session)

    async def ask(mode: Mode) -> tuple[Sequence[EventHit], bool]:
        request = EventSearchRequest(session_id, query, filters, asked.limit, match=mode)
        page = await job.engine.search_events(request, job.signal)
        return page.items, page.next_cursor is not None

    hits = await _collect(ask, lambda hit: hit.seq, asked)
    for number, hit in enumerate(hits.items):
        if not job.output.for_people:
            job.output.json(hit.to_json())
        elif job.output.on_terminal:
            if number:
                job.output.line()
            _print_event(job, hit, asked.highlighter)
        else:
            _print_row(job, hit, "", "")
    return _end(job, hits, asked)


async def _print_sessions(job: Job, hits: Sequence[SessionHit], highlighter: Highlighter) -> None:
    found = await titles(job, [hit.id for hit in hits])
    ids = await ShortIds.of(job)
    for number, hit in enumerate(hits):
        title = title_text(found[hit.id])
        if not job.output.on_terminal:
            _print_row(job, hit.best_match, hit.header.cwd or "", title.plain)
            continue
        if number:
            job.output.line()
        job.output.line(title, crop=True)
        details = session_details(SessionRecord(*hit[:3]), ids)
        job.output.joined([ids.text(hit.id), details], indent=2)
        _print_event(job, hit.best_match, highlighter)
    if hits and job.output.on_terminal:
        first = hits[0].best_match
        words = ("show", ids.short(first.session_id), str(first.seq), "-B", "2", "-A", "2")
        job.output.line()
        # wrapped by the terminal alone, it can be copied as one line
        read_on = visible(job.settings.command(*words))
        job.output.line(Text(f"Read on: {read_on}", "dim"), wrap=False)


def _print_event(job: Job, hit: EventHit, highlighter: Highlighter) -> None:
    event = Text.assemble(
        ("event ", "dim"),
        (f"{hit.seq}", "bold cyan"),
        f" {visible(hit.type)} ",
        (f"{hit.surface} ", "dim"),
        (local_and_utc(hit.time), "green"),
    )
    job.output.joined([event, Text(visible(how_matched(hit)), "magenta")], indent=2)
    job.output.line(highlighter.snippet(hit), indent=2)


def _print_row(job: Job, hit: EventHit, cwd: str, title: str) -> None:
    job.output.row(
        hit.session_id, hit.seq, how_matched(hit), iso_local(hit.time), iso_utc(hit.time),
        hit.surface, hit.type, cwd, title, hit.snippet,
    )  # fmt: skip


def _end(job: Job, hits: _Hits[Hit], asked: _Asked) -> int:
    if hits.more:
        hits_told = "1 hit" if asked.limit == 1 else f"{asked.limit} hits"
        job.output.more(f"more than {hits_told}; raise --limit to see more of them")
    elif not hits.items and job.output.on_terminal:
        among = f" with {asked.narrowed}" if asked.narrowed else ""
        job.output.line(Text(f"Nothing found{among}.", style="dim"))
    return 0 if hits.items else 1
