"""Answers that are given up, and connections that end with them (HOST-7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

import pytest
from reference_host.models import Chunk

from .servers import (
    DONE,
    REQUEST,
    Exchange,
    Script,
    answering,
    chunks_of,
    finishing,
    model_of,
    run,
    serving,
    silent_amid_the_answer,
    silent_before_the_answer,
    streaming,
)


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("script", [silent_before_the_answer, silent_amid_the_answer])
def test_cancelling_the_task_closes_the_connection(script: Script) -> None:
    """The server sees the connection end at once, and no task of the model is left."""

    async def main() -> None:
        closed, heard = asyncio.Event(), asyncio.Event()

        async def watched(exchange: Exchange) -> None:
            await script(exchange)
            closed.set()

        async with serving(watched) as server, model_of(server, max_retries=5) as model:

            async def ask() -> None:
                async for _ in model.stream(REQUEST):
                    heard.set()

            before = asyncio.all_tasks()
            asking = asyncio.create_task(ask())
            await server.asked.wait()
            if script is silent_amid_the_answer:
                await heard.wait()
            asking.cancel()
            await asyncio.wait([asking])
            assert asking.cancelled()
            # one task is the server's, which ends when it sees the connection close
            assert len(asyncio.all_tasks() - before) <= 1
            await closed.wait()
            assert len(server.requests) == 1

    run(main())


@pytest.mark.requirement("HOST-7")
def test_cancelling_the_pause_before_a_retry_ends_it() -> None:
    """A server that asks for a long pause keeps nobody who is cancelled."""

    async def main() -> None:
        fails = answering("503 Unavailable", retry_after="100")
        async with serving(fails) as server, model_of(server, max_retries=1) as model:
            asking = asyncio.create_task(chunks_of(model))
            await server.asked.wait()
            for _ in range(100):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait([asking])
            assert asking.cancelled()

    run(main())


@pytest.mark.requirement("HOST-7")
def test_an_iteration_that_is_given_up_closes_the_connection() -> None:
    """Closing the iterator, as after an error of its reader, is as good as cancelling."""

    async def main() -> None:
        closed = asyncio.Event()

        async def watched(exchange: Exchange) -> None:
            await silent_amid_the_answer(exchange)
            closed.set()

        async with serving(watched) as server, model_of(server) as model:
            stream = cast("AsyncGenerator[Chunk, None]", model.stream(REQUEST))
            async with aclosing(stream) as chunks:
                await anext(chunks)
            await closed.wait()

    run(main())


@pytest.mark.requirement("HOST-7")
def test_closing_the_model_closes_its_connections() -> None:
    """A connection that was kept for the next request ends with the model."""

    async def main() -> None:
        closed = asyncio.Event()

        async def script(exchange: Exchange) -> None:
            await streaming(finishing(), DONE)(exchange)
            await exchange.gone()
            closed.set()

        async with serving(script) as server:
            async with model_of(server) as model:
                await chunks_of(model)
                assert not closed.is_set()
            await closed.wait()

    run(main())
