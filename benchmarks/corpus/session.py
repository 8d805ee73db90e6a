"""One session as a log: turns of prompts, answers, calls and results, like recorded ones."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from benchmarks.corpus.texts import Style, Texts

__all__ = ["Session", "Writer", "build"]

_START = 1_735_689_600_000
_DAY = 86_400_000

_TOOLS = ("bash", "read", "edit", "grep", "write", "glob", "fetch")
_PROJECTS = 24
_FORKS, _SUBAGENTS = 0.08, 0.1
_FIRST_CHILD = 4
"""Sessions before this one are nobody's children."""


class _Length(NamedTuple):
    """How many words a text has: lognormal, as lengths of recorded texts are."""

    style: Style
    median: float
    sigma: float
    most: int


_LENGTHS = {
    "prompt": _Length("prose", 45, 1.0, 900),
    "answer": _Length("prose", 70, 0.8, 1_200),
    "thought": _Length("prose", 40, 0.7, 400),
    "summary": _Length("prose", 350, 0.5, 1_500),
    "title": _Length("prose", 6, 0.3, 12),
    "todo": _Length("prose", 7, 0.4, 20),
    "call": _Length("code", 35, 1.0, 1_500),
    "result": _Length("code", 95, 1.2, 3_000),
    "delta": _Length("prose", 2, 0.3, 4),
}


@dataclass(slots=True)
class Session:
    """A header and the lines of its log, each as JSON, with the number of events in it."""

    header: dict[str, Any]
    lines: list[tuple[dict[str, Any], int]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id in the header."""
        return str(self.header["id"])

    @property
    def events(self) -> int:
        """How many events the lines stand for."""
        return sum(count for _, count in self.lines)


class Writer:
    """Makes the lines of one session, one after the other.

    Args:
        session: where they go; lines that it has already are inherited.
        rng: decides everything.
        texts: makes the texts.
        stock: how many texts of a kind are made at once.
    """

    def __init__(
        self, session: Session, rng: np.random.Generator, texts: Texts, stock: int = 32
    ) -> None:
        self._session = session
        self._rng = rng
        self._texts = texts
        self._own = texts.own_words(rng)
        self._stock: dict[str, Iterator[str]] = {}
        self._batch = stock
        self._chances: Iterator[float] = iter(())
        self._seq = session.events
        self._time = int(session.header["createdAt"])
        self._call = 0
        self._nodes: list[int] = []
        self._turn = max((line["data"].get("turn", 0) for line, _ in session.lines), default=0)
        self._step = 0

    def fill(self, events: int) -> None:
        """Write turns until the session has so many events; the last turn may stay open."""
        first = self._seq == 0
        while self._seq < events:
            self._write_turn(titled=first)
            first = False
            if len(self._nodes) > 30 and self._chance() < 0.25:
                self._compact()

    # -- turns --------------------------------------------------------------------------------

    def _write_turn(self, *, titled: bool) -> None:
        self._turn += 1
        self._step = 0
        self._add("turn/start", {"turn": self._turn, "trigger": {"kind": "message"}})
        prompt = self._seq
        self._on_surface("user/message", self._user(self._text("prompt")))
        if titled:
            source = {"kind": "provider"}
            title = {"title": self._text("title"), "messageSeqs": [prompt], "source": source}
            self._add("session/title", title)
        for _ in range(1 + int(-3 * math.log(1 - self._chance()))):
            self._write_step()
        self._add("turn/end", {"turn": self._turn, "reason": self._reason()})

    def _write_step(self) -> None:
        self._step += 1
        at = {"turn": self._turn, "step": self._step}
        self._add("step/start", at)
        if self._turn == self._step == 1:
            config = {"provider": "example", "model": "example-1", "reasoningEffort": "high"}
            self._add("request/header", {"header": {"config": config}, "reason": "initial"})
        if self._chance() < 0.04:
            self._stream(at)
        blocks: list[dict[str, Any]] = []
        if self._chance() < 0.3:
            blocks.append({"type": "reasoning", "text": self._text("thought")})
        calls = [self._new_call() for _ in range(int(self._chance() * 2.6))]
        if not calls or self._chance() < 0.7:
            blocks.append({"type": "text", "text": self._text("answer")})
        blocks += [{"type": "tool-call", **call} for call in calls]
        message = {"role": "assistant", "content": blocks}
        usage = {"inputTokens": 900 + self._seq * 70, "outputTokens": 180}
        self._on_surface("assistant/message", {**at, "message": message, "usage": usage})
        for call in calls:
            arguments = call["arguments"]
            data = {**at, "callId": call["id"], "name": call["name"], "arguments": arguments}
            self._add("tool/call", data)
        for call in calls:
            self._on_surface("tool/result", {**at, **self._result(call["id"])})
        if self._chance() < 0.06:
            self._add("todo/write", {"todos": self._todos()})
        self._add("step/end", at)

    def _compact(self) -> None:
        """Replace the older half of the surface by a summary."""
        gone = self._nodes[: len(self._nodes) // 2]
        kept = self._nodes[len(gone) :]
        operation = {"op": "replace", "start": gone[0], "end": gone[-1]}
        self._nodes = [self._seq, *kept]
        self._add(
            "user/message",
            self._user(self._text("summary")),
            {"sourceEventSeqs": gone, "surfaceOp": operation},
        )

    def _stream(self, at: dict[str, Any]) -> None:
        count = 3 + int(self._chance() * 4)
        gaps = [7 + int(self._chance() * 30) for _ in range(count - 1)]
        texts = [self._text("delta") for _ in range(count)]
        data = {**at, "index": 0, "dt": gaps, "texts": texts}
        row = {"type": "text-chunks", "seq0": self._seq, "time0": self._tick(), "data": data}
        self._time += sum(gaps)
        self._session.lines.append((row, count))
        self._seq += count

    # -- parts --------------------------------------------------------------------------------

    def _add(self, kind: str, data: dict[str, Any], extra: dict[str, Any] | None = None) -> None:
        line = {"type": kind, "seq": self._seq, "time": self._tick(), "data": data}
        if extra:
            line.update(extra)
        self._session.lines.append((line, 1))
        self._seq += 1

    def _on_surface(self, kind: str, data: dict[str, Any]) -> None:
        self._nodes.append(self._seq)
        self._add(kind, data, {"surfaceOp": "append"})

    def _tick(self) -> int:
        self._time += 1 + int(-4_000 * math.log(1 - self._chance()))
        return self._time

    def _user(self, text: str) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        number = f"{self._session.id}-m{self._seq}"
        return {"id": number, "role": "user", "content": content, "source": {"kind": "user"}}

    def _new_call(self) -> dict[str, Any]:
        self._call += 1
        name = _TOOLS[int(self._chance() * len(_TOOLS))]
        arguments = json.dumps({"command": self._text("call")}, ensure_ascii=False)
        return {"id": f"call-{self._turn}-{self._call}", "name": name, "arguments": arguments}

    def _result(self, call: str) -> dict[str, Any]:
        inner = [{"type": "text", "text": self._text("result")}]
        block = {"type": "tool-result", "toolCallId": call, "content": inner}
        source = {"kind": "tool", "callId": call}
        message = {"id": f"{call}-result", "role": "user", "content": [block], "source": source}
        if self._chance() < 0.05:
            return {"message": message, "error": {"name": "ToolError", "code": "EXIT_NONZERO"}}
        return {"message": message}

    def _todos(self) -> list[dict[str, str]]:
        states = ("completed", "in_progress", "pending")
        count = 2 + int(self._chance() * 5)
        return [
            {"content": self._text("todo"), "status": states[min(place, 2)]}
            for place in range(count)
        ]

    def _reason(self) -> dict[str, Any]:
        drawn = self._chance()
        if drawn < 0.92:
            return {"kind": "completed"}
        if drawn < 0.96:
            return {"kind": "aborted"}
        error = {"message": "the provider closed the stream", "code": "STREAM_CLOSED"}
        return {"kind": "error", "error": error}

    # -- chance -------------------------------------------------------------------------------

    def _chance(self) -> float:
        drawn = next(self._chances, None)
        if drawn is None:
            self._chances = iter(self._rng.random(512).tolist())
            drawn = next(self._chances)
        return drawn

    def _text(self, kind: str) -> str:
        stock = self._stock.get(kind)
        text = None if stock is None else next(stock, None)
        if text is None:
            self._stock[kind] = iter(self._make(_LENGTHS[kind]))
            text = next(self._stock[kind])
        return text

    def _make(self, length: _Length) -> Sequence[str]:
        drawn = length.median * np.exp(length.sigma * self._rng.standard_normal(self._batch))
        counts = np.clip(drawn.astype(int), 1, length.most).tolist()
        return self._texts.make(self._rng, length.style, counts, self._own)


def build(seed: int, number: int, events: int, texts: Texts) -> Session:
    """Return session ``number`` of a corpus; it depends on no other but the one it was forked from.

    Args:
        seed: that of the corpus.
        number: from 0.
        events: how many events it has.
        texts: those of the same seed.
    """
    session = _begun(seed, number, events, texts)
    _cut(session, events)
    return session


def _begun(seed: int, number: int, events: int, texts: Texts) -> Session:
    """Return a session up to the end of the turn that holds its last event."""
    rng = np.random.default_rng([seed, 2, number])
    kind, project, pause, parent = rng.random(4).tolist()
    created = _START + number * (_DAY // 40) + int(pause * _DAY / 50)
    cwd = f"/srv/projects/{int(project**2 * _PROJECTS):02d}"
    header = _header(number, created, cwd)
    session = Session(header)
    if number >= _FIRST_CHILD and kind < _FORKS + _SUBAGENTS:
        other = int(parent * number) // _FIRST_CHILD * _FIRST_CHILD
        header["parentSession"] = _name(other)
        if kind >= _FORKS:
            header["origin"], header["delegationDepth"] = "subagent", 1
        elif not _is_child(seed, other):
            _inherit(session, _begun(seed, other, events, texts), events // 2)
    Writer(session, rng, texts, min(max(events // 8, 2), 32)).fill(events)
    return session


def _inherit(session: Session, parent: Session, most: int) -> None:
    """Copy so many events of the log of ``parent``, up to a turn that has ended."""
    ends = [
        place
        for place, (line, _) in enumerate(parent.lines)
        if line["type"] == "turn/end" and line["seq"] < most
    ]
    if not ends:
        return
    session.header["cwd"] = parent.header["cwd"]
    session.lines = parent.lines[: ends[-1] + 1]
    session.header["seedLength"] = session.events
    seq, time = session.events, int(session.header["createdAt"])
    session.lines.append(({"type": "session/end-seed", "seq": seq, "time": time, "data": {}}, 1))


def _cut(session: Session, events: int) -> None:
    """Drop what is too much."""
    excess = session.events - events
    while excess > 0:
        line, count = session.lines.pop()
        excess -= count
        if excess < 0:
            session.lines += [(chunk, 1) for chunk in _unpacked(line)[:-excess]]


def _unpacked(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the deltas of a packed row as events."""
    data, time, events = row["data"], row["time0"], []
    for place, (text, gap) in enumerate(zip(data["texts"], [0, *data["dt"]], strict=True)):
        time += gap
        chunk = {"type": "text-delta", "index": data["index"], "text": text}
        delta = {"turn": data["turn"], "step": data["step"], "chunk": chunk}
        seq = row["seq0"] + place
        events.append({"type": "assistant/chunk", "seq": seq, "time": time, "data": delta})
    return events


def _is_child(seed: int, number: int) -> bool:
    kind = float(np.random.default_rng([seed, 2, number]).random())
    return number >= _FIRST_CHILD and kind < _FORKS + _SUBAGENTS


def _name(number: int) -> str:
    return f"session-{number:06d}"


def _header(number: int, created: int, cwd: str) -> dict[str, Any]:
    return {
        "type": "session",
        "version": 0,
        "id": _name(number),
        "createdAt": created,
        "cwd": cwd,
        "delegationDepth": 0,
    }
