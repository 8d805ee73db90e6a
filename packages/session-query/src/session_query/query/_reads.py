"""Exact reads of one log, once it is there (READ-1, READ-2, TRACE-3, FILTER-4).

These run in worker threads where the log is long: they touch nothing but their arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from session_query.corpus import EventRecord, EventTrace, SessionObservation, invalid_surface
from session_query.corpus._event_trace import trace_in_log
from session_query.corpus._offload import Watched
from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import (
    EventDocument,
    SessionEvent,
    SurfaceError,
    SurfaceFold,
    fold_surface,
    semantic_documents,
    surfaces,
)
from session_query.query._admission import EventFilters
from session_query.query._results import EventWindow, SessionLog, SurfaceSnapshot
from session_query.text import literal_pattern

__all__ = ["documents", "event_records", "event_trace", "event_window", "session_log", "surface"]


def _folded(found: SessionObservation, watched: Watched) -> SurfaceFold:
    try:
        return fold_surface(watched.each(found.events))
    except SurfaceError as error:
        raise invalid_surface(error, found.header) from error


def session_log(found: SessionObservation, watched: Watched) -> SessionLog:
    """Return the whole log, if its surface holds."""
    _folded(found, watched)
    return SessionLog(found.header, found.events)


def event_records(found: SessionObservation, watched: Watched) -> list[EventRecord]:
    """Return the record of each event, in log order."""
    places = surfaces(_folded(found, watched))
    session_id = found.header.id
    return [
        EventRecord(
            session_id, event.seq, event.type, event.time, places.get(event.seq, "log-only")
        )
        for event in watched.each(found.events)
    ]


def documents(
    found: SessionObservation,
    filters: EventFilters,
    unsearchable_tools: Collection[str],
    watched: Watched,
) -> list[EventDocument]:
    """Return the events that have text and that the filters admit, in log order."""
    fold = _folded(found, watched)
    bounds, texts = filters.compiled, [literal_pattern(text) for text in filters.texts]
    if bounds.nothing:
        return []
    candidates = semantic_documents(
        found.header.id, watched.each(found.events), unsearchable_tools, fold=fold
    )
    return [
        document
        for document in watched.each(candidates)
        if bounds.admits(document.seq, document.type, document.time, document.surface)
        and all(text.is_in(document.text) for text in texts)
    ]


def surface(found: SessionObservation, watched: Watched) -> SurfaceSnapshot:
    """Return the events on the surface, in model order."""
    events = found.events
    fold = _folded(found, watched)
    return SurfaceSnapshot(
        found.header,
        events[-1].seq if events else None,
        tuple(events[seq] for seq in watched.each(fold.nodes)),
    )


def event_window(found: SessionObservation, seq: int, before: int, after: int) -> EventWindow:
    """Return the event `seq` with up to `before` and `after` raw neighbours."""
    at = _place(found, seq)
    start = max(0, at - before)
    events = tuple(found.events[start : at + after + 1])
    return EventWindow(found.header, found.events[at], events, events[0].seq, events[-1].seq)


def event_trace(found: SessionObservation, seq: int, watched: Watched) -> EventTrace:
    """Return what ties the event `seq` to others."""
    target = found.events[_place(found, seq)]
    fold = _folded(found, watched)
    return trace_in_log(found.header, target, watched.each(found.events), fold)


def _place(found: SessionObservation, seq: object) -> int:
    """Return where the event `seq` stands in the log, whose seqs nobody has checked."""
    events: Sequence[SessionEvent] = found.events
    if isinstance(seq, int) and not isinstance(seq, bool):
        if 0 <= seq < len(events) and events[seq].seq == seq:
            return seq
        for place, event in enumerate(events):
            if event.seq == seq:
                return place
    raise SessionQueryError(
        f"session {found.header.id!r} has no event {seq!r:.80}",
        ErrorCode.EVENT_NOT_FOUND,
        header=found.header,
    )
