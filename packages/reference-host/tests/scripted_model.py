"""A model that says what a test wants, and keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from reference_host.models import Chunk, ModelRequest

__all__ = ["BROKEN_OFF", "WAIT", "Reply", "ScriptedModel", "calling", "saying"]

WAIT: Final = "wait"
"""In a reply: wait until cancelled."""
BROKEN_OFF: Final = "broken off"
"""In a reply: end without a finish."""

Reply: TypeAlias = "Iterable[Chunk | BaseException | str]"


def saying(*texts: str, finish: str = "stop") -> list[Chunk]:
    """Return a reply of text."""
    chunks = [{"type": "text-delta", "index": 0, "text": text} for text in texts]
    return [*chunks, {"type": "finish", "reason": {"kind": finish}}]


def calling(*calls: tuple[str, str, str], text: str = "") -> list[Chunk]:
    """Return a reply of calls: id, name and arguments of each."""
    said: list[Chunk] = [{"type": "text-delta", "index": 0, "text": text}] if text else []
    for at, (call_id, name, arguments) in enumerate(calls, 1):
        delta = {"type": "tool-call-delta", "index": at, "id": call_id}
        said += (
            {**delta, "name": name, "argumentsDelta": arguments[:1]},
            {**delta, "argumentsDelta": arguments[1:]},
        )
    return [*said, {"type": "finish", "reason": {"kind": "tool-calls"}}]


class ScriptedModel:
    """Answers with its replies in turn, an exception in one is raised.

    Attributes:
        replies: what comes next.
        asked: the requests so far, encoded.
        on_request: called with each request as it comes.
        config: what the log says of the model; may be changed at any time.
        after_end: what is said when the script is over; None to fail.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies = [list(reply) for reply in replies]
        self.asked: list[str] = []
        self.on_request: Callable[[ModelRequest], object] = lambda _: None
        self.config: Mapping[str, Any] = {"provider": "scripted", "model": "one"}
        self.after_end: Reply | None = saying("done")
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        self.on_request(request)
        self.asked.append(request.encoded())
        reply = self.replies.pop(0) if self.replies else self.after_end
        assert reply is not None, "the script is over"
        for chunk in reply:
            if isinstance(chunk, BaseException):
                raise chunk
            if chunk == WAIT:
                await asyncio.get_running_loop().create_future()
            elif not isinstance(chunk, str):
                yield chunk
            await asyncio.sleep(0)

    async def close(self) -> None:
        self.closed = True
