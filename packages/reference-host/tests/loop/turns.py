"""Turns in a session of their own, and what is stored of them."""

from __future__ import annotations

import asyncio

from session_query import SessionEvent

from ..opening import world
from ..scripted_model import ScriptedModel
from ..scripted_tools import ScriptedTool

__all__ = ["turns_of"]


def turns_of(
    model: ScriptedModel, *said: str, tools: tuple[ScriptedTool, ...] = ()
) -> tuple[list[SessionEvent], list[str]]:
    """Run some turns; return the log that is stored, and how each of them ended."""

    async def main() -> tuple[list[SessionEvent], list[str]]:
        async with world(model, *tools) as (made, session):
            ends = [(await made.turn(session, one)).kind for one in said]
            assert made.durable(session) == session.live.events
            return made.durable(session), ends

    return asyncio.run(main())
