"""Turns: whether one is open, and the events that close one that a crash left open (LOG-25)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from session_query.log._event import SessionEvent
from session_query.log._json import JsonValue

__all__ = ["interrupted_turn_closers", "turn_is_open"]

_MESSAGES = {
    "TOOL_NOT_STARTED": "The session ended before this tool was started.",
    "TOOL_OUTCOME_UNKNOWN": "The session ended while this tool was running; its outcome is unknown.",
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


class _OpenTurn:
    """What a log has begun and not finished."""

    def __init__(self) -> None:
        self.turn: JsonValue = None
        self.step: JsonValue = None
        self.calls: dict[str, bool] = {}
        """Unanswered call ids in call order; True where the ``tool/call`` itself is logged."""

    def push(self, event: SessionEvent) -> None:
        data = event._raw if isinstance(event._raw, dict) else {}
        if event.type == "turn/start":
            self.__init__()  # type: ignore[misc]  # a new turn forgets the one before
            self.turn = data.get("turn")
        elif event.type == "turn/end":
            self.__init__()  # type: ignore[misc]
        elif event.type == "step/start":
            self.step = data.get("step")
        elif event.type == "step/end":
            self.step = None
        elif event.type == "assistant/message":
            for block in _blocks(data):
                if block.get("type") == "tool-call" and isinstance(block.get("id"), str):
                    self.calls.setdefault(block["id"], False)
        elif event.type == "tool/call" and isinstance(data.get("callId"), str):
            self.calls[data["callId"]] = True
        elif event.type == "tool/result":
            for call_id in _answered(data):
                self.calls.pop(call_id, None)


def _blocks(data: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    message = data.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _answered(data: Mapping[str, JsonValue]) -> set[str]:
    message = data.get("message")
    source = message.get("source") if isinstance(message, dict) else None
    ids = [source.get("callId")] if isinstance(source, dict) else []
    ids += [block.get("toolCallId") for block in _blocks(data)]
    return {call_id for call_id in ids if isinstance(call_id, str)}


def interrupted_turn_closers(events: Iterable[SessionEvent]) -> list[SessionEvent]:
    """Return the events that close an open last turn, none if it is closed; O(events) (LOG-25).

    They follow the log's last seq and carry its last time: an error ``tool/result`` for each
    unanswered call (``TOOL_NOT_STARTED``, or ``TOOL_OUTCOME_UNKNOWN`` where its ``tool/call`` is
    logged), then ``step/end`` and ``turn/end`` with kind ``interrupted``. Nothing is written.
    """
    is_open, last, pending = False, None, _OpenTurn()
    for event in events:
        if event.type in ("turn/start", "turn/end"):
            is_open = event.type == "turn/start"
        pending.push(event)
        last = event
    if not is_open or last is None:
        return []
    closers: list[SessionEvent] = []

    def add(kind: str, data: JsonValue, surface_op: str | None = None) -> None:
        closers.append(
            SessionEvent(kind, last.seq + 1 + len(closers), last.time, data, surface_op)
        )

    place = {"turn": pending.turn, "step": pending.step}
    for call_id, logged in pending.calls.items():
        code = "TOOL_OUTCOME_UNKNOWN" if logged else "TOOL_NOT_STARTED"
        block = {
            "type": "tool-result",
            "toolCallId": call_id,
            "content": [{"type": "text", "text": _MESSAGES[code]}],
            "isError": True,
        }
        message = {
            "id": f"interrupted-{call_id}",
            "role": "user",
            "content": [block],
            "source": {"kind": "tool", "callId": call_id},
        }
        data = {**place, "message": message, "error": {"name": "ToolError", "code": code}}
        add("tool/result", data, "append")
    if pending.step is not None:
        add("step/end", place)
    add("turn/end", {"turn": pending.turn, "reason": {"kind": "interrupted"}})
    return closers
