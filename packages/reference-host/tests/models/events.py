"""Events of a stream, written shortly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference_host.models import Chunk
from reference_host.models._chat_answers import ChatAnswer

__all__ = ["calling", "chunks_in", "event_of", "part_of"]


def event_of(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    """Return an event with one delta."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def part_of(
    call: str | None = None, name: str | None = None, arguments: Any = None, **more: Any
) -> dict[str, Any]:
    """Return a piece of a call."""
    function = {"name": name, "arguments": arguments}
    return {"id": call, "function": function, **more}


def calling(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event with pieces of calls."""
    return event_of(tool_calls=list(parts))


def chunks_in(*events: object) -> list[Chunk]:
    """Return the chunks of a whole answer."""
    answer = ChatAnswer()
    chunks = [chunk for event in events for chunk in answer.read(event)]
    return [*chunks, *answer.end()]
