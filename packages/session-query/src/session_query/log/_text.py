"""What of an event can be searched (LOG-6, LOG-24).

Nothing here raises on odd payloads: a malformed part gives no text. Block nesting is walked with a
stack, so that a hostile log can't exhaust Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from session_query.log._event import SessionEvent
from session_query.log._json import JsonValue
from session_query.log._surface import Surface, SurfaceFold, fold_surface, surfaces
from session_query.text._whitespace import trim

__all__ = [
    "QUERY_TOOL_NAMES",
    "EventDocument",
    "HiddenCalls",
    "document_texts",
    "extract_event_text",
    "semantic_documents",
]

QUERY_TOOL_NAMES = frozenset(
    {
        "session_search",
        "session_event_search",
        "session_trace",
        "session_event_trace",
        "session_event_read",
    }
)
"""The tools whose calls and results are not searchable by default (LOG-24)."""

_NAMED_KINDS = ("aborted", "max-tokens", "interrupted")
"""The reasons of a ``turn/end`` that are themselves its text."""


class EventDocument(NamedTuple):
    """An event's record and its searchable text (READ-1, JSON-1)."""

    session_id: str
    seq: int
    type: str
    time: int
    surface: Surface
    text: str

    def to_json(self) -> dict[str, JsonValue]:
        """Return ``{sessionId, seq, type, time, surface, text}``."""
        return {
            "sessionId": self.session_id,
            "seq": self.seq,
            "type": self.type,
            "time": self.time,
            "surface": self.surface,
            "text": self.text,
        }


def extract_event_text(event: SessionEvent) -> str:
    """Return the semantic text of one event, ``""`` where it has none; O(size) (LOG-6)."""
    return _text(event, None)


def _text(event: SessionEvent, hidden: Collection[str] | None) -> str:
    """Return the text; with ``hidden``, call blocks of those tools give none."""
    extract = _EXTRACTORS.get(event.type)
    if extract is None:
        return ""
    data = event._raw
    if not isinstance(data, dict):
        return ""
    return "\n".join(text for part in extract(data, hidden) if (text := trim(part)))


def _content(blocks: JsonValue, hidden: Collection[str] | None) -> Iterator[str]:
    if not isinstance(blocks, list):
        return
    pending = [iter(blocks)]
    while pending:
        for block in pending[-1]:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind == "text":
                if isinstance(text := block.get("text"), str):
                    yield text
            elif kind == "tool-call":
                name = block.get("name")
                if not (hidden and isinstance(name, str) and name in hidden):
                    yield from _strings(name, block.get("arguments"))
            elif kind == "tool-result" and isinstance(inner := block.get("content"), list):
                pending.append(iter(inner))
                break
        else:
            pending.pop()


def _strings(*values: JsonValue) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _user_message(data: Mapping[str, JsonValue], hidden: Collection[str] | None) -> Iterator[str]:
    yield from _content(data.get("content"), hidden)


def _message(data: Mapping[str, JsonValue], hidden: Collection[str] | None) -> Iterator[str]:
    message = data.get("message")
    if isinstance(message, dict):
        yield from _content(message.get("content"), hidden)


def _tool_result(data: Mapping[str, JsonValue], hidden: Collection[str] | None) -> Iterator[str]:
    yield from _message(data, hidden)
    error = data.get("error")
    if isinstance(error, dict):
        yield from _strings(error.get("name"), error.get("code"))


def _tool_call(data: Mapping[str, JsonValue], _hidden: Collection[str] | None) -> Iterator[str]:
    yield from _strings(data.get("name"), data.get("arguments"))


def _todo_write(data: Mapping[str, JsonValue], _hidden: Collection[str] | None) -> Iterator[str]:
    todos = data.get("todos")
    for todo in todos if isinstance(todos, list) else ():
        if isinstance(todo, dict):
            yield from _strings(todo.get("status"), todo.get("content"))


def _turn_end(data: Mapping[str, JsonValue], _hidden: Collection[str] | None) -> Iterator[str]:
    reason = data.get("reason")
    if not isinstance(reason, dict):
        return
    kind = reason.get("kind")
    if kind in _NAMED_KINDS:
        yield kind
    elif kind == "error":
        yield "error"
        error = reason.get("error")
        if isinstance(error, dict):
            yield from _strings(error.get("message"))


def _title(data: Mapping[str, JsonValue], _hidden: Collection[str] | None) -> Iterator[str]:
    yield from _strings(data.get("title"))


_EXTRACTORS: dict[
    str, Callable[[Mapping[str, JsonValue], Collection[str] | None], Iterator[str]]
] = {
    "user/message": _user_message,
    "assistant/message": _message,
    "tool/result": _tool_result,
    "tool/call": _tool_call,
    "todo/write": _todo_write,
    "turn/end": _turn_end,
    "session/title": _title,
}


class HiddenCalls:
    """Follows a log and gives each event's searchable text without echoes (LOG-24).

    A result belongs to the nearest earlier call, event or block, with its id. ``call_ids`` are the
    ids whose nearest call so far is one of the named tools: all that has to be kept in order to go
    on later where the log left off.
    """

    __slots__ = ("_tools", "call_ids")

    def __init__(self, unsearchable_tools: Collection[str], call_ids: Iterable[str] = ()) -> None:
        self._tools = frozenset(unsearchable_tools)
        self.call_ids = set(call_ids)

    def text(self, event: SessionEvent) -> str:
        """Take the next event and return its searchable text, ``""`` where it has none."""
        if not self._tools:
            return _text(event, None)
        kind, data = event.type, event._raw
        if kind == "tool/call":
            if isinstance(data, dict):
                name = data.get("name")
                self._note(data.get("callId"), name)
                if isinstance(name, str) and name in self._tools:
                    return ""
        elif kind == "tool/result":
            if self.call_ids and self._result_is_hidden(data):
                return ""
        elif kind == "assistant/message":
            message = data.get("message") if isinstance(data, dict) else None
            blocks = message.get("content") if isinstance(message, dict) else None
            for block in blocks if isinstance(blocks, list) else ():
                if isinstance(block, dict) and block.get("type") == "tool-call":
                    self._note(block.get("id"), block.get("name"))
            return _text(event, self._tools)
        return _text(event, None)

    def _note(self, call_id: JsonValue, name: JsonValue) -> None:
        if not isinstance(call_id, str):
            return
        if isinstance(name, str) and name in self._tools:
            self.call_ids.add(call_id)
        else:
            self.call_ids.discard(call_id)

    def _result_is_hidden(self, data: JsonValue) -> bool:
        message = data.get("message") if isinstance(data, dict) else None
        if not isinstance(message, dict):
            return False
        source = message.get("source")
        call_id = source.get("callId") if isinstance(source, dict) else None
        if isinstance(call_id, str) and call_id in self.call_ids:
            return True
        blocks = message.get("content")
        return any(
            isinstance(block, dict)
            and isinstance(found := block.get("toolCallId"), str)
            and found in self.call_ids
            for block in (blocks if isinstance(blocks, list) else ())
        )


def document_texts(
    events: Iterable[SessionEvent], calls: HiddenCalls
) -> Iterator[tuple[SessionEvent, str]]:
    """Yield the events that have searchable text, with it, in log order."""
    text_of = calls.text
    for event in events:
        if event.type in _EXTRACTORS and (text := text_of(event)):
            yield event, text


def semantic_documents(
    session_id: str,
    events: Iterable[SessionEvent],
    unsearchable_tools: Collection[str] = QUERY_TOOL_NAMES,
    *,
    fold: SurfaceFold | None = None,
) -> list[EventDocument]:
    """Return the documents that filters and search use, in log order; O(size) (LOG-24).

    ``fold`` spares the surface fold where the caller has it. Raises :class:`SurfaceError` for a log
    that breaks a surface rule.
    """
    events = list(events)
    places = surfaces(fold_surface(events) if fold is None else fold)
    return [
        EventDocument(
            session_id, event.seq, event.type, event.time, places.get(event.seq, "log-only"), text
        )
        for event, text in document_texts(events, HiddenCalls(unsearchable_tools))
    ]
