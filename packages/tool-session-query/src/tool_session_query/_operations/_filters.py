"""Filters on events: the same in both searches (INPUT-2)."""

from __future__ import annotations

from collections.abc import Sequence

from session_query import EventFilter, SeqFilter, SurfaceFilter, TimeFilter, TypeFilter

from tool_session_query._input import Span

__all__ = ["event_filters"]


def event_filters(
    seqs: Span, times: Span, types: Sequence[str] | None, surfaces: Sequence[str] | None
) -> tuple[EventFilter, ...]:
    """Return the filters that were asked for; all of them have to hold."""
    filters: list[EventFilter] = []
    if seqs.given:
        filters.append(SeqFilter(seqs.low, seqs.high))
    if times.given:
        filters.append(TimeFilter(times.low, times.high))
    if types is not None:
        filters.append(TypeFilter(types))
    if surfaces is not None:
        filters.append(SurfaceFilter(surfaces))
    return tuple(filters)
