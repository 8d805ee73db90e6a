"""Stores of session logs: the seam that the service reads through, and the default store."""

from session_query.persistence._seam import (
    PersistedSnapshot,
    SessionPersistence,
    StoredSession,
    StoredTail,
    WritableSessionPersistence,
)
from session_query.persistence.jsonl import JsonlPersistence

__all__ = [
    "JsonlPersistence",
    "PersistedSnapshot",
    "SessionPersistence",
    "StoredSession",
    "StoredTail",
    "WritableSessionPersistence",
]
