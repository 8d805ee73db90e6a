"""JSON-RPC messages over lines, with everything that the SDK must not be handed (ACP-4)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from reference_host._diagnostics import logger
from reference_host.acp._messages import Refusal, message_of
from reference_host.wire import LineReader, LineWriter

__all__ = ["WireTransport"]

_GRACE_SECONDS: Final = 10.0


class WireTransport:
    """The transport of one connection, as the SDK's `Connection` takes it.

    Lines that are no message are answered and skipped, so that one of them ends nothing.

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
        self._answered = asyncio.Event()

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
                await self._writer.write_line(_encoded(message.to_json()))
            elif message is not None:
                if "method" in message and "id" in message:
                    self._unanswered += 1
                return message

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message; when the client has gone away, it is dropped."""
        try:
            await self._writer.write_line(_encoded(message))
        finally:
            if "method" not in message:
                self._unanswered -= 1
                self._answered.set()

    async def close(self) -> None:
        """Do nothing: whoever opened the wire closes it."""

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
    # what the SDK reports of invalid parameters can hold exceptions
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=str)
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can carry
        return json.dumps(message, separators=(",", ":"), default=str).encode()
