"""The surface: the ordered events that form the model's history (LOG-7 to LOG-12).

Nodes are linked by their neighbours' seqs, so that an append costs O(1) and a replacement costs
the nodes that it removes, wherever on the surface they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from session_query.errors import SurfaceError
from session_query.log._event import SURFACE_TYPES, SessionEvent
from session_query.log._json import JsonValue, describe, integral, safe_integral, same

__all__ = ["Replacement", "Surface", "SurfaceFold", "SurfaceFolder", "fold_surface", "surfaces"]

Surface = Literal["current", "shadowed", "log-only"]
"""On the surface, once on it but replaced, or never on it (LOG-12)."""

_END = -1


@dataclass(frozen=True, slots=True)
class Replacement:
    """One replacing event and the seqs that it removed, in surface order."""

    seq: int
    removed: tuple[int, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Return ``{seq, removed}`` (JSON-1)."""
        return {"seq": self.seq, "removed": list(self.removed)}


@dataclass(frozen=True, slots=True)
class SurfaceFold:
    """What a whole log folds to: current seqs in model order, and every replacement (LOG-11)."""

    nodes: tuple[int, ...]
    replacements: tuple[Replacement, ...]
    _places: dict[int, Surface] | None = field(default=None, init=False, repr=False, compare=False)

    def surface_of(self, seq: int) -> Surface:
        """Return where event ``seq`` stands (LOG-12); the first call costs O(nodes ever)."""
        places = self._places
        if places is None:
            places = surfaces(self)
            object.__setattr__(self, "_places", places)
        return places.get(seq, "log-only")

    def to_json(self) -> dict[str, JsonValue]:
        """Return ``{nodes, replacements}`` (JSON-1)."""
        return {
            "nodes": list(self.nodes),
            "replacements": [replacement.to_json() for replacement in self.replacements],
        }


def surfaces(fold: SurfaceFold) -> dict[int, Surface]:
    """Return the surface of every event that was ever on it; all others are ``log-only``."""
    places: dict[int, Surface] = {
        seq: "shadowed" for replacement in fold.replacements for seq in replacement.removed
    }
    places.update(dict.fromkeys(fold.nodes, "current"))
    return places


class SurfaceFolder:
    """Folds a log event by event and checks every rule before it changes anything.

    ``push`` costs O(1) for an event that replaces nothing.
    """

    __slots__ = ("_next", "_previous", "_results", "count", "replacements")

    def __init__(self) -> None:
        self.count = 0
        self.replacements: list[Replacement] = []
        self._next: dict[int, int] = {_END: _END}
        self._previous: dict[int, int] = {_END: _END}
        self._results: dict[int, SessionEvent] = {}

    def push(self, event: SessionEvent) -> tuple[int, ...]:
        """Take the next event and return the seqs that it removed from the surface.

        Raises :class:`SurfaceError` and stays as it was (LOG-3, LOG-7 to LOG-10).
        """
        if event.seq != self.count:
            raise SurfaceError(event.seq, f"expected seq {self.count}")
        operation = event._surface_op
        if event.type not in SURFACE_TYPES:
            if operation is not None or event._sources is not None:
                name = "surfaceOp" if operation is not None else "sourceEventSeqs"
                raise SurfaceError(event.seq, f"{describe(event.type)} may not carry {name}")
            self.count += 1
            return ()
        if operation is None:
            raise SurfaceError(event.seq, f"{event.type!r} must carry surfaceOp")
        sources = None if event._sources is None else _checked_sources(event)
        removed: tuple[int, ...] = ()
        if operation == "append":
            self._link(event.seq, self._previous[_END])
        else:
            removed = self._removal(event, operation, sources)
            before = self._previous[removed[0]]
            for seq in removed:
                self._unlink(seq)
            self._link(event.seq, before)
            self.replacements.append(Replacement(event.seq, removed))
        if event.type == "tool/result":
            self._results[event.seq] = event
        self.count += 1
        return removed

    def nodes(self) -> tuple[int, ...]:
        """Return the current seqs in model order; O(nodes)."""
        found = []
        seq = self._next[_END]
        while seq != _END:
            found.append(seq)
            seq = self._next[seq]
        return tuple(found)

    def is_current(self, seq: int) -> bool:
        """Tell whether ``seq`` is on the surface now; O(1)."""
        return seq in self._next and seq != _END

    def fold(self) -> SurfaceFold:
        """Return the fold of all events pushed so far; O(nodes + replacements)."""
        return SurfaceFold(self.nodes(), tuple(self.replacements))

    def _link(self, seq: int, before: int) -> None:
        after = self._next[before]
        self._next[before], self._previous[seq] = seq, before
        self._next[seq], self._previous[after] = after, seq

    def _unlink(self, seq: int) -> None:
        before, after = self._previous.pop(seq), self._next.pop(seq)
        self._next[before], self._previous[after] = after, before
        self._results.pop(seq, None)

    def _removal(
        self, event: SessionEvent, operation: JsonValue, sources: Sequence[int] | None
    ) -> tuple[int, ...]:
        start, end = _range(event.seq, operation)
        for name, seq in (("start", start), ("end", end)):
            if not self.is_current(seq):
                raise SurfaceError(event.seq, f"replace {name} {seq} is not on the surface")
        removed = [start]
        cited = set(sources or ())
        while removed[-1] != end:
            if removed[-1] not in cited:
                break
            following = self._next[removed[-1]]
            if following == _END:
                raise SurfaceError(event.seq, f"replace end {end} stands before start {start}")
            removed.append(following)
        if removed[-1] not in cited:
            raise SurfaceError(event.seq, f"sourceEventSeqs must name replaced event {removed[-1]}")
        if event.type == "tool/result":
            self._check_result(event, removed)
        return tuple(removed)

    def _check_result(self, event: SessionEvent, removed: Sequence[int]) -> None:
        if len(removed) != 1:
            raise SurfaceError(event.seq, "a tool/result replaces exactly one event")
        replaced = self._results.get(removed[0])
        if replaced is None:
            raise SurfaceError(event.seq, f"event {removed[0]} is not a tool/result")
        if not same(_without_first_content(event._raw), _without_first_content(replaced._raw)):
            reason = f"it may differ from event {removed[0]} only in the first block's content"
            raise SurfaceError(event.seq, reason)


def _range(seq: int, operation: JsonValue) -> tuple[int, int]:
    if not isinstance(operation, dict) or operation.keys() != {"op", "start", "end"}:
        raise SurfaceError(seq, "surfaceOp is 'append' or exactly {op, start, end}")
    if operation["op"] != "replace":
        raise SurfaceError(seq, f"surfaceOp op is 'replace', got {describe(operation['op'])}")
    start, end = safe_integral(operation["start"]), safe_integral(operation["end"])
    if start is None or end is None or start < 0 or end < 0:
        raise SurfaceError(seq, "replace start and end are non-negative integers")
    return start, end


def _checked_sources(event: SessionEvent) -> list[int]:
    sources = event._sources
    if not isinstance(sources, list):
        raise SurfaceError(event.seq, "sourceEventSeqs is a list of seqs")
    if not sources and event.type != "assistant/message":
        raise SurfaceError(event.seq, f"sourceEventSeqs may not be empty on {event.type!r}")
    numbers: list[int] = []
    for source in sources:
        number = integral(source)
        if number is None or not 0 <= number < event.seq:
            raise SurfaceError(event.seq, f"sourceEventSeqs: {describe(source)} is no earlier seq")
        numbers.append(number)
    if len(set(numbers)) != len(numbers):
        raise SurfaceError(event.seq, "sourceEventSeqs names one seq twice")
    return numbers


def _without_first_content(data: JsonValue) -> JsonValue:
    """Return ``data`` with the content of its first result block left out; shares the rest."""
    message = data.get("message") if isinstance(data, dict) else None
    if not isinstance(message, dict) or not isinstance(blocks := message.get("content"), list):
        return data
    for index, block in enumerate(blocks):
        if isinstance(block, dict) and block.get("type") == "tool-result":
            rest = {key: value for key, value in block.items() if key != "content"}
            content = [*blocks[:index], rest, *blocks[index + 1 :]]
            return {**data, "message": {**message, "content": content}}
    return data


def fold_surface(events: Iterable[SessionEvent]) -> SurfaceFold:
    """Fold a whole log; O(events + removed nodes) (LOG-11).

    Raises :class:`SurfaceError` for the first violation of LOG-3's contiguity or LOG-7 to LOG-10.
    """
    folder = SurfaceFolder()
    for event in events:
        folder.push(event)
    return folder.fold()
