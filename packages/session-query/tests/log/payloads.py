"""Payloads of known events with any part replaced by rubbish."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from .values import JSON, TEXTS

IDS = st.sampled_from(["a", "b", "c"])
TOOLS = st.sampled_from(["session_search", "bash", "read", "hidden"])


def _fields(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=fields)


_LEAF_BLOCKS = (
    _fields(type=st.just("text"), text=TEXTS | JSON)
    | _fields(type=st.just("reasoning"), text=TEXTS)
    | _fields(type=st.just("tool-call"), id=IDS | JSON, name=TOOLS | JSON, arguments=TEXTS | JSON)
    | _fields(type=st.just("image"), text=TEXTS)
    | JSON
)
BLOCKS = st.recursive(
    _LEAF_BLOCKS,
    lambda inner: _fields(
        type=st.just("tool-result"),
        toolCallId=IDS | JSON,
        content=st.lists(inner, max_size=3) | JSON,
    ),
    max_leaves=5,
)
CONTENT = st.lists(BLOCKS, max_size=4) | JSON
MESSAGE = (
    _fields(content=CONTENT, source=_fields(kind=st.just("tool"), callId=IDS | JSON) | JSON) | JSON
)
ERROR = _fields(name=TEXTS | JSON, code=TEXTS | JSON, message=TEXTS | JSON) | JSON
KINDS = st.sampled_from(["completed", "aborted", "blocked", "error", "max-tokens", "interrupted"])

DATA: dict[str, st.SearchStrategy[Any]] = {
    "user/message": MESSAGE,
    "assistant/message": _fields(message=MESSAGE) | JSON,
    "tool/result": _fields(message=MESSAGE, error=ERROR) | JSON,
    "tool/call": _fields(callId=IDS | JSON, name=TOOLS | JSON, arguments=TEXTS | JSON) | JSON,
    "todo/write": _fields(
        todos=st.lists(_fields(status=TEXTS | JSON, content=TEXTS | JSON) | JSON, max_size=3) | JSON
    )
    | JSON,
    "turn/end": _fields(reason=_fields(kind=KINDS | JSON, error=ERROR) | JSON) | JSON,
    "session/title": _fields(title=TEXTS | JSON, messageSeqs=JSON, source=JSON) | JSON,
    "turn/start": _fields(turn=JSON) | JSON,
    "step/start": _fields(step=JSON) | JSON,
    "step/end": JSON,
    "assistant/chunk": JSON,
    "request/header": JSON,
    "session/end-seed": JSON,
    "host/own": MESSAGE,
}

TYPED = st.sampled_from(sorted(DATA)).flatmap(lambda kind: st.tuples(st.just(kind), DATA[kind]))
"""A type with data that is right, or wrong in any part."""
