"""Logs and headers for tests, and strategies that draw valid ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from session_query.log import JsonValue, SessionEvent, SessionHeader


def header(session_id: str, created_at: int = 1_000, **fields: Any) -> SessionHeader:
    """A header that differs from others in what is given."""
    return SessionHeader(0, session_id, created_at, **fields)


def message(text: str) -> JsonValue:
    """The data of a user message."""
    return {
        "id": "m",
        "role": "user",
        "content": [{"type": "text", "text": text}],
        "source": {"kind": "user"},
    }


def said(seq: int, text: str = "words", **fields: Any) -> SessionEvent:
    """A user message on the surface."""
    return SessionEvent("user/message", seq, 1_000 + seq, message(text), "append", **fields)


def titled(seq: int, title: str) -> SessionEvent:
    """A title event."""
    data = {"title": title, "messageSeqs": [], "source": {"kind": "user"}}
    return SessionEvent("session/title", seq, 1_000 + seq, data)


def conversation(*texts: str) -> list[SessionEvent]:
    """A log of user messages."""
    return [said(seq, text) for seq, text in enumerate(texts)]


@dataclass
class DrawnLog:
    """A valid log, and what a reader must find in it, noted down while it was made."""

    events: list[SessionEvent] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    removed_by: dict[int, list[int]] = field(default_factory=dict)
    cites: dict[int, list[int]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    title: str | None = None

    def surface(self, seq: int) -> str:
        """Where an event stands."""
        if seq in self.nodes:
            return "current"
        removed = any(seq in seqs for seqs in self.removed_by.values())
        return "shadowed" if removed else "log-only"


WORDS = st.sampled_from(["braid", "RAID", "two  words", "ΣΊΣΥΦΟΣ", "权限", "x\ny", "Straße", "."])


@st.composite
def drawn_logs(draw: st.DrawFn, max_events: int = 14) -> DrawnLog:
    """Logs of appends, replacements, titles and events off the surface."""
    log = DrawnLog()
    for seq in range(draw(st.integers(0, max_events))):
        kinds = ["append", "append", "title", "off", "unknown"]
        kind = draw(st.sampled_from(["replace", "replace", *kinds] if log.nodes else kinds))
        time = draw(st.integers(990, 1_010))
        if kind == "title":
            log.title = draw(st.sampled_from(["one", "two", ""]))
            data = {"title": log.title, "messageSeqs": [], "source": {"kind": "provider"}}
            event = SessionEvent("session/title", seq, time, data)
            _note(log.texts, seq, log.title)
        elif kind == "off":
            event = SessionEvent("turn/start", seq, time, {"turn": 1})
        elif kind == "unknown":
            event = SessionEvent("host/own", seq, time, {"text": "braid"}, ignorable=True)
        else:
            event = draw(_on_surface(log, seq, time, replacing=kind == "replace"))
        log.events.append(event)
    return log


@st.composite
def _on_surface(
    draw: st.DrawFn, log: DrawnLog, seq: int, time: int, *, replacing: bool
) -> SessionEvent:
    operation: JsonValue = "append"
    cited = draw(st.lists(st.integers(0, seq - 1), unique=True, max_size=3)) if seq else []
    if replacing:
        first = draw(st.integers(0, len(log.nodes) - 1))
        last = draw(st.integers(first, len(log.nodes) - 1))
        removed = log.nodes[first : last + 1]
        operation = {"op": "replace", "start": removed[0], "end": removed[-1]}
        cited = draw(st.permutations([*dict.fromkeys([*cited, *removed])]))
        log.nodes[first : last + 1] = [seq]
        log.removed_by[seq] = removed
    else:
        log.nodes.append(seq)
    log.cites[seq] = list(cited)
    text = draw(WORDS)
    _note(log.texts, seq, text)
    return SessionEvent("user/message", seq, time, message(text), operation, list(cited) or None)


def _note(texts: dict[int, str], seq: int, text: str) -> None:
    if text:
        texts[seq] = text


def broken(events: Sequence[SessionEvent]) -> list[SessionEvent]:
    """The log with one more event, which breaks a surface rule."""
    seq = len(events)
    return [*events, SessionEvent("user/message", seq, 1_000, message("no surfaceOp"))]
