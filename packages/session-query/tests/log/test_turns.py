"""Closers: what a crash left open is closed by events that any log may take."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.live import SessionStore
from session_query.log import (
    SURFACE_TYPES,
    SessionEvent,
    fold_surface,
    interrupted_turn_closers,
    turn_is_open,
)

from .payloads import TYPED
from .surfaces import result

Part = tuple[str, Any]

TURN: Part = ("turn/start", {"turn": 3})
STEP: Part = ("step/start", {"turn": 3, "step": 7})
STEP_ENDS: Part = ("step/end", {"turn": 3, "step": 7})
TURN_ENDS: Part = ("turn/end", {"turn": 3, "reason": {"kind": "completed"}})


def asks(*call_ids: str) -> Part:
    """An assistant message that asks for calls."""
    blocks = [{"type": "tool-call", "id": call_id, "name": "bash"} for call_id in call_ids]
    return "assistant/message", {"message": {"content": [{"type": "text", "text": "t"}, *blocks]}}


def starts(call_id: str) -> Part:
    """A logged call."""
    return "tool/call", {"callId": call_id, "name": "bash", "arguments": ""}


def answers(call_id: str) -> Part:
    """The result of a call."""
    return "tool/result", result(call_id, "done")


def log(*parts: Part) -> list[SessionEvent]:
    """Number the parts; times fall."""
    return [
        SessionEvent(kind, seq, -seq, data, "append" if kind in SURFACE_TYPES else None)
        for seq, (kind, data) in enumerate(parts)
    ]


def closed(*parts: Part) -> list[tuple[str, Any]]:
    """What closes a log: the code and call of each result, and the type of all else."""
    return [
        (event.data["error"]["code"], event.data["message"]["source"]["callId"])
        if event.type == "tool/result"
        else (event.type, event.data)
        for event in interrupted_turn_closers(iter(log(*parts)))
    ]


@pytest.mark.requirement("LOG-25")
def test_each_unanswered_call_gets_an_error() -> None:
    """The code tells whether the call was started; the step and the turn end after the results."""
    parts = [TURN, STEP, asks("a", "b", "c", "d"), starts("b"), starts("c"), answers("c")]
    assert closed(*parts) == [
        ("TOOL_NOT_STARTED", "a"),
        ("TOOL_OUTCOME_UNKNOWN", "b"),
        ("TOOL_NOT_STARTED", "d"),
        STEP_ENDS,
        ("turn/end", {"turn": 3, "reason": {"kind": "interrupted"}}),
    ]


@pytest.mark.requirement("LOG-25")
def test_a_closing_result_is_a_complete_one() -> None:
    """It has the shape of a result, belongs to the step of its call, and cites a logged call."""
    first, second, *_ = interrupted_turn_closers(log(TURN, STEP, asks("a", "b"), starts("b")))
    text = "The session ended before this tool was started."
    assert first.to_json() == {
        "type": "tool/result", "seq": 4, "time": -3, "surfaceOp": "append",
        "data": {
            "turn": 3, "step": 7, "error": {"name": "ToolError", "code": "TOOL_NOT_STARTED"},
            "message": {
                "id": "interrupted-a", "role": "user", "source": {"kind": "tool", "callId": "a"},
                "content": [{"type": "tool-result", "toolCallId": "a", "isError": True,
                             "content": [{"type": "text", "text": text}]}],
            },
        },
    }  # fmt: skip
    assert second.source_event_seqs == [3]
    (late, *_) = interrupted_turn_closers(log(TURN, STEP, asks("a"), STEP_ENDS))
    assert late.data["step"] == 7


@pytest.mark.requirement("LOG-25")
@pytest.mark.parametrize(
    ("parts", "types"),
    [
        ([], []),
        ([asks("a")], []),
        ([TURN, STEP, asks("a"), TURN_ENDS], []),
        ([TURN, STEP, asks("a"), TURN_ENDS, asks("b")], []),
        ([TURN], ["turn/end"]),
        ([TURN, STEP], ["step/end", "turn/end"]),
        ([TURN, STEP, STEP_ENDS], ["turn/end"]),
        ([TURN, STEP, starts("a")], ["tool/result", "step/end", "turn/end"]),
        ([TURN, STEP, asks("a"), starts("a"), answers("a")], ["step/end", "turn/end"]),
        ([TURN, asks("a"), answers("a"), asks("a")], ["tool/result", "turn/end"]),
        ([TURN, asks("a"), TURN_ENDS, TURN, asks("b")], ["tool/result", "turn/end"]),
        ([TURN, STEP, asks("a"), TURN], ["turn/end"]),
    ],
    ids=lambda parts: None if parts and isinstance(parts[0], str) else f"{len(parts)} events",
)
def test_only_the_last_turn_is_closed(parts: list[Part], types: list[str]) -> None:
    """A closed turn needs nothing, and calls of earlier turns are left alone."""
    assert [event.type for event in interrupted_turn_closers(log(*parts))] == types


@pytest.mark.requirement("LOG-14", "LOG-25")
@given(st.lists(TYPED | st.sampled_from([TURN, STEP, STEP_ENDS, TURN_ENDS]), max_size=15))
def test_any_log_can_take_its_closers(parts: list[Part]) -> None:
    """Whatever the log holds, the closers follow on, keep every rule and close the turn."""
    events = log(*parts)
    closers = interrupted_turn_closers(events)
    assert bool(closers) is turn_is_open(events)
    assert {event.time for event in closers} <= {events[-1].time if events else 0}
    assert not turn_is_open([*events, *closers])
    assert interrupted_turn_closers([*events, *closers]) == []
    fold_surface([*events, *closers])
    session = SessionStore().create(seed=events)
    for event in interrupted_turn_closers(session.events):
        added = session.append(
            event.type, event.data, event.surface_op, event.source_event_seqs, event.time
        )
        assert added == event
    assert not turn_is_open(session.events)


@pytest.mark.requirement("LOG-25")
@given(st.lists(st.sampled_from("abc").flatmap(lambda name: st.sampled_from(
    [asks(name), starts(name), answers(name)])), max_size=12))  # fmt: skip
def test_who_is_unanswered_follows_from_looking_back(parts: list[Part]) -> None:
    """A call is open if it was made after its last result, and unknown if started since."""
    since: dict[str, list[str]] = {name: [] for name in "abc"}
    for kind, data in parts:
        if kind == "assistant/message":
            since[data["message"]["content"][1]["id"]].append("asked")
        elif kind == "tool/call":
            since[data["callId"]].append("started")
        else:
            since[data["message"]["source"]["callId"]].clear()
    expected = {
        ("TOOL_OUTCOME_UNKNOWN" if "started" in seen else "TOOL_NOT_STARTED", name)
        for name, seen in since.items()
        if seen
    }
    assert set(closed(TURN, *parts)[:-1]) == expected
