"""A service whose calls begin and end when a test says so."""

from __future__ import annotations

import asyncio
from typing import Any

from session_query import AbortSignal

from .scripted import ScriptedEngine


class GatedEngine(ScriptedEngine):
    """Each call waits until its gate is opened, however its signal fares.

    `log` tells in order what began and what ended; a call is named by its seq or its query.
    """

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.running: dict[str, AbortSignal] = {}

    def gate(self, name: str) -> asyncio.Event:
        """What lets the call of a name end."""
        return self.gates.setdefault(name, asyncio.Event())

    async def _answer(self, signal: AbortSignal | None, default: Any, *asked: Any) -> Any:
        assert signal is not None
        name = str(asked[2]) if asked[0] == "read_event" else asked[1].query
        self.log.append(f"+{name}")
        self.running[name] = signal
        try:
            await self.gate(name).wait()
        finally:
            del self.running[name]
            self.log.append(f"-{name}")
        return await super()._answer(signal, default, *asked)


class ObedientEngine(ScriptedEngine):
    """Each call waits for its abort, cleans up until `gate` opens, and raises the reason."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.told = asyncio.Event()
        self.gate = asyncio.Event()
        self.settled = False

    async def _answer(self, signal: AbortSignal | None, *_: object) -> Any:
        assert signal is not None
        self.begun.set()
        reason = await signal.wait()
        self.told.set()
        await self.gate.wait()
        self.settled = True
        raise reason


class StoppedClock(asyncio.SelectorEventLoop):
    """A loop whose time goes on only when a test says so."""

    now = 0.0

    def time(self) -> float:
        return self.now


async def idle(rounds: int = 30) -> None:
    """Let all that can go on go on."""
    for _ in range(rounds):
        await asyncio.sleep(0)
