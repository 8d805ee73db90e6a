"""Which sessions a caller may name (AUTH-3, AUTH-4, INPUT-5)."""

from __future__ import annotations

from collections.abc import Iterable

from session_query import CwdFilter, IdFilter

from tool_session_query._errors import unauthorized
from tool_session_query._service_boundary import Service
from tool_session_query._workspace_access._caller import Caller

__all__ = ["authorize", "visible_ids"]


async def authorize(service: Service, caller: Caller, session_id: str) -> None:
    """See that a session may be a target, before anything is asked of it (AUTH-3, AUTH-4).

    Raises:
        SessionQueryToolError: `UNAUTHORIZED`.
    """
    if session_id != caller.id and not await visible_ids(service, caller, [session_id]):
        raise unauthorized()


async def visible_ids(
    service: Service, caller: Caller, session_ids: Iterable[str]
) -> frozenset[str]:
    """Return those of some ids that name sessions of the caller's workspace, by one call (INPUT-5).

    What is asked of the service is the same for hidden and for missing ids.
    """
    unique = dict.fromkeys(session_ids)
    known = {caller.id} & unique.keys()
    asked = [session_id for session_id in unique if session_id != caller.id]
    if caller.workspace is None or not asked:
        return frozenset(known)
    filters = (IdFilter(asked), CwdFilter([caller.workspace]))
    records = await service.ask(lambda engine, signal: engine.filter_sessions(filters, signal))
    return frozenset(
        known | {record.id for record in records if caller.may_see(record.header)} & unique.keys()
    )
