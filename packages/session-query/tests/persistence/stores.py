"""Stores on disk, made and read by hand; nothing here uses the code that writes logs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import zstandard
from session_query.errors import PersistenceCorruptionError
from session_query.log import SessionEvent, SessionHeader
from session_query.log._json import dumps_bytes
from session_query.persistence import JsonlPersistence, StoredSession

Compression = Literal["zstd", "none"]
COMPRESSIONS: list[Compression] = ["zstd", "none"]

HEADER = SessionHeader(0, "s", 1_790_000_000_000, cwd="/w", delegation_depth=0)
"""Its log lies in `--w--/s`."""


def header_line(header: SessionHeader = HEADER, **changes: Any) -> bytes:
    """The first line of a log; a change to None takes a field out."""
    form = {"type": "session", **header.to_json(), **changes}
    return dumps_bytes({key: value for key, value in form.items() if value is not None}) + b"\n"


def event(seq: int, kind: str = "host/own", data: Any = None) -> SessionEvent:
    """An event off the surface."""
    return SessionEvent(kind, seq, 1_790_000_000_000 + seq, {"n": seq} if data is None else data)


def events(start: int, end: int) -> list[SessionEvent]:
    """The events of the given seqs."""
    return [event(seq) for seq in range(start, end)]


def line(event: SessionEvent) -> bytes:
    """The line of an event, unpacked."""
    return dumps_bytes(event.to_json()) + b"\n"


def lines(events: Iterable[SessionEvent]) -> bytes:
    """The lines of events, unpacked."""
    return b"".join(map(line, events))


def frame(data: bytes) -> bytes:
    """One zstd frame as other writers make them."""
    return zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress(data)


def log_path(root: Path, *, compressed: bool, project: str = "--w--", directory: str = "s") -> Path:
    """Where a log lies; its directory is made."""
    name = "session.jsonl.zstd" if compressed else "session.jsonl"
    path = root / project / directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def put(root: Path, data: bytes | list[bytes], **where: Any) -> Path:
    """Store a log: plain bytes, or the contents of its frames."""
    compressed = isinstance(data, list)
    path = log_path(root, compressed=compressed, **where)
    path.write_bytes(b"".join(map(frame, data)) if isinstance(data, list) else data)
    return path


def inspect(root: Path, session_id: str = "s") -> StoredSession:
    """Read a log by a store object of its own."""
    return asyncio.run(JsonlPersistence(root).inspect(session_id))


def verdict(root: Path, session_id: str = "s") -> list[Any] | int | None:
    """The events of a log as JSON, or the line of its corruption."""
    try:
        stored = inspect(root, session_id)
    except PersistenceCorruptionError as caught:
        error = caught
    else:
        return [item.to_json() for item in stored.events]
    assert error.session_id == session_id
    assert error.reason
    return error.line


def append(root: Path, *batches: list[SessionEvent], compression: Compression = "zstd") -> None:
    """Append batches to the log of :data:`HEADER` by a store object of its own."""

    async def run() -> None:
        async with JsonlPersistence(root, compression) as store:
            for batch in batches:
                await store.append(HEADER, batch)

    asyncio.run(run())


def exact(value: Any) -> str:
    """A form in which JSON values are equal only with the same key order and number types."""
    return json.dumps(value, ensure_ascii=True)
