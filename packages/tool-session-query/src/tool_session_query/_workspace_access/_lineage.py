"""A lineage, cut off where it leaves the caller's workspace (AUTH-6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from session_query import LineageNode, LineageTrace, SessionRecord

from tool_session_query._errors import unauthorized
from tool_session_query._workspace_access._caller import Caller

__all__ = ["VisibleLineage", "visible_lineage"]


@dataclass(frozen=True, slots=True)
class VisibleLineage:
    """What of a lineage may be shown (AUTH-6).

    `complete` tells that the ancestors end with a root. Each descendant has its depth, 0 for a
    child; None stands for all children of one node that may not be shown.
    """

    target: SessionRecord
    ancestors: Sequence[SessionRecord]
    complete: bool
    descendants: Sequence[tuple[int, SessionRecord | None]]

    def records(self) -> Iterator[SessionRecord]:
        """Yield every session that is shown, in the order of the answer."""
        yield self.target
        yield from self.ancestors
        yield from (record for _, record in self.descendants if record is not None)


def visible_lineage(trace: LineageTrace, caller: Caller) -> VisibleLineage:
    """Cut a lineage off where it leaves the caller's workspace; O(sessions).

    Raises:
        SessionQueryToolError: `UNAUTHORIZED` for a target that may not be shown (AUTH-4).
    """
    if not caller.may_see(trace.target.header):
        raise unauthorized()
    ancestors: list[SessionRecord] = []
    for record in trace.ancestors:
        if not caller.may_see(record.header):
            break
        ancestors.append(record)
    complete = trace.complete and len(ancestors) == len(trace.ancestors)
    return VisibleLineage(trace.target, ancestors, complete, list(_descendants(trace, caller)))


def _descendants(trace: LineageTrace, caller: Caller) -> Iterator[tuple[int, SessionRecord | None]]:
    """Yield the shown descendants in preorder; without recursion, for trees of any depth."""
    pending = [(0, node) for node in _last_first(trace.descendants, caller)]
    while pending:
        depth, node = pending.pop()
        if node is None:
            yield depth, None
        else:
            yield depth, node.session
            pending += ((depth + 1, child) for child in _last_first(node.descendants, caller))


def _last_first(children: Sequence[LineageNode], caller: Caller) -> list[LineageNode | None]:
    """Return what is shown of some siblings, to be popped: the hidden ones as one, at their end."""
    shown = [child for child in children if caller.may_see(child.session.header)]
    hidden: list[LineageNode | None] = [None] if len(shown) < len(children) else []
    return [*hidden, *reversed(shown)]
