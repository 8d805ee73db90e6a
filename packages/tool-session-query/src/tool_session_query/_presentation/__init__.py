"""Text for the model and cards for people: no decision is made here (RENDER-1 to RENDER-4)."""

from tool_session_query._presentation._cards import CallCard, card_of
from tool_session_query._presentation._events import render_event_trace, render_window
from tool_session_query._presentation._lineage import render_lineage
from tool_session_query._presentation._search import (
    EventFindings,
    SessionFinding,
    SessionFindings,
    render_event_findings,
    render_session_findings,
)

__all__ = [
    "CallCard",
    "EventFindings",
    "SessionFinding",
    "SessionFindings",
    "card_of",
    "render_event_findings",
    "render_event_trace",
    "render_lineage",
    "render_session_findings",
    "render_window",
]
