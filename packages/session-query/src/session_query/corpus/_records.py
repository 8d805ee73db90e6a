"""What the corpus tells of sessions and events without their payload (CORPUS-2, READ-1)."""

from __future__ import annotations

from typing import NamedTuple

from session_query.log import JsonValue, SessionHeader, Surface

__all__ = ["EventRecord", "SessionRecord"]


class SessionRecord(NamedTuple):
    """One session of the corpus: its header, and which sources hold it (CORPUS-2).

    The header is that of the live session where `live` is true.
    """

    header: SessionHeader
    live: bool
    persisted: bool

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.header.id

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{header, live, persisted}` (JSON-1)."""
        return {
            "header": self.header.to_json(),
            "live": self.live,
            "persisted": self.persisted,
        }


class EventRecord(NamedTuple):
    """One event without its payload; `time` is epoch milliseconds (READ-1)."""

    session_id: str
    seq: int
    type: str
    time: int
    surface: Surface

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{sessionId, seq, type, time, surface}` (JSON-1)."""
        return {
            "sessionId": self.session_id,
            "seq": self.seq,
            "type": self.type,
            "time": self.time,
            "surface": self.surface,
        }
