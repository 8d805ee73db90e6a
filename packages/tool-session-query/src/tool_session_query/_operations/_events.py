"""`session_event_trace` and `session_event_read`: one event of one session (AUTH-4)."""

from __future__ import annotations

from session_query import SessionHeader

from tool_session_query._errors import unauthorized
from tool_session_query._input import EventReadArguments, EventTraceArguments
from tool_session_query._presentation import render_event_trace, render_window
from tool_session_query._service_boundary import Service
from tool_session_query._workspace_access import Caller, authorize

__all__ = ["read_event", "trace_event"]


async def trace_event(service: Service, caller: Caller, arguments: EventTraceArguments) -> str:
    """Return what ties an event to others of its session.

    Raises:
        SessionQueryToolError: `UNAUTHORIZED`, or what the service tells of the log.
    """
    session_id, seq = await _target(service, caller, arguments)
    trace = await service.ask(lambda engine, signal: engine.trace_event(session_id, seq, signal))
    _check(trace.header, session_id, caller)
    return render_event_trace(trace)


async def read_event(service: Service, caller: Caller, arguments: EventReadArguments) -> str:
    """Return an event exactly as it is, and its neighbours.

    Raises:
        SessionQueryToolError: `UNAUTHORIZED`, or what the service tells of the log.
    """
    session_id, seq = await _target(service, caller, arguments)
    before, after = arguments.before, arguments.after
    window = await service.ask(
        lambda engine, signal: engine.read_event(session_id, seq, before, after, signal)
    )
    _check(window.header, session_id, caller)
    return render_window(window)


async def _target(
    service: Service, caller: Caller, arguments: EventTraceArguments | EventReadArguments
) -> tuple[str, int]:
    session_id = caller.id if arguments.session_id is None else arguments.session_id
    await authorize(service, caller, session_id)
    return session_id, arguments.seq


def _check(header: SessionHeader, session_id: str, caller: Caller) -> None:
    """See that what came back may be shown: the session can be another by now (AUTH-4)."""
    if header.id != session_id or not caller.may_see(header):
        raise unauthorized()
