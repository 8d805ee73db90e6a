"""JSON-RPC messages over lines, with everything that the SDK must not be handed (ACP-4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from session_query import dumps

from reference_host._diagnostics import logger
from reference_host.acp._messages import Refusal, message_of
from reference_host.wire import LineReader, LineWriter

__all__ = ["WireTransport"]

_GRACE_SECONDS: Final = 5.0


class WireTransport:
    """The transport of one connection, as the SDK's `Connection` takes it.

    Lines that are no message are answered and skipped, so that one of them ends nothing.

    Attributes:
        failure: why nothing can be sent; it ends the connection.

    Args:
        reader: where messages come from.
        writer: where messages go to.
        on_end: called once when no further message will come; it ends what is running. Requests
            that are under way are answered before the connection ends.
    """

    def __init__(
        self, reader: LineReader, writer: LineWriter, on_end: Callable[[], Awaitable[None]]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._on_end = on_end
        self._unanswered = 0
        self._refusing: set[asyncio.Task[None]] = set()
        self._answered = asyncio.Event()
        self.failure: OSError | None = None

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message, or None at the end."""
        while True:
            try:
                line = await self._reader.read_line()
            except EOFError:
                await self._end()
                return None
            message = message_of(line)
            if isinstance(message, Refusal):
                self._refuse(message)
            elif message is not None:
                if "method" in message and "id" in message:
                    self._unanswered += 1
                return message

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message; when the client has gone away, or can't be written to, it is dropped."""
        try:
            if self.failure is None:
                await self._writer.write_line(_encoded(message))
        except OSError as error:
            self.failure = error
            self._reader.end()
        finally:
            if "method" not in message:
                self._unanswered -= 1
                self._answered.set()

    async def close(self) -> None:
        """Stop refusing; whoever opened the wire closes it."""
        for task in self._refusing:
            task.cancel()
        await asyncio.gather(*self._refusing, return_exceptions=True)

    def _refuse(self, refusal: Refusal) -> None:
        """Answer without waiting: a client that reads nothing must still be able to leave."""
        self._unanswered += 1
        task = asyncio.create_task(self.send(refusal.to_json()), name="refusal of a line")
        self._refusing.add(task)
        task.add_done_callback(self._refusing.discard)

    async def _end(self) -> None:
        """Let what is under way come to its end, and be answered."""
        await self._on_end()
        try:
            async with asyncio.timeout(_GRACE_SECONDS):
                while self._unanswered:
                    self._answered.clear()
                    await self._answered.wait()
        except TimeoutError:
            logger.warning(
                "%d requests were not answered within %g s of the end of stdin",
                self._unanswered,
                _GRACE_SECONDS,
                extra={"session_id": None, "code": "ACP_UNANSWERED"},
            )


def _encoded(message: Mapping[str, Any]) -> bytes:
    return dumps(_told_briefly(message)).encode()  # a lone surrogate is escaped


def _told_briefly(message: Mapping[str, Any]) -> Any:
    """Return a message without the input that the SDK adds to its report of invalid parameters.

    It may be as long and as deep as the request, and beside it are exceptions, which are no JSON.
    """
    match message:
        case {"error": {"data": {"errors": [*reports]}} as error}:
            kept = [{name: report[name] for name in ("type", "loc", "msg")} for report in reports]
            return {**message, "error": {**error, "data": {"errors": kept}}}
    return message
