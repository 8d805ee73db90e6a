"""What a model is asked: made from the log, and from nothing else (HOST-3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from session_query import LiveSession, SessionEvent, SurfaceFolder

from reference_host.models import ModelRequest

__all__ = ["header_in_force", "rebuild_requests", "request_of", "request_with"]

_ANSWERS: Final = frozenset({"assistant/chunk", "assistant/message", "step/end", "turn/end"})
"""What follows a request in its step: the answer has begun, or never will."""


def header_in_force(events: Sequence[SessionEvent]) -> Mapping[str, Any] | None:
    """Return the last logged header, or None; O(events since it)."""
    for at in range(len(events) - 1, -1, -1):
        event = events[at]
        if event.type == "request/header" and isinstance(event.data, Mapping):
            header = event.data.get("header")
            return header if isinstance(header, Mapping) else None
    return None


def request_of(session: LiveSession) -> ModelRequest:
    """Return the request that the log of a session amounts to now; O(its events).

    Raises:
        ValueError: no header was logged yet.
    """
    header = header_in_force(session.events)
    if header is None:
        raise ValueError(f"session {session.id!r}: no request/header was logged yet")
    return request_with(header, session)


def request_with(header: Mapping[str, Any], session: LiveSession) -> ModelRequest:
    """Return that request, the logged header that is in force being known; O(its surface)."""
    return _request(header, session.events, session.surface().nodes)


def rebuild_requests(events: Iterable[SessionEvent]) -> list[ModelRequest]:
    """Return, from a log alone, each request that its model was sent, in order (HOST-3).

    The request of a step that was cancelled before it was sent is among them. Steps of inherited
    events are too: they were sent for the session that they were inherited from.
    """
    seen: list[SessionEvent] = []
    folder = SurfaceFolder()
    header: Mapping[str, Any] | None = None
    requests: list[ModelRequest] = []
    waiting = False
    for event in events:
        if waiting and event.type in _ANSWERS:
            waiting = False
            if header is not None:
                requests.append(_request(header, seen, folder.fold().nodes))
        seen.append(event)
        folder.push(event)
        if event.type == "step/start":
            waiting = True
        elif event.type == "request/header" and isinstance(event.data, Mapping):
            found = event.data.get("header")
            header = found if isinstance(found, Mapping) else None
    if waiting and header is not None:
        requests.append(_request(header, seen, folder.fold().nodes))
    return requests


def _request(
    header: Mapping[str, Any], events: Sequence[SessionEvent], nodes: Iterable[int]
) -> ModelRequest:
    return ModelRequest(
        header.get("config", {}),
        header.get("system", ""),
        header.get("tools", ()),
        [_message(events[seq]) for seq in nodes],
    )


def _message(event: SessionEvent) -> Mapping[str, Any]:
    """Return role and content; the log of another host may hold anything in their places."""
    found: Any = event.data
    if event.type != "user/message" and isinstance(found, Mapping):
        found = found.get("message")
    message = found if isinstance(found, Mapping) else {}
    role = "assistant" if event.type == "assistant/message" else "user"
    content = message.get("content")
    return {
        "role": message.get("role", role),
        "content": content if isinstance(content, (list, tuple)) else (),
    }
