"""Whom a session descends from, and who descends from it (TRACE-1, TRACE-2).

Nothing here recurses: chains and trees may be 100,000 deep.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from session_query.corpus._failures import session_not_found
from session_query.corpus._records import SessionRecord
from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import JsonValue

__all__ = ["LineageCycleError", "LineageNode", "LineageTrace", "trace_lineage"]


class LineageNode:
    """A descendant and its own descendants, siblings by creation time, then id; immutable."""

    __slots__ = ("descendants", "session")

    session: SessionRecord
    descendants: tuple[LineageNode, ...]

    def __init__(self, session: SessionRecord, descendants: Iterable[LineageNode] = ()) -> None:
        object.__setattr__(self, "session", session)
        object.__setattr__(self, "descendants", tuple(descendants))

    def walk(self) -> Iterator[tuple[int, LineageNode]]:
        """Yield each node with its depth, this one first with depth 0; in preorder."""
        pending = [(0, self)]
        while pending:
            depth, node = pending.pop()
            yield depth, node
            pending.extend((depth + 1, child) for child in reversed(node.descendants))

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{session, descendants}`, nested as deep as the tree is (JSON-1)."""
        return _forest((self,))[0]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a LineageNode is immutable; {name!r} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a LineageNode is immutable; {name!r} can't be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineageNode):
            return NotImplemented
        # in preorder, depths and records determine the tree
        return _flat(self) == _flat(other)

    def __hash__(self) -> int:
        return hash((self.session, len(self.descendants)))

    def __repr__(self) -> str:
        return f"<LineageNode {self.session.id!r}, {len(self.descendants)} children>"

    def __copy__(self) -> LineageNode:
        return self

    def __deepcopy__(self, memo: object) -> LineageNode:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (_unflat, (_flat(self),))


_Flat = list[tuple[int, SessionRecord]]


def _flat(node: LineageNode) -> _Flat:
    return [(depth, found.session) for depth, found in node.walk()]


def _unflat(flat: _Flat) -> LineageNode:
    return _grown(flat)[0]


def _grown(flat: _Flat) -> tuple[LineageNode, ...]:
    """Return the forest whose preorder is `flat`; built from its end, so children come first."""
    waiting: list[list[LineageNode]] = [[]]
    for depth, record in reversed(flat):
        while len(waiting) < depth + 2:
            waiting.append([])
        # nothing deeper is left: what stood there was taken by its own parent
        waiting[depth].append(LineageNode(record, reversed(waiting.pop())))
    return tuple(reversed(waiting[0]))


def _forest(nodes: Sequence[LineageNode]) -> list[dict[str, JsonValue]]:
    roots: list[dict[str, JsonValue]] = []
    pending: list[tuple[LineageNode, list[Any]]] = [(node, roots) for node in reversed(nodes)]
    while pending:
        node, siblings = pending.pop()
        children: list[Any] = []
        siblings.append({"session": node.session.to_json(), "descendants": children})
        pending.extend((child, children) for child in reversed(node.descendants))
    return roots


@dataclass(frozen=True, slots=True)
class LineageTrace:
    """Where a session stands among the others, from one listing (TRACE-1).

    `ancestors` go from the parent outward. With `complete`, the last of them, or the target if
    there is none, is the `root`; else `unresolved_parent_id` names a parent that is not there.
    """

    target: SessionRecord
    ancestors: tuple[SessionRecord, ...]
    descendants: tuple[LineageNode, ...]
    complete: bool
    root: SessionRecord | None = None
    unresolved_parent_id: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{target, ancestors, descendants, complete}` and where it ends (JSON-1)."""
        end = (
            {"unresolvedParentId": self.unresolved_parent_id}
            if self.root is None
            else {"root": self.root.to_json()}
        )
        return {
            "target": self.target.to_json(),
            "ancestors": [record.to_json() for record in self.ancestors],
            "descendants": _forest(self.descendants),
            "complete": self.complete,
            **end,
        }


class LineageCycleError(SessionQueryError):
    """Raised with `SESSION_QUERY_INVALID_LINEAGE` when a session is its own ancestor (TRACE-2).

    `trace` is how far the lineage can be followed: each ancestor once, and in
    `unresolved_parent_id` the id of the one that comes again.
    """

    def __init__(self, trace: LineageTrace) -> None:
        target, again = trace.target, trace.unresolved_parent_id
        super().__init__(
            f"the ancestry of session {target.id!r} comes back to session {again!r}",
            ErrorCode.INVALID_LINEAGE,
            header=target.header,
        )
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.trace,))


def trace_lineage(session_id: str, records: Iterable[SessionRecord]) -> LineageTrace:
    """Trace one session among `records`; O(records x log).

    Raises:
        LineageCycleError: there is a cycle in its ancestry.
        SessionQueryError: `SESSION_QUERY_SESSION_NOT_FOUND`.
    """
    by_id: dict[str, SessionRecord] = {}
    children: defaultdict[str, list[SessionRecord]] = defaultdict(list)
    for record in records:
        by_id[record.id] = record
        if record.header.parent_session is not None:
            children[record.header.parent_session].append(record)
    target = by_id.get(session_id)
    if target is None:
        raise session_not_found(session_id)
    # a dict keeps the order: the target first, then its ancestors outward
    chain = {session_id: target}
    parent_id = target.header.parent_session
    while parent_id is not None and parent_id not in chain and parent_id in by_id:
        chain[parent_id] = by_id[parent_id]
        parent_id = chain[parent_id].header.parent_session
    line = tuple(chain.values())
    trace = LineageTrace(
        target,
        line[1:],
        _descendants(session_id, children),
        complete=parent_id is None,
        root=line[-1] if parent_id is None else None,
        unresolved_parent_id=parent_id,
    )
    if parent_id in chain:
        raise LineageCycleError(trace)
    return trace


def _descendants(
    session_id: str, children: defaultdict[str, list[SessionRecord]]
) -> tuple[LineageNode, ...]:
    flat: _Flat = []
    pending: list[tuple[int, SessionRecord]] = []

    def push(depth: int, parent_id: str) -> None:
        # each session has one parent, so only the target itself could be reached again
        found = [child for child in children.get(parent_id, ()) if child.id != session_id]
        found.sort(key=lambda child: (child.header.created_at, child.id), reverse=True)
        pending.extend((depth, child) for child in found)

    push(0, session_id)
    while pending:
        depth, record = pending.pop()
        flat.append((depth, record))
        push(depth + 1, record.id)
    return _grown(flat)
