"""Another process that writes to a session, and holds on to it until it is told to end.

Run as `owner.py ROOT SESSION EVENT_TYPE...`; it says `owned` when the events are stored.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from session_query import JsonlPersistence, SessionStore


async def own(root: str, session_id: str, kinds: list[str]) -> None:
    """Append events of these types, which need no data but a turn and a step."""
    async with JsonlPersistence(Path(root)) as store:
        stored = await store.inspect(session_id)
        live = SessionStore().attach(stored.header, stored.events)
        for kind in kinds:
            live.append(kind, {"turn": 9, "step": 1})
        await store.append(live.header, live.events[len(stored.events) :])
        sys.stdout.write("owned\n")
        sys.stdout.flush()
        _ = await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(own(sys.argv[1], sys.argv[2], sys.argv[3:]))
