"""Packed rows: what goes in comes out, whatever it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from session_query.log import SessionEvent
from session_query.log._json import dumps, loads
from session_query.persistence.jsonl._packing import is_packed, pack, unpack

from .chunks import event_lists
from .stores import event, exact, header_line, put, verdict


def delta(seq: int, text: str, time: int = 0, **chunk: Any) -> SessionEvent:
    """A text delta of turn 1, step 1, block 0."""
    block = {"type": "text-delta", "index": 0, "text": text, **chunk}
    return SessionEvent("assistant/chunk", seq, time, {"turn": 1, "step": 1, "chunk": block})


def tool_delta(seq: int, text: str, **named: str) -> SessionEvent:
    """A delta of the arguments of a call."""
    block = {"type": "tool-call-delta", "index": 2, "id": "c", **named, "argumentsDelta": text}
    return SessionEvent("assistant/chunk", seq, 5, {"turn": 1, "step": 1, "chunk": block})


def stored(events: list[SessionEvent]) -> list[SessionEvent]:
    """Pack events, write and parse the rows, and unpack them."""
    found: list[SessionEvent] = []
    for item in pack(events):
        row = loads(dumps(item if isinstance(item, dict) else item.to_json()))
        if is_packed(row):
            assert isinstance(item, dict)
            found += unpack(row, len(found))
        else:
            found.append(SessionEvent.from_json(row))
    return found


@pytest.mark.requirement("LOG-18", "LOG-4")
@given(events=event_lists())
def test_packing_is_lossless(events: list[SessionEvent]) -> None:
    """Every event list comes out as it went in: types of numbers and key order included."""
    assert [exact(item.to_json()) for item in stored(events)] == [
        exact(item.to_json()) for item in events
    ]


@pytest.mark.requirement("LOG-18")
def test_three_deltas_of_a_block_share_a_row() -> None:
    """The row holds what they have in common once, the gaps between times, and the texts."""
    events = [delta(4, "a", 10), delta(5, "", 15), delta(6, "c", 15)]
    assert [*pack(events)] == [
        {
            "type": "text-chunks",
            "seq0": 4,
            "time0": 10,
            "data": {"turn": 1, "step": 1, "index": 0, "dt": [5, 0], "texts": ["a", "", "c"]},
        }
    ]


@pytest.mark.requirement("LOG-18")
@pytest.mark.parametrize("named", [{}, {"name": "bash"}], ids=["unnamed", "named"])
def test_a_row_of_arguments_keeps_id_and_name(named: dict[str, str]) -> None:
    """A row of call deltas holds the id, the name where the deltas have one, and the arguments."""
    (row,) = pack([tool_delta(seq, text, **named) for seq, text in enumerate(["{", "}", ""])])
    assert isinstance(row, dict)
    assert row["type"] == "tool-call-chunks"
    assert exact(row["data"]) == exact(
        {"turn": 1, "step": 1, "index": 2, "dt": [0, 0], "id": "c", **named, "args": ["{", "}", ""]}
    )


@pytest.mark.requirement("LOG-18")
@pytest.mark.parametrize(
    "events",
    [
        [delta(0, "a"), delta(1, "b")],
        [delta(0, "a"), delta(1, "b"), delta(2, "c", index=1), delta(3, "d", index=1)],
        [delta(0, "a"), delta(1, "b"), event(2), delta(3, "c"), delta(4, "d")],
        [delta(0, "a", 9), delta(1, "b", 9), delta(2, "c", 8), delta(3, "d", 8)],
        [tool_delta(0, "a"), tool_delta(1, "b"), tool_delta(2, "c", name="n")],
    ],
    ids=["two", "another block", "an event between", "a clock going back", "named later"],
)
def test_fewer_than_three_stay_as_they_are(events: list[SessionEvent]) -> None:
    """Nothing is packed that isn't three deltas of one block, one after the other in time too."""
    assert [*pack(events)] == events


@pytest.mark.requirement("LOG-18", "LOG-4")
@pytest.mark.parametrize(
    "data",
    [
        {"step": 1, "turn": 1, "chunk": {"type": "text-delta", "index": 0, "text": "a"}},
        {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "text": "a", "index": 0}},
        {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "text": "a"}},
        {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": "a", "x": 1}},
        {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": None}},
        {"turn": True, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": "a"}},
        {"turn": 1, "step": 1.0, "chunk": {"type": "text-delta", "index": 0, "text": "a"}},
        {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 2**53, "text": "a"}},
        {"turn": 1, "step": 1, "chunk": {"type": "block-end", "index": 0, "text": "a"}},
        {"turn": 1, "step": 1, "chunk": {"type": ["text-delta"], "index": 0, "text": "a"}},
        {"turn": 1, "step": 1, "chunk": []},
        {"turn": 1, "step": 1},
    ],
    ids=str,
)
def test_what_a_row_would_alter_stays_as_it_is(data: Any) -> None:
    """Deltas with other fields, another order of them, or other types are not packed."""
    events = [SessionEvent("assistant/chunk", seq, 0, data) for seq in range(3)]
    assert [*pack(events)] == events
    assert [exact(item.to_json()) for item in stored(events)] == [
        exact(item.to_json()) for item in events
    ]


ROW = {
    "type": "text-chunks",
    "seq0": 0,
    "time0": 10,
    "data": {"turn": 1, "step": 1, "index": 0, "dt": [5, -7], "texts": ["a", "b", "c"]},
}
TURN_END = b'{"type":"turn/end","seq":3,"time":0,"data":{}}\n'


def row_with(change: dict[str, Any], data: dict[str, Any] | None = None) -> bytes:
    """A row with changed fields; ... takes a field out."""
    form: dict[str, Any] = {**ROW, **change}
    if data is not None:
        form["data"] = {**form["data"], **data}
        form["data"] = {key: value for key, value in form["data"].items() if value is not ...}
    form = {key: value for key, value in form.items() if value is not ...}
    return dumps(form).encode() + b"\n"


@pytest.mark.requirement("LOG-18")
def test_a_member_has_its_seq_and_the_sum_of_the_gaps(tmp_path: Path) -> None:
    """Member k of a row has seq `seq0 + k` and `time0` plus the first k gaps, of either sign."""
    put(tmp_path, header_line() + row_with({}) + TURN_END)
    found = verdict(tmp_path)
    assert isinstance(found, list)
    assert [(item["seq"], item["time"]) for item in found[:3]] == [(0, 10), (1, 15), (2, 8)]
    chunk = {"type": "text-delta", "index": 0, "text": "b"}
    assert exact(found[1]["data"]) == exact({"turn": 1, "step": 1, "chunk": chunk})


@pytest.mark.requirement("LOG-18")
def test_rows_that_need_not_be_are_read(tmp_path: Path) -> None:
    """Rows of one or two deltas are read; other writers may make them."""
    one = row_with({}, {"dt": [], "texts": ["a"]})
    two = row_with({"seq0": 1.0}, {"dt": [1], "texts": ["b", "c"]})
    put(tmp_path, header_line() + one + two + TURN_END)
    found = verdict(tmp_path)
    assert isinstance(found, list)
    assert [item["seq"] for item in found] == [0, 1, 2, 3]


@pytest.mark.requirement("LOG-18", "LOG-20")
@pytest.mark.parametrize(
    "row",
    [
        row_with({"seq0": 1}),
        row_with({"seq0": False}),
        row_with({"seq0": "0"}),
        row_with({"time0": 2**53}),
        row_with({"time0": None}),
        row_with({"time0": ...}),
        row_with({"time": 1}),
        row_with({"seq": 0}),
        row_with({"data": None}),
        row_with({"data": []}),
        row_with({}, {"dt": [5]}),
        row_with({}, {"dt": [5, 5, 5]}),
        row_with({}, {"dt": [5, 2**53]}),
        row_with({}, {"dt": [5, True]}),
        row_with({}, {"dt": "55"}),
        row_with({}, {"dt": ...}),
        row_with({}, {"dt": [], "texts": []}),
        row_with({}, {"texts": ["a", "b", 3]}),
        row_with({}, {"texts": "abc"}),
        row_with({}, {"args": ["a", "b", "c"]}),
        row_with({}, {"turn": None}),
        row_with({}, {"step": "1"}),
        row_with({}, {"index": True}),
        row_with({}, {"id": "c"}),
        row_with({}, {"more": 1}),
        row_with({"type": "tool-call-chunks"}),
        row_with({"type": "tool-call-chunks"}, {"texts": ..., "args": ["", "", ""]}),
        row_with({"type": "tool-call-chunks"}, {"texts": ..., "args": ["", "", ""], "id": 1}),
        row_with(
            {"type": "tool-call-chunks"},
            {"texts": ..., "args": ["", "", ""], "id": "c", "name": None},
        ),
        row_with({"type": "other-chunks"}),
        row_with({"type": ["text-chunks"]}),
    ],
)
def test_a_damaged_row_is_a_bad_line(tmp_path: Path, row: bytes) -> None:
    """A row with a wrong, missing or surplus part is corruption of its line."""
    put(tmp_path, header_line() + row + TURN_END)
    assert verdict(tmp_path) == 2
