"""A host around another one, of which it spoils one thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from session_query import AbortSignal, LiveSession, SessionQueryEngine

from session_query_specs._subjects import HostUnderTest, ToolOutcome

__all__ = ["SpoiledHost"]


class SpoiledHost(HostUnderTest):
    """Does as the other host does; a subclass gets one thing wrong.

    Args:
        inner: the other host.

    Attributes:
        engine: what the other host is opened on.
    """

    name: ClassVar[str] = "spoiled"
    engine: Any

    def __init__(self, inner: HostUnderTest) -> None:
        self.inner = inner

    async def open(self, engine: SessionQueryEngine) -> Any:
        """Open the other host."""
        self.engine = self.over(engine)
        return await self.inner.open(self.engine)

    def over(self, engine: SessionQueryEngine) -> SessionQueryEngine:
        """Return the engine that the other host is to ask."""
        return engine

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        """Let the other host answer."""
        outcome = await self.inner.call(
            host, tool, self.asked(tool, arguments), caller=caller, signal=signal
        )
        return self.told(outcome)

    def asked(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments that the other host gets."""
        del tool
        return arguments

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        """Return what becomes of the other host's answer."""
        return outcome

    async def close(self, host: Any) -> None:
        """Close the other host."""
        await self.inner.close(host)
