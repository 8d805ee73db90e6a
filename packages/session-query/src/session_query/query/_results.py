"""What reads and searches answer with (READ-1, READ-2, SEARCH-1 to SEARCH-3, JSON-1).

Records and hits come by the hundred thousand and are named tuples; the rest are data classes. All
are immutable and detached from every source (LOG-5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from session_query.corpus import EventRecord, SessionRecord
from session_query.log import JsonValue, SessionEvent, SessionHeader, Surface

__all__ = [
    "EventHit",
    "EventSearchPage",
    "EventWindow",
    "SessionHit",
    "SessionLog",
    "SessionSearchPage",
    "SurfaceSnapshot",
]


class EventHit(NamedTuple):
    """An event that matches a query, with a piece of its text (SEARCH-3).

    `matched` lists, for the modes `all` and `any`, the units found in the best block, in query
    order; it is None for a phrase.
    """

    session_id: str
    seq: int
    type: str
    time: int
    surface: Surface
    snippet: str
    matched: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return the form of an event record with `snippet`, and `matched` if any (JSON-1)."""
        matched = {} if self.matched is None else {"matched": list(self.matched)}
        return {**EventRecord(*self[:5]).to_json(), "snippet": self.snippet, **matched}


class SessionHit(NamedTuple):
    """A session record and the strongest matching event of that session (SEARCH-1)."""

    header: SessionHeader
    live: bool
    persisted: bool
    best_match: EventHit

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.header.id

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{header, live, persisted, bestMatch}` (JSON-1)."""
        return {**SessionRecord(*self[:3]).to_json(), "bestMatch": self.best_match.to_json()}


@dataclass(frozen=True, slots=True)
class SessionSearchPage:
    """One page of sessions; `next_cursor` is None on the last one (SEARCH-1)."""

    items: tuple[SessionHit, ...]
    next_cursor: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{items, nextCursor?}` (JSON-1)."""
        return {"items": [hit.to_json() for hit in self.items], **_next(self.next_cursor)}


@dataclass(frozen=True, slots=True)
class EventSearchPage:
    """One page of events of the session `header`, from one observation (SEARCH-2)."""

    header: SessionHeader
    items: tuple[EventHit, ...]
    next_cursor: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{session, items, nextCursor?}` (JSON-1)."""
        return {
            "session": self.header.to_json(),
            "items": [hit.to_json() for hit in self.items],
            **_next(self.next_cursor),
        }


def _next(cursor: str | None) -> dict[str, JsonValue]:
    return {} if cursor is None else {"nextCursor": cursor}


@dataclass(frozen=True, slots=True)
class SessionLog:
    """A complete log whose surface holds (READ-1)."""

    header: SessionHeader
    events: Sequence[SessionEvent]

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{session, events}` (JSON-1)."""
        return {
            "session": self.header.to_json(),
            "events": [event.to_json() for event in self.events],
        }


@dataclass(frozen=True, slots=True)
class SurfaceSnapshot:
    """The events on the surface, in model order (READ-1).

    `captured_through_seq` is the last seq of the log that was folded; None for an empty log.
    """

    header: SessionHeader
    captured_through_seq: int | None
    events: tuple[SessionEvent, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{session, capturedThroughSeq, events}` (JSON-1)."""
        return {
            "session": self.header.to_json(),
            "capturedThroughSeq": self.captured_through_seq,
            "events": [event.to_json() for event in self.events],
        }


@dataclass(frozen=True, slots=True)
class EventWindow:
    """An event and its raw neighbours, clipped to the log; `events` holds the target too (READ-2).

    `start_seq` and `end_seq` are the seqs of the first and the last of `events`.
    """

    header: SessionHeader
    target: SessionEvent
    events: tuple[SessionEvent, ...]
    start_seq: int
    end_seq: int

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{session, target, events, startSeq, endSeq}` (JSON-1)."""
        return {
            "session": self.header.to_json(),
            "target": self.target.to_json(),
            "events": [event.to_json() for event in self.events],
            "startSeq": self.start_seq,
            "endSeq": self.end_seq,
        }
