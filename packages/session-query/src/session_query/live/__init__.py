"""The sessions that this process owns."""

from session_query.live._events import EventSnapshot
from session_query.live._session import LiveSession, Observer
from session_query.live._store import SessionStore

__all__ = ["EventSnapshot", "LiveSession", "Observer", "SessionStore"]
