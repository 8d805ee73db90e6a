"""Reads and traces of events read back exactly (RENDER-1, RENDER-2)."""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query import (
    EventRecord,
    EventTrace,
    EventWindow,
    SessionEvent,
    extract_event_text,
    loads,
)
from tool_session_query._presentation._pretty_json import pretty_json

from ..toolset.scripted import ScriptedEngine, answer, header
from .hostile import IDS, TEXTS, lines_of
from .parsing import CAUTION, Lines, name, quoted

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
MESSAGES = TEXTS.map(
    lambda text: {"content": [{"type": "text", "text": text}], "role": "user", "id": "m"}
)
EVENTS = st.one_of(
    st.builds(SessionEvent, TEXTS, st.just(0), st.integers(0, 2**40), VALUES),
    st.builds(
        SessionEvent, st.just("user/message"), st.just(0), st.just(0), MESSAGES, st.just("append")
    ),
)


def moved(event: SessionEvent, seq: int) -> SessionEvent:
    """The event at another place of the log."""
    return SessionEvent.from_json({**event.to_json(), "seq": seq})


def window(events: list[SessionEvent], target: int, session_id: str = "own") -> EventWindow:
    """A window on events that are numbered as they stand."""
    placed = tuple(moved(event, seq) for seq, event in enumerate(events))
    return EventWindow(header(session_id), placed[target], placed, 0, len(placed) - 1)


def read(given_window: EventWindow) -> str:
    """The answer that shows a window."""
    arguments = {"seq": given_window.target.seq}
    if given_window.header.id != "own":
        arguments["session_id"] = given_window.header.id  # type: ignore[assignment]
    return answer(ScriptedEngine(read_event=given_window), "session_event_read", arguments)


def fenced(lines: Lines) -> str:
    """What stands in the fence that begins with the next line."""
    opening = re.fullmatch("(`{3,})json", lines.take())
    assert opening
    inside = []
    while (line := lines.take()) != opening[1]:
        # no other reading of Markdown ends the fence earlier
        assert not re.match(rf" {{0,3}}`{{{len(opening[1])},}}", line)
        inside.append(line)
    return "\n".join(inside)


def neighbours(lines: Lines) -> list[tuple[str, list[tuple[int, str, list[str]]]]]:
    """The lists of neighbours that are left: the seq, type and text of each event."""
    found = []
    while lines.left:
        assert lines.take() == ""
        title = lines.take()
        events = []
        while lines.next_is("seq "):
            seq, _, rest = lines.take("seq ").partition(", ")
            kind, rest = name(rest)
            assert re.fullmatch(", [0-9TZ:.-]+", rest)
            events.append((int(seq), kind, lines.bars()))
        found.append((title, events))
    return found


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: true isn't 1, and 1.0 isn't 1."""
    return json.dumps(one) == json.dumps(other)


@pytest.mark.requirement("RENDER-1", "RENDER-2", "RENDER-3")
@given(st.lists(EVENTS, min_size=1, max_size=4), st.integers(0, 3), IDS)
def test_a_read_gives_the_very_event_and_its_neighbours(
    events: list[SessionEvent], place: int, session_id: str
) -> None:
    """The fenced JSON is the event, and each neighbour has its seq, type and text."""
    target = place % len(events)
    shown = window(events, target, session_id)
    text = read(shown)
    assert text == read(shown)
    lines = Lines(text)
    assert lines.take() == CAUTION
    named, rest = quoted(lines.take(f"Event seq {target} of session "))
    kind, rest = name(rest.removeprefix(", "))
    time, exactly = rest.removeprefix(", ").split(", ")
    assert (named, kind, exactly) == (session_id, shown.target.type, "exactly:")
    assert (datetime.fromisoformat(time) - EPOCH) // MILLISECOND == shown.target.time
    assert same_json(json.loads(fenced(lines)), shown.target.to_json())
    expected = []
    for title, around in (
        ("before it:", shown.events[:target]),
        ("after it:", shown.events[target + 1 :]),
    ):
        told = [(each.seq, each.type, _text_lines(each)) for each in around]
        expected += [(title, told)] if told else []
    assert neighbours(lines) == expected


def _text_lines(event: SessionEvent) -> list[str]:
    text = extract_event_text(event)
    return lines_of(text) if text else []


@pytest.mark.requirement("RENDER-2")
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 30])
@pytest.mark.parametrize("form", ["{0}", "\n{0}\n", "a{0}b", "{0}json\n{0}", "   {0}"])
def test_a_fence_is_longer_than_any_inside(length: int, form: str) -> None:
    """Backticks in keys and values never end the fence."""
    ticks = form.format("`" * length)
    event = SessionEvent(ticks, 0, 0, {ticks: [ticks, {ticks: ticks}]})
    lines = fence_of(event)
    assert json.loads(fenced(lines)) == event.to_json()


@pytest.mark.requirement("RENDER-1")
@pytest.mark.parametrize("sign", ["", "-"])
def test_an_integer_of_any_length_is_exact(sign: str) -> None:
    """An integer of 5,000 digits is shown with all of them."""
    digits = f"{sign}{'123456789' * 556}"
    event = SessionEvent._adopt("note", 0, 0, {"number": loads(digits)})
    lines = fence_of(event)
    text = fenced(lines)
    number = json.loads(text, parse_int=Decimal)["data"]["number"]
    assert str(number) == digits
    assert loads(text) == event.to_json()
    assert len(digits) > sys.get_int_max_str_digits()


def window_of_one(event: SessionEvent) -> EventWindow:
    """A window on an event alone, as it is."""
    return EventWindow(header("own"), event, (event,), event.seq, event.seq)


def fence_of(event: SessionEvent) -> Lines:
    """The answer that shows an event alone, from its fence on."""
    lines = Lines(read(window_of_one(event)))
    assert lines.take() == CAUTION
    lines.take("Event seq ")
    return lines


def nested(kind: str, depth: int) -> tuple[Any, str]:
    """A value of a depth, and its text without spaces."""
    value: Any = 7
    compact = deque(["7"])
    for level in range(depth):
        in_list = kind == "list" or (kind == "mixed" and level % 2 == 0)
        value = [value] if in_list else {"a": value}
        compact.appendleft("[" if in_list else '{"a":')
        compact.append("]" if in_list else "}")
    return value, "".join(compact)


@pytest.mark.requirement("RENDER-1", "RENDER-2")
@pytest.mark.parametrize("kind", ["list", "object", "mixed"])
def test_an_event_of_any_depth_is_exact(kind: str) -> None:
    """An event as deep as a log takes it is shown whole, in a size that grows with its depth."""
    sizes = []
    for depth in (5_000, 10_000):
        value, compact = nested(kind, depth)
        text = read(window_of_one(SessionEvent("note", 0, 0, value)))
        sizes.append(len(text))
        assert compact in re.sub(r"\s", "", text)
        _free(value)
    assert sizes[1] < 2.1 * sizes[0]


@pytest.mark.requirement("RENDER-2")
@pytest.mark.parametrize("kind", ["list", "object", "mixed"])
def test_json_of_any_depth_is_exact(kind: str) -> None:
    """JSON that is nested 50,000 deep is written without recursion."""
    value, compact = nested(kind, 50_000)
    assert re.sub(r"\s", "", pretty_json(value)) == compact
    _free(value)


@pytest.mark.requirement("RENDER-2")
def test_a_list_of_whole_numbers_is_one_line() -> None:
    """Up to 200 numbers, as seqs are, stand on one line; all else has a line for each."""
    for short in ([7], list(range(200)), [-(10**300), 0]):
        text = pretty_json({"seqs": short})
        assert text.split("\n") == ["{", f'  "seqs": {short}', "}"]
    for long in (list(range(201)), [1, True], [1, 0.5], [1, None], ["1"], [[1], []]):
        text = pretty_json(long)
        assert len(text.split("\n")) == len(long) + 2
        assert same_json(json.loads(text), long)


def _free(value: Any) -> None:
    """Take a deep value apart from the outside."""
    while not isinstance(value, int):
        value = value.pop() if isinstance(value, list) else value.pop("a")


@pytest.mark.requirement("RENDER-1", "RENDER-2")
@given(
    IDS,
    TEXTS,
    st.sampled_from(["current", "shadowed", "log-only"]),
    st.none() | st.integers(0, 99),
    st.lists(st.lists(st.integers(0, 2**53), max_size=3), min_size=4, max_size=4),
)
def test_a_trace_of_an_event_shows_all_five_relations(
    session_id: str, kind: str, surface: Any, replaced_by: int | None, relations: list[list[int]]
) -> None:
    """Each relation has its line with its seqs in their order, `none` where there are none."""
    target = EventRecord(session_id, 5, kind, 0, surface)
    trace = EventTrace(header(session_id), target, replaced_by, *map(tuple, relations))
    engine = ScriptedEngine(trace_event=trace)
    arguments = {"seq": 5, "session_id": session_id}
    text = answer(engine, "session_event_trace", arguments)
    assert text == answer(engine, "session_event_trace", arguments)
    lines = Lines(text)
    named, rest = quoted(lines.take("Event seq 5 of session "))
    shown_kind, rest = name(rest.removeprefix(": "))
    assert (named, shown_kind, rest) == (session_id, kind, f", {surface}, 1970-01-01T00:00:00.000Z")
    names = ("replaced by", "replacement chain", "replaces", "made from", "used by")
    first = [] if replaced_by is None else [replaced_by]
    for relation, seqs in zip(names, [first, *relations], strict=True):
        told = lines.take(f"{relation}: ")
        assert told != ""
        assert ([] if told == "none" else [int(seq) for seq in told.split(", ")]) == seqs
    assert not lines.left
