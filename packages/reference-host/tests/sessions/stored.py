"""Sessions that another host has stored."""

from __future__ import annotations

from typing import Any

from ..memory_log import WritableMemory
from ..opening import opened, world
from ..scripted_model import ScriptedModel

__all__ = ["later", "stored_session"]


async def stored_session(*, cut: int | None = None) -> tuple[WritableMemory, str]:
    """Return a store with a session of one turn, or of its first events only."""
    async with world(ScriptedModel()) as (made, session):
        await made.turn(session)
        log = made.durable(session)
        made.stored.put(session.live.header, log[:cut])
        return made.stored, session.id


def later(stored: WritableMemory, **options: Any) -> Any:
    """Open another host over a store."""
    return opened(ScriptedModel(), stored=stored, prefix="later", **options)
