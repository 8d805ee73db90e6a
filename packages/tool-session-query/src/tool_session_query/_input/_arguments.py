"""The arguments of the five tools, as pydantic models (INPUT-1, INPUT-2, INPUT-4).

Each word of a description is paid for in every request of every session: what a name says by itself
is not said again.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tool_session_query._input._models import (
    Arguments,
    Choice,
    Instant,
    Query,
    Text,
    Texts,
    Whole,
    instant,
    integer,
)

__all__ = [
    "EventReadArguments",
    "EventSearchArguments",
    "EventTraceArguments",
    "SessionSearchArguments",
    "SessionTraceArguments",
]

_Query = Annotated[
    Query,
    Field(description="A question, words or a phrase; no operators. Words match as written"),
]
_Match = Annotated[
    Choice,
    Field(description="auto: the phrase first, then any of the words, most together first"),
]
_SeqFrom = Annotated[Whole, integer("First event seq, inclusive")]
_SeqTo = Annotated[Whole, integer("Last, inclusive")]
_From = Annotated[Instant, instant("Earliest, inclusive; with Z or offset")]
_To = Annotated[Instant, instant("Latest, inclusive")]
_Surfaces = Annotated[
    list[Literal["current", "shadowed", "log-only"]],
    Field(min_length=1, description="current: in the model's context; shadowed: replaced since"),
]
_Types = Annotated[
    Texts,
    Field(description='"user/message", "assistant/message", "tool/call", "tool/result" and others'),
]
_Availability = Annotated[
    list[Literal["live", "persisted"]],
    Field(min_length=1, description="live: running now; persisted: stored"),
]
_SessionId = Annotated[Text, Field(description="Default: your own session")]
_EventSeq = Annotated[Whole, integer("Which event")]


class SessionSearchArguments(Arguments):
    """Arguments of `session_search`."""

    query: _Query
    session_ids: Annotated[Texts, Field(description="Only these sessions")] | None = None
    created_at_from: _From | None = None
    created_at_to: _To | None = None
    parent_session_ids: (
        Annotated[Texts, Field(description="Only forks and sub-agents of these")] | None
    ) = None
    include_root_sessions: Annotated[
        bool, Field(description="Also sessions without a parent; alone: only those")
    ] = False
    availability: _Availability | None = None
    event_seq_from: _SeqFrom | None = None
    event_seq_to: _SeqTo | None = None
    event_time_from: _From | None = None
    event_time_to: _To | None = None
    event_types: _Types | None = None
    event_surfaces: _Surfaces | None = None
    match: _Match = "auto"


class EventSearchArguments(Arguments):
    """Arguments of `session_event_search`."""

    query: _Query
    session_id: _SessionId | None = None
    seq_from: _SeqFrom | None = None
    seq_to: _SeqTo | None = None
    time_from: _From | None = None
    time_to: _To | None = None
    event_types: _Types | None = None
    surfaces: _Surfaces | None = None
    match: _Match = "auto"


class SessionTraceArguments(Arguments):
    """Arguments of `session_trace`."""

    session_id: _SessionId | None = None


class EventTraceArguments(Arguments):
    """Arguments of `session_event_trace`."""

    seq: _EventSeq
    session_id: _SessionId | None = None


class EventReadArguments(Arguments):
    """Arguments of `session_event_read`."""

    seq: _EventSeq
    session_id: _SessionId | None = None
    before: Annotated[Whole, integer("How many events before it to show")] = 0
    after: Annotated[Whole, integer("How many after it")] = 0
