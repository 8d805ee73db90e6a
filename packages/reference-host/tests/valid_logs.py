"""What holds for the log of every session, however its turns ended (HOST-3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_host.loop import rebuild_requests
from session_query import SessionEvent, fold_surface, turn_is_open

__all__ = ["answers", "check_log", "check_requests", "kinds", "results", "sent_in_turns"]


def kinds(events: Sequence[SessionEvent]) -> list[str]:
    """Return the types of the events."""
    return [event.type for event in events]


def answers(events: Sequence[SessionEvent]) -> list[tuple[str, str | None, str]]:
    """Return id, code and text of each result, in log order."""
    return [
        (block["toolCallId"], event.data.get("error", {}).get("code"), block["content"][0]["text"])
        for event in events
        if event.type == "tool/result"
        for block in event.data["message"]["content"]
    ]


def results(events: Sequence[SessionEvent]) -> dict[str, str | None]:
    """Return the code of each result by the id of its call."""
    return {call_id: code for call_id, code, _ in answers(events)}


def check_log(events: Sequence[SessionEvent]) -> None:
    """See that a log breaks no rule, answers each call in order, and has closed its turns."""
    _ = fold_surface(events)
    assert not turn_is_open(events)
    opened: list[str] = []
    called: list[str] = []
    answered: list[str] = []
    for event in events:
        kind, data = event.type, event.data
        if kind == "turn/start":
            assert not opened, kind
            opened.append("turn")
        elif kind == "step/start":
            assert opened == ["turn"], kind
            opened.append("step")
            called, answered = [], []
        elif kind == "assistant/message":
            called = [one["id"] for one in data["message"]["content"] if one["type"] == "tool-call"]
            assert len({*called}) == len(called)
        elif kind == "tool/call":
            assert data["callId"] in called
            assert data["callId"] not in answered
        elif kind == "tool/result":
            answered.append(data["message"]["source"]["callId"])
        elif kind == "step/end":
            assert opened.pop() == "step"
            assert answered == called
        elif kind == "turn/end":
            assert opened.pop() == "turn"
        if kind.startswith(("assistant/", "tool/", "user/", "request/")):
            assert opened == ["turn", "step"], kind


def sent_in_turns(events: Sequence[SessionEvent]) -> list[tuple[list[str], str]]:
    """Return, of each turn, the requests that its log amounts to, and how it ended."""
    turns: list[tuple[list[str], str]] = []
    done = 0
    for at, event in enumerate(events):
        if event.type == "turn/end":
            rebuilt = [request.encoded() for request in rebuild_requests(events[: at + 1])]
            data: Any = event.data
            turns.append((rebuilt[done:], data["reason"]["kind"]))
            done = len(rebuilt)
    return turns


def check_requests(events: Sequence[SessionEvent], asked: Sequence[str]) -> None:
    """See that a model was asked what the log says, byte for byte and in this order.

    A turn that was ended from outside may have logged one request that it did not send any more.
    """
    left = [*asked]
    for rebuilt, kind in sent_in_turns(events):
        sent = left[: len(rebuilt)]
        if sent != rebuilt and kind in {"aborted", "interrupted"}:
            rebuilt.pop()
            sent = left[: len(rebuilt)]
        assert sent == rebuilt
        del left[: len(rebuilt)]
    assert not left
