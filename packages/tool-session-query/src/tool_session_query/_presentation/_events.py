"""One event: its relations, or itself and its neighbours (RENDER-1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from session_query import EventTrace, EventWindow, SessionEvent, extract_event_text

from tool_session_query._presentation._pretty_json import pretty_json
from tool_session_query._presentation._search import CAUTION
from tool_session_query._presentation._times import time_text
from tool_session_query._presentation._visible import barred, quoted, word

__all__ = ["render_event_trace", "render_window"]

_FENCES: Final = re.compile("`{3,}")


def render_event_trace(trace: EventTrace) -> str:
    """Return the answer of `session_event_trace`; relations are seqs of the same session."""
    target = trace.target
    where = f"{word(target.type)}, {target.surface}, {time_text(target.time)}"
    replaced_by = () if trace.replaced_by is None else (trace.replaced_by,)
    return "\n".join(
        [
            f"Event seq {target.seq} of session {quoted(target.session_id)}: {where}",
            f"replaced by: {_seqs(replaced_by)}",
            f"replacement chain: {_seqs(trace.replacement_chain)}",
            f"replaces: {_seqs(trace.replaced_event_seqs)}",
            f"made from: {_seqs(trace.source_event_seqs)}",
            f"used by: {_seqs(trace.derived_event_seqs)}",
        ]
    )


def render_window(window: EventWindow) -> str:
    """Return the answer of `session_event_read`."""
    target = window.target
    text = pretty_json(target.to_json())
    fence = "`" * max(3, 1 + max(map(len, _FENCES.findall(text)), default=0))
    what = f"{word(target.type)}, {time_text(target.time)}"
    lines = [
        CAUTION,
        f"Event seq {target.seq} of session {quoted(window.header.id)}, {what}, exactly:",
        f"{fence}json",
        text,
        fence,
    ]
    before = [event for event in window.events if event.seq < target.seq]
    after = [event for event in window.events if event.seq > target.seq]
    lines += _neighbours("before it:", before)
    lines += _neighbours("after it:", after)
    return "\n".join(lines)


def _neighbours(title: str, events: Sequence[SessionEvent]) -> Iterable[str]:
    if not events:
        return
    yield ""
    yield title
    for event in events:
        yield f"seq {event.seq}, {word(event.type)}, {time_text(event.time)}"
        text = extract_event_text(event)
        if text:
            yield from barred(text, "   ")


def _seqs(seqs: Sequence[int]) -> str:
    return ", ".join(map(str, seqs)) or "none"
