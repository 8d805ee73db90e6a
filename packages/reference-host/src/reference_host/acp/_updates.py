"""What a client is shown of a session: a fold of its log, live and when it's loaded (ACP-1)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias, cast, get_args

from acp.helpers import (
    plan_entry,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_user_message_text,
)
from acp.schema import PlanEntryStatus, SessionInfoUpdate, ToolCallProgress, ToolCallStart, ToolKind
from session_query import SessionEvent

from reference_host._diagnostics import logger
from reference_host.acp._sendable import sendable
from reference_host.tools import CallCard, Card, ToolRegistry

__all__ = ["Update", "card", "live_updates", "replayed_updates", "wire_call_id"]

Update: TypeAlias = Any
"""One of the SDK's models of a session update."""

_KINDS: Final = frozenset(get_args(ToolKind))
_STATUSES: Final = frozenset({"pending", "in_progress", "completed"})


def live_updates(event: SessionEvent, tools: ToolRegistry) -> Iterator[Update]:
    """Yield what an event means to a client that watches."""
    data = _object(event.data)
    if event.type == "assistant/chunk":
        yield from _chunk(_object(data.get("chunk")))
    elif event.type == "assistant/message":
        yield from _calls(data, tools)
    else:
        yield from _common(event.type, data)


def replayed_updates(event: SessionEvent, tools: ToolRegistry) -> Iterator[Update]:
    """Yield what an event means to a client that loads the session: messages, and no chunks."""
    data = _object(event.data)
    if event.type == "user/message":
        for block in _blocks(data):
            if text := _text(block, "text"):
                yield update_user_message_text(text)
    elif event.type == "assistant/message":
        for block in _blocks(_object(data.get("message"))):
            if text := _text(block, "text"):
                yield update_agent_message_text(text)
            elif text := _text(block, "reasoning"):
                yield update_agent_thought_text(text)
        yield from _calls(data, tools)
    else:
        yield from _common(event.type, data)


def wire_call_id(data: Mapping[str, Any], call_id: object) -> str:
    """Return an id for a call that no other call of the session has; models may repeat theirs."""
    return sendable(f"{data.get('turn')}.{data.get('step')}.{call_id}")


def card(tools: ToolRegistry, name: str, raw_arguments: object) -> Card:
    """Return the card of a call: the tool's own, or a plain one where there is none."""
    try:
        arguments: Any = json.loads(str(raw_arguments) or "{}")
    except (ValueError, RecursionError):
        arguments = str(raw_arguments)
    plain = CallCard("other", f"Call {sendable(name)}", sendable(arguments))
    if (tool := tools.get(name)) is not None:
        try:
            shown = tool.present_call(arguments)
            title, given = sendable(str(shown.title)), sendable(shown.raw_input)
            return CallCard(_kind(shown.kind), title, given)
        except Exception as error:  # noqa: BLE001 - the call is shown, and run, whatever its card does
            logger.warning(
                "tool %s: its card failed: %r",
                name,
                error,
                extra={"session_id": None, "code": "TOOL_CARD_FAILED"},
            )
    return plain


def _chunk(chunk: Mapping[str, Any]) -> Iterator[Update]:
    text = chunk.get("text")
    if not isinstance(text, str) or not text:
        return
    if chunk.get("type") == "text-delta":
        yield update_agent_message_text(sendable(text))
    elif chunk.get("type") == "reasoning-delta":
        yield update_agent_thought_text(sendable(text))


def _calls(data: Mapping[str, Any], tools: ToolRegistry) -> Iterator[Update]:
    for block in _blocks(_object(data.get("message"))):
        if block.get("type") == "tool-call":
            shown = card(tools, str(block.get("name")), block.get("arguments"))
            yield ToolCallStart(
                session_update="tool_call",
                tool_call_id=wire_call_id(data, block.get("id")),
                title=shown.title,
                kind=_kind(shown.kind),
                status="pending",
                raw_input=shown.raw_input,
            )


def _common(kind: str, data: Mapping[str, Any]) -> Iterator[Update]:
    if kind == "tool/call":
        yield ToolCallProgress(
            session_update="tool_call_update",
            tool_call_id=wire_call_id(data, data.get("callId")),
            status="in_progress",
        )
    elif kind == "tool/result":
        yield from _results(data)
    elif kind == "todo/write":
        yield update_plan(list(_entries(data)))
    elif kind == "session/title" and isinstance(title := data.get("title"), str):
        yield SessionInfoUpdate(session_update="session_info_update", title=sendable(title))


def _results(data: Mapping[str, Any]) -> Iterator[Update]:
    for block in _blocks(_object(data.get("message"))):
        if block.get("type") == "tool-result":
            texts = [_text(one, "text") for one in _blocks(block)]
            yield ToolCallProgress(
                session_update="tool_call_update",
                tool_call_id=wire_call_id(data, block.get("toolCallId")),
                status="failed" if data.get("error") else "completed",
                content=[tool_content(text_block(text)) for text in texts if text],
            )


def _entries(data: Mapping[str, Any]) -> Iterator[Any]:
    todos = data.get("todos")
    for todo in todos if isinstance(todos, (list, tuple)) else ():
        found = _object(todo)
        status = found.get("status")
        known: PlanEntryStatus = "pending"
        if isinstance(status, str) and status in _STATUSES:
            known = cast("PlanEntryStatus", status)
        yield plan_entry(sendable(str(found.get("content", ""))), status=known)


def _kind(kind: object) -> ToolKind:
    return cast("ToolKind", kind if isinstance(kind, str) and kind in _KINDS else "other")


def _object(value: object) -> Mapping[str, Any]:
    """Return a JSON object as it is; a log may hold anything in its place."""
    return value if isinstance(value, Mapping) else {}


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if not isinstance(content, (list, tuple)):
        return []
    return [block for block in content if isinstance(block, Mapping)]


def _text(block: Mapping[str, Any], kind: str) -> str:
    text = block.get("text")
    return sendable(text) if block.get("type") == kind and isinstance(text, str) else ""
