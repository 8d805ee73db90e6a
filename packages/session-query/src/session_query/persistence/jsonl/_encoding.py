"""The lines of a log as they are written (LOG-18)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from session_query.log import JsonError, JsonValue, SessionEvent, SessionHeader
from session_query.log._json import MAX_NESTING, describe, dumps_bytes, loads
from session_query.persistence.jsonl._packing import pack

__all__ = ["HEADER_LIMIT", "LINE_LIMIT", "event_lines", "header_line", "stored_header"]

HEADER_LIMIT = 2**20
"""Bytes of a header line; a listing reads no further for one."""

LINE_LIMIT = 2**28
"""Bytes of any line; it bounds what a file without newlines can take of the memory."""


def stored_header(header: SessionHeader) -> SessionHeader:
    """Return the header as it is read back: a log always tells the delegation depth."""
    return replace(header, delegation_depth=header.delegation_depth or 0)


def header_line(header: SessionHeader) -> bytes:
    """Return the first line of a log.

    Raises:
        ValueError: it's longer than :data:`HEADER_LIMIT`.
    """
    line = dumps_bytes({"type": "session", **stored_header(header).to_json()})
    if len(line) > HEADER_LIMIT:
        raise ValueError(f"the header takes {len(line)} of {HEADER_LIMIT} bytes")
    return line + b"\n"


def event_lines(events: Sequence[SessionEvent]) -> bytes:
    """Return the lines of a batch; deltas are packed.

    Raises:
        ValueError: an event is too long or nested too deep to be read back; the message names it.
    """
    lines = []
    for item in pack(events):
        line = dumps_bytes(item if isinstance(item, dict) else _envelope(item))
        if len(line) > MAX_NESTING:
            _check(line, item)
        lines.append(line)
    lines.append(b"")
    return b"\n".join(lines)


def _envelope(event: SessionEvent) -> dict[str, JsonValue]:
    # Not `to_json`, which copies the payload. The order of the keys is that of other writers.
    form: dict[str, JsonValue] = {
        "type": event.type,
        "seq": event.seq,
        "time": event.time,
        "data": event._raw,
    }
    if event.ignorable:
        form["ignorable"] = True
    if event._sources is not None:
        form["sourceEventSeqs"] = event._sources
    if event._surface_op is not None:
        form["surfaceOp"] = event._surface_op
    return form


def _check(line: bytes, item: SessionEvent | dict[str, JsonValue]) -> None:
    """Refuse a line that could not be read back."""
    reason = f"longer than {LINE_LIMIT} bytes" if len(line) > LINE_LIMIT else ""
    if line.count(b"[") + line.count(b"{") > MAX_NESTING:
        try:
            loads(line)
        except JsonError as error:
            reason = str(error)
    if reason:
        what = "a packed row"
        if isinstance(item, SessionEvent):
            what = f"event {describe(item.type)}, seq {item.seq}"
        raise ValueError(f"{what}: {reason}")
