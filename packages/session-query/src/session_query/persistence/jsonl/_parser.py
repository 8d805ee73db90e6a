"""The lines of one log, turned into header and events (LOG-18, LOG-20)."""

from __future__ import annotations

from collections.abc import Callable

from session_query.errors import PersistenceCorruptionError
from session_query.log import JsonError, JsonValue, SessionEvent, SessionHeader
from session_query.log._codec import _decoder
from session_query.log._event import checked_envelope
from session_query.log._json import MAX_NESTING, SAFE_INTEGER, describe, loads, safe_integral
from session_query.persistence.jsonl._encoding import HEADER_LIMIT, LINE_LIMIT
from session_query.persistence.jsonl._generations import MANY_EVENTS, note_events, promote
from session_query.persistence.jsonl._layout import Place
from session_query.persistence.jsonl._packing import is_packed, unpack

__all__ = ["LogParser", "parse_header"]

# `loads` without what surrounds the scanner; a line long enough to be nested deep goes through it.
_scan: Callable[[str, int], tuple[JsonValue, int]] = _decoder.scan_once  # type: ignore[attr-defined]
_LONG = 2 * MAX_NESTING
_SPACE = " \t\r\n"
_RUN = 256
_FIELDS = 4  # type, seq, time and data; the others are optional
_TURN_END = "turn/end"


def parse_header(line: bytes, place: Place) -> SessionHeader:
    """Read the first line of the log at `place`.

    Raises:
        PersistenceCorruptionError: it's no header, of another version, or belongs elsewhere.
    """
    try:
        if len(line) > HEADER_LIMIT:
            raise ValueError(f"longer than {HEADER_LIMIT} bytes")  # noqa: TRY301
        header = _header(loads(line))
    except ValueError as error:
        raise PersistenceCorruptionError(place.session_id, 1, f"header: {error}") from None
    if mismatch := place.mismatch(header):
        raise PersistenceCorruptionError(place.session_id, 1, mismatch)
    return header


def _header(obj: JsonValue) -> SessionHeader:
    if not isinstance(obj, dict) or obj.get("type") != "session":
        raise ValueError('expected an object of type "session"')
    if safe_integral(obj.get("version")) != 0:
        raise ValueError(
            f"unsupported version {describe(obj.get('version'))}; this reads version 0"
        )
    if "delegationDepth" not in obj:
        raise ValueError("delegationDepth: missing")
    del obj["type"]
    return SessionHeader.from_json(obj)


class LogParser:
    """Takes the bytes of a log piece by piece.

    Args:
        place: where the log lies.
        header: None to begin with it, else that of the log whose later part follows.
        count: the number of events before the first piece.
    """

    def __init__(self, place: Place, header: SessionHeader | None = None, count: int = 0) -> None:
        self.place = place
        self.events: list[SessionEvent] = []
        self.committed = 0
        """Bytes of the lines that count."""
        self._header = header
        self._first = count
        self._line = 0
        self._partial: list[bytes] = []
        self._waiting = 0
        self._damage: PersistenceCorruptionError | None = None

    @property
    def count(self) -> int:
        """Events of the log so far, those before the first piece included."""
        return self._first + len(self.events)

    @property
    def whole(self) -> bool:
        """Whether every byte so far is part of a line that counts."""
        return not self._partial and self._damage is None

    def corruption(self, reason: str) -> PersistenceCorruptionError:
        """Return the error for damage that begins in the next line."""
        return PersistenceCorruptionError(self.place.session_id, self._line + 1, reason)

    def feed(self, piece: bytes) -> None:
        """Take the next bytes; only lines that are complete are read.

        Raises:
            PersistenceCorruptionError: the header is damaged, or a line before a `turn/end` is.
        """
        lines = piece.split(b"\n")
        rest = lines.pop()
        if lines:
            if self._partial:
                lines[0] = b"".join([*self._partial, lines[0]])
                self._partial.clear()
                self._waiting = 0
            self._take(lines)
        if rest:
            self._partial.append(rest)
            self._waiting += len(rest)
            self._bound()

    def finish(self) -> SessionHeader:
        """Tell that nothing follows; return the header.

        Raises:
            PersistenceCorruptionError: there is no header.
        """
        if self._header is None:
            raise self.corruption("header: no complete line")
        return self._header

    def _bound(self) -> None:
        """Give up a line that takes more memory than any that is written."""
        if self._waiting > LINE_LIMIT:
            raise self.corruption(f"longer than {LINE_LIMIT} bytes")
        if self._header is None and self._waiting > HEADER_LIMIT:
            raise self.corruption(f"header: longer than {HEADER_LIMIT} bytes")

    def _take(self, lines: list[bytes]) -> None:
        length = sum(map(len, lines)) + len(lines)
        if self._header is None:
            self._header = parse_header(lines.pop(0), self.place)
            self._line = 1
        good = 0
        while good < len(lines) and self._damage is None:
            read = self._read(lines[good : good + _RUN])
            good += read
            if len(self.events) > MANY_EVENTS:
                promote()
            else:
                note_events(read)
        bad = lines[good:]
        self.committed += length - sum(map(len, bad)) - len(bad)
        # Bad lines are dropped, unless a turn ends there or later (LOG-20).
        if self._damage is not None and any(map(_ends_turn, bad)):
            raise self._damage

    def _read(self, lines: list[bytes]) -> int:
        """Read events up to the first line that is none; return how many lines were read."""
        adopt, add = SessionEvent._adopt, self.events.append
        expected = self.count
        number = 0
        for number, line in enumerate(lines):
            try:
                try:
                    text = line.decode() if len(line) <= _LONG else ""
                    obj, end = _scan(text, 0)
                except (ValueError, RecursionError, StopIteration):
                    text, obj, end = "", loads(line), 0
                if end != len(text) and text[end:].strip(_SPACE):
                    raise JsonError(f"not JSON: extra data at character {end}")
                # Exact types and the usual fields; whatever is unusual is looked at closely below.
                try:
                    kind, seq, time, data = obj["type"], obj["seq"], obj["time"], obj["data"]
                except (LookupError, TypeError):
                    pass
                else:
                    if (
                        type(seq) is int
                        and seq == expected
                        and type(time) is int
                        and -SAFE_INTEGER <= time <= SAFE_INTEGER
                        and type(kind) is str
                    ):
                        if len(obj) == _FIELDS:
                            add(adopt(kind, seq, time, data))
                            expected += 1
                            continue
                        op, sources = obj.get("surfaceOp"), obj.get("sourceEventSeqs")
                        given = (op is not None) + (sources is not None)
                        if len(obj) == _FIELDS + given:
                            add(adopt(kind, seq, time, data, op, sources))
                            expected += 1
                            continue
                found = _unusual(obj, expected)
            except ValueError as error:
                self._damage = PersistenceCorruptionError(
                    self.place.session_id, self._line + number + 1, str(error)
                )
                break
            self.events += found
            expected += len(found)
        else:
            number = len(lines)
        self._line += number
        return number


def _unusual(obj: JsonValue, expected: int) -> list[SessionEvent]:
    if isinstance(obj, dict) and is_packed(obj):
        return unpack(obj, expected)
    kind, seq, time, ignorable = checked_envelope(obj)
    if seq != expected:
        raise ValueError(f"seq is {seq} where {expected} is due")
    op, sources = obj.get("surfaceOp"), obj.get("sourceEventSeqs")
    return [SessionEvent._adopt(kind, seq, time, obj["data"], op, sources, ignorable)]


def _ends_turn(line: bytes) -> bool:
    if b"turn/end" not in line and b"\\" not in line:
        return False
    try:
        obj = loads(line)
    except JsonError:
        return False
    return isinstance(obj, dict) and obj.get("type") == _TURN_END
