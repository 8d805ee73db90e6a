"""What a tool is to the host (HOST-2, HOST-4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from session_query import AbortSignal, LiveSession

__all__ = [
    "CallCard",
    "Card",
    "Concurrency",
    "Content",
    "HostAgent",
    "HostRun",
    "Tool",
    "ToolOutput",
]

Concurrency: TypeAlias = Literal["exclusive", "parallel"]

Content: TypeAlias = "tuple[Mapping[str, Any], ...]"
"""Content blocks as the log has them: `{"type": "text", "text": …}`, and open others."""


class Card(Protocol):
    """What people see of a call."""

    @property
    def kind(self) -> str:
        """A tool kind of the Agent Client Protocol, such as `read`, `search` or `other`."""

    @property
    def title(self) -> str:
        """One short line."""

    @property
    def raw_input(self) -> Any:
        """The arguments."""


@dataclass(frozen=True, slots=True)
class CallCard:
    """The simplest `Card`."""

    kind: str
    title: str
    raw_input: Any


@dataclass(frozen=True, slots=True)
class HostAgent:
    """The agent that calls a tool: its session is the one whose turn is running (HOST-4)."""

    session: LiveSession


@dataclass(frozen=True, slots=True)
class HostRun:
    """One dispatch of a tool; nothing in it comes from the model or the client (HOST-4).

    Attributes:
        signal: ends the call; the tool raises its very reason.
        agent: who calls.
    """

    signal: AbortSignal
    agent: HostAgent


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool answers.

    Attributes:
        content: the blocks that the model is shown.
        meta: what is logged beside the result, for programs.
        blocked: whether the tool was never entered because something forbade the call.
    """

    content: Content
    meta: Mapping[str, Any] = field(default_factory=dict)
    blocked: bool = False

    @classmethod
    def of_text(cls, text: str) -> ToolOutput:
        """Return an output of one text block."""
        return cls(({"type": "text", "text": text},))

    @property
    def text(self) -> str | None:
        """The text if it is plain: one or more text blocks and nothing else; None elsewhere."""
        texts = [block.get("text") for block in self.content if block.get("type") == "text"]
        if len(texts) != len(self.content) or not all(isinstance(text, str) for text in texts):
            return None
        return "\n".join(str(text) for text in texts) if texts else None


class Tool(Protocol):
    """A tool that can be registered.

    Attributes:
        name: its name, unique in the registry.
        description: what it does, for the model.
        timeout_ms: after how many milliseconds the deadline policy aborts it; None for the policy's
            own limit.
        concurrency: whether a call may overlap its siblings, or what decides it from the
            arguments; one that raises means exclusive.
    """

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""

    @property
    def timeout_ms(self) -> int | None: ...
    @property
    def concurrency(self) -> Concurrency | Callable[[Any], Concurrency]: ...

    async def execute(self, arguments: Any, run: HostRun) -> str | ToolOutput:
        """Answer one call.

        Args:
            arguments: what the model sent, parsed.
            run: who calls, and what may end the call.

        Raises:
            ToolError: with a message that may be shown to the model.
            BaseException: the reason of `run.signal`, once all that was started has settled.
        """

    def present_call(self, arguments: Any) -> Card:
        """Return what people see of a call, for any arguments."""
