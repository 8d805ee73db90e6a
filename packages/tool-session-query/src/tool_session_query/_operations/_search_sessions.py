"""`session_search`: earlier sessions of the caller's workspace (AUTH-5, INPUT-5)."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace

from session_query import (
    AbortSignal,
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    EventFilter,
    IdFilter,
    MatchMode,
    ParentFilter,
    SessionFilter,
    SessionHit,
    SessionQueryEngine,
    SessionSearchPage,
    SessionSearchRequest,
)

from tool_session_query._errors import no_workspace
from tool_session_query._input import SessionSearchArguments, Span, checked_span, milliseconds
from tool_session_query._operations._collecting import Asking, Collection, modes_of
from tool_session_query._operations._filters import event_filters
from tool_session_query._presentation import (
    SessionFinding,
    SessionFindings,
    render_session_findings,
)
from tool_session_query._service_boundary import Service
from tool_session_query._workspace_access import Caller, read_visible_titles, visible_ids

__all__ = ["search_sessions"]

_OWN_SESSION = 1
"""The caller's own session may be among the hits, and is not shown."""


async def search_sessions(
    service: Service, caller: Caller, arguments: SessionSearchArguments, most: int
) -> str:
    """Return what the other sessions of the workspace say.

    Raises:
        SessionQueryToolError: `UNAUTHORIZED` for a caller without a workspace (AUTH-2).
    """
    created = milliseconds("created_at", arguments.created_at_from, arguments.created_at_to)
    times = milliseconds("event_time", arguments.event_time_from, arguments.event_time_to)
    seqs = checked_span("event_seq", arguments.event_seq_from, arguments.event_seq_to)
    if caller.workspace is None:
        raise no_workspace()
    nothing = SessionFindings(arguments.query, arguments.match, arguments.narrowing())
    if created.nothing or times.nothing:
        return render_session_findings(nothing)
    parents = await _parents(service, caller, arguments)
    if parents is not None and not parents:
        return render_session_findings(nothing)
    filters = _session_filters(caller.workspace, arguments, created, parents)
    events = event_filters(seqs, times, arguments.event_types, arguments.event_surfaces)
    collection = Collection[SessionHit](most, lambda hit: _key(hit, caller))
    for mode in modes_of(arguments.match):
        asking = _asking(arguments.query, mode, filters, events)
        await collection.add(service, asking, spare=_OWN_SESSION)
    hits = collection.hits
    named = [hit.header.parent_session for hit in hits if hit.header.parent_session is not None]
    shown_parents = await visible_ids(service, caller, named)
    titles = await read_visible_titles(service, caller, [hit.header.id for hit in hits])
    found = [
        SessionFinding(hit, titles[hit.header.id], hit.header.parent_session in shown_parents)
        for hit in hits
    ]
    return render_session_findings(replace(nothing, found=found, capped=collection.capped))


def _key(hit: SessionHit, caller: Caller) -> str | None:
    """Return the id of a session that may be shown: not the caller's own."""
    header = hit.header
    shown = header.id != caller.id and caller.may_see(header)
    return header.id if shown and hit.best_match.session_id == header.id else None


async def _parents(
    service: Service, caller: Caller, arguments: SessionSearchArguments
) -> list[str | None] | None:
    """Return which parents are asked for and may be, None standing for having none (INPUT-5)."""
    if arguments.parent_session_ids is None:
        return [None] if arguments.include_root_sessions else None
    visible = await visible_ids(service, caller, arguments.parent_session_ids)
    root: list[str | None] = [None] if arguments.include_root_sessions else []
    return [*sorted(visible), *root]


def _session_filters(
    workspace: str,
    arguments: SessionSearchArguments,
    created: Span,
    parents: list[str | None] | None,
) -> tuple[SessionFilter, ...]:
    filters: list[SessionFilter] = [CwdFilter([workspace])]
    if arguments.session_ids is not None:
        filters.append(IdFilter(arguments.session_ids))
    if created.given:
        filters.append(CreatedAtFilter(created.low, created.high))
    if parents is not None:
        filters.append(ParentFilter(parents))
    if arguments.availability is not None:
        filters.append(AvailabilityFilter(arguments.availability))
    return tuple(filters)


def _asking(
    query: str,
    mode: MatchMode,
    sessions: Sequence[SessionFilter],
    events: Sequence[EventFilter],
) -> Asking[SessionHit]:
    def ask(
        engine: SessionQueryEngine, signal: AbortSignal, limit: int, cursor: str | None
    ) -> Awaitable[SessionSearchPage]:
        request = SessionSearchRequest(query, sessions, events, limit, cursor, mode)
        return engine.search_sessions(request, signal)

    return ask
