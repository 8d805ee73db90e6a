"""What an event says, laid out for people (CLI-1)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from session_query import JsonValue, SessionEvent, dumps

from session_query_sqlite.cli._neutral import visible_block, visible_line

__all__ = ["Part", "parts"]


_LAID_OUT = 200_000
"""Longer arguments stand as they were written."""


class Part(NamedTuple):
    """A piece of an event: neutralised lines, and what kind of thing they are, if not its text."""

    text: str
    label: str = ""
    dim: bool = False


def parts(event: SessionEvent) -> list[Part]:
    """Return the pieces of an event in order; what is of no known form stands as JSON."""
    data = event.data
    found: list[Part] = []
    if isinstance(data, Mapping):
        match event.type:
            case "user/message":
                found = [*_blocks(data.get("content"))]
            case "assistant/message" | "tool/result":
                message = data.get("message")
                found = [*_blocks(message.get("content") if isinstance(message, Mapping) else None)]
                found += _error(data.get("error"))
            case "tool/call":
                found = [_call(data.get("name"), data.get("arguments"))]
            case "todo/write":
                found = [*_todos(data.get("todos"))]
            case "session/title":
                found = (
                    [Part(visible_block(title))]
                    if isinstance(title := data.get("title"), str)
                    else []
                )
            case "turn/end":
                found = [*_reason(data.get("reason"))]
            case _:
                pass
    return found or [_json(data)]


def _blocks(blocks: JsonValue) -> Iterator[Part]:
    if not isinstance(blocks, list):
        return
    pending = [iter(blocks)]
    while pending:
        for block in pending[-1]:
            if not isinstance(block, Mapping):
                yield _json(block)
                continue
            kind, text = block.get("type"), block.get("text")
            if kind == "text" and isinstance(text, str):
                yield Part(visible_block(text))
            elif kind == "reasoning" and isinstance(text, str):
                yield Part(visible_block(text), "reasoning", dim=True)
            elif kind == "tool-call":
                yield _call(block.get("name"), block.get("arguments"))
            elif kind == "tool-result" and isinstance(inner := block.get("content"), list):
                pending.append(iter(inner))
                break
            else:
                yield _json(block)
        else:
            pending.pop()


def _call(name: JsonValue, arguments: JsonValue) -> Part:
    label = f"calls {visible_line(name) if isinstance(name, str) else dumps(name)}"
    if not isinstance(arguments, str):
        return Part(visible_line(dumps(arguments)), label)
    return Part(_named(arguments) or visible_block(arguments), label)


def _named(arguments: str) -> str | None:
    """Return arguments one a line, texts as the lines that they are; None if they're no object."""
    try:
        given = json.loads(arguments) if len(arguments) <= _LAID_OUT else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or not given:
        return None
    lines = []
    for key, value in given.items():
        text = visible_block(value if isinstance(value, str) else dumps(value)).rstrip("\n")
        several = "\n" in text
        lines.append(f"{visible_line(key)}:" + ("" if several else f" {text}"))
        lines += [f"  {line}" for line in text.split("\n")] if several else []
    return "\n".join(lines)


def _error(error: JsonValue) -> Iterator[Part]:
    if isinstance(error, Mapping):
        texts = [found for key in ("name", "code") if isinstance(found := error.get(key), str)]
        yield Part(visible_line(" ".join(texts)) or _json(error).text, "error")


def _todos(todos: JsonValue) -> Iterator[Part]:
    lines = []
    for todo in todos if isinstance(todos, list) else ():
        if isinstance(todo, Mapping):
            content, status = todo.get("content"), todo.get("status")
            lines.append(f"[{visible_line(str(status))}] {visible_line(str(content))}")
    if lines:
        yield Part("\n".join(lines))


def _reason(reason: JsonValue) -> Iterator[Part]:
    if isinstance(reason, Mapping) and isinstance(kind := reason.get("kind"), str):
        error = reason.get("error")
        message = error.get("message") if isinstance(error, Mapping) else None
        detail = f": {visible_line(message)}" if isinstance(message, str) else ""
        yield Part(f"{visible_line(kind)}{detail}", dim=kind == "completed")


def _json(value: JsonValue) -> Part:
    return Part(visible_line(dumps(value)), dim=True)
