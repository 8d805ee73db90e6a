"""Answers of a server, as they come over the wire (HOST-7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from reference_host.models import ModelRequest

from .servers import (
    DONE,
    REQUEST,
    chunks_of,
    event,
    finishing,
    model_of,
    run,
    said,
    serving,
    streaming,
)


def _calling(index: int, arguments: str, **first: str) -> bytes:
    function = {"arguments": arguments, **({"name": first["name"]} if first else {})}
    part: dict[str, Any] = {"index": index, "function": function}
    if first:
        part |= {"id": first["id"], "type": "function"}
    return event({"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]})


USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}

CONVERSATION = [
    said("Let me "),
    said("look."),
    _calling(0, "", id="call_a", name="read"),
    _calling(0, '{"path"'),
    _calling(1, '{"path":"b"}', id="call_b", name="read"),
    _calling(0, ':"a"}'),
    finishing("tool_calls"),
    event({"choices": [], "usage": USAGE}),
    DONE,
]

CHUNKS = [
    {"type": "text-delta", "index": 0, "text": "Let me "},
    {"type": "text-delta", "index": 0, "text": "look."},
    {
        "type": "tool-call-delta",
        "index": 1,
        "id": "call_a",
        "name": "read",
        "argumentsDelta": "",
    },
    {"type": "tool-call-delta", "index": 1, "id": "call_a", "argumentsDelta": '{"path"'},
    {
        "type": "tool-call-delta",
        "index": 2,
        "id": "call_b",
        "name": "read",
        "argumentsDelta": '{"path":"b"}',
    },
    {"type": "tool-call-delta", "index": 1, "id": "call_a", "argumentsDelta": ':"a"}'},
    {"type": "usage", "usage": USAGE},
    {"type": "finish", "reason": {"kind": "tool-calls"}},
]


@pytest.mark.requirement("HOST-7")
def test_text_and_interleaved_calls_come_as_chunks_and_the_finish_comes_last() -> None:
    """Each delta is one chunk of its block; usage and finish end the answer."""

    async def main() -> None:
        async with serving(streaming(*CONVERSATION)) as server, model_of(server) as model:
            assert await chunks_of(model) == CHUNKS
            assert server.requests[0].headers[":request"] == "POST /v1/chat/completions HTTP/1.1"
            assert server.requests[0].body == {
                "model": "small",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "Hello"},
                ],
                "stream": True,
                "stream_options": {"include_usage": True},
            }

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_borders_of_network_chunks_mean_nothing(newline: bytes) -> None:
    """A border inside a character, a line or its end changes no chunk, nor do comments."""
    body = b": hello\n\n" + said("Grüße, 世界 🎉") + b"event: x\n" + b"".join(CONVERSATION)
    wire = body.replace(b"\n", newline)

    async def main() -> None:
        single = streaming(*(wire[at : at + 1] for at in range(len(wire))))
        async with serving(single) as server, model_of(server) as model:
            first = {"type": "text-delta", "index": 0, "text": "Grüße, 世界 🎉"}
            assert await chunks_of(model) == [first, *CHUNKS]

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_huge_delta_arrives_whole() -> None:
    """Neither lines nor events have a longest length."""
    text = "ä" * 1_000_000

    async def main() -> None:
        async with serving(streaming(said(text), finishing())) as server, model_of(server) as model:
            chunks = await chunks_of(model)
            assert chunks[0]["text"] == text

    run(main())


@pytest.mark.requirement("HOST-7")
def test_an_answer_is_passed_on_while_it_comes() -> None:
    """The first chunk is there before the server sends the second."""

    async def main() -> None:
        async def script(exchange: Any) -> None:
            await exchange.head()
            await exchange.send(said("one"))
            await heard.wait()
            await exchange.send(said("two"), finishing(), DONE)
            await exchange.end()

        heard = asyncio.Event()
        async with serving(script) as server, model_of(server) as model:
            texts = []
            async for chunk in model.stream(REQUEST):
                texts.append(chunk.get("text"))
                heard.set()
            assert texts == ["one", "two", None]

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_connection_serves_more_than_one_request() -> None:
    """Two answers, one after the other, come over one connection."""

    async def main() -> None:
        script = streaming(said("hi"), finishing(), DONE)
        async with serving(script, script) as server, model_of(server) as model:
            assert await chunks_of(model) == await chunks_of(model)
            first, second = server.requests
            assert first.writer is second.writer

    run(main())


@pytest.mark.requirement("HOST-7")
def test_text_with_a_lone_surrogate_is_sent() -> None:
    """A surrogate without its pair goes out as U+FFFD, where UTF-8 has no form for it."""
    content = [{"type": "text", "text": "a\ud800b \ud83d\ude00"}]
    messages = [{"role": "user", "content": content}]
    request = ModelRequest(REQUEST.config, "", [], messages)

    async def main() -> None:
        async with serving(streaming(finishing())) as server, model_of(server) as model:
            await chunks_of(model, request)
            assert server.requests[0].body["messages"] == [
                {"role": "user", "content": "a\ufffdb \U0001f600"}
            ]

    run(main())
