"""Turns: whether one is open, and the events that close one that a crash left open (LOG-25)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from session_query.log._event import SessionEvent
from session_query.log._json import JsonValue

__all__ = ["interrupted_turn_closers", "turn_is_open"]

_MESSAGES = {
    "TOOL_NOT_STARTED": "The session ended before this tool was started.",
    "TOOL_OUTCOME_UNKNOWN": "The session ended while this tool ran; its outcome is unknown.",
}


def turn_is_open(events: Iterable[SessionEvent]) -> bool:
    """Tell whether the last turn has started and not ended; O(events)."""
    is_open = False
    for event in events:
        if event.type == "turn/start":
            is_open = True
        elif event.type == "turn/end":
            is_open = False
    return is_open


@dataclass(slots=True)
class _Call:
    """An unanswered call: the step it was made in, and the seq of its ``tool/call`` if logged."""

    step: JsonValue
    seq: int | None = None


@dataclass(slots=True)
class _OpenTurn:
    """What an open turn has begun and not finished."""

    turn: JsonValue
    step: JsonValue = None
    step_is_open: bool = False
    calls: dict[str, _Call] = field(default_factory=dict)

    def push(self, event: SessionEvent) -> None:
        data = event._raw if isinstance(event._raw, dict) else {}
        match event.type:
            case "step/start":
                self.step, self.step_is_open = data.get("step"), True
            case "step/end":
                self.step_is_open = False
            case "assistant/message":
                for block in _blocks(data):
                    if block.get("type") == "tool-call":
                        self._called(block.get("id"))
            case "tool/call":
                self._called(data.get("callId"), event.seq)
            case "tool/result":
                for call_id in _answered(data):
                    self.calls.pop(call_id, None)

    def _called(self, call_id: JsonValue, seq: int | None = None) -> None:
        if isinstance(call_id, str):
            call = self.calls.setdefault(call_id, _Call(self.step))
            call.seq = call.seq if seq is None else seq


def _blocks(data: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    message = data.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _answered(data: Mapping[str, JsonValue]) -> set[str]:
    message = data.get("message")
    source = message.get("source") if isinstance(message, dict) else None
    ids = [source.get("callId")] if isinstance(source, dict) else []
    ids += [block.get("toolCallId") for block in _blocks(data)]
    return {call_id for call_id in ids if isinstance(call_id, str)}


def interrupted_turn_closers(events: Iterable[SessionEvent]) -> list[SessionEvent]:
    """Return the events that close an open last turn, none if it is closed; O(events) (LOG-25).

    They follow the log's last seq and carry its last time: an error ``tool/result`` for each
    unanswered call in call order (``TOOL_NOT_STARTED``, or ``TOOL_OUTCOME_UNKNOWN`` where its
    ``tool/call`` is logged, which it then cites), ``step/end`` if a step is open, and ``turn/end``
    with kind ``interrupted``. Nothing is written.
    """
    last: SessionEvent | None = None
    pending: _OpenTurn | None = None
    for event in events:
        last = event
        if event.type == "turn/start":
            pending = _OpenTurn(event._raw.get("turn") if isinstance(event._raw, dict) else None)
        elif event.type == "turn/end":
            pending = None
        elif pending is not None:
            pending.push(event)
    if last is None or pending is None:
        return []
    return _closers(pending, last.seq + 1, last.time)


def _closers(open_turn: _OpenTurn, first_seq: int, time: int) -> list[SessionEvent]:
    closers: list[SessionEvent] = []

    def add(kind: str, data: JsonValue, *surface: JsonValue) -> None:
        closers.append(SessionEvent(kind, first_seq + len(closers), time, data, *surface))

    turn = open_turn.turn
    for call_id, call in open_turn.calls.items():
        code = "TOOL_NOT_STARTED" if call.seq is None else "TOOL_OUTCOME_UNKNOWN"
        data = {
            "turn": turn,
            "step": call.step,
            "message": _result(call_id, _MESSAGES[code]),
            "error": {"name": "ToolError", "code": code},
        }
        add("tool/result", data, "append", None if call.seq is None else [call.seq])
    if open_turn.step_is_open:
        add("step/end", {"turn": turn, "step": open_turn.step})
    add("turn/end", {"turn": turn, "reason": {"kind": "interrupted"}})
    return closers


def _result(call_id: str, text: str) -> JsonValue:
    block = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
        "isError": True,
    }
    return {
        "id": f"interrupted-{call_id}",
        "role": "user",
        "content": [block],
        "source": {"kind": "tool", "callId": call_id},
    }
