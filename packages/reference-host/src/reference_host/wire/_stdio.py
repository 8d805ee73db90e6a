"""The process's own stdin and stdout, kept for the protocol alone (ACP-2, HOST-9)."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Final, Protocol

from session_query import run_blocking

__all__ = ["LineReader", "LineWriter", "claimed_stdio", "claimed_stdout", "open_missing_streams"]

_PIECE: Final = 1 << 16
_LONGEST_LINE: Final = 64 << 20


class _Writing(Protocol):
    def write(self, data: bytes) -> None: ...
    async def drain(self) -> None: ...
    async def reader_gone(self) -> None: ...


class _FileWriting:
    """A file in the place of a pipe: asyncio can't wait for one, so a thread writes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = bytearray()

    def write(self, data: bytes) -> None:
        self._pending += data

    async def drain(self) -> None:
        pending, self._pending = bytes(self._pending), bytearray()

        def write() -> None:
            view = memoryview(pending)
            while view:
                view = view[os.write(self._descriptor, view) :]

        await run_blocking(write)

    async def reader_gone(self) -> None:
        await asyncio.get_running_loop().create_future()


class _PipeWriting:
    """A pipe, a socket or a terminal."""

    def __init__(self, writer: asyncio.StreamWriter, departure: asyncio.StreamReader) -> None:
        self._writer = writer
        self._departure = departure

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def drain(self) -> None:
        await self._writer.drain()

    async def reader_gone(self) -> None:
        # nothing is ever read here: asyncio ends it when the other side closes
        with suppress(OSError):
            await self._departure.read()


class LineWriter:
    """Writes whole lines, in the order of the calls.

    Attributes:
        gone: whether the reader was found to have gone away; what is written then is dropped.
    """

    def __init__(self, writing: _Writing) -> None:
        self._writing = writing
        self._turn = asyncio.Lock()
        self.gone = False

    async def reader_gone(self) -> None:
        """Wait until the reader has gone away; that of a file never does."""
        await self._writing.reader_gone()

    async def write_line(self, line: bytes) -> None:
        """Write a line without its end, and wait until the pipe has room for more."""
        async with self._turn:
            if self.gone:
                return
            try:
                self._writing.write(line + b"\n")
                await self._writing.drain()
            except (BrokenPipeError, ConnectionError):
                self.gone = True


class LineReader:
    """Reads lines of any length up to 64 MiB; a longer one is dropped and told as None."""

    def __init__(self, reader: asyncio.StreamReader, close: Callable[[], None]) -> None:
        self._reader = reader
        self._close = close
        self._buffer = bytearray()
        self._searched = 0
        self._ended = False
        self._dropping = False

    def end(self) -> None:
        """Behave as if the other side had closed the pipe."""
        self._close()

    async def read_line(self) -> bytes | None:
        """Return the next line without its end; `b""` is an empty line, None one that is too long.

        Raises:
            EOFError: there is no further line.
        """
        while (at := self._buffer.find(b"\n", self._searched)) < 0:
            if self._ended:
                if not self._buffer or self._dropping:
                    raise EOFError
                at = len(self._buffer)
                break
            self._searched = len(self._buffer)
            if self._searched > _LONGEST_LINE:
                self._dropping = True
                self._buffer.clear()
                self._searched = 0
            piece = await self._reader.read(_PIECE)
            self._ended = not piece
            self._buffer += piece
        line = bytes(self._buffer[:at])
        del self._buffer[: at + 1]
        self._searched = 0
        if self._dropping:
            self._dropping = False
            return None
        return line


def open_missing_streams() -> None:
    """Put /dev/null where this process was started without a stdin, stdout or stderr.

    Whatever is opened first would get the number of the missing one, and be taken for it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free


@asynccontextmanager
async def claimed_stdio() -> AsyncIterator[tuple[LineReader, LineWriter]]:
    """Take stdin and stdout for the protocol, for good.

    Whatever prints from then on, in this process or in one that it starts, prints to stderr, and
    whoever reads stdin finds it empty.
    """
    wire_in, wire_out = _claim()
    with _blocking_again(wire_in), _blocking_again(wire_out):
        reader, close_reader = await _reader(wire_in)
        writing, close_writer = await _writer(wire_out)
        try:
            yield LineReader(reader, close_reader), LineWriter(writing)
        finally:
            close_reader()
            close_writer()


@asynccontextmanager
async def claimed_stdout() -> AsyncIterator[LineWriter]:
    """Take stdout as `claimed_stdio` does; of stdin, nothing is read: it may be another's."""
    wire_in, wire_out = _claim()
    os.close(wire_in)
    with _blocking_again(wire_out):
        writing, close_writer = await _writer(wire_out)
        try:
            yield LineWriter(writing)
        finally:
            close_writer()


def _claim() -> tuple[int, int]:
    """Return what stdin and stdout were, and put others in their places."""
    if sys.stdout is not None:
        sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire_in, wire_out


@contextmanager
def _blocking_again(descriptor: int) -> Iterator[None]:
    """Undo what asyncio does to a pipe or a terminal: others that share it expect it to block."""
    if not os.get_blocking(descriptor):
        yield
        return
    shared = os.dup(descriptor)
    try:
        yield
    finally:
        os.set_blocking(shared, True)
        os.close(shared)


def _is_file(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    # asyncio takes pipes, sockets and terminals
    return not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor))


async def _reader(descriptor: int) -> tuple[asyncio.StreamReader, Callable[[], None]]:
    reader = asyncio.StreamReader()
    if _is_file(descriptor):
        reader.feed_data(await run_blocking(partial(_read_all, descriptor)))
        reader.feed_eof()
        os.close(descriptor)
        return reader, lambda: None
    loop = asyncio.get_running_loop()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb", 0))
    return reader, transport.close


async def _writer(descriptor: int) -> tuple[_Writing, Callable[[], None]]:
    if _is_file(descriptor):
        return _FileWriting(descriptor), partial(os.close, descriptor)
    loop = asyncio.get_running_loop()
    departure = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(departure)
    transport, _ = await loop.connect_write_pipe(lambda: protocol, os.fdopen(descriptor, "wb", 0))
    # each line is waited for until the pipe has taken all of it, so that none is left at the end
    transport.set_write_buffer_limits(0)

    def close() -> None:
        if not transport.is_closing():  # as it is when the reader has gone away
            transport.abort()

    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    return _PipeWriting(writer, departure), close


def _read_all(descriptor: int) -> bytes:
    pieces: list[bytes] = []
    while piece := os.read(descriptor, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)
