"""A host around another one, of which it spoils one thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from session_query import AbortSignal, LiveSession, SessionQueryEngine

from session_query_specs._subjects import HostUnderTest, ToolOutcome
from session_query_specs.hosts import ScriptedEngine

__all__ = ["Arguments", "GivenCall", "OverEngine", "SpoiledHost"]

Arguments: TypeAlias = "Mapping[str, Any]"


@dataclass(frozen=True, slots=True)
class GivenCall:
    """One call, as `HostUnderTest.call` is given it."""

    host: Any
    tool: str
    arguments: Mapping[str, Any]
    caller: LiveSession | None
    signal: AbortSignal


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
        return await self.answered(GivenCall(host, tool, arguments, caller, signal))

    async def answered(self, made: GivenCall) -> ToolOutcome:
        """Return what the other host answers to a call, as this one tells it."""
        arguments = self.asked(made.tool, made.arguments)
        outcome = await self.inner.call(
            made.host, made.tool, arguments, caller=made.caller, signal=made.signal
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


class OverEngine(SpoiledHost):
    """Spoils what the other host asks the engine.

    Attributes:
        through: the engine that it asks.
    """

    through: type[ScriptedEngine]

    def over(self, engine: SessionQueryEngine) -> SessionQueryEngine:
        """Return the engine that the other host is to ask."""
        return self.through(engine)
