"""One entry of a session log (LOG-3, LOG-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NoReturn

from session_query.log._json import JsonError, JsonValue, freeze, safe_integral, thaw

__all__ = ["SURFACE_TYPES", "EventType", "SessionEvent"]

EventType = str
"""An open set: hosts add their own types (LOG-3)."""

SURFACE_TYPES = frozenset({"user/message", "assistant/message", "tool/result"})
"""The only types that may stand on the surface (LOG-7)."""

_KEYS = frozenset({"type", "seq", "time", "data", "surfaceOp", "sourceEventSeqs", "ignorable"})
_UNFROZEN: Any = object()


class SessionEvent:
    """An immutable log entry: ``type``, ``seq``, ``time``, ``data`` and what ties it to others.

    ``seq`` counts from 0, ``time`` is epoch milliseconds. ``surface_op`` is ``"append"``, or the
    object ``{"op": "replace", "start": s, "end": e}``; whether it is allowed here is judged by
    :func:`session_query.fold_surface`. All JSON that the event hands out is frozen.

    Raises :class:`ValueError` for an envelope that breaks LOG-3 and, naming the event type, for
    data that is not JSON (LOG-4).
    """

    __slots__ = ("_frozen", "_raw", "_sources", "_surface_op", "ignorable", "seq", "time", "type")

    type: EventType
    seq: int
    time: int
    ignorable: bool
    _raw: JsonValue
    _frozen: JsonValue
    _surface_op: JsonValue
    _sources: JsonValue

    def __init__(  # noqa: PLR0913 - the envelope has seven fields
        self,
        type: EventType,  # noqa: A002 - the field's own name
        seq: int,
        time: int,
        data: JsonValue,
        surface_op: JsonValue = None,
        source_event_seqs: JsonValue = None,
        ignorable: Literal[True, False] = False,  # noqa: FBT002 - a field, given by name
    ) -> None:
        kind, number, at = _envelope(type, seq, time)
        if not isinstance(ignorable, bool):
            msg = f"event {kind!r}: ignorable is true or absent, got {ignorable!r}"
            raise ValueError(msg)  # noqa: TRY004 - one exception type for every bad value
        try:
            frozen = freeze(data)
            operation = freeze(surface_op)
            sources = freeze(source_event_seqs)
        except JsonError as error:
            msg = f"event {kind!r}: {error}"
            raise ValueError(msg) from None
        put = object.__setattr__
        put(self, "type", kind)
        put(self, "seq", number)
        put(self, "time", at)
        put(self, "_raw", frozen)
        put(self, "_frozen", frozen)
        put(self, "_surface_op", operation)
        put(self, "_sources", sources)
        put(self, "ignorable", ignorable)

    @classmethod
    def _adopt(  # noqa: PLR0913 - the envelope has seven fields
        cls,
        type: EventType,  # noqa: A002 - the field's own name
        seq: int,
        time: int,
        data: JsonValue,
        surface_op: JsonValue = None,
        source_event_seqs: JsonValue = None,
        ignorable: bool = False,  # noqa: FBT001, FBT002 - on the hot path of every reader
    ) -> SessionEvent:
        """Take ownership of checked values and plain JSON that nobody else holds; O(1)."""
        event = _new(cls)
        _put_type(event, type)
        _put_seq(event, seq)
        _put_time(event, time)
        _put_raw(event, data)
        _put_frozen(event, _UNFROZEN)
        _put_surface_op(event, surface_op)
        _put_sources(event, source_event_seqs)
        _put_ignorable(event, ignorable)
        return event

    def __setattr__(self, name: str, value: object) -> NoReturn:
        msg = f"a SessionEvent is immutable; {name!r} can't be set"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> NoReturn:
        msg = f"a SessionEvent is immutable; {name!r} can't be deleted"
        raise AttributeError(msg)

    @property
    def data(self) -> JsonValue:
        """The payload as frozen JSON; frozen on first use, O(size) once."""
        if self._frozen is _UNFROZEN:
            frozen = freeze(self._raw)
            _put_frozen(self, frozen)
            _put_raw(self, frozen)
        return self._frozen

    @property
    def surface_op(self) -> JsonValue:
        """``"append"``, a frozen replace object, or None where the event is on no surface."""
        operation = self._surface_op
        return operation if operation is None or type(operation) is str else freeze(operation)

    @property
    def source_event_seqs(self) -> JsonValue:
        """The cited earlier seqs as a frozen list, in recorded order; None where absent."""
        sources = self._sources
        return None if sources is None else freeze(sources)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the stored form as plain JSON that shares nothing with the event (JSON-1)."""
        form: dict[str, JsonValue] = {
            "type": self.type,
            "seq": self.seq,
            "time": self.time,
            "data": thaw(self._raw),
        }
        if self.ignorable:
            form["ignorable"] = True
        if self._surface_op is not None:
            form["surfaceOp"] = thaw(self._surface_op)
        if self._sources is not None:
            form["sourceEventSeqs"] = thaw(self._sources)
        return form

    @classmethod
    def from_json(cls, obj: JsonValue) -> SessionEvent:
        """Read the stored form; :class:`ValueError` names what is wrong (LOG-3)."""
        type_, seq, time, ignorable = checked_envelope(obj)
        return cls(
            type_,
            seq,
            time,
            obj["data"],
            obj.get("surfaceOp"),
            obj.get("sourceEventSeqs"),
            ignorable,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SessionEvent):
            return NotImplemented
        return (
            self.type == other.type
            and self.seq == other.seq
            and self.time == other.time
            and self.ignorable == other.ignorable
            and bool(self._surface_op == other._surface_op)
            and bool(self._sources == other._sources)
            and bool(self._raw == other._raw)
        )

    def __hash__(self) -> int:
        return hash((self.type, self.seq, self.time))

    def __repr__(self) -> str:
        return f"SessionEvent({self.type!r}, seq={self.seq}, time={self.time})"

    def __copy__(self) -> SessionEvent:
        return self

    def __deepcopy__(self, memo: object) -> SessionEvent:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (SessionEvent.from_json, (self.to_json(),))


_new = object.__new__
_put_type = SessionEvent.type.__set__  # type: ignore[attr-defined]
_put_seq = SessionEvent.seq.__set__  # type: ignore[attr-defined]
_put_time = SessionEvent.time.__set__  # type: ignore[attr-defined]
_put_raw = SessionEvent._raw.__set__
_put_frozen = SessionEvent._frozen.__set__
_put_surface_op = SessionEvent._surface_op.__set__
_put_sources = SessionEvent._sources.__set__
_put_ignorable = SessionEvent.ignorable.__set__  # type: ignore[attr-defined]


def _envelope(kind: object, seq: object, time: object) -> tuple[str, int, int]:
    if not isinstance(kind, str) or not kind:
        msg = f"type: expected a non-empty text, got {kind!r}"
        raise ValueError(msg)
    number, at = safe_integral(seq), safe_integral(time)
    if number is None or number < 0:
        msg = f"event {kind!r}: seq is an integer of at least 0, got {seq!r}"
        raise ValueError(msg)
    if at is None:
        msg = f"event {kind!r}: time is an integer in epoch milliseconds, got {time!r}"
        raise ValueError(msg)
    return kind, number, at


def checked_envelope(obj: JsonValue) -> tuple[str, int, int, bool]:
    """Check the envelope of a stored event and return type, seq, time and ignorable (LOG-3)."""
    if not isinstance(obj, Mapping):
        msg = f"an event is a JSON object, got {type(obj).__name__}"
        raise ValueError(msg)  # noqa: TRY004 - one exception type for every bad value
    unknown = obj.keys() - _KEYS
    if unknown:
        msg = f"unknown event field {min(map(str, unknown))!r}"
        raise ValueError(msg)
    kind, seq, time = _envelope(obj.get("type"), obj.get("seq"), obj.get("time"))
    if "data" not in obj:
        msg = f"event {kind!r}: data is missing"
        raise ValueError(msg)
    for key in ("surfaceOp", "sourceEventSeqs", "ignorable"):
        if key in obj and obj[key] is None:
            msg = f"event {kind!r}: {key} is null; an absent field is left out"
            raise ValueError(msg)
    ignorable = obj.get("ignorable", False)
    if "ignorable" in obj and ignorable is not True:
        msg = f"event {kind!r}: ignorable is true or absent, got {ignorable!r}"
        raise ValueError(msg)
    return kind, seq, time, ignorable
