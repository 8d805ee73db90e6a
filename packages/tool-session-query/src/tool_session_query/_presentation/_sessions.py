"""One session in a line or two: the same in hits and in lineages (RENDER-1)."""

from __future__ import annotations

from session_query import SessionHeader

from tool_session_query._presentation._times import time_text
from tool_session_query._presentation._visible import quoted
from tool_session_query._workspace_access import VisibleTitle

__all__ = ["availability_text", "kinship_text", "session_text", "title_text"]


def title_text(title: VisibleTitle) -> str:
    """Return a title in quotes; without quotes stands what is none."""
    if title.text is not None:
        return quoted(title.text)
    return "untitled" if title.code is None else f"untitled ({title.code.value})"


def availability_text(*, live: bool, persisted: bool) -> str:
    """Return where a session can be read."""
    return " and ".join(name for name, there in (("live", live), ("persisted", persisted)) if there)


def kinship_text(header: SessionHeader) -> str:
    """Return what a session with a parent is to it."""
    return "sub-agent" if header.origin == "subagent" else "fork"


def session_text(
    header: SessionHeader, title: VisibleTitle | None, *, live: bool, persisted: bool
) -> str:
    """Return a session on one line."""
    known = [] if header.parent_session is None else [kinship_text(header)]
    known += [] if title is None else [f"title {title_text(title)}"]
    where = availability_text(live=live, persisted=persisted)
    return ", ".join([quoted(header.id), *known, f"created {time_text(header.created_at)}", where])
