"""A real HTTP server on this machine that answers as a test tells it, byte by byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from reference_host.composition import OpenAICompatibleSettings
from reference_host.models import Chunk, Model, ModelRequest
from reference_host.models.openai_compatible import OpenAICompatibleModel

__all__ = [
    "DONE",
    "KEY",
    "REQUEST",
    "Exchange",
    "Server",
    "answering",
    "chunks_of",
    "event",
    "finishing",
    "model_of",
    "run",
    "said",
    "serving",
    "silent_amid_the_answer",
    "silent_before_the_answer",
    "streaming",
]

KEY: Final = "sk-live-4f9a17c2b86d"
DONE: Final = b"data: [DONE]\n\n"
REQUEST: Final = ModelRequest(
    {"provider": "openai-compatible", "model": "small"},
    "Be brief.",
    [],
    [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
)


def event(value: object) -> bytes:
    """Write a value as one server-sent event; text outside ASCII stays as it is."""
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def said(text: str) -> bytes:
    """Return an event with a piece of text."""
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


def finishing(reason: str = "stop") -> bytes:
    """Return the event that finishes an answer."""
    return event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


@dataclass
class Exchange:
    """One request that the server got, and the way to answer it."""

    headers: Mapping[str, str]
    body: Any
    reader: asyncio.StreamReader = field(repr=False)
    writer: asyncio.StreamWriter = field(repr=False)

    async def head(self, status: str = "200 OK", **headers: str) -> None:
        """Send the status line and the headers; underscores stand for hyphens."""
        given = {"content_type": "text/event-stream", "transfer_encoding": "chunked", **headers}
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in given.items() if value]
        self.writer.write("\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode())
        await self.writer.drain()

    async def send(self, *pieces: bytes) -> None:
        """Send pieces of the body, each as a chunk of its own."""
        for piece in pieces:
            self.writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await self.writer.drain()

    async def end(self) -> None:
        """Send the chunk that ends the body."""
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    def reset(self) -> None:
        """Break the connection off."""
        self.writer.transport.abort()

    async def gone(self) -> None:
        """Return when the client has closed the connection."""
        with suppress(ConnectionError):
            while await self.reader.read(65536):
                pass


async def _exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Exchange:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(": ") for line in head[1:] if line)
    headers = {name.lower(): value for name, _, value in pairs}
    body = json.loads(await reader.readexactly(int(headers["content-length"])))
    return Exchange({":request": head[0], **headers}, body, reader, writer)


Script = Callable[[Exchange], Awaitable[None]]


def streaming(*pieces: bytes) -> Script:
    """Return a script that sends a whole body."""

    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.send(*pieces)
        await exchange.end()

    return script


def answering(status: str, body: bytes = b"{}", **headers: str) -> Script:
    """Return a script that answers with no stream."""

    async def script(exchange: Exchange) -> None:
        await exchange.head(status, **{"content_type": "application/json", **headers})
        await exchange.send(body)
        await exchange.end()

    return script


async def silent_before_the_answer(exchange: Exchange) -> None:
    """Say nothing until the client has gone."""
    await exchange.gone()


async def silent_amid_the_answer(exchange: Exchange) -> None:
    """Say nothing after the first chunk."""
    await exchange.head()
    await exchange.send(said("one"))
    await exchange.gone()


@dataclass
class Server:
    """Where the server is, what it was asked, and that it was asked at all."""

    url: str = ""
    requests: list[Exchange] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def serving(*scripts: Script) -> AsyncIterator[Server]:
    """Answer the n-th request with the n-th script; at the end every connection is closed."""
    server, waiting = Server(), list(scripts)
    handling: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing():
                exchange = await _exchange(reader, writer)
                server.requests.append(exchange)
                server.asked.set()
                await waiting.pop(0)(exchange)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is gone
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handling.add(asyncio.create_task(handle(reader, writer)))

    listening = await asyncio.start_server(accept, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    server.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield server
    finally:
        listening.close()
        for task in handling:
            task.cancel()
        for ended in await asyncio.gather(*handling, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended


@asynccontextmanager
async def model_of(server: Server, **settings: Any) -> AsyncIterator[OpenAICompatibleModel]:
    """Open a model behind a server, without a key and without retries unless told otherwise."""
    given = {"api_key_env": None, "max_retries": 0, "model": "small", **settings}
    model = OpenAICompatibleModel(
        OpenAICompatibleSettings(kind="openai-compatible", base_url=server.url, **given)
    )
    try:
        yield model
    finally:
        await model.close()


async def chunks_of(model: Model, request: ModelRequest = REQUEST) -> list[Chunk]:
    """Return all chunks of an answer."""
    return [chunk async for chunk in model.stream(request)]


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run a test; one that hangs fails, and so does one that leaves a task behind."""

    async def guarded() -> None:
        async with asyncio.timeout(20):
            await main
        for _ in range(10):
            # the SDK drops generators half read; the loop closes them in the next passes
            await asyncio.sleep(0)
        left: Iterable[object] = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, left

    asyncio.run(guarded())
