"""What a model is to the host (HOST-7)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from session_query import dumps

__all__ = ["Chunk", "Model", "ModelRequest"]

Chunk: TypeAlias = "Mapping[str, Any]"
"""One piece of an answer, as `assistant/chunk` logs it: `text-delta` and `reasoning-delta`
(`index`, `text`), `tool-call-delta` (`index`, `id`, `name`?, `argumentsDelta`), `usage` (`usage`)
and, last, `finish` (`reason: {kind}`; kinds `stop`, `tool-calls`, `max-tokens`, and open ones)."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is asked with; made from the log alone (HOST-3).

    Attributes:
        config: what names the model and its settings.
        system: the system prompt.
        tools: name, description and parameters of each tool.
        messages: role and content of each message, in model order.
    """

    config: Mapping[str, Any]
    system: str
    tools: Sequence[Mapping[str, Any]]
    messages: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON value."""
        return {
            "config": self.config,
            "system": self.system,
            "tools": self.tools,
            "messages": self.messages,
        }

    def encoded(self) -> str:
        """Return it as JSON text; equal requests have equal texts."""
        return dumps(self.to_json())


class Model(Protocol):
    """Answers requests, a chunk at a time."""

    @property
    def config(self) -> Mapping[str, Any]:
        """What names the model and its settings; logged with each request."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Answer a request; cancelling the task that iterates ends it.

        Raises:
            ModelError: the model failed to answer.
        """

    async def close(self) -> None:
        """Let go of what the model holds."""
