"""The options that say which sessions and which events (CLI-1, CLI-4, FILTER-1)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import click
from session_query import (
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    EventFilter,
    IdFilter,
    ParentFilter,
    SeqFilter,
    SessionFilter,
    SurfaceFilter,
    TextFilter,
    TimeFilter,
    TypeFilter,
)

from session_query_sqlite.cli._application import Job
from session_query_sqlite.cli._completion import complete_session
from session_query_sqlite.cli._help import Option
from session_query_sqlite.cli._sessions import resolve_known
from session_query_sqlite.cli._times import parse_time

__all__ = ["EventChoice", "SessionChoice", "event_options", "session_options"]

T = TypeVar("T")
Decorated = Callable[..., int]

_SESSIONS: Final = "Which sessions"
_EVENTS: Final = "Which events"


class _Time(click.ParamType[int]):
    """One end of a range of time."""

    name = "time"

    def __init__(self, *, upper: bool) -> None:
        self._upper = upper

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return epoch milliseconds."""
        if isinstance(value, int):
            return value
        try:
            return parse_time(value, upper=self._upper)
        except ValueError as error:
            self.fail(str(error), param, ctx)


_FROM, _TO = _Time(upper=False), _Time(upper=True)


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """What the session options say."""

    ids: Sequence[str] = ()
    cwds: Sequence[str] = ()
    no_cwd: bool = False
    created_from: int | None = None
    created_to: int | None = None
    parents: Sequence[str] = ()
    no_parent: bool = False
    availability: Sequence[str] = ()

    async def filters(self, job: Job) -> list[SessionFilter]:
        """Return the filters; beginnings of ids are completed."""
        filters: list[SessionFilter] = []
        if self.ids:
            filters.append(IdFilter(await resolve_known(job, self.ids)))
        if self.cwds or self.no_cwd:
            filters.append(CwdFilter([*self.cwds, *([None] if self.no_cwd else [])]))
        if _has_ends("--created", self.created_from, self.created_to):
            filters.append(CreatedAtFilter(self.created_from, self.created_to))
        if self.parents or self.no_parent:
            parents = await resolve_known(job, self.parents, as_parents=True)
            filters.append(ParentFilter([*parents, *([None] if self.no_parent else [])]))
        if self.availability:
            filters.append(AvailabilityFilter(self.availability))
        return filters


@dataclass(frozen=True, slots=True)
class EventChoice:
    """What the event options say."""

    types: Sequence[str] = ()
    surfaces: Sequence[str] = ()
    seq_from: int | None = None
    seq_to: int | None = None
    time_from: int | None = None
    time_to: int | None = None

    def filters(self, text: str | None = None) -> list[EventFilter]:
        """Return the filters, with one on the text if that is wanted."""
        filters: list[EventFilter] = []
        if self.types:
            filters.append(TypeFilter(self.types))
        if self.surfaces:
            filters.append(SurfaceFilter(self.surfaces))
        if _has_ends("--seq", self.seq_from, self.seq_to):
            filters.append(SeqFilter(self.seq_from, self.seq_to))
        if _has_ends("--time", self.time_from, self.time_to):
            filters.append(TimeFilter(self.time_from, self.time_to))
        if text is not None:
            filters.append(TextFilter(text))
        return filters


def _has_ends(option: str, low: int | None, high: int | None) -> bool:
    if low is not None and high is not None and low > high:
        raise click.UsageError(f"{option}-from lies after {option}-to; exchange them")
    return low is not None or high is not None


class _Grouped(Generic[T]):
    """Gives a command some options, and hands it their values as one object."""

    def __init__(
        self, keyword: str, kind: Callable[..., T], options: Sequence[Callable[[Any], Any]]
    ) -> None:
        self._keyword = keyword
        self._kind = kind
        self._options = options

    def __call__(self, command: Decorated) -> Decorated:
        prefix = f"{self._keyword}_"

        @functools.wraps(command)
        def wrapped(*arguments: Any, **values: Any) -> int:
            own = {name for name in values if name.startswith(prefix)}
            chosen = self._kind(**{name.removeprefix(prefix): values.pop(name) for name in own})
            return command(*arguments, **values, **{self._keyword: chosen})

        decorated: Decorated = wrapped
        for option in reversed(self._options):
            decorated = option(decorated)
        return decorated


session_options = _Grouped(
    "sessions",
    SessionChoice,
    [
        Option.of(
            "--id",
            "sessions_ids",
            metavar="SESSION",
            multiple=True,
            shell_complete=complete_session,
            section=_SESSIONS,
            help="Only this session; its id or the unique beginning of it. Repeatable.",
        ),
        Option.of(
            "--cwd",
            "sessions_cwds",
            metavar="PATH",
            multiple=True,
            section=_SESSIONS,
            help="Only sessions of this workspace, compared as an exact string; without it, of all"
            " workspaces. Repeatable.",
        ),
        Option.of(
            "--no-cwd",
            "sessions_no_cwd",
            is_flag=True,
            section=_SESSIONS,
            help="Only sessions without a workspace; together with --cwd, those too.",
        ),
        Option.of(
            "--created-from",
            "sessions_created_from",
            metavar="TIME",
            type=_FROM,
            section=_SESSIONS,
            help="Only sessions created then or later: 2026-03-01 (a local day),"
            " 2026-03-01T14:05 (local time), 2026-03-01T14:05:07Z or +01:00.",
        ),
        Option.of(
            "--created-to",
            "sessions_created_to",
            metavar="TIME",
            type=_TO,
            section=_SESSIONS,
            help="Only sessions created then or earlier; a day counts to its end.",
        ),
        Option.of(
            "--parent",
            "sessions_parents",
            metavar="SESSION",
            multiple=True,
            shell_complete=complete_session,
            section=_SESSIONS,
            help="Only sessions that were forked or delegated from this one. Repeatable.",
        ),
        Option.of(
            "--no-parent",
            "sessions_no_parent",
            is_flag=True,
            section=_SESSIONS,
            help="Only sessions without a parent; together with --parent, those too.",
        ),
        Option.of(
            "--availability",
            "sessions_availability",
            type=click.Choice(["live", "persisted"]),
            multiple=True,
            section=_SESSIONS,
            help="Only sessions that are available like this. Repeatable.",
        ),
    ],
)
"""Gives a command the session options, and their :class:`SessionChoice` as `sessions`."""

event_options = _Grouped(
    "events",
    EventChoice,
    [
        Option.of(
            "--type",
            "events_types",
            metavar="TYPE",
            multiple=True,
            section=_EVENTS,
            help="Only events of this type, such as user/message. Repeatable.",
        ),
        Option.of(
            "--surface",
            "events_surfaces",
            type=click.Choice(["current", "shadowed", "log-only"]),
            multiple=True,
            section=_EVENTS,
            help="Only events that the model sees (current), saw before a compaction (shadowed) or"
            " never saw as a message (log-only). Repeatable.",
        ),
        Option.of(
            "--seq-from",
            "events_seq_from",
            metavar="SEQ",
            type=int,
            section=_EVENTS,
            help="Only events with this seq or a later one.",
        ),
        Option.of(
            "--seq-to",
            "events_seq_to",
            metavar="SEQ",
            type=int,
            section=_EVENTS,
            help="Only events with this seq or an earlier one.",
        ),
        Option.of(
            "--time-from",
            "events_time_from",
            metavar="TIME",
            type=_FROM,
            section=_EVENTS,
            help="Only events of then or later; written like --created-from.",
        ),
        Option.of(
            "--time-to",
            "events_time_to",
            metavar="TIME",
            type=_TO,
            section=_EVENTS,
            help="Only events of then or earlier; a day counts to its end.",
        ),
    ],
)
"""Gives a command the event options, and their :class:`EventChoice` as `events`."""
