"""Relations between events, against what was noted down while the log was drawn."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from session_query.corpus import EventRecord
from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import SessionEvent

from .engines import engine_over
from .logs import DrawnLog, broken, conversation, drawn_logs, header, message
from .scripted_persistence import ScriptedPersistence


@pytest.mark.requirement("TRACE-3", "READ-1")
@given(drawn_logs())
def test_every_relation_is_what_was_recorded(log: DrawnLog) -> None:
    """Replacers, removed nodes, citations and citing events agree with the log's own making."""
    engine = engine_over(ScriptedPersistence([(header("a"), log.events)]))
    replacer = {gone: seq for seq, removed in log.removed_by.items() for gone in removed}
    records = asyncio.run(engine.list_events("a"))
    for event in log.events:
        chain = []
        at: int | None = event.seq
        while (at := replacer.get(at if at is not None else -1)) is not None:
            chain.append(at)
        trace = asyncio.run(engine.trace_event("a", event.seq))
        assert trace.header == header("a")
        surface = log.surface(event.seq)
        assert trace.target == EventRecord("a", event.seq, event.type, event.time, surface)  # type: ignore[arg-type]
        assert trace.target == records[event.seq]
        assert trace.replaced_by == replacer.get(event.seq)
        assert list(trace.replacement_chain) == chain
        assert list(trace.replaced_event_seqs) == log.removed_by.get(event.seq, [])
        assert list(trace.source_event_seqs) == log.cites.get(event.seq, [])
        assert list(trace.derived_event_seqs) == [
            seq for seq, cited in sorted(log.cites.items()) if event.seq in cited
        ]
        form = trace.to_json()
        assert form.pop("session") == header("a").to_json()
        assert form.pop("target") == trace.target.to_json()
        assert form.pop("replacedBy", None) == trace.replaced_by
        assert form == {
            "replacementChain": chain,
            "replacedEventSeqs": [*trace.replaced_event_seqs],
            "sourceEventSeqs": [*trace.source_event_seqs],
            "derivedEventSeqs": [*trace.derived_event_seqs],
        }


@pytest.mark.requirement("TRACE-3")
def test_recorded_seqs_come_out_as_whole_numbers() -> None:
    """A citation that was recorded as an integral float is the same seq."""
    cited = SessionEvent("user/message", 1, 5, message("x"), "append", [0.0])
    engine = engine_over(ScriptedPersistence([(header("a"), [*conversation("one"), cited])]))
    assert repr(asyncio.run(engine.trace_event("a", 1)).source_event_seqs) == "(0,)"
    assert asyncio.run(engine.trace_event("a", 0)).derived_event_seqs == (1,)


@pytest.mark.requirement("TRACE-3", "ERR-4")
def test_existence_is_checked_before_the_log() -> None:
    """An absent event of an invalid log is not found; a present one is refused with its log."""
    events = broken(conversation("one", "two"))
    engine = engine_over(ScriptedPersistence([(header("a"), events)]))
    for seq, code in (
        (3, ErrorCode.EVENT_NOT_FOUND),
        (-1, ErrorCode.EVENT_NOT_FOUND),
        (True, ErrorCode.EVENT_NOT_FOUND),
        ("0", ErrorCode.EVENT_NOT_FOUND),
        (None, ErrorCode.EVENT_NOT_FOUND),
        (0, ErrorCode.INVALID_SURFACE),
        (2, ErrorCode.INVALID_SURFACE),
    ):
        with pytest.raises(SessionQueryError) as caught:
            asyncio.run(engine.trace_event("a", seq))  # type: ignore[arg-type]
        assert caught.value.code is code
        assert caught.value.header == header("a")


@pytest.mark.requirement("TRACE-3")
def test_long_chains_are_followed() -> None:
    """A chain of 5,000 replacements is followed to the last, in a thread of its own."""
    events = conversation("first")
    for seq in range(1, 5_001):
        operation = {"op": "replace", "start": seq - 1, "end": seq - 1}
        events.append(SessionEvent("user/message", seq, 1, message("x"), operation, [seq - 1]))
    engine = engine_over(None, [(header("a"), events)])
    trace = asyncio.run(engine.trace_event("a", 0))
    assert trace.replacement_chain == tuple(range(1, 5_001))
    assert trace.target.surface == "shadowed"
