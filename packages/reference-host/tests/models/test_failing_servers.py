"""Servers that fail: what is told, and what is sent again (HOST-7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reference_host.errors import ModelError

from .servers import (
    DONE,
    Exchange,
    Script,
    answering,
    chunks_of,
    event,
    finishing,
    model_of,
    run,
    said,
    serving,
    silent_amid_the_answer,
    silent_before_the_answer,
    streaming,
)


async def _failure(*scripts: Script, **settings: Any) -> ModelError:
    async with serving(*scripts) as server, model_of(server, **settings) as model:
        with pytest.raises(ModelError) as caught:
            await chunks_of(model)
        assert len(server.requests) == len(scripts)
        return caught.value


async def _silent_amid_an_error(exchange: Exchange) -> None:
    await exchange.head("401 Unauthorized")
    await exchange.gone()


async def _reset_before_the_answer(exchange: Exchange) -> None:
    exchange.reset()


async def _reset_amid_the_answer(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.send(said("one"))
    exchange.reset()


async def _closed_amid_a_chunk(exchange: Exchange) -> None:
    await exchange.head()
    exchange.writer.write(b"100\r\ndata: ")
    exchange.writer.close()


async def _no_http(exchange: Exchange) -> None:
    exchange.writer.write(b"\x00\xff garbage \r\n\r\n")
    exchange.writer.close()


def _message(text: str) -> bytes:
    return json.dumps({"error": {"message": text, "code": "x"}}).encode()


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("script", [silent_before_the_answer, silent_amid_the_answer])
def test_a_silent_server_is_a_timeout(script: Script) -> None:
    """A server that says nothing for `timeout_ms` is given up, before its answer and within."""
    error: list[ModelError] = []

    async def main() -> None:
        error.append(await _failure(script, timeout_ms=50))

    run(main())
    assert error[0].code == "MODEL_TIMEOUT"
    assert "silent for 50 ms" in error[0].message


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    "script",
    [
        _reset_before_the_answer,
        _reset_amid_the_answer,
        _closed_amid_a_chunk,
        _no_http,
        pytest.param(answering("500 Internal Server Error"), id="500"),
        pytest.param(answering("503 No", b"<html>", content_type="text/html"), id="503"),
    ],
)
def test_a_server_that_breaks_off_is_unavailable(script: Script) -> None:
    """A lost connection and a status of 500 or more say that the server can't answer now."""

    async def main() -> None:
        assert (await _failure(script)).code == "MODEL_UNAVAILABLE"

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_body_of_an_error_that_never_comes_is_a_failure_too() -> None:
    """What the SDK lets through of its transport is a `ModelError` as well."""

    async def main() -> None:
        error = await _failure(_silent_amid_an_error, timeout_ms=50)
        assert error.code == "MODEL_UNAVAILABLE"
        assert "ReadTimeout" in error.message

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_server_that_is_not_there_is_unavailable() -> None:
    """A refused connection tells the address that was tried."""

    async def main() -> None:
        async with serving() as server:
            pass
        async with model_of(server) as model:
            with pytest.raises(ModelError) as caught:
                await chunks_of(model)
        assert caught.value.code == "MODEL_UNAVAILABLE"
        assert server.url in caught.value.message

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    "status",
    [
        "400 Bad Request",
        "401 Unauthorized",
        "403 Forbidden",
        "404 Not Found",
        "413 Content Too Large",
        "422 Unprocessable Content",
        "429 Too Many Requests",
    ],
)
def test_a_status_below_500_is_a_refusal(status: str) -> None:
    """The status is told; but for those about the key, so is what the server says, on one line."""

    async def main() -> None:
        error = await _failure(answering(status, _message("too long:\n  9000\x1b[1m tokens")))
        number = status[:3]
        assert error.code == "MODEL_REFUSED"
        assert f"status {number}" in error.message
        told = ": too long: 9000 [1m tokens" in error.message
        assert told is (number not in {"401", "403"})

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_quote_of_a_server_is_not_long() -> None:
    """A server can't fill a log with the text of an error."""

    async def main() -> None:
        error = await _failure(answering("400 Bad Request", _message("x" * 5000)))
        assert error.message.endswith(": " + "x" * 300)

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    "body",
    [
        b"data: {oops\n\n",
        b"data: \xff\xfe\n\n",
        b"data: " + b"[" * 100_000 + b"\n\n",
        b"data: 5\n\n",
        b"data: null\n\n",
        b"data: {}\n\n",
        event({"choices": [5]}),
        said("one"),  # and no finish
        said("one") + DONE,
        DONE,
        b"",
        b"hello\n\n",
        said("one") + event({"error": {"message": "overloaded"}}),
        said("one") + event({"error": "overloaded"}),
        b'event: error\ndata: {"message":"overloaded"}\n\n',
    ],
)
def test_garbage_is_no_answer(body: bytes) -> None:
    """Broken JSON, other events, an error amid the answer and an end without finish are told."""

    async def main() -> None:
        script = streaming(*[body] if body else [])
        assert (await _failure(script)).code == "MODEL_INVALID_ANSWER"

    run(main())


@pytest.mark.requirement("HOST-7")
def test_the_error_of_a_stream_is_quoted() -> None:
    """What the server says of an error amid its answer is told."""

    async def main() -> None:
        error = await _failure(streaming(said("one"), event({"error": {"message": "overloaded"}})))
        assert error.message.endswith("failed amid its answer: overloaded")

    run(main())


@pytest.mark.requirement("HOST-7")
def test_an_answer_of_another_type_is_none() -> None:
    """A page of HTML under the address is told by its type, and is not read as a stream."""

    async def main() -> None:
        script = answering("200 OK", said("one") + finishing(), content_type="text/html; charset=x")
        error = await _failure(script)
        assert error.code == "MODEL_INVALID_ANSWER"
        assert "'text/html'" in error.message

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_stream_that_tells_no_type_is_read() -> None:
    """A server that leaves out the content type is taken at its word."""

    async def main() -> None:
        async def script(exchange: Exchange) -> None:
            await exchange.head(content_type="")
            await exchange.send(finishing())
            await exchange.end()

        async with serving(script) as server, model_of(server) as model:
            assert await chunks_of(model) == [{"type": "finish", "reason": {"kind": "stop"}}]

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("status", ["429 Too Many Requests", "500 Internal", "503 Unavailable"])
def test_what_may_pass_is_sent_again(status: str) -> None:
    """A request that failed before its answer is repeated, the same, `max_retries` times."""
    fails = answering(status, retry_after_ms="1")

    async def main() -> None:
        works = streaming(said("hi"), finishing())
        async with serving(fails, fails, works) as server, model_of(server, max_retries=2) as model:
            assert len(await chunks_of(model)) == 2
            first, second, third = server.requests
            assert first.body == second.body == third.body
        await _failure(fails, fails, max_retries=1)

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    "script",
    [
        _reset_amid_the_answer,
        pytest.param(answering("400 Bad Request", retry_after_ms="1"), id="400"),
        pytest.param(answering("401 Unauthorized", retry_after_ms="1"), id="401"),
    ],
)
def test_what_has_begun_or_will_not_pass_is_sent_once(script: Script) -> None:
    """A half answer is not begun anew: its chunks are in the log already."""

    async def main() -> None:
        await _failure(script, max_retries=3)

    run(main())
