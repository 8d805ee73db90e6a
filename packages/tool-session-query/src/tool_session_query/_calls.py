"""Calls as every host owes them: identity, deadline, exclusivity, quiescence, errors as text."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal
from weakref import WeakKeyDictionary

from session_query import AbortSignal, Deadline, LiveSession, settle

from tool_session_query._errors import SessionQueryToolError, invalid_argument
from tool_session_query._run import ToolAgent, ToolRun
from tool_session_query._toolset import ToolDefinition, Toolset

__all__ = ["TOOL_TIMEOUT", "ToolCalls", "ToolResult"]

TOOL_TIMEOUT: Final = "TOOL_TIMEOUT"
"""The code of a call that took longer than its tool may."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model is shown; `code` says why where the call failed, and is None elsewhere."""

    text: str
    code: str | None = None


class ToolCalls:
    """Runs the calls of a toolset for a framework that has no policies of its own.

    Args:
        toolset: the tools.
    """

    def __init__(self, toolset: Toolset) -> None:
        self.toolset = toolset
        self._tools = {tool.name: tool for tool in toolset.tools}
        self._turns: WeakKeyDictionary[LiveSession, _Turns] = WeakKeyDictionary()
        self._running = 0
        self._idle: set[asyncio.Future[None]] = set()

    async def run(
        self,
        name: str,
        arguments: object,
        session: LiveSession | None,
        signal: AbortSignal | None = None,
    ) -> ToolResult:
        """Run one call to its end, whatever happens meanwhile.

        A failure is a result too: an exception would end the whole run in most frameworks. A tool
        that takes too long is aborted; a cancellation of the calling task aborts it as well. Either
        way this returns or raises only when nothing that the call started is running any more.

        Args:
            name: the name of one of the tools; any other one is a failure.
            arguments: what the model sent, parsed.
            session: the session of the agent that calls, from the framework's own run context.
            signal: a signal of the host.

        Raises:
            CancelledError: the calling task was cancelled.
            BaseException: the reason of `signal`.
        """
        tool = self._tools.get(name)
        if tool is None:
            problem = f"no such tool; there are: {', '.join(self._tools)}"
            return _failed(invalid_argument(None, problem))
        self._running += 1
        try:
            if session is None:
                return await self._executed(tool, arguments, None, signal)
            turns = self._turns.setdefault(session, _Turns())
            async with turns.turn(tool.concurrency):
                return await self._executed(tool, arguments, session, signal)
        finally:
            self._running -= 1
            if not self._running:
                for waiter in self._idle:
                    if not waiter.done():
                        waiter.set_result(None)

    async def settled(self) -> None:
        """Wait until no call is running: for frameworks that give up on calls they cancelled."""
        while self._running:
            waiter = asyncio.get_running_loop().create_future()
            self._idle.add(waiter)
            try:
                await waiter
            finally:
                self._idle.discard(waiter)

    async def _executed(
        self,
        tool: ToolDefinition,
        arguments: object,
        session: LiveSession | None,
        signal: AbortSignal | None,
    ) -> ToolResult:
        agent = None if session is None else ToolAgent(session)
        seconds = (tool.timeout_ms or 0) / 1000
        over = TimeoutError(f"{tool.name} took longer than {seconds:g} s and was ended.")
        deadline = Deadline(tool.timeout_ms, over)

        async def execute(cancelled: AbortSignal) -> str:
            signals = [cancelled, deadline.signal, *([] if signal is None else [signal])]
            return await tool.execute(arguments, ToolRun(AbortSignal.any(signals), agent))

        try:
            with deadline:
                result = ToolResult(await settle(execute, None))
        except SessionQueryToolError as error:
            result = _failed(error)
        except TimeoutError as error:
            if error is not over:
                raise
            result = ToolResult(f"Error {TOOL_TIMEOUT}: {error}", TOOL_TIMEOUT)
        if signal is not None:
            signal.raise_if_aborted()  # also when it came after the tool had ended
        return result


def _failed(error: SessionQueryToolError) -> ToolResult:
    return ToolResult(f"Error {error.code.value}: {error.message}", error.code.value)


class _Turns:
    """Lets calls of one session run side by side, except that an exclusive one runs alone.

    Calls begin in the order in which they came.
    """

    def __init__(self) -> None:
        self._parallel = 0
        self._exclusive = False
        self._waiting: deque[tuple[bool, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def turn(self, concurrency: Literal["exclusive", "parallel"]) -> AsyncIterator[None]:
        """Wait for a turn and hold it inside the `async with`."""
        exclusive = concurrency == "exclusive"
        loop = asyncio.get_running_loop()
        begun: asyncio.Future[None] = loop.create_future()
        self._waiting.append((exclusive, begun))
        # not at once: who has a turn already but was not resumed yet comes first
        loop.call_soon(self._hand_out)
        try:
            await begun
            yield
        finally:
            if begun.done() and not begun.cancelled():
                self._give_back(exclusive=exclusive)
            else:
                self._waiting.remove((exclusive, begun))
            self._hand_out()

    def _give_back(self, *, exclusive: bool) -> None:
        if exclusive:
            self._exclusive = False
        else:
            self._parallel -= 1

    def _hand_out(self) -> None:
        while self._waiting and not self._exclusive:
            exclusive, begun = self._waiting[0]
            if begun.cancelled():
                return  # whoever waited for it takes it out
            if exclusive and self._parallel:
                return
            self._waiting.popleft()
            self._exclusive = exclusive
            self._parallel += not exclusive
            begun.set_result(None)
