"""The body of a request: what servers accept, whatever the log has (HOST-7)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.models import ModelRequest
from reference_host.models._chat_requests import chat_body

CONFIG = {"provider": "openai-compatible", "model": "small"}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _call(name: str = "read", arguments: str = "{}", call: str = "c1") -> dict[str, Any]:
    return {"type": "tool-call", "id": call, "name": name, "arguments": arguments}


def _result(*content: Mapping[str, Any], call: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool-result", "toolCallId": call, "content": list(content), **more}


def _user(*content: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def _assistant(*content: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def _messages(*messages: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = chat_body(ModelRequest(CONFIG, "", [], messages))["messages"]
    return found


def _sent_call(name: str = "read", arguments: str = "{}", call: str = "c1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }


def _sent_result(content: str, call: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": content}


@pytest.mark.requirement("HOST-7")
def test_system_tools_and_model_are_those_of_the_request() -> None:
    """The model is the one that the log names; tools are functions; usage is asked for."""
    schema = {"name": "read", "description": "Reads.", "parameters": {"type": "object"}}
    request = ModelRequest(CONFIG, "Be brief.", [schema], [_user(_text("Hi"))])
    assert chat_body(request) == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
        "tools": [{"type": "function", "function": schema}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.requirement("HOST-7")
def test_no_system_prompt_and_no_tools_are_left_out() -> None:
    """An empty list of tools is refused by servers, and an empty system message says nothing."""
    body = chat_body(ModelRequest(CONFIG, "", [], [_user(_text("Hi"))]))
    assert "tools" not in body
    assert body["messages"] == [{"role": "user", "content": "Hi"}]


@pytest.mark.requirement("HOST-7")
def test_a_conversation_with_calls_keeps_its_order() -> None:
    """Text and calls of an answer go together; each result is a message after it."""
    sent = _messages(
        _user(_text("a"), _text("b")),
        _assistant(_text("I look."), _call(arguments='{"path":"a"}'), _call(call="c2")),
        _user(_result(_text("one"), _text("two"))),
        _user(_result(_text("no"), call="c2", isError=True)),
        _assistant(_text("Done.")),
        _user(_text("Thanks")),
    )
    answer = _sent_call(arguments='{"path":"a"}')
    assert sent == [
        {"role": "user", "content": "a\nb"},
        {
            **answer,
            "content": "I look.",
            "tool_calls": [*answer["tool_calls"], *_sent_call(call="c2")["tool_calls"]],
        },
        _sent_result("one\ntwo"),
        _sent_result("Error: no", "c2"),
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks"},
    ]


@pytest.mark.requirement("HOST-7")
def test_reasoning_is_not_sent_back() -> None:
    """What a model thought is its own; an answer of nothing else is left out."""
    thought = {"type": "reasoning", "text": "secret"}
    quoted = _user(_text("a"), thought)
    sent = _messages(quoted, _assistant(thought), _assistant(thought, _text("b")))
    assert sent == [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]


@pytest.mark.requirement("HOST-7")
def test_a_block_that_is_no_text_is_named() -> None:
    """The model is told that there was an image, where it can't be shown."""
    image = {"type": "image", "data": "AAAA"}
    sent = _messages(_user(_text("See"), image), _assistant(_call()), _user(_result(image)))
    assert sent[0]["content"] == "See\n[image left out]"
    assert sent[2] == _sent_result("[image left out]")


@pytest.mark.requirement("HOST-7")
def test_a_message_without_content_says_so() -> None:
    """An empty message and an empty result have a text, as servers refuse none at all."""
    sent = _messages(_user(), _assistant(), _assistant(_call()), _user(_result()))
    assert sent == [
        {"role": "user", "content": "(empty message)"},
        _sent_call(),
        _sent_result("(no result)"),
    ]


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("following", [[], [_user(_text("Go on"))], [_assistant(_text("Well"))]])
def test_a_call_without_a_result_gets_one(following: Sequence[Mapping[str, Any]]) -> None:
    """A history with an unanswered call is refused by servers: the lack is its result."""
    sent = _messages(_assistant(_call()), *following)
    assert sent[:2] == [_sent_call(), _sent_result("(no result)")]
    assert len(sent) == 2 + len(following)


@pytest.mark.requirement("HOST-7")
def test_a_result_without_its_call_is_told_by_the_user() -> None:
    """What a result says is not lost when its call is no longer in the request."""
    sent = _messages(_user(_result(_text("one"))), _assistant(_text("b")))
    assert sent[0] == {"role": "user", "content": "one"}


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"a": 1.0}', '{"a": 1.0}'),
        ("", "{}"),
        (" \n", "{}"),
        ('{"a":', '{"unreadable":"{\\"a\\":"}'),
        ("[1]", '{"unreadable":"[1]"}'),
        ('{"a":NaN}', '{"unreadable":"{\\"a\\":NaN}"}'),
    ],
)
def test_arguments_are_an_object_for_servers_that_parse_them(arguments: str, sent: str) -> None:
    """An object goes out as it came; what is none goes out inside of one."""
    assert _messages(_assistant(_call(arguments=arguments)))[0] == _sent_call(arguments=sent)


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    ("name", "sent"), [("my.tool é", "my_tool__"), ("", "_"), ("x" * 70, "x" * 64)]
)
def test_the_name_of_a_function_that_nobody_has_is_sendable(name: str, sent: str) -> None:
    """A model may call what isn't there; its name must not fail all further requests."""
    assert _messages(_assistant(_call(name)))[0] == _sent_call(sent)


@pytest.mark.requirement("HOST-7")
def test_lone_surrogates_are_replaced_everywhere() -> None:
    """U+FFFD stands for each of them, in names of the schema as well; pairs become characters."""
    schema = {"name": "t", "description": "\udfff", "parameters": {"\ud800": ["\ud83d\ude00"]}}
    body = chat_body(ModelRequest(CONFIG, "a\ud800", [schema], [_user(_text("\udc00x\ud800"))]))
    assert body["messages"][0]["content"] == "a\ufffd"
    assert body["messages"][1]["content"] == "\ufffdx\ufffd"
    assert body["tools"][0]["function"] == {
        "name": "t",
        "description": "\ufffd",
        "parameters": {"\ufffd": ["\U0001f600"]},
    }


IDS = st.sampled_from(["c1", "c2", "c3"])
TEXTS = st.text(st.characters(exclude_categories=[]), max_size=4)
ODD = st.dictionaries(
    st.sampled_from(["type", "text", "id", "name", "arguments", "toolCallId", "content"]),
    st.none() | st.integers() | TEXTS | st.lists(st.integers() | TEXTS, max_size=2),
)
BLOCKS = st.recursive(
    ODD
    | st.builds(_text, TEXTS)
    | st.builds(_call, TEXTS, TEXTS, IDS)
    | st.just({"type": "reasoning", "text": "?"}),
    lambda inner: st.builds(
        lambda content, call: _result(*content, call=call), st.lists(inner, max_size=3), IDS
    ),
    max_leaves=4,
)
MESSAGES = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["user", "assistant"]),
    st.lists(BLOCKS, max_size=3),
)


@pytest.mark.requirement("HOST-7")
@given(TEXTS, st.lists(MESSAGES, max_size=6))
def test_servers_accept_the_body_of_any_log(system: str, messages: list[dict[str, Any]]) -> None:
    """Every message has content or calls, every call one result right after it; all is UTF-8."""
    request = ModelRequest(CONFIG, system, [], messages)
    before = repr(request)
    body = chat_body(request)
    assert repr(request) == before
    assert chat_body(request) == body
    json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            assert message["content"]
            continue
        assert not waiting
        calls = message.get("tool_calls", [])
        waiting = [call["id"] for call in calls]
        assert isinstance(message["content"], str) or (calls and message["content"] is None)
        for call in calls:
            assert re.fullmatch("[A-Za-z0-9_-]{1,64}", call["function"]["name"])
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert not waiting
