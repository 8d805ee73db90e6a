"""The five workflows: arguments to question, question to answer, answer to text."""

from tool_session_query._operations._events import read_event, trace_event
from tool_session_query._operations._lineage import trace_session
from tool_session_query._operations._search_events import search_events
from tool_session_query._operations._search_sessions import search_sessions

__all__ = ["read_event", "search_events", "search_sessions", "trace_event", "trace_session"]
