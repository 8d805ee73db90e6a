"""Titles of the sessions of one answer, in one batch (TITLE-2, TITLE-3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from session_query import ErrorCode, SessionHeader, SessionQueryError, TitleResult

from tool_session_query._errors import ToolErrorCode, unauthorized
from tool_session_query._service_boundary import PASSING, Service
from tool_session_query._workspace_access._caller import Caller

__all__ = ["VisibleTitle", "read_visible_titles"]


@dataclass(frozen=True, slots=True)
class VisibleTitle:
    """What may be said of a title: `text` if there is one, `code` if it can't be read."""

    text: str | None = None
    code: ToolErrorCode | ErrorCode | None = None


_UNTITLED = VisibleTitle()


async def read_visible_titles(
    service: Service, caller: Caller, session_ids: Iterable[str]
) -> dict[str, VisibleTitle]:
    """Return the title of each session; of one that can't be read, why.

    Raises:
        SessionQueryToolError: `UNAUTHORIZED` if one of them may not be shown any more, or is gone:
            whoever moved it out of sight must not be told apart from who deleted it (AUTH-8).
    """
    ids = list(dict.fromkeys(session_ids))
    if not ids:
        return {}
    results = await service.ask(lambda engine, signal: engine.read_titles(ids, signal))
    titles = {result.session_id: _title(service, caller, result) for result in results}
    return {session_id: titles.get(session_id, _UNTITLED) for session_id in ids}


def _title(service: Service, caller: Caller, result: TitleResult) -> VisibleTitle:
    if result.value is None:
        reason = result.reason or AssertionError("neither a title nor a reason")
        told = service.explain(reason, headerless=ToolErrorCode.FAILED)
        if told.code is ToolErrorCode.UNAUTHORIZED or _is_hidden(reason, caller):
            raise unauthorized()
        return VisibleTitle(code=told.code)
    if not caller.may_see(result.value.header):
        raise unauthorized()
    title = result.value.title
    return _UNTITLED if title is None else VisibleTitle(title.title)


def _is_hidden(reason: BaseException, caller: Caller) -> bool:
    """Tell whether a failure, whatever its code, is one of a session out of sight."""
    try:
        header = reason.header if isinstance(reason, SessionQueryError) else None
        return isinstance(header, SessionHeader) and not caller.may_see(header)
    except PASSING:
        raise
    except BaseException:  # noqa: BLE001 - its properties may raise anything (SAN-3)
        return False
