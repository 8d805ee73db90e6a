"""What the checks of exact reads share: logs with what must be read of them, a scripted store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import strategies as st
from session_query import (
    AbortSignal,
    ErrorCode,
    PersistedSnapshot,
    SessionEvent,
    SessionQueryEngine,
    SessionQueryError,
    SessionSources,
    SessionStore,
    StoredSession,
)

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation
from session_query_specs.checks._controls import ABSENT
from session_query_specs.corpora import Call, CallsOn, Corpus, message, opened, session
from session_query_specs.stores import MemoryPersistence

__all__ = [
    "READS",
    "RecordedLog",
    "Scene",
    "ScriptedStore",
    "answers",
    "failed",
    "recorded_logs",
    "refused",
    "scene",
    "scenes",
]

READS: Final = (
    Call("read_session", ("a",)),
    Call("list_events", ("a",)),
    Call("filter_events", ("a", [])),
    Call("read_surface", ("a",)),
    Call("read_event", ("a", 0)),
    Call("read_title", ("a",)),
    Call("trace_event", ("a", 0)),
)
"""Each read of the session `a`."""


@dataclass
class RecordedLog:
    """A valid log, and what a reader must find in it, noted down while it was drawn."""

    events: list[SessionEvent] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    removed_by: dict[int, list[int]] = field(default_factory=dict)
    cites: dict[int, list[int]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    title: str | None = None

    def surface(self, seq: int) -> str:
        """Return where an event stands."""
        if seq in self.nodes:
            return "current"
        removed = any(seq in seqs for seqs in self.removed_by.values())
        return "shadowed" if removed else "log-only"

    def record(self, seq: int) -> dict[str, Any]:
        """Return the record of an event as JSON."""
        event = self.events[seq]
        told = {"type": event.type, "time": event.time, "surface": self.surface(seq)}
        return {"sessionId": "a", "seq": seq, **told}


_WORDS: Final = ("braid", "RAID", "two  words", "ΣΊΣΥΦΟΣ", "权限", "x\ny", "Straße", ".")


@st.composite
def recorded_logs(draw: st.DrawFn, least: int = 0, most: int = 10) -> RecordedLog:
    """Draw a log of appends, replacements, titles and events off the surface."""
    log = RecordedLog()
    for seq in range(draw(st.integers(least, most))):
        kinds = ["append", "append", "title", "off", "unknown"]
        kind = draw(st.sampled_from(["replace", "replace", *kinds] if log.nodes else kinds))
        time = draw(st.integers(990, 1_010))
        if kind == "title":
            log.title = draw(st.sampled_from(["one", "two", ""]))
            data = {"title": log.title, "messageSeqs": [], "source": {"kind": "provider"}}
            event = SessionEvent("session/title", seq, time, data)
            log.texts |= {seq: log.title} if log.title else {}
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
    draw: st.DrawFn, log: RecordedLog, seq: int, time: int, *, replacing: bool
) -> SessionEvent:
    operation: Any = "append"
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
    text = log.texts[seq] = draw(st.sampled_from(_WORDS))
    return SessionEvent("user/message", seq, time, message(text), operation, list(cited) or None)


class ScriptedStore(MemoryPersistence):
    """A store of which a check also scripts what comes after each call, and its answers.

    Attributes:
        after: called when an answer is made, before it is handed out, with the name of the call.
        answers: what calls answer with in place of what is right, by their names.
        signals: the signal of each call.
    """

    def __init__(self) -> None:
        super().__init__()
        self.after: Callable[[str], object] = lambda _what: None
        self.answers: dict[str, Any] = {}
        self.signals: list[AbortSignal | None] = []

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        """Return headers and revisions of all logs, or what the script has."""
        found = await super().list_snapshots(signal)
        self.signals.append(signal)
        self.after("list")
        answer: Sequence[PersistedSnapshot] = self.answers.get("list", found)
        return answer

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        """Return one log, or what the script has."""
        found = await super().inspect(session_id, signal)
        self.signals.append(signal)
        self.after(session_id)
        answer: StoredSession = self.answers.get(session_id, found)
        return answer


@dataclass(frozen=True, slots=True)
class Scene:
    """An engine over sources that a check can change at any moment."""

    engine: SessionQueryEngine
    sources: SessionSources
    live: SessionStore
    store: ScriptedStore


@asynccontextmanager
async def scene(provider: ProviderUnderTest, corpus: Corpus) -> AsyncIterator[Scene]:
    """Open a provider over a corpus, whose store does as a script says."""
    live, store = SessionStore(), ScriptedStore()
    for one in corpus.sessions:
        if one.stored is not None:
            store.put(one.header, one.stored)
        if one.live is not None:
            live.attach(one.header, one.live)
    sources = SessionSources(live, store)
    async with opened(provider, sources) as engine:
        yield Scene(engine, sources, live, store)


def scenes(*calls: Call, told: str, **fields: Any) -> st.SearchStrategy[CallsOn]:
    """Draw one of some calls on a corpus of the sessions `a` and `b`; `a` is as the fields say."""
    corpus = Corpus((session("a", ["word", "more"], **fields), session("b", ["word"])))
    return st.sampled_from(calls).map(lambda call: CallsOn(corpus, [call], told=(told,)))


async def answers(scene: Scene, call: Call) -> Mapping[str, Any] | list[Any]:
    """Return the answer to a call; the same for a session that isn't there is refused."""
    outcome = await call.on(scene.engine)
    if outcome.answer is None:
        raise Violation("an answer", str(outcome))
    if call.arguments and isinstance(call.arguments[0], str):
        absent = await Call(call.method, (ABSENT, *call.arguments[1:])).on(scene.engine)
        if absent.code != ErrorCode.SESSION_NOT_FOUND.value:
            raise Violation(ErrorCode.SESSION_NOT_FOUND.value, str(absent))
    else:
        asked = Call("filter_sessions", ([{"kind": "id", "values": [ABSENT]}],))
        if (none := await asked.on(scene.engine)).answer != []:
            raise Violation("no session of an id that is nowhere", str(none))
    scene.store.reads.clear()
    scene.store.signals.clear()
    return outcome.answer  # type: ignore[no-any-return]


async def failed(engine: SessionQueryEngine, call: Call) -> SessionQueryError:
    """Return the error that a call ends with."""
    try:
        answer = await getattr(engine, call.method)(*call.arguments)
    except SessionQueryError as error:
        return error
    raise Violation("an error", f"an answer: {answer!r:.200}")


async def refused(engine: SessionQueryEngine, call: Call, code: ErrorCode, header: object) -> None:
    """See that a call fails with a code, and with the header of a session or None."""
    error = await failed(engine, call)
    if error.code is not code:
        raise Violation(code.value, f"{error.code.value}: {error}")
    if error.header != header:
        raise Violation(f"the header {header!r}", repr(error.header))
