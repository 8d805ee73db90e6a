"""Snapshots of a growing log (LOG-14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from session_query.log import SessionEvent

__all__ = ["EventSnapshot"]


class EventSnapshot(Sequence[SessionEvent]):
    """The first ``length`` events of a list that is only ever appended to; O(1) to take.

    Equal to any sequence of equal events. A slice is a plain list.
    """

    __slots__ = ("_events", "_length")

    def __init__(self, events: list[SessionEvent], length: int) -> None:
        self._events = events
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> SessionEvent: ...
    @overload
    def __getitem__(self, index: slice) -> list[SessionEvent]: ...
    def __getitem__(self, index: int | slice) -> SessionEvent | list[SessionEvent]:
        events, places = self._events, range(self._length)[index]
        return events[places] if isinstance(places, int) else [events[at] for at in places]

    def __iter__(self) -> Iterator[SessionEvent]:
        return islice(self._events, self._length)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
            return NotImplemented
        if isinstance(other, EventSnapshot) and self._events is other._events:
            return self._length == other._length
        return self._length == len(other) and all(
            one is another or one == another for one, another in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # like a list's

    def __repr__(self) -> str:
        return f"<EventSnapshot of {self._length} events>"

    def __copy__(self) -> EventSnapshot:
        return self

    def __deepcopy__(self, memo: object) -> EventSnapshot:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (EventSnapshot, (list(self), self._length))
