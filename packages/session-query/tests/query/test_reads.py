"""Exact reads, against what was noted down while the log was drawn."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.corpus import EventRecord
from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import EventDocument, SessionEvent, SessionHeader
from session_query.query import (
    EngineConfig,
    EventFilter,
    EventWindow,
    SeqFilter,
    SessionLog,
    SurfaceFilter,
    SurfaceSnapshot,
    TextFilter,
    TimeFilter,
    TypeFilter,
)

from ..corpus.engines import ExactEngine, engine_over
from ..corpus.logs import DrawnLog, conversation, drawn_logs, header, said
from ..corpus.scripted_persistence import ScriptedPersistence


def over(log: DrawnLog | list[SessionEvent], *, live: bool) -> ExactEngine:
    """An engine with one log, the session `a`."""
    events = log.events if isinstance(log, DrawnLog) else log
    kept: tuple[SessionHeader, list[SessionEvent]] = (header("a"), events)
    return engine_over(None, [kept]) if live else engine_over(ScriptedPersistence([kept]))


@pytest.mark.requirement("READ-1", "LOG-12")
@given(drawn_logs(), st.booleans())
def test_whole_reads_agree_with_the_log(log: DrawnLog, live: bool) -> None:
    """The log, its records and its surface are what was recorded, live or stored alike."""
    engine = over(log, live=live)
    assert asyncio.run(engine.read_session("a")) == SessionLog(header("a"), log.events)
    assert asyncio.run(engine.list_events("a")) == [
        EventRecord("a", event.seq, event.type, event.time, log.surface(event.seq))  # type: ignore[arg-type]
        for event in log.events
    ]
    snapshot = asyncio.run(engine.read_surface("a"))
    through = len(log.events) - 1 if log.events else None
    on_surface = tuple(log.events[seq] for seq in log.nodes)
    assert snapshot == SurfaceSnapshot(header("a"), through, on_surface)
    assert snapshot.to_json() == {
        "session": header("a").to_json(),
        "capturedThroughSeq": through,
        "events": [event.to_json() for event in on_surface],
    }


@pytest.mark.requirement("READ-2")
@given(drawn_logs().filter(lambda log: log.events), st.data(), st.booleans())
def test_a_window_is_clipped_to_the_log(log: DrawnLog, data: st.DataObject, live: bool) -> None:
    """The neighbours are the raw events within reach, never beyond either end."""
    seq = data.draw(st.integers(0, len(log.events) - 1))
    before, after = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
    window = asyncio.run(over(log, live=live).read_event("a", seq, before, after))
    inside = [event for event in log.events if seq - before <= event.seq <= seq + after]
    assert window == EventWindow(
        header("a"), log.events[seq], tuple(inside), inside[0].seq, inside[-1].seq
    )
    assert window.to_json() == {
        "session": header("a").to_json(),
        "target": log.events[seq].to_json(),
        "events": [event.to_json() for event in inside],
        "startSeq": inside[0].seq,
        "endSeq": inside[-1].seq,
    }


@pytest.mark.requirement("READ-2")
@pytest.mark.parametrize("wrong", [-1, 51, 10**30, True, 1.0, "1", None, float("nan")])
@pytest.mark.parametrize("name", ["before", "after"])
def test_a_window_that_cannot_be_is_refused(name: str, wrong: object) -> None:
    """What is no whole number in the range is refused before any source is touched."""
    persistence = ScriptedPersistence([(header("a"), conversation("x"))])
    engine = engine_over(persistence)
    with pytest.raises(SessionQueryError, match=f"{name}: .*from 0 to 50") as caught:
        asyncio.run(engine.read_event("a", 0, **{name: wrong}))  # type: ignore[arg-type]
    assert caught.value.code is ErrorCode.INVALID_WINDOW
    assert persistence.calls == []
    window = asyncio.run(engine.read_event("a", 0, before=50, after=50))
    assert window.events == tuple(conversation("x"))


@pytest.mark.requirement("READ-2", "ERR-3")
def test_the_largest_window_is_a_setting() -> None:
    """`read_window_max` bounds both sides, down to the target alone."""
    engine = over(conversation("x", "y", "z"), live=True)
    engine.config = EngineConfig(read_window_max=0)
    assert len(asyncio.run(engine.read_event("a", 1)).events) == 1
    with pytest.raises(SessionQueryError):
        asyncio.run(engine.read_event("a", 1, before=1))


@pytest.mark.requirement("READ-2", "ERR-4")
@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("seq", [-1, 2, 10**30, True, "0", None, 0.5])
def test_an_absent_event_is_not_found(seq: object, live: bool) -> None:
    """A seq that the log doesn't hold is an error about that session."""
    with pytest.raises(SessionQueryError) as caught:
        asyncio.run(over(conversation("x", "y"), live=live).read_event("a", seq))  # type: ignore[arg-type]
    assert caught.value.code is ErrorCode.EVENT_NOT_FOUND
    assert caught.value.header == header("a")


@pytest.mark.requirement("READ-2")
def test_a_window_reads_logs_whose_seqs_have_gaps() -> None:
    """Nobody has checked the seqs of a stored log: the target is the event that has the seq."""
    events = [said(seq) for seq in (0, 2, 4, 7)]
    engine = engine_over(ScriptedPersistence([(header("a"), events)]))
    window = asyncio.run(engine.read_event("a", 4, 1, 5))
    assert [event.seq for event in window.events] == [2, 4, 7]
    assert (window.target.seq, window.start_seq, window.end_seq) == (4, 2, 7)
    with pytest.raises(SessionQueryError):
        asyncio.run(engine.read_event("a", 1))


EVENT_FILTERS = st.one_of(
    st.builds(lambda low, size: SeqFilter(low, low + size), st.integers(0, 14), st.integers(0, 14)),
    st.builds(TimeFilter, st.integers(988, 1_012)),
    st.builds(TypeFilter, st.lists(st.sampled_from(["user/message", "session/title", "host/own"]))),
    st.builds(
        SurfaceFilter, st.lists(st.sampled_from(["current", "shadowed", "log-only"]), min_size=1)
    ),
    st.builds(TextFilter, st.sampled_from(["raid", "BRAID", "two words", "σίσυφος", "X Y", "权"])),
)


def finds(text: str, wanted: str) -> bool:
    """Whether a text holds another, case and runs of white space aside."""
    parts = [re.escape(part) for part in wanted.split()]
    return re.search(r"\s+".join(parts), text, re.IGNORECASE) is not None


def passes(document: EventDocument, one: EventFilter) -> bool:
    """Whether one filter admits a document."""
    match one:
        case SeqFilter(low, high):
            return bool(low <= document.seq <= high)  # type: ignore[operator]
        case TimeFilter(low, _):
            return bool(low <= document.time)  # type: ignore[operator]
        case TypeFilter(values):
            return document.type in values
        case SurfaceFilter(values):
            return document.surface in values
        case _:
            return finds(document.text, one.text)


@pytest.mark.requirement("READ-1", "FILTER-1", "FILTER-4")
@given(drawn_logs(), st.lists(EVENT_FILTERS, max_size=3), st.booleans())
@example(DrawnLog([said(0, "BRAID")], [0], {}, {}, {0: "BRAID"}), [TextFilter("raid")], True)
def test_filtered_events_are_those_with_text_that_pass(
    log: DrawnLog, filters: list[EventFilter], live: bool
) -> None:
    """`filter_events` gives the events that have text and pass each filter, in log order."""
    documents = [
        EventDocument(*record, log.texts[record.seq])
        for record in asyncio.run(over(log, live=live).list_events("a"))
        if record.seq in log.texts
    ]
    expected = [found for found in documents if all(passes(found, one) for one in filters)]
    assert asyncio.run(over(log, live=live).filter_events("a", filters)) == expected


@pytest.mark.requirement("FILTER-4")
@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("a.c", "A.C", True),
        ("abc", "a.c", False),
        ("100%", "0%", True),
        ("a\u3000\n b", "a b", True),
        ("a b", "a\t\t b", True),
        ("ab", "a b", False),
        ("ΌΣΟΣ", "όσος", True),
        ("Straße", "STRASSE", False),
        ("İ", "i", False),
    ],
)
def test_a_text_is_literal(text: str, wanted: str, found: bool) -> None:
    """No character is an operator; case is folded one to one; any run of white space fits any."""
    engine = over([said(0, text)], live=True)
    assert bool(asyncio.run(engine.filter_events("a", [TextFilter(wanted)]))) is found


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
