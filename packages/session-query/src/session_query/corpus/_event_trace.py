"""What an event replaced, was replaced by, cites, and is cited by (TRACE-3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from session_query.corpus._records import EventRecord
from session_query.log import JsonValue, SessionEvent, SessionHeader, SurfaceFold

__all__ = ["EventTrace", "trace_in_log"]


@dataclass(frozen=True, slots=True)
class EventTrace:
    """How one event is tied to others of its log; all relations are seqs (TRACE-3).

    Attributes:
        header: the session.
        target: the event.
        replaced_by: the event that removed it from the surface, if any.
        replacement_chain: that event, the one that replaced it in turn, and so on to the last.
        replaced_event_seqs: what the target itself removed, in surface order.
        source_event_seqs: what it cites, in recorded order.
        derived_event_seqs: the later events that cite it, in log order.
    """

    header: SessionHeader
    target: EventRecord
    replaced_by: int | None
    replacement_chain: tuple[int, ...]
    replaced_event_seqs: tuple[int, ...]
    source_event_seqs: tuple[int, ...]
    derived_event_seqs: tuple[int, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Return the trace in camelCase; `replacedBy` is left out where there is none (JSON-1)."""
        replaced_by = {} if self.replaced_by is None else {"replacedBy": self.replaced_by}
        return {
            "session": self.header.to_json(),
            "target": self.target.to_json(),
            **replaced_by,
            "replacementChain": list(self.replacement_chain),
            "replacedEventSeqs": list(self.replaced_event_seqs),
            "sourceEventSeqs": list(self.source_event_seqs),
            "derivedEventSeqs": list(self.derived_event_seqs),
        }


def trace_in_log(
    header: SessionHeader, target: SessionEvent, events: Iterable[SessionEvent], fold: SurfaceFold
) -> EventTrace:
    """Trace one event of a log whose fold is `fold`; O(events + citations)."""
    replacer = {
        removed: replacement.seq
        for replacement in fold.replacements
        for removed in replacement.removed
    }
    chain = []
    seq = target.seq
    while seq in replacer:
        seq = replacer[seq]
        chain.append(seq)
    removed = [found.removed for found in fold.replacements if found.seq == target.seq]
    return EventTrace(
        header,
        EventRecord(header.id, target.seq, target.type, target.time, fold.surface_of(target.seq)),
        chain[0] if chain else None,
        tuple(chain),
        removed[0] if removed else (),
        # the fold has checked that all sources are whole numbers
        tuple(map(int, target._sources or ())),
        tuple(event.seq for event in events if event._sources and target.seq in event._sources),
    )
