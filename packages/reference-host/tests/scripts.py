"""Scripts for models, the processes that follow them, and the logs that come of it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from session_query import (
    SURFACE_TYPES,
    JsonlPersistence,
    SessionEvent,
    SessionHeader,
    StoredSession,
    fold_surface,
    turn_is_open,
)

__all__ = [
    "FIXTURES",
    "WAIT",
    "Reply",
    "call",
    "environment",
    "sound_log",
    "store_session",
    "stored",
    "text",
    "thought",
    "titled",
    "turn_ends",
    "write_composition",
    "write_script",
]

FIXTURES: Final = Path(__file__).parents[3] / "fixtures" / "sessions"
"""The recorded sessions of the project."""

Reply = list[dict[str, Any]]

WAIT: Final[dict[str, Any]] = {"type": "wait"}
"""The model says nothing more until the turn is cancelled."""


def text(said: str) -> dict[str, Any]:
    """A piece of an answer."""
    return {"type": "text-delta", "index": 1, "text": said}


def thought(said: str) -> dict[str, Any]:
    """A piece of what a model thinks."""
    return {"type": "reasoning-delta", "index": 0, "text": said}


def call(call_id: str, name: str, arguments: Mapping[str, Any] | str, index: int = 2) -> Any:
    """A call of a tool."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    delta = {"index": index, "id": call_id, "name": name, "argumentsDelta": raw}
    return {"type": "tool-call-delta", **delta}


def titled(title: str) -> tuple[str, Any]:
    """An event that gives a session its title."""
    return "session/title", {"title": title, "messageSeqs": [], "source": {"kind": "user"}}


def write_script(path: Path, *replies: Sequence[Mapping[str, Any]]) -> str:
    """Write a script and return its path."""
    path.write_text(json.dumps({"replies": replies}), "utf-8")
    return str(path)


def write_composition(path: Path, *tables: str) -> str:
    """Write a composition with every tool, and more tables; return its path."""
    lines = [
        'prompt = "Be brief."',
        '[model]\nkind = "replay"\nscript = "script.json"',
        '[persistence]\ncompression = "none"',
        "[index]\n[tools.read]\n[tools.todo]\n[tools.session_query]\n[policies.deadline]",
        *tables,
    ]
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def environment() -> dict[str, str]:
    """The environment of a host: nothing of a user's, and no key."""
    mine = {"OPENAI_API_KEY", "REFERENCE_HOST_STATE", "PYTHONWARNINGS"}
    return {name: value for name, value in os.environ.items() if name not in mine}


def stored(state: Path, session_id: str) -> StoredSession:
    """Read a log from its file."""

    async def read() -> StoredSession:
        async with JsonlPersistence(state / "sessions") as persistence:
            return await persistence.inspect(session_id)

    return asyncio.run(read())


def sound_log(state: Path, session_id: str) -> StoredSession:
    """Read a log whose turns have all ended, and whose surface can be folded."""
    log = stored(state, session_id)
    fold_surface(log.events)
    assert not turn_is_open(log.events), [event.type for event in log.events]
    return log


async def store_session(state: Path, header: SessionHeader, *events: tuple[str, Any]) -> None:
    """Store a session; its events are type and data."""
    log = [
        SessionEvent(
            kind,
            seq,
            header.created_at,
            data,
            surface_op="append" if kind in SURFACE_TYPES else None,
        )
        for seq, (kind, data) in enumerate(events)
    ]
    async with JsonlPersistence(state / "sessions") as persistence:
        await persistence.append(header, log)


def turn_ends(log: StoredSession) -> list[str]:
    """How the turns of a log ended."""
    ends = [event.data for event in log.events if event.type == "turn/end"]
    return [str(data["reason"]["kind"]) for data in ends if isinstance(data, Mapping)]
