"""Where a session comes from and what came of it (RENDER-1, AUTH-6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from session_query import SessionRecord

from tool_session_query._presentation._search import CAUTION
from tool_session_query._presentation._sessions import session_text
from tool_session_query._presentation._visible import quoted
from tool_session_query._workspace_access import VisibleLineage, VisibleTitle

__all__ = ["render_lineage"]

OUTSIDE_ABOVE: Final = "(goes on outside this workspace, or with a session that is gone)"
OUTSIDE_BELOW: Final = "(more outside this workspace)"

_DEEPEST_INDENT: Final = 20
"""Deeper levels say their depth: indenting them all would be quadratic in size."""


def render_lineage(lineage: VisibleLineage, titles: dict[str, VisibleTitle]) -> str:
    """Return the answer of `session_trace`; sessions without an entry in `titles` show none."""
    return "\n".join(_lines(lineage, titles))


def _lines(lineage: VisibleLineage, titles: dict[str, VisibleTitle]) -> Iterable[str]:
    def text(record: SessionRecord) -> str:
        title = titles.get(record.id)
        return session_text(record.header, title, live=record.live, persisted=record.persisted)

    if any(title.text is not None for title in titles.values()):
        yield CAUTION
    yield f"Lineage of session {quoted(lineage.target.id)}"
    yield f"target: {text(lineage.target)}"
    if not lineage.ancestors and lineage.complete:
        yield "ancestors: none"
    else:
        yield "ancestors, nearest first:"
        for number, record in enumerate(lineage.ancestors, 1):
            yield f"{number}. {text(record)}"
        if not lineage.complete:
            yield OUTSIDE_ABOVE
    if not lineage.descendants:
        yield "descendants: none"
        return
    yield "descendants:"
    for depth, descendant in lineage.descendants:
        indent = "  " * min(depth, _DEEPEST_INDENT)
        deep = f"depth {depth + 1}: " if depth > _DEEPEST_INDENT else ""
        what = OUTSIDE_BELOW if descendant is None else text(descendant)
        yield f"{indent}- {deep}{what}"
    if any(record is not None and record.id not in titles for _, record in lineage.descendants):
        yield "Titles are shown for the first sessions only; session_search shows others."
