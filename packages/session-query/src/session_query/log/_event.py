"""One entry of a session log (LOG-3, LOG-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from session_query.errors import JsonError
from session_query.log._json import (
    FrozenList,
    JsonValue,
    describe,
    dumps,
    freeze,
    freeze_data,
    loads,
    safe_integral,
    same,
    thaw,
)

__all__ = ["SURFACE_TYPES", "EventType", "SessionEvent"]

EventType = str
"""An open set: hosts add their own types (LOG-3)."""

SURFACE_TYPES = frozenset({"user/message", "assistant/message", "tool/result"})
"""The only types that may stand on the surface (LOG-7)."""

_KEYS = frozenset({"type", "seq", "time", "data", "surfaceOp", "sourceEventSeqs", "ignorable"})
_OPTIONAL_KEYS = ("surfaceOp", "sourceEventSeqs", "ignorable")
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

    def __init__(  # noqa: PLR0913, PLR0917 - the envelope has seven fields
        self,
        type: EventType,  # noqa: A002 - the field's own name
        seq: int,
        time: int,
        data: JsonValue,
        surface_op: JsonValue = None,
        source_event_seqs: JsonValue = None,
        ignorable: bool = False,  # noqa: FBT001, FBT002 - a field, given by name
    ) -> None:
        kind, number, at = _envelope(type, seq, time)
        if not isinstance(ignorable, bool):
            raise ValueError(f"event {describe(kind)}: ignorable is true or absent")  # noqa: TRY004 - as for every bad value
        try:
            frozen = freeze_data(data)
            operation = freeze(surface_op)
            sources = freeze(source_event_seqs)
        except JsonError as error:
            raise ValueError(f"event {describe(kind)}: {error}") from None
        _put_type(self, kind)
        _put_seq(self, number)
        _put_time(self, at)
        _put_raw(self, frozen)
        _put_frozen(self, frozen)
        _put_surface_op(self, operation)
        _put_sources(self, sources)
        _put_ignorable(self, ignorable)

    @classmethod
    def _adopt(  # noqa: PLR0913, PLR0917 - the envelope has seven fields
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
        raise AttributeError(f"a SessionEvent is immutable; {name!r} can't be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a SessionEvent is immutable; {name!r} can't be deleted")

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
        if sources is not None and type(sources) is not FrozenList:
            sources = freeze(sources)
            _put_sources(self, sources)
        return sources

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
            and same(self._surface_op, other._surface_op)
            and same(self._sources, other._sources)
            and same(self._raw, other._raw)
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
        # as text, because pickle itself can't follow deep nesting
        return (_unpickled, (dumps(self.to_json()),))


def _unpickled(text: str) -> SessionEvent:
    form = loads(text)
    kind, seq, time, ignorable = checked_envelope(form)
    sources = form.get("sourceEventSeqs")
    return SessionEvent._adopt(
        kind, seq, time, form["data"], form.get("surfaceOp"), sources, ignorable
    )


# The slots themselves: the class refuses to set an attribute.
_slots: Any = vars(SessionEvent)
_new = object.__new__
_put_type = _slots["type"].__set__
_put_seq = _slots["seq"].__set__
_put_time = _slots["time"].__set__
_put_raw = _slots["_raw"].__set__
_put_frozen = _slots["_frozen"].__set__
_put_surface_op = _slots["_surface_op"].__set__
_put_sources = _slots["_sources"].__set__
_put_ignorable = _slots["ignorable"].__set__


def _envelope(kind: object, seq: object, time: object) -> tuple[str, int, int]:
    if not isinstance(kind, str):
        raise ValueError(f"type: expected a text, got {describe(kind)}")  # noqa: TRY004 - as for every bad value
    number, at = safe_integral(seq), safe_integral(time)
    if number is None or number < 0:
        raise ValueError(
            f"event {describe(kind)}: seq is an integer of at least 0, got {describe(seq)}"
        )
    if at is None:
        raise ValueError(
            f"event {describe(kind)}: time is an integer in epoch milliseconds, "
            f"got {describe(time)}"
        )
    return freeze(kind), number, at


def checked_envelope(obj: JsonValue) -> tuple[str, int, int, bool]:
    """Check the envelope of a stored event and return type, seq, time and ignorable (LOG-3)."""
    if not isinstance(obj, Mapping):
        raise ValueError(f"an event is a JSON object, got {describe(obj)}")  # noqa: TRY004 - as for every bad value
    if not obj.keys() <= _KEYS:
        unknown = next(key for key in obj if key not in _KEYS)
        raise ValueError(f"unknown event field {describe(unknown)}")
    kind, seq, time = _envelope(obj.get("type"), obj.get("seq"), obj.get("time"))
    if "data" not in obj:
        raise ValueError(f"event {describe(kind)}: data is missing")
    for key in _OPTIONAL_KEYS:
        if key in obj and obj[key] is None:
            raise ValueError(f"event {describe(kind)}: {key} is null; leave out what is absent")
    ignorable = obj.get("ignorable", False)
    if "ignorable" in obj and ignorable is not True:
        raise ValueError(f"event {describe(kind)}: ignorable is true or absent")
    return kind, seq, time, ignorable
