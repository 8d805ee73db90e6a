"""`session_trace`: whom a session descends from, and who from it (AUTH-6)."""

from __future__ import annotations

from itertools import islice

from session_query import (
    AbortSignal,
    LineageCycleError,
    LineageTrace,
    SessionQueryEngine,
)

from tool_session_query._errors import unauthorized
from tool_session_query._input import SessionTraceArguments
from tool_session_query._presentation import render_lineage
from tool_session_query._service_boundary import Service
from tool_session_query._workspace_access import (
    Caller,
    authorize,
    read_visible_titles,
    visible_lineage,
)

__all__ = ["trace_session"]


async def trace_session(
    service: Service, caller: Caller, arguments: SessionTraceArguments, most_titles: int
) -> str:
    """Return the lineage of a session, as far as it stays in the workspace.

    Raises:
        SessionQueryToolError: `UNAUTHORIZED`; `SESSION_QUERY_INVALID_LINEAGE` for a circle all of
            whose sessions may be seen.
    """
    session_id = caller.id if arguments.session_id is None else arguments.session_id
    await authorize(service, caller, session_id)
    cycles: list[LineageCycleError] = []

    async def trace(engine: SessionQueryEngine, signal: AbortSignal) -> LineageTrace:
        try:
            return await engine.trace_session(session_id, signal)
        except LineageCycleError as cycle:
            # no failure as yet: with a hidden session in it, it looks like any other boundary
            if not isinstance(cycle.trace, LineageTrace):
                raise
            cycles.append(cycle)
            return cycle.trace

    traced = await service.ask(trace)
    if traced.target.id != session_id:
        raise unauthorized()
    lineage = visible_lineage(traced, caller)
    if cycles and len(lineage.ancestors) == len(traced.ancestors):
        raise service.explain(cycles[0])
    shown = islice((record.id for record in lineage.records()), most_titles)
    return render_lineage(lineage, await read_visible_titles(service, caller, shown))
