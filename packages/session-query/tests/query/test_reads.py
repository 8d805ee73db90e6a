"""What exact reads owe to settings and to threads; the conformance suite judges the rest."""

from __future__ import annotations

import asyncio

import pytest
from session_query.errors import SessionQueryError
from session_query.log import SessionEvent, SessionHeader
from session_query.query import (
    EngineConfig,
)

from ..corpus.engines import ExactEngine, engine_over
from ..corpus.logs import conversation, header
from ..corpus.scripted_persistence import ScriptedPersistence


def over(events: list[SessionEvent], *, live: bool) -> ExactEngine:
    """An engine with one log, the session `a`."""
    kept: tuple[SessionHeader, list[SessionEvent]] = (header("a"), events)
    return engine_over(None, [kept]) if live else engine_over(ScriptedPersistence([kept]))


@pytest.mark.requirement("READ-2", "ERR-3")
def test_the_largest_window_is_a_setting() -> None:
    """`read_window_max` bounds both sides, down to the target alone."""
    engine = over(conversation("x", "y", "z"), live=True)
    engine.config = EngineConfig(read_window_max=0)
    assert len(asyncio.run(engine.read_event("a", 1)).events) == 1
    with pytest.raises(SessionQueryError):
        asyncio.run(engine.read_event("a", 1, before=1))


@pytest.mark.requirement("LOG-24", "READ-1")
def test_an_engine_hides_the_tools_of_its_settings() -> None:
    """`unsearchable_tools` decides whose calls give no text."""
    call = SessionEvent("tool/call", 0, 1, {"name": "own", "callId": "c", "arguments": "needle"})
    engine = over([call], live=True)
    assert len(asyncio.run(engine.filter_events("a", []))) == 1
    engine.config = EngineConfig(unsearchable_tools=frozenset({"own"}))
    assert asyncio.run(engine.filter_events("a", [])) == []


@pytest.mark.requirement("READ-1", "CANCEL-8")
@pytest.mark.parametrize("length", [1_999, 2_000, 2_500])
@pytest.mark.parametrize("live", [True, False])
def test_long_logs_answer_like_short_ones(length: int, live: bool) -> None:
    """A log that is folded in a thread gives what one folded on the loop gives."""
    events = conversation(*["word"] * length)
    engine = over(events, live=live)
    assert [record.seq for record in asyncio.run(engine.list_events("a"))] == [*range(length)]
    assert asyncio.run(engine.read_session("a")).events == events
    assert asyncio.run(engine.read_surface("a")).events == tuple(events)
    assert asyncio.run(engine.trace_event("a", 7)).target.surface == "current"
