"""Relations of events where logs are long, or odd in their numbers."""

from __future__ import annotations

import asyncio

import pytest
from session_query.log import SessionEvent

from .engines import engine_over
from .logs import conversation, header, message
from .scripted_persistence import ScriptedPersistence


@pytest.mark.requirement("TRACE-3")
def test_recorded_seqs_come_out_as_whole_numbers() -> None:
    """A citation that was recorded as an integral float is the same seq."""
    cited = SessionEvent("user/message", 1, 5, message("x"), "append", [0.0])
    engine = engine_over(ScriptedPersistence([(header("a"), [*conversation("one"), cited])]))
    assert repr(asyncio.run(engine.trace_event("a", 1)).source_event_seqs) == "(0,)"
    assert asyncio.run(engine.trace_event("a", 0)).derived_event_seqs == (1,)


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
