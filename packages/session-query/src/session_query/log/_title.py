"""The title of a session: its last ``session/title`` event (LOG-13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from session_query.errors import ErrorCode, SessionQueryError
from session_query.log._event import SessionEvent
from session_query.log._json import JsonValue, freeze, safe_integral, thaw

__all__ = ["SessionTitle", "fold_title"]


@dataclass(frozen=True, slots=True)
class SessionTitle:
    """A title and where it came from.

    ``message_seqs`` are the messages that it was made of, ``source`` is frozen JSON whose ``kind``
    is ``fallback``, ``provider`` or ``user``, ``updated_at`` the event's time in epoch ms.
    """

    title: str
    message_seqs: tuple[int, ...]
    source: JsonValue
    event_seq: int
    updated_at: int

    def to_json(self) -> dict[str, JsonValue]:
        """Return ``{title, messageSeqs, source, eventSeq, updatedAt}`` (JSON-1)."""
        return {
            "title": self.title,
            "messageSeqs": list(self.message_seqs),
            "source": thaw(self.source),
            "eventSeq": self.event_seq,
            "updatedAt": self.updated_at,
        }


def fold_title(events: Iterable[SessionEvent]) -> SessionTitle | None:
    """Return the title that the last ``session/title`` event set, or None; O(events).

    Raises :class:`SessionQueryError` with ``SESSION_QUERY_CORRUPT_SESSION`` if that is malformed.
    """
    last: SessionEvent | None = None
    for event in events:
        if event.type == "session/title":
            last = event
    return None if last is None else _title(last)


def _title(event: SessionEvent) -> SessionTitle:
    data = event._raw
    if not isinstance(data, dict):
        raise _malformed(event, "its data is not an object")
    title, seqs, source = data.get("title"), data.get("messageSeqs"), data.get("source")
    if not isinstance(title, str):
        raise _malformed(event, "title is not a text")
    if not isinstance(source, dict) or source.get("kind") not in ("fallback", "provider", "user"):
        raise _malformed(event, "source.kind is none of fallback, provider and user")
    if not isinstance(seqs, list):
        raise _malformed(event, "messageSeqs is not a list")
    numbers: list[int] = []
    for seq in seqs:
        number = safe_integral(seq)
        if number is None or number < 0:
            raise _malformed(event, "messageSeqs holds something else than seqs")
        numbers.append(number)
    return SessionTitle(title, tuple(numbers), freeze(source), event.seq, event.time)


def _malformed(event: SessionEvent, reason: str) -> SessionQueryError:
    return SessionQueryError(
        f"the title event {event.seq} is malformed: {reason}", ErrorCode.CORRUPT_SESSION
    )
