"""Strategies for event lists with stream deltas that can, and can't, share a row."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from session_query.log import SessionEvent

from ..log.values import JSON, TEXTS

_SMALL = st.integers(0, 1)
_NUMBERS = _SMALL | st.sampled_from([True, 1.0, 2**53, -1, "1", None])
_NAMES = st.sampled_from(["a", "b", "\ud800"])
_KINDS = st.sampled_from(["text-delta", "reasoning-delta", "tool-call-delta"])


@st.composite
def _chunk(draw: st.DrawFn, number: st.SearchStrategy[Any]) -> dict[str, Any]:
    kind = draw(_KINDS)
    chunk: dict[str, Any] = {"type": kind, "index": draw(number)}
    if kind == "tool-call-delta":
        chunk["id"] = draw(_NAMES)
        if draw(st.booleans()):
            chunk["name"] = draw(_NAMES)
        chunk["argumentsDelta"] = draw(TEXTS)
    else:
        chunk["text"] = draw(TEXTS)
    return {"turn": draw(number), "step": draw(number), "chunk": chunk}


@st.composite
def _spoilt(draw: st.DrawFn) -> Any:
    """A delta with something that no row can hold."""
    data = draw(_chunk(_SMALL))
    target = draw(st.sampled_from([data, data["chunk"]]))
    match draw(st.integers(0, 4)):
        case 4:
            return draw(_chunk(_NUMBERS))
        case 0:
            target["more"] = draw(JSON)
        case 1:
            target.pop(draw(st.sampled_from(sorted(target))))
        case 2:
            target[draw(st.sampled_from(sorted(target)))] = draw(JSON)
        case 3:
            items = draw(st.permutations(list(target.items())))
            target.clear()
            target.update(items)
    return data


def _with_text(data: Any, text: str) -> Any:
    """The same delta with another text, if there is one to replace."""
    chunk = data.get("chunk")
    if not isinstance(chunk, dict) or not isinstance(chunk.get("text"), str):
        return data
    return {**data, "chunk": {**chunk, "text": text}}


@st.composite
def event_lists(draw: st.DrawFn) -> list[SessionEvent]:
    """Events numbered from 0: runs of deltas of one block, spoilt ones, and any others."""
    events: list[SessionEvent] = []
    time = draw(st.sampled_from([0, 1_790_000_000_000, -(2**53) + 1, 2**53 - 1]))

    def add(kind: str, data: Any, **envelope: Any) -> None:
        nonlocal time
        step = draw(st.sampled_from([0, 7, 0, 5, 1, -3, 2**53, -(2**53)]))
        time = min(max(time + step, -(2**53) + 1), 2**53 - 1)
        events.append(SessionEvent(kind, len(events), time, data, **envelope))

    for _ in range(draw(st.integers(0, 4))):
        match draw(st.integers(0, 3)):
            case 0 | 1 | 2:
                like = draw(_chunk(_SMALL) | _spoilt())
                for _ in range(draw(st.integers(1, 6))):
                    extra = {"ignorable": True} if draw(st.integers(0, 9)) == 9 else {}
                    add("assistant/chunk", _with_text(like, draw(TEXTS)), **extra)
            case _:
                kinds = ["user/message", "text-chunks", "turn/end", "session", "", "\ud800"]
                envelope = {
                    "surface_op": draw(st.none() | st.just("append") | JSON),
                    "source_event_seqs": draw(st.none() | JSON),
                    "ignorable": draw(st.booleans()),
                }
                add(draw(st.sampled_from(kinds)), draw(JSON), **envelope)
    return events
