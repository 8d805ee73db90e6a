"""Tools that do what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from reference_host.tools import CallCard, Card, Concurrency, HostRun, ToolOutput

__all__ = ["Doing", "ScriptedTool", "deaf", "heeding", "quick"]

Doing: TypeAlias = "Callable[[Any, HostRun], Awaitable[Any]]"


class ScriptedTool:
    """A tool that keeps with what it was entered, and why its signal was aborted when it ended.

    Args:
        name: its name.
        doing: what it does.
        concurrency: whether it may overlap its siblings.
        timeout_ms: how long it has.
    """

    def __init__(
        self,
        name: str,
        doing: Doing,
        *,
        concurrency: Concurrency | Callable[[Any], Concurrency] = "parallel",
        timeout_ms: int | None = None,
    ) -> None:
        self.name = name
        self.description = f"Does {name}."
        self.parameters: dict[str, Any] = {"type": "object"}
        self.concurrency = concurrency
        self.timeout_ms = timeout_ms
        self.entered: list[tuple[Any, HostRun]] = []
        self.reasons: list[BaseException | None] = []
        self._doing = doing

    @property
    def left(self) -> int:
        """How often it has settled."""
        return len(self.reasons)

    async def execute(self, arguments: Any, run: HostRun) -> str | ToolOutput:
        self.entered.append((arguments, run))
        try:
            answer: str | ToolOutput = await self._doing(arguments, run)
        finally:
            self.reasons.append(run.signal.reason)
        return answer

    def present_call(self, arguments: Any) -> Card:
        return CallCard("other", self.name, arguments)


async def quick(arguments: Any, run: HostRun) -> str:
    """Answer after a pass of the loop."""
    del run
    await asyncio.sleep(0)
    return f"did {arguments}"


async def heeding(arguments: Any, run: HostRun) -> str:
    """Wait for the signal, and raise its reason, as a tool should."""
    del arguments
    raise await run.signal.wait()


async def deaf(arguments: Any, run: HostRun) -> str:
    """Take a minute, whatever the signal says."""
    del arguments, run
    await asyncio.sleep(60)
    return "done at last"
