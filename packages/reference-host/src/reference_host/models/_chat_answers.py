"""An answer, as the events of the chat completions API have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from session_query import JsonError, dumps, loads

from reference_host.errors import ModelError
from reference_host.models._model import Chunk

__all__ = ["ChatAnswer"]

_FINISHES: Final = {"tool_calls": "tool-calls", "length": "max-tokens"}


@dataclass(slots=True)
class _Call:
    """What is known of a call so far."""

    index: int
    id: str = ""
    name: str = ""


class ChatAnswer:
    """Turns the events of one answer into chunks; it does nothing else.

    Text, reasoning and each call get the next index when they begin. Servers differ in how they
    number calls: they give each its own `index`, or all of them the same, or none; they leave out
    ids, or send a new one with each piece of a call. What begins a call is a new `index`, or a name
    with an id (or without `index`, a name without one) that the call before doesn't have.
    """

    def __init__(self) -> None:
        self._begun = 0
        self._texts: dict[str, int] = {}
        self._calls: dict[int | None, _Call] = {}
        self._usage: Mapping[str, Any] | None = None
        self._finish: str | None = None

    def read(self, event: object) -> Iterator[Chunk]:
        """Return the chunks of the next event.

        Raises:
            ModelError: `MODEL_INVALID_ANSWER`; the event is none of this API.
        """
        data = _object(event, "an event")
        usage = data.get("usage")
        if usage is not None:
            # servers that count on the way send it often: the last one holds
            self._usage = _strict(_object(usage, "usage"))
        choices = data.get("choices")
        if choices is None and usage is not None:
            return
        for choice in _list(choices, "choices"):
            yield from self._choice(_object(choice, "a choice"))

    def end(self) -> Iterator[Chunk]:
        """Return the last chunks, when there are no more events.

        Raises:
            ModelError: `MODEL_INVALID_ANSWER`; the server never said that the answer is whole.
        """
        if self._finish is None:
            raise _invalid("it broke off")
        if self._usage is not None:
            yield {"type": "usage", "usage": self._usage}
        kind = _FINISHES.get(self._finish, self._finish.replace("_", "-"))
        yield {"type": "finish", "reason": {"kind": kind}}

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Chunk]:
        if choice.get("index", 0) != 0:
            return  # an alternative that nobody asked for
        delta = _object(choice.get("delta") or {}, "delta")
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        yield from self._text("reasoning-delta", reasoning)
        yield from self._text("text-delta", delta.get("content"))
        yield from self._text("text-delta", delta.get("refusal"))
        for part in _list(delta.get("tool_calls") or [], "tool_calls"):
            yield self._call(_object(part, "a tool call"))
        self._finish = _text(choice.get("finish_reason"), "finish_reason") or self._finish

    def _text(self, kind: str, value: object) -> Iterator[Chunk]:
        text = _text(value, kind)
        if text:
            if kind not in self._texts:
                self._texts[kind] = self._next_index()
            yield {"type": kind, "index": self._texts[kind], "text": text}

    def _call(self, part: Mapping[str, Any]) -> Chunk:
        function = _object(part.get("function") or {}, "function")
        given_id, name = _text(part.get("id"), "id"), _text(function.get("name"), "name")
        number = part.get("index")
        if number is not None and type(number) is not int:
            raise _invalid("the index of a tool call is no whole number")
        call = self._calls.get(number)
        if call is None or (name and _is_another(call, given_id, numbered=number is not None)):
            call = self._calls[number] = _Call(self._next_index())
        chunk: dict[str, Any] = {"type": "tool-call-delta", "index": call.index}
        call.id = chunk["id"] = call.id or given_id
        if name and not call.name:
            call.name = chunk["name"] = name
        chunk["argumentsDelta"] = _arguments(function.get("arguments"))
        return chunk

    def _next_index(self) -> int:
        self._begun += 1
        return self._begun - 1


def _is_another(call: _Call, given_id: str, *, numbered: bool) -> bool:
    if given_id and call.id:
        return given_id != call.id
    return not numbered and bool(call.name)


def _arguments(value: object) -> str:
    if isinstance(value, Mapping):
        # the whole of them, not yet written as JSON
        return dumps(dict(_strict(value)))
    return _text(value, "arguments")


def _strict(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object that a log takes: the parser of the SDK lets NaN pass."""
    try:
        strict = loads(dumps(dict(value)))
    except JsonError:
        raise _invalid("a number in it is no JSON") from None
    return _object(strict, "an object")


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _invalid(f"{what} is no object")
    return value


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise _invalid(f"{what} is no list")
    return value


def _text(value: object, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _invalid(f"{what} is no text")
    return value


def _invalid(problem: str) -> ModelError:
    return ModelError(f"the answer of the model is invalid: {problem}", "MODEL_INVALID_ANSWER")
