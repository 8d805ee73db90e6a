"""Reading one log: whole, from where a reader stood before, or its header alone (LOG-16, LOG-20).

The hash of what was read is what proves later that it's still the same (`inspect_tail`).
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from session_query.errors import PersistenceCorruptionError
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence.jsonl._encoding import HEADER_LIMIT
from session_query.persistence.jsonl._files import blocks
from session_query.persistence.jsonl._frames import FrameDecoder, FrameError
from session_query.persistence.jsonl._layout import Place
from session_query.persistence.jsonl._parser import LogParser, parse_header

__all__ = ["LogContent", "Position", "decoded", "read_header", "read_log", "read_tail"]

_HEADER_BLOCK = 4_096
_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a log file where lines and frames end, and what stands before it."""

    header: SessionHeader
    offset: int
    count: int
    """Events before it."""
    digest: bytes
    """SHA-256 of the bytes before it."""


@dataclass(frozen=True, slots=True)
class LogContent:
    """What was read of a log."""

    header: SessionHeader
    events: list[SessionEvent]
    count: int
    """Events of the whole log."""
    position: Position
    """How far the log consists of whole lines and frames."""
    beyond: int
    """Bytes of complete lines behind `position`, in a frame that is torn or holds a bad line."""


def read_log(
    descriptor: int,
    size: int,
    place: Place,
    check: Callable[[], None],
    *,
    exactly: bool = False,
) -> LogContent:
    """Read the first `size` bytes of a log.

    Args:
        descriptor: the open file.
        size: bytes to look at.
        place: where the file lies.
        check: called between blocks; what it raises ends the reading.
        exactly: have `position` behind the last frame before a bad line, and not before that.

    Raises:
        PersistenceCorruptionError: the log is damaged.
        OSError: it can't be read.
    """
    return _read(descriptor, size, LogParser(place), _Prefix(), check, exactly=exactly)


def read_tail(
    descriptor: int, size: int, place: Place, check: Callable[[], None], since: Position
) -> LogContent | None:
    """Read what follows `since` in the first `size` bytes; None if not all before is as it was.

    See :func:`read_log`.
    """
    prefix = _Prefix()
    if not prefix.equals(descriptor, since, check):
        return None
    parser = LogParser(place, since.header, since.count)
    return _read(descriptor, size, parser, prefix, check)


def _read(  # noqa: PLR0913 - the parts that work together
    descriptor: int,
    size: int,
    parser: LogParser,
    prefix: _Prefix,
    check: Callable[[], None],
    *,
    exactly: bool = False,
) -> LogContent:
    source: _Source = _Lines(parser, prefix)
    if parser.place.compressed:
        source = _Frames(parser, prefix, exactly=exactly)
    for block in blocks(descriptor, prefix.offset, size):
        check()
        prefix.take(block)
        source.take(block, check)
    header = parser.finish()
    position = Position(header, prefix.offset, source.count, prefix.digest())
    beyond = parser.committed - source.boundary
    return LogContent(header, parser.events, parser.count, position, beyond)


class _Source:
    """Gives the parser what is in the file, and the prefix the places where both stand still."""

    def __init__(self, parser: LogParser, prefix: _Prefix) -> None:
        self.count = parser.count
        """Events before the last such place."""
        self.boundary = 0
        """Decoded bytes before it."""
        self._parser = parser
        self._prefix = prefix

    def take(self, block: bytes, check: Callable[[], None]) -> None:
        """Give the parser what the next block of the file holds, calling `check` on the way."""
        raise NotImplementedError

    def _stand(self, offset: int) -> None:
        self.count = self._parser.count
        self.boundary = self._parser.committed
        self._prefix.advance(offset)


class _Lines(_Source):
    def __init__(self, parser: LogParser, prefix: _Prefix) -> None:
        super().__init__(parser, prefix)
        self._start = prefix.offset

    def take(self, block: bytes, check: Callable[[], None]) -> None:
        del check  # the block is small
        self._parser.feed(block)
        self._stand(self._start + self._parser.committed)


class _Frames(_Source):
    def __init__(self, parser: LogParser, prefix: _Prefix, *, exactly: bool) -> None:
        super().__init__(parser, prefix)
        self._decoder = FrameDecoder(prefix.offset)
        self._exactly = exactly
        self._complete: list[bytes] = []
        self._size = 0

    def take(self, block: bytes, check: Callable[[], None]) -> None:
        try:
            for piece, ended in self._decoder.decode(block):
                if ended:
                    self._complete.append(piece)
                    self._size += len(piece)
                if self._exactly or self._size > _AT_ONCE or not ended:
                    # A block may hold gigabytes.
                    check()
                    self._settle()
                if not ended:
                    self._parser.feed(piece)
        except FrameError as error:
            self._settle()
            raise self._parser.corruption(str(error)) from None
        self._settle()

    def _settle(self) -> None:
        """Parse the frames that are complete; many small ones cost less together."""
        if self._complete:
            self._parser.feed(b"".join(self._complete))
            self._complete.clear()
            self._size = 0
            if self._parser.whole:
                self._stand(self._decoder.offset)


class _Prefix:
    """The hash of a file up to the last place that counts.

    Blocks wait here until it is known how much of them does.
    """

    def __init__(self) -> None:
        self.offset = 0
        self._hash = hashlib.sha256()
        self._waiting: deque[bytes | memoryview] = deque()

    def equals(self, descriptor: int, position: Position, check: Callable[[], None]) -> bool:
        """Hash what stands before `position`, and tell whether it's what stood there."""
        for block in blocks(descriptor, 0, position.offset):
            check()
            self._hash.update(block)
            self.offset += len(block)
        return self.offset == position.offset and self.digest() == position.digest

    def take(self, block: bytes) -> None:
        """Add the bytes that follow."""
        self._waiting.append(block)

    def advance(self, offset: int) -> None:
        """Count what comes before `offset`."""
        while self._waiting and self.offset < offset:
            block = self._waiting.popleft()
            counts = min(len(block), offset - self.offset)
            if counts < len(block):
                view = memoryview(block)
                self._waiting.appendleft(view[counts:])
                block = view[:counts]
            self._hash.update(block)
            self.offset += counts

    def digest(self) -> bytes:
        """Return the hash of all that counts."""
        return self._hash.digest()


def decoded(descriptor: int, start: int, end: int, length: int) -> bytes:
    """Return the first `length` bytes that the frames between `start` and `end` hold."""
    data = bytearray()
    decoder = FrameDecoder(start)
    for block in blocks(descriptor, start, end):
        for piece, _ in decoder.decode(block):
            data += piece
            if len(data) >= length:
                return bytes(data[:length])
    return bytes(data)


def read_header(descriptor: int, size: int, place: Place) -> SessionHeader:
    """Read the header alone: of a compressed log the first frame, as a rule (LOG-19).

    Raises:
        PersistenceCorruptionError: it's damaged, or doesn't belong there.
        OSError: it can't be read.
    """
    pieces = ((block, True) for block in blocks(descriptor, 0, size, _HEADER_BLOCK))
    if place.compressed:
        decoder = FrameDecoder()
        pieces = (piece for block, _ in pieces for piece in decoder.decode(block))
    try:
        line = _first_line(pieces)
    except ValueError as error:
        raise PersistenceCorruptionError(place.session_id, 1, f"header: {error}") from None
    return parse_header(line, place)


def _first_line(pieces: Iterator[tuple[bytes, bool]]) -> bytes:
    line = b""
    complete = False
    for piece, ended in pieces:
        rest = piece
        if not complete:
            head, newline, rest = piece.partition(b"\n")
            line += head
            complete = bool(newline)
        # A frame that holds the header alone is read to its end, where its checksum is.
        if complete and (rest or ended):
            return line
        if len(line) > HEADER_LIMIT:
            raise ValueError(f"longer than {HEADER_LIMIT} bytes")
    if not complete:
        raise ValueError("no complete line")
    return line
