"""Semantic text: the table of event types, row by row."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from session_query.log import SessionEvent, extract_event_text
from session_query.text._whitespace import WHITESPACE

from .payloads import TYPED
from .values import nested

TEXT = {"type": "text", "text": "said"}
CALL = {"type": "tool-call", "id": "c", "name": "bash", "arguments": '{"cmd": "ls"}'}
REASONING = {"type": "reasoning", "text": "private", "content": [TEXT]}
IMAGE = {"type": "image", "text": "private", "content": [TEXT], "name": "x", "arguments": "y"}


def result_block(*content: Any) -> dict[str, Any]:
    """Return a result block around blocks."""
    return {"type": "tool-result", "toolCallId": "c", "content": [*content], "text": "not this"}


def ended(kind: Any, **more: Any) -> dict[str, Any]:
    """Return the data of a turn's end."""
    return {"turn": 1, "reason": {"kind": kind, **more}}


ROWS: dict[str, tuple[str, Any, str]] = {
    "turn starts": ("turn/start", {"turn": 1, "text": "x"}, ""),
    "step starts": ("step/start", {"turn": 1, "step": 1}, ""),
    "step ends": ("step/end", {"turn": 1, "step": 1}, ""),
    "turn completed": ("turn/end", ended("completed"), ""),
    "turn blocked": ("turn/end", ended("blocked"), ""),
    "turn ended somehow": ("turn/end", ended("host-own"), ""),
    "turn aborted": ("turn/end", ended("aborted", reason={"kind": "user"}), "aborted"),
    "turn too long": ("turn/end", ended("max-tokens"), "max-tokens"),
    "turn interrupted": ("turn/end", ended("interrupted"), "interrupted"),
    "turn failed": (
        "turn/end",
        ended("error", error={"message": " HTTP 401 ", "code": "AUTH"}),
        "error\nHTTP 401",
    ),
    "turn failed silently": ("turn/end", ended("error"), "error"),
    "turn failed oddly": ("turn/end", ended("error", error={"message": 401}), "error"),
    "user": (
        "user/message",
        {"id": "m", "role": "user", "content": [TEXT, IMAGE, TEXT], "source": {"kind": "user"}},
        "said\nsaid",
    ),
    "user, wrapped": ("user/message", {"message": {"content": [TEXT]}}, ""),
    "assistant": (
        "assistant/message",
        {
            "turn": 1,
            "step": 1,
            "message": {"role": "assistant", "content": [REASONING, TEXT, CALL]},
        },
        'said\nbash\n{"cmd": "ls"}',
    ),
    "assistant, bare": ("assistant/message", {"content": [TEXT]}, ""),
    "result": (
        "tool/result",
        {"message": {"content": [result_block(TEXT, IMAGE)]}, "meta": {"text": "not this"}},
        "said",
    ),
    "result with an error": (
        "tool/result",
        {
            "message": {"content": [result_block(TEXT)]},
            "error": {"code": "ABORTED", "name": "AbortError", "message": "not this"},
        },
        "said\nAbortError\nABORTED",
    ),
    "result in a result": (
        "tool/result",
        {"message": {"content": [result_block(TEXT, result_block(CALL, REASONING), TEXT), TEXT]}},
        'said\nbash\n{"cmd": "ls"}\nsaid\nsaid',
    ),
    "call": (
        "tool/call",
        {"turn": 1, "step": 1, "callId": "c", "arguments": " {} ", "name": "bash"},
        "bash\n{}",
    ),
    "call with parsed arguments": ("tool/call", {"name": "bash", "arguments": {"a": 1}}, "bash"),
    "chunk": ("assistant/chunk", {"chunk": {"type": "text-delta", "text": "said"}}, ""),
    "todos": (
        "todo/write",
        {"todos": [{"content": "do it", "status": "pending"}, {"content": "rest"}]},
        "pending\ndo it\nrest",
    ),
    "request": ("request/header", {"header": {"system": "private"}, "reason": "initial"}, ""),
    "title": ("session/title", {"title": " A title\n", "messageSeqs": [], "source": {}}, "A title"),
    "end of seed": ("session/end-seed", {}, ""),
    "unknown type": ("host/own", {"content": [TEXT], "message": {"content": [TEXT]}}, ""),
}


def user(*content: Any) -> tuple[str, Any]:
    """Return a user message of blocks."""
    return "user/message", {"content": [*content]}


MALFORMED: dict[str, tuple[str, Any, str]] = {
    "data is a list": ("user/message", [TEXT], ""),
    "data is null": ("tool/result", None, ""),
    "content is a text": ("user/message", {"content": "said"}, ""),
    "content is an object": ("user/message", {"content": TEXT}, ""),
    "blocks of all kinds": (
        "user/message",
        {"content": [None, "said", 1, [TEXT], {}, TEXT]},
        "said",
    ),
    "text is a list": (
        "user/message",
        {"content": [{"type": "text", "text": ["x"]}, TEXT]},
        "said",
    ),
    "type is a list": (*user({"type": ["text"], "text": "x"}), ""),
    "result without content": (
        "user/message",
        {"content": [{"type": "tool-result"}, TEXT]},
        "said",
    ),
    "call without a name": (*user({"type": "tool-call", "name": 1, "arguments": "x"}), "x"),
    "message is a text": ("assistant/message", {"message": "said"}, ""),
    "error is a text": ("tool/result", {"message": None, "error": "failed"}, ""),
    "error code is a number": ("tool/result", {"error": {"name": "E", "code": 5}}, "E"),
    "todos is an object": ("todo/write", {"todos": {"content": "x"}}, ""),
    "todos of all kinds": (
        "todo/write",
        {"todos": [None, {"content": "y", "status": 1}]},
        "y",
    ),
    "reason is a text": ("turn/end", {"reason": "error"}, ""),
    "kind is a list": ("turn/end", ended(["aborted"]), ""),
    "title is a number": ("session/title", {"title": 1}, ""),
}


@pytest.mark.requirement("LOG-6")
@pytest.mark.parametrize("row", ROWS)
def test_each_type_gives_its_text(row: str) -> None:
    """Each row of the table gives the parts it lists, in that order, and nothing else."""
    kind, data, text = ROWS[row]
    assert extract_event_text(SessionEvent(kind, 0, 0, data)) == text


@pytest.mark.requirement("LOG-6")
@pytest.mark.parametrize("row", MALFORMED)
def test_a_malformed_part_gives_none(row: str) -> None:
    """What is not of the right shape has no text, and the rest keeps its own."""
    kind, data, text = MALFORMED[row]
    assert extract_event_text(SessionEvent(kind, 0, 0, data)) == text


@pytest.mark.requirement("LOG-6", "LOG-23")
@given(TYPED)
def test_no_payload_makes_it_fail(typed: tuple[str, Any]) -> None:
    """Whatever an event holds, its text is a text without white space at its ends."""
    text = extract_event_text(SessionEvent(typed[0], 0, 0, typed[1]))
    assert text == text.strip(WHITESPACE)
    assert isinstance(text, str)


@pytest.mark.requirement("LOG-6")
@pytest.mark.parametrize("depth", [2_000, 4_900])
def test_results_nest_without_end(depth: int) -> None:
    """Blocks inside blocks give their text, in order, at any depth."""
    block: dict[str, Any] = dict(TEXT)
    for level in range(depth):
        last = {"type": "text", "text": str(level)}
        block = {"type": "tool-result", "content": [block, last]}
    text = extract_event_text(SessionEvent("user/message", 0, 0, {"content": [block]}))
    assert text.split("\n") == ["said", *map(str, range(depth))]


@pytest.mark.requirement("LOG-4", "LOG-6")
def test_deep_rubbish_has_no_text() -> None:
    """Nesting that is no block is not followed."""
    deep = nested(5_000)
    for data in (deep, {"content": deep}, {"content": [deep]}, {"content": [{"type": deep}]}):
        assert extract_event_text(SessionEvent("user/message", 0, 0, data)) == ""


@pytest.mark.requirement("LOG-6")
def test_parts_are_trimmed_of_all_white_space() -> None:
    """Every white-space character of the contract is cut, no other one is, and blanks vanish."""
    codes = [*range(0x09, 0x0E), 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B)]
    codes += [0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF]
    space = "".join(map(chr, codes))
    kept = "\x00x \u3000 y\x1c\x85\u180e\u200b"
    blocks = [{"type": "text", "text": text} for text in (space + kept + space, space, "", "z")]
    text = extract_event_text(SessionEvent("user/message", 0, 0, {"content": blocks}))
    assert text == f"{kept}\nz"
