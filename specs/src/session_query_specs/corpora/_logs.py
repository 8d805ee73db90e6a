"""Valid logs, made of steps that can be drawn: what hosts write, in small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from session_query import SessionEvent

from session_query_specs.corpora._corpus import CREATED, message

__all__ = ["STEPS", "Step", "log_of"]

STEPS = ("say", "answer", "use", "title", "todo", "end", "compact", "search", "other")
"""What can happen in a log, by the names that `Step.kind` takes."""

_ENDS = ("aborted", "error", "completed", "max-tokens", "interrupted", "blocked")


class Step(NamedTuple):
    """Something that happens in a session.

    Attributes:
        kind: one of `STEPS`.
        text: what is said, answered, called for, or noted.
        time: seconds after the session was created.
        number: which of several ways it happens in; for `compact` how much is replaced.
    """

    kind: str
    text: str
    time: int = 0
    number: int = 0


def log_of(steps: Sequence[Step], created_at: int = CREATED) -> tuple[SessionEvent, ...]:
    """Return the log in which these steps happen one after the other; it breaks no rule."""
    log = _Log(created_at)
    for step in steps:
        log.take(step)
    return tuple(log.events)


class _Log:
    """A log that grows, and what is on its surface."""

    def __init__(self, created_at: int) -> None:
        self.events: list[SessionEvent] = []
        self._created_at = created_at
        self._surface: list[int] = []
        self._calls = 0

    def take(self, step: Step) -> None:
        """Add the events of a step."""
        kind, text, _, number = step
        match kind:
            case "say":
                self._append(step, "user/message", message(text))
            case "answer":
                self._append(step, "assistant/message", _answer(_text(text), _reasoning(text)))
            case "use":
                self._call(step, ("grep", "bash")[number % 2])
            case "search":
                self._call(step, ("session_search", "session_event_search")[number % 2])
            case "title":
                title = {"title": text, "messageSeqs": [], "source": {"kind": "user"}}
                self._note(step, "session/title", title)
            case "todo":
                todos = [{"content": text, "status": "pending"}]
                self._note(step, "todo/write", {"todos": todos})
            case "end":
                reason: dict[str, Any] = {"kind": _ENDS[number % len(_ENDS)]}
                if reason["kind"] == "error":
                    reason["error"] = {"message": text, "code": "E"}
                self._note(step, "turn/end", {"turn": 1, "reason": reason})
            case "compact":
                self._compact(step)
            case _:
                self._note(step, "host/note", {"text": text})

    def _call(self, step: Step, tool: str) -> None:
        self._calls += 1
        call_id = f"c{self._calls}"
        block = {"type": "tool-call", "id": call_id, "name": tool, "arguments": step.text}
        self._append(step, "assistant/message", _answer(block))
        data = {"turn": 1, "step": 1, "callId": call_id, "name": tool, "arguments": step.text}
        self._note(step, "tool/call", data)
        result = {"type": "tool-result", "toolCallId": call_id, "content": [_text(step.text)]}
        told = {
            "id": "r",
            "role": "user",
            "content": [result],
            "source": {"kind": "tool", "callId": call_id},
        }
        self._append(step, "tool/result", {"turn": 1, "step": 1, "message": told})

    def _compact(self, step: Step) -> None:
        """Replace the last events on the surface; say it plainly where there are none."""
        removed = self._surface[-1 - step.number :]
        if not removed:
            self._append(step, "user/message", message(step.text))
            return
        del self._surface[-len(removed) :]
        operation = {"op": "replace", "start": removed[0], "end": removed[-1]}
        self._add(step, "user/message", message(step.text), operation, removed)

    def _append(self, step: Step, kind: str, data: dict[str, Any]) -> None:
        self._add(step, kind, data, "append")

    def _note(self, step: Step, kind: str, data: dict[str, Any]) -> None:
        self._add(step, kind, data)

    def _add(
        self,
        step: Step,
        kind: str,
        data: dict[str, Any],
        operation: Any = None,
        sources: list[int] | None = None,
    ) -> None:
        seq, time = len(self.events), self._created_at + 1000 * step.time
        self.events.append(SessionEvent(kind, seq, time, data, operation, sources))
        if operation is not None:
            self._surface.append(seq)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _reasoning(text: str) -> dict[str, Any]:
    return {"type": "reasoning", "text": f"secretly {text}"}


def _answer(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"turn": 1, "step": 1, "message": {"role": "assistant", "content": [*blocks]}}
