"""What an agent writes to stdout, byte for byte, and the messages in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, TypeVar

from session_query import loads

from acp_snapshot.errors import StdoutError

__all__ = ["StdoutTee"]

T = TypeVar("T")

_LONGEST_LINE = 64 * 2**20
_MOST = 256 * 2**20
"""How many bytes a line and all of stdout may have; generous, as they only stop what never ends."""

_SHOWN = 4096
"""How much of such a line is told."""


def _fault(message: object) -> str | None:
    """Return what keeps a JSON value from being a JSON-RPC message."""
    if not isinstance(message, Mapping):
        return "is JSON, but no object"
    if message.get("jsonrpc") != "2.0":
        return 'lacks "jsonrpc": "2.0"'
    if not isinstance(message.get("id"), (str, int, float, NoneType)):
        return "has an id that is neither a text nor a number"
    if "method" in message:
        return None if isinstance(message["method"], str) else "has a method that is no text"
    if "id" not in message or ("result" in message) == ("error" in message):
        return "is neither a request nor an answer"
    return _error_fault(message["error"]) if "error" in message else None


def _error_fault(error: object) -> str | None:
    if not isinstance(error, Mapping):
        return "has an error that is no object"
    if not isinstance(error.get("code"), int) or isinstance(error["code"], bool):
        return "has an error without a whole number as its code"
    if not isinstance(error.get("message"), str):
        return "has an error without a text as its message"
    return None


class StdoutTee:
    """Keeps all bytes, checks each line, and hands its messages on.

    Nothing is handed on after a line that is no message: `fault` tells which. Where there is too
    much, what comes after it is not even kept.

    Attributes:
        raw: all that was written, up to the bound.
        messages: the message of each good line.
        fault: the first line that is none.
        ended: whether stdout has ended.
        overflows: whether there was more than is kept.
    """

    def __init__(self, longest_line: int = _LONGEST_LINE, most: int = _MOST) -> None:
        self._longest_line = longest_line
        self._most = most
        self._too_long = f"is longer than {longest_line} bytes"
        self.raw = bytearray()
        self.messages: list[dict[str, Any]] = []
        self.fault: StdoutError | None = None
        self.ended = False
        self.overflows = False
        self._unfinished = bytearray()
        self._lines = 0
        self._handed = 0
        self._waiters: list[asyncio.Future[None]] = []

    def feed(self, data: bytes) -> bool:
        """Take bytes as they come; tell whether there is room for more."""
        if self.overflows:
            return False
        self.raw += data
        self._unfinished += data
        *lines, rest = bytes(self._unfinished).split(b"\n") if b"\n" in data else [b""]
        if lines:
            self._unfinished = bytearray(rest)
        for line in lines:
            self._take(line)
        self._check_size()
        self._wake()
        return not self.overflows

    def _check_size(self) -> None:
        if len(self._unfinished) > self._longest_line:
            reason = self._too_long
        elif len(self.raw) > self._most:
            reason = f"is where stdout has more than {self._most} bytes"
        else:
            return
        self.overflows = True
        self._refuse(bytes(self._unfinished[:_SHOWN]), reason)
        self._unfinished.clear()

    def feed_end(self) -> None:
        """Take the end of stdout."""
        if self._unfinished:
            self._refuse(bytes(self._unfinished), "ends without a newline")
        self.ended = True
        self._wake()

    async def next(self) -> dict[str, Any] | None:
        """Return the next message; None at the end, or at a line that is none."""

        def following() -> tuple[dict[str, Any] | None] | None:
            if self._handed < len(self.messages):
                return (self.messages[self._handed],)
            return (None,) if self.ended or self.fault else None

        (message,) = await self.until(following)
        if message is not None:
            self._handed += 1
        return message

    async def until(self, ready: Callable[[], T | None]) -> T:
        """Wait until `ready` returns something; it's asked after everything that comes."""
        while (found := ready()) is None:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        return found

    def _take(self, line: bytes) -> None:
        self._lines += 1
        if self.fault is not None:
            return
        if len(line) > self._longest_line:
            self.overflows = True
            self._refuse(line[:_SHOWN], self._too_long, self._lines)
            return
        try:
            message = loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            reason: str | None = "is not UTF-8"
        except ValueError:
            reason = "is not JSON"
        else:
            reason = _fault(message)
            if reason is None and isinstance(message, dict):
                self.messages.append(message)
                return
        self._refuse(line, reason or "is no message", self._lines)

    def _refuse(self, line: bytes, reason: str, number: int | None = None) -> None:
        if self.fault is None:
            self.fault = StdoutError(line, number or self._lines + 1, reason)

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
