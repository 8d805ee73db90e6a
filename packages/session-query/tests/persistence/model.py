"""LOG-20 for plain logs, once more: small, slow, and without any code of the reader."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

OPTIONAL = {"surfaceOp", "sourceEventSeqs", "ignorable"}
PACKED = {
    "text-chunks": ("text-delta", "texts", "text"),
    "reasoning-chunks": ("reasoning-delta", "texts", "text"),
    "tool-call-chunks": ("tool-call-delta", "args", "argumentsDelta"),
}


class BadLineError(Exception):
    """The line is no part of a log."""


def _refuse(_: str) -> NoReturn:
    raise BadLineError


def _float(text: str) -> float:
    if math.isinf(float(text)):
        raise BadLineError
    return float(text)


def _parse(line: bytes) -> Any:
    try:
        return json.loads(
            line.decode("utf-8", "replace"), parse_constant=_refuse, parse_float=_float
        )
    except json.JSONDecodeError:
        raise BadLineError from None


def _int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadLineError
    if value != int(value) or abs(value) > 2**53 - 1:
        raise BadLineError
    return int(value)


def _events(line: bytes, due: int) -> list[dict[str, Any]]:
    row = _parse(line)
    if not isinstance(row, dict) or not isinstance(row.get("type"), str):
        raise BadLineError
    if row["type"] in PACKED and "seq0" in row:
        return _unpacked(row, due)
    if (
        not {"type", "seq", "time", "data"}
        <= row.keys()
        <= {"type", "seq", "time", "data"} | OPTIONAL
    ):
        raise BadLineError
    if (
        any(key in row and row[key] is None for key in OPTIONAL)
        or row.get("ignorable", True) is not True
    ):
        raise BadLineError
    if _int(row["seq"]) != due:
        raise BadLineError
    return [{**row, "seq": _int(row["seq"]), "time": _int(row["time"])}]


def _unpacked(row: dict[str, Any], due: int) -> list[dict[str, Any]]:
    kind, texts, field = PACKED[row["type"]]
    data = row.get("data")
    if set(row) != {"type", "seq0", "time0", "data"} or not isinstance(data, dict):
        raise BadLineError
    tool = {"id"} | ({"name"} & set(data)) if texts == "args" else set()
    if set(data) != {"turn", "step", "index", "dt", texts} | tool or _int(row["seq0"]) != due:
        raise BadLineError
    members, gaps = data[texts], data["dt"]
    if not isinstance(members, list) or not isinstance(gaps, list) or len(gaps) + 1 != len(members):
        raise BadLineError
    if not all(isinstance(text, str) for text in [*members, *(data[key] for key in tool)]):
        raise BadLineError
    found = []
    for k, text in enumerate(members):
        chunk = {"type": kind, "index": _any_int(data["index"])}
        chunk |= {key: data[key] for key in ("id", "name") if key in tool}
        chunk[field] = text
        time = _int(row["time0"])
        for gap in gaps[:k]:
            time = _int(time + _int(gap))
        inner = {"turn": _any_int(data["turn"]), "step": _any_int(data["step"]), "chunk": chunk}
        found.append({"type": "assistant/chunk", "seq": due + k, "time": time, "data": inner})
    return found


def _any_int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise BadLineError
    return int(value)


def _ends_turn(line: bytes) -> bool:
    try:
        row = _parse(line)
    except BadLineError:
        return False
    return isinstance(row, dict) and row.get("type") == "turn/end"


def _is_header(line: bytes, session_id: str, project: str) -> bool:
    """Tell whether this is a header of that session; its other fields may have any right value.

    `project` is what all workspaces of the directory have in common, a word.
    """
    try:
        row = _parse(line)
        if not isinstance(row, dict) or row.pop("type", None) != "session":
            return False
        optional = {"parentSession": "", "agentPreset": "", "seedLength": 0, "origin": "subagent"}
        row = optional | row
        texts = [row["parentSession"], row["agentPreset"]]
        counts = [row["createdAt"], row["seedLength"], row["delegationDepth"], row["version"]]
        return (
            row.keys() == optional.keys() | {"version", "id", "createdAt", "cwd", "delegationDepth"}
            and (row["id"], row["origin"]) == (session_id, "subagent")
            and isinstance(row["cwd"], str)
            and re.sub(r"[/\\:]+", "-", row["cwd"]).lstrip("-") == project
            and all(isinstance(text, str) for text in texts)
            and min(_int(count) for count in counts) >= 0
            and _int(row["version"]) == 0
        )
    except (BadLineError, KeyError):
        return False


def read(data: bytes, session_id: str, project: str) -> list[dict[str, Any]] | int:
    """Return the events of a plain log, or the line of its corruption."""
    first, *lines = data.split(b"\n")[:-1] or [b""]
    if not _is_header(first, session_id, project):
        return 1
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines):
        try:
            found += _events(line, len(found))
        except BadLineError:
            if any(map(_ends_turn, lines[number:])):
                return number + 2
            break
    return found
