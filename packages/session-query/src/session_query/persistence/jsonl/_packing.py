"""Rows that hold several stream deltas of one block (LOG-18).

A delta is a small event in a large envelope. A row keeps the envelope once, the texts in one list
and the times as gaps, and gives back exactly the events that went in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import TypeAlias

from session_query.log import JsonValue, SessionEvent
from session_query.log._json import SAFE_INTEGER, describe, integral, safe_integral

__all__ = ["is_packed", "pack", "unpack"]

_CHUNK = "assistant/chunk"
_AT_LEAST = 3
_ROW_KEYS = {"type", "seq0", "time0", "data"}

# The type of a row: that of its deltas, their field with the text, and the row's with the texts.
_ROWS = {
    "text-chunks": ("text-delta", "text", "texts"),
    "reasoning-chunks": ("reasoning-delta", "text", "texts"),
    "tool-call-chunks": ("tool-call-delta", "argumentsDelta", "args"),
}
# The fields of a delta, in order, and the type of its row.
_SHAPES: dict[tuple[str, ...], str] = {
    ("text-delta", "type", "index", "text"): "text-chunks",
    ("reasoning-delta", "type", "index", "text"): "reasoning-chunks",
    ("tool-call-delta", "type", "index", "id", "argumentsDelta"): "tool-call-chunks",
    ("tool-call-delta", "type", "index", "id", "name", "argumentsDelta"): "tool-call-chunks",
}

# What the deltas of one row have in common: type of the row, turn, step, index, id and name.
_Block: TypeAlias = tuple[str, int, int, int | None, str | None, str | None]


def is_packed(row: dict[str, JsonValue]) -> bool:
    """Tell a packed row from an event, whose type is free to be that of a row."""
    return "seq0" in row and isinstance(kind := row.get("type"), str) and kind in _ROWS


def pack(events: Iterable[SessionEvent]) -> Iterator[SessionEvent | dict[str, JsonValue]]:
    """Yield the events in order, with a row in the place of three or more that fit into one.

    `events` follow each other without a gap in seq.
    """
    run: list[SessionEvent] = []
    block: _Block | None = None
    for event in events:
        following = _block_of(event)
        if run and (following is None or following != block or not _follows(run[-1], event)):
            yield from _packed(run, block)
            run = []
        if following is None:
            yield event
        else:
            run.append(event)
        block = following
    yield from _packed(run, block)


def _follows(event: SessionEvent, later: SessionEvent) -> bool:
    # A clock that went backwards begins a new row: not every reader may take a negative gap.
    return 0 <= later.time - event.time <= SAFE_INTEGER


def _block_of(event: SessionEvent) -> _Block | None:
    """Return what the row of an event says of it; None if a row would lose part of it."""
    data = event._raw
    extra = event._surface_op is not None or event._sources is not None or event.ignorable
    if event.type != _CHUNK or extra or not isinstance(data, dict):
        return None
    chunk = data.get("chunk")
    if [*data] != ["turn", "step", "chunk"] or not isinstance(chunk, dict):
        return None
    kind, index = chunk.get("type"), chunk.get("index")
    row_type = _SHAPES.get((kind, *chunk)) if isinstance(kind, str) else None
    texts = [*chunk.values()][2:]
    if row_type is None or not all(type(text) is str for text in texts):
        return None
    turn, step = data["turn"], data["step"]
    for number in (turn, step, index):
        if type(number) is not int or abs(number) > SAFE_INTEGER:
            return None
    return (row_type, turn, step, index, chunk.get("id"), chunk.get("name"))


def _packed(
    run: list[SessionEvent], block: _Block | None
) -> Iterable[SessionEvent | dict[str, JsonValue]]:
    if len(run) < _AT_LEAST or block is None:
        return run
    row_type, turn, step, index, id_, name = block
    _, field, texts = _ROWS[row_type]
    times = [event.time for event in run]
    data: dict[str, JsonValue] = {"turn": turn, "step": step, "index": index}
    data["dt"] = [later - time for time, later in pairwise(times)]
    if id_ is not None:
        data["id"] = id_
    if name is not None:
        data["name"] = name
    data[texts] = [event._raw["chunk"][field] for event in run]
    return [{"type": row_type, "seq0": run[0].seq, "time0": times[0], "data": data}]


def unpack(row: dict[str, JsonValue], seq: int) -> list[SessionEvent]:
    """Return the events of a packed row that is due to begin at `seq`.

    Takes rows of one or two deltas too, which :func:`pack` doesn't make.

    Raises:
        ValueError: what is wrong with the row.
    """
    data = row.get("data")
    if row.keys() != _ROW_KEYS or not isinstance(data, dict):
        raise ValueError(f"a row of type {row['type']!r} has the fields {sorted(_ROW_KEYS)}")
    if safe_integral(row["seq0"]) != seq:
        raise ValueError(f"seq0 is {describe(row['seq0'])} where {seq} is due")
    kind, field, texts_key = _ROWS[row["type"]]
    _check_fields(data, row["type"], texts_key)
    turn, step, index = (integral(data[key]) for key in ("turn", "step", "index"))
    named = {key: data[key] for key in ("id", "name") if key in data}
    adopt = SessionEvent._adopt
    events: list[SessionEvent] = []
    for text, time in zip(data[texts_key], _times(row["time0"], data["dt"]), strict=True):
        chunk = {"type": kind, "index": index, **named, field: text}
        number = seq + len(events)
        events.append(adopt(_CHUNK, number, time, {"turn": turn, "step": step, "chunk": chunk}))
    return events


def _check_fields(data: dict[str, JsonValue], row_type: str, texts_key: str) -> None:
    fields = {"turn", "step", "index", "dt", texts_key}
    names = {"id", "name"} & data.keys()
    required = fields | {"id"} if texts_key == "args" else fields
    if data.keys() != required | (names if texts_key == "args" else set()):
        raise ValueError(
            f"the data of a row of type {row_type!r} has the fields {sorted(required)}"
        )
    if any(integral(data[key]) is None for key in ("turn", "step", "index")):
        raise ValueError("turn, step and index of a packed row are integers")
    texts, gaps = data[texts_key], data["dt"]
    if not isinstance(texts, list) or not isinstance(gaps, list) or len(gaps) != len(texts) - 1:
        raise ValueError(f"{texts_key} and dt of a packed row are lists, and dt is shorter by one")
    if not all(isinstance(text, str) for text in [*texts, *map(data.get, names)]):
        raise ValueError(f"id, name and {texts_key} of a packed row hold texts")


def _times(first: JsonValue, gaps: list[JsonValue]) -> Iterator[int]:
    times = accumulate((safe_integral(item) for item in [first, *gaps]), _sum)
    for time in times:
        if time is None:
            raise ValueError("the times of a packed row are integers in epoch milliseconds")
        yield time


def _sum(time: int | None, gap: int | None) -> int | None:
    return None if time is None or gap is None else safe_integral(time + gap)
