"""The default store: one JSON Lines file a session, plain or in zstd frames (LOG-17 to LOG-22)."""

from session_query.persistence.jsonl._store import JsonlPersistence

__all__ = ["JsonlPersistence"]
