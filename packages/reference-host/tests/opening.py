"""Hosts made of scripted parts, which run on any loop."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from reference_host import Host
from reference_host.composition import Composition, parse_composition
from reference_host.loop import TurnEnd
from reference_host.models import Model
from reference_host.sessions import HostSession, UnindexedEngine
from reference_host.tools import Tool
from session_query import AbortSignal, SessionEvent, SessionSources, SessionStore

from .memory_log import WritableMemory

__all__ = ["CWD", "PLAIN", "World", "opened", "text", "world"]

CWD: Final = "/home/user/project"

PLAIN: Final = parse_composition(
    'prompt = "Be short."\n[model]\nkind = "replay"\nscript = "none.json"\n'
)
"""No tool, no policy."""


def text(said: str) -> list[dict[str, Any]]:
    """Return the content of a message."""
    return [{"type": "text", "text": said}]


@dataclass(frozen=True)
class World:
    """A host over a store in memory."""

    host: Host
    stored: WritableMemory

    async def turn(
        self,
        session: HostSession,
        said: str = "Go on.",
        signal: AbortSignal | None = None,
    ) -> TurnEnd:
        """Run a turn in a session."""
        return await self.host.prompt_session(session, text(said), signal=signal)

    def durable(self, session: HostSession) -> list[SessionEvent]:
        """Return what is stored of a session."""
        return [*self.stored.durable(session.id)]


@asynccontextmanager
async def opened(
    model: Model,
    *tools: Tool,
    composition: Composition = PLAIN,
    stored: WritableMemory | None = None,
    prefix: str = "id",
) -> AsyncIterator[World]:
    """Open a host whose ids and times are the same in each run.

    Args:
        model: who answers.
        tools: what is registered besides the tools of the composition.
        composition: what is mounted.
        stored: where the logs are; an empty store unless given.
        prefix: what ids begin with.
    """
    stored = WritableMemory() if stored is None else stored
    store = SessionStore(clock=counted())
    numbers = itertools.count()
    async with (
        UnindexedEngine(SessionSources(store, stored)) as engine,
        Host.compose(
            composition, model, engine, stored, new_id=lambda: f"{prefix}-{next(numbers)}"
        ) as host,
    ):
        for tool in tools:
            host.tools.register(tool)
        yield World(host, stored)


@asynccontextmanager
async def world(
    model: Model, *tools: Tool, **options: Any
) -> AsyncIterator[tuple[World, HostSession]]:
    """Open a host with one session."""
    async with opened(model, *tools, **options) as made:
        yield made, made.host.sessions.create(CWD)


def counted() -> Callable[[], int]:
    """Return a clock that goes on by a second each time it is looked at."""
    ticks = itertools.count(1_700_000_000_000, 1000)
    return lambda: next(ticks)
