"""A request, as the chat completions API has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from session_query import JsonError, dumps, loads

from reference_host.models._model import ModelRequest

__all__ = ["chat_body"]

_NO_RESULT: Final = "(no result)"
_EMPTY: Final = "(empty message)"
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 64


def chat_body(request: ModelRequest) -> dict[str, Any]:
    """Return the body that asks for a streamed answer to `request`.

    Servers refuse a history with an empty message, a call without a result, a result without a
    call, a function's name with odd characters, arguments that are no object, or text that is not
    Unicode. None of these is sent, whatever the log has: a log can be of another host.

    Args:
        request: its `config` names the model.
    """
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Any] = {
        "model": request.config["model"],
        "messages": [*system, *_messages(request.messages)],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [_function(tool) for tool in request.tools]
    return _unicode(body)  # type: ignore[no-any-return]


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    names = ("name", "description", "parameters")
    return {"type": "function", "function": {name: tool[name] for name in names if name in tool}}


def _messages(messages: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    waiting: list[str] = []  # the calls of the last answer that have no result yet
    for message in messages:
        blocks = _blocks(message)
        if message.get("role") == "assistant":
            yield from _unanswered(waiting)
            answer = _answer(blocks)
            waiting = [call["id"] for call in answer.get("tool_calls", ())]
            if answer["content"] or waiting:
                yield answer
            continue
        told: list[str] = []
        for block in blocks:
            if block.get("type") != "tool-result":
                told += _told([block])
            elif (call := _text(block, "toolCallId")) in waiting:
                waiting.remove(call)
                yield {"role": "tool", "tool_call_id": call, "content": _result(block)}
            else:
                # its call is gone, and no server takes a result alone
                told.append(_result(block))
        if told or not blocks:
            yield from _unanswered(waiting)
            waiting = []
            yield {"role": "user", "content": "\n".join(told) or _EMPTY}
    yield from _unanswered(waiting)


def _unanswered(calls: Iterable[str]) -> Iterator[dict[str, Any]]:
    for call in calls:
        yield {"role": "tool", "tool_call_id": call, "content": _NO_RESULT}


def _answer(blocks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the model said and called; of its reasoning nothing is sent back."""
    said = [text for block in blocks if block.get("type") == "text" and (text := _text(block))]
    calls = [_call(block) for block in blocks if block.get("type") == "tool-call"]
    message = {"role": "assistant", "content": "\n".join(said) or None}
    return {**message, "tool_calls": calls} if calls else message


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    name = _NOT_IN_A_NAME.sub("_", _text(block, "name"))[:_LONGEST_NAME] or "_"
    function = {"name": name, "arguments": _arguments(_text(block, "arguments"))}
    return {"id": _text(block, "id"), "type": "function", "function": function}


def _arguments(text: str) -> str:
    """Return the text of an object: some servers parse it, and fail on what a model got wrong."""
    try:
        whole = isinstance(loads(text), dict)
    except JsonError:
        whole = False
    if whole:
        return text
    return dumps({"unreadable": text}) if text.strip() else "{}"


def _result(block: Mapping[str, Any]) -> str:
    text = "\n".join(_told(_blocks(block))) or _NO_RESULT
    return f"Error: {text}" if block.get("isError") else text


def _told(blocks: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the texts of blocks; one of another type is named, so that its lack is no secret."""
    return [
        _text(block) if kind == "text" else f"[{kind} left out]"
        for block in blocks
        if (kind := _text(block, "type")) != "reasoning"
    ]


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    found = content if isinstance(content, (list, tuple)) else ()
    return [block for block in found if isinstance(block, Mapping)]


def _text(block: Mapping[str, Any], key: str = "text") -> str:
    text = block.get(key)
    return text if isinstance(text, str) else ""


def _unicode(value: Any) -> Any:
    """Return a JSON value in which U+FFFD stands for each surrogate that is alone."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, Mapping):
        return {_unicode(key): _unicode(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_unicode(item) for item in value]
    return value
