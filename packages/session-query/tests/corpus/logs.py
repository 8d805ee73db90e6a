"""Logs and headers for tests, and strategies that draw valid ones."""

from __future__ import annotations

from typing import Any

from session_query.log import JsonValue, SessionEvent, SessionHeader


def header(session_id: str, created_at: int = 1_000, **fields: Any) -> SessionHeader:
    """A header that differs from others in what is given."""
    return SessionHeader(0, session_id, created_at, **fields)


def message(text: str) -> JsonValue:
    """The data of a user message."""
    return {
        "id": "m",
        "role": "user",
        "content": [{"type": "text", "text": text}],
        "source": {"kind": "user"},
    }


def said(seq: int, text: str = "words", **fields: Any) -> SessionEvent:
    """A user message on the surface."""
    return SessionEvent("user/message", seq, 1_000 + seq, message(text), "append", **fields)


def titled(seq: int, title: str) -> SessionEvent:
    """A title event."""
    data = {"title": title, "messageSeqs": [], "source": {"kind": "user"}}
    return SessionEvent("session/title", seq, 1_000 + seq, data)


def conversation(*texts: str) -> list[SessionEvent]:
    """A log of user messages."""
    return [said(seq, text) for seq, text in enumerate(texts)]
