"""A call of a tool as data: the corpus, who calls, and what happens meanwhile."""

from __future__ import annotations

import asyncio
import json
import pprint
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from session_query import (
    AbortController,
    AbortSignal,
    LiveSession,
    PersistenceCorruptionError,
    SearchConfig,
    SessionEvent,
    SessionHeader,
)

from session_query_specs._subjects import HostUnderTest, ToolOutcome
from session_query_specs.corpora import Corpus, Session
from session_query_specs.hosts._failures import Failure
from session_query_specs.hosts._heard import AbortReason, Change, Heard, Moment, required
from session_query_specs.hosts._logging import swallowed_logs
from session_query_specs.hosts._scripted import ScriptedEngine
from session_query_specs.hosts._workspaces import CALLER, CANARY
from session_query_specs.oracle import OracleEngine
from session_query_specs.stores import MemoryPersistence

__all__ = ["HostCall", "HostPair", "World", "opened", "texts_in"]


@dataclass(frozen=True, slots=True)
class HostCall:
    """One call of one tool.

    Attributes:
        corpus: what the sources hold.
        tool: which tool.
        arguments: what a model sends; JSON.
        caller: the id of the live session of the agent that calls; None for no agent.
        changes: what happens to sessions meanwhile.
        failures: what the engine fails at.
        page_size: the most hits of a page.
        abort: when the call is aborted.
        cursors: with which cursors the engine's pages end, over and over; none for true ones.
        passes: how many rounds of the loop each call of the engine waits.
        careless: whether the engine looks at no filter of sessions.
        damage: sessions whose stored logs are damaged, each from the call of a number on.
        unreadable: whether the store fails at these logs, in the place of finding them damaged.
    """

    corpus: Corpus
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    caller: str | None = CALLER
    changes: tuple[Change, ...] = ()
    failures: tuple[Failure, ...] = ()
    page_size: int | None = None
    abort: Moment | None = None
    cursors: tuple[str, ...] = ()
    passes: int = 0
    careless: bool = False
    damage: tuple[tuple[int, str], ...] = ()
    unreadable: bool = False

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001 - Hypothesis asks so
        # a large corpus in full would be of no use to anyone
        printer.text(f"<call of {self.tool} over {len(self.corpus.sessions)} sessions>")

    def but(self, **changes: Any) -> HostCall:
        """Return the call with something else in it."""
        return replace(self, **changes)

    def asking(self, /, **arguments: Any) -> HostCall:
        """Return the call with other arguments besides; None takes one away."""
        merged = {**self.arguments, **arguments}
        return self.but(arguments={k: given for k, given in merged.items() if given is not None})

    def described(self) -> list[str]:
        """Return corpus, call and what happens meanwhile in lines that a person reads."""
        by = "no agent" if self.caller is None else f"the agent of {self.caller!r}"
        paged = [] if self.page_size is None else [f"pages of at most {self.page_size} hits"]
        ends = ", ".join(map(repr, self.cursors))
        endless = [f"pages end with the cursors {ends}, over and over"] if ends else []
        careless = ["the engine looks at no filter of sessions"] if self.careless else []
        aborted = [] if self.abort is None else [_aborted(*self.abort)]
        fault = "can't be read" if self.unreadable else "is damaged"
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return [
            *self.corpus.described(),
            *paged,
            *endless,
            *careless,
            f"{by} calls {self.tool}({given})",
            *map(str, self.changes),
            *map(str, self.failures),
            *(f"from call {at} on, the log of {name!r} {fault}" for at, name in self.damage),
            *aborted,
        ]

    def script(self, subject: str) -> str:
        """Return a program that makes the same call; it needs the class and no check."""
        return _script(subject, (self,))

    async def heard(self, host: HostUnderTest, signal: AbortSignal | None = None) -> Heard:
        """Make the call on a new host, and tell how it ended.

        Args:
            host: the host.
            signal: the signal of the call, in the place of one of its own.
        """
        async with opened(self, host) as world:
            return await world.heard(signal)

    def to_json(self) -> dict[str, Any]:
        """Return the call as JSON."""
        form: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        form["arguments"] = json.loads(json.dumps(dict(self.arguments)))
        form["corpus"] = [_session_json(one) for one in self.corpus.sessions]
        form["changes"] = [
            [*one.moment, one.session_id, one.session and _session_json(one.session)]
            for one in self.changes
        ]
        form["cursors"] = list(self.cursors)
        form["failures"] = [
            [one.call, one.kind, one.header, one.session_id, one.always] for one in self.failures
        ]
        form["damage"] = [list(one) for one in self.damage]
        return form

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> HostCall:
        """Return the call of which this is the JSON."""
        plain: dict[str, Any] = {name: form[name] for name in _PLAIN}
        changes = [
            Change((kind, at), name, made and _session_of(made))
            for kind, at, name, made in form["changes"]
        ]
        failures = tuple(Failure(*one) for one in form["failures"])
        corpus = Corpus(tuple(map(_session_of, form["corpus"])))
        plain["cursors"] = tuple(form["cursors"])
        plain["abort"] = form["abort"] and tuple(form["abort"])
        plain["damage"] = tuple((at, name) for at, name in form["damage"])
        return cls(corpus=corpus, changes=tuple(changes), failures=failures, **plain)


_PLAIN = (
    *("tool", "arguments", "caller", "page_size", "abort", "cursors", "passes"),
    *("careless", "unreadable"),
)
"""What is its own JSON."""

_PATIENCE: Final = 100
"""For how many rounds of the loop a call of the engine waits to be told of an abort."""


@dataclass(frozen=True, slots=True)
class HostPair:
    """Two calls, each of a host of its own, that must end alike."""

    first: HostCall
    second: HostCall

    def described(self) -> list[str]:
        """Return both calls in lines that a person reads."""
        return ["first:", *self.first.described(), "second:", *self.second.described()]

    def script(self, subject: str) -> str:
        """Return a program that makes both calls."""
        return _script(subject, (self.first, self.second))


class World:
    """A host over sources of its own, while one call is made.

    Attributes:
        too_late: whether the call has ended before a sweep aborted it.
    """

    def __init__(
        self,
        call: HostCall,
        subject: HostUnderTest,
        host: Any,
        engine: ScriptedEngine,
        persistence: MemoryPersistence,
    ) -> None:
        self.call = call
        self.engine = engine
        self.store = engine.sources.store
        self.persistence = persistence
        self.controller = AbortController()
        self.reason = AbortReason("the reason of this abort")
        self._caller: LiveSession | None = None
        if call.caller is not None:
            self._caller = self.store.get(call.caller)
        self._subject = subject
        self._host = host
        self._reads = count()
        self._landed = False
        self.too_late = False
        self._ended = False
        self._outlived = 0
        self._loop = asyncio.get_running_loop()
        self._failed: set[str] = set()

    async def heard(self, signal: AbortSignal | None = None) -> Heard:
        """Make the call and tell how it ended."""
        self.engine.calls.clear()
        self.engine.before = lambda number: self._reach(("before", number))
        self.engine.after = lambda number: self._reach(("after", number))
        self.engine.holding = self._hold
        self.engine.failing = self._failing
        self.engine.cursors = self.call.cursors
        self.persistence.before = self._read
        try:
            outcome = await self.outcome(signal)
        finally:
            self._ended = True
            self.persistence.before = None
        calls = tuple(self.engine.calls)
        asked = tuple(texts_in(self.call.arguments))
        running, outlived = self.engine.running, self._outlived
        return Heard(outcome, calls, running, self._landed, outlived, asked)

    async def outcome(self, signal: AbortSignal | None = None) -> ToolOutcome | None:
        """Make the call while others may run; return None where the reason of its abort came."""
        try:
            answer = await self._subject.call(
                self._host,
                self.call.tool,
                dict(self.call.arguments),
                caller=self._caller,
                signal=self.controller.signal if signal is None else signal,
            )
            return required(answer)
        except AbortReason as raised:
            if raised is not self.reason:
                raise
            return None

    def turned_to(self, call: HostCall) -> World:
        """Return the same open host for another call, once the sources hold its corpus."""
        for name, session in self.call.corpus.becoming(call.corpus):
            self.change(Change(("before", 0), name, session))
        return World(call, self._subject, self._host, self.engine, self.persistence)

    def change(self, change: Change) -> None:
        """Make a change."""
        if self.store.get(change.session_id) is not None:
            self.store.detach(change.session_id)
        self.persistence.remove(change.session_id)
        made = change.session
        if made is not None:
            if made.place != "live":
                self.persistence.put(made.header, made.events)
            if made.place != "stored":
                self.store.attach(made.header, made.events)

    def _reach(self, moment: Moment) -> None:
        for change in self.call.changes:
            if change.moment == moment:
                self.change(change)
        if self.call.abort == moment and not self._ended:
            self._landed = True
            self.controller.abort(self.reason)

    async def _hold(self, signal: AbortSignal | None) -> None:
        """After an abort, let a call go on only once it is told of that, or cancelled."""
        if not self._landed or asyncio.get_running_loop() is not self._loop:
            return
        for _ in range(_PATIENCE):
            if signal is not None and signal.aborted:
                return
            await asyncio.sleep(0)
        self._outlived += 1

    async def _read(self, what: str, _signal: AbortSignal | None) -> None:
        self._reach(("read", next(self._reads)))
        for at, name in self.call.damage:
            if name == what and at < len(self.engine.calls):
                if self.call.unreadable:
                    raise OSError(CANARY)
                raise PersistenceCorruptionError(name, 1, CANARY)

    def _failing(self, number: int, method: str) -> BaseException | None:
        for failure in self.call.failures:
            first = method == failure.call and (failure.always or method not in self._failed)
            if first or number == failure.call:
                self._failed.add(method)
                return failure.raised()
        return None


@asynccontextmanager
async def opened(call: HostCall, subject: HostUnderTest) -> AsyncIterator[World]:
    """Open a host over the corpus of a call; nothing is logged on the terminal meanwhile."""
    sources, _, persistence = call.corpus.open()
    async with OracleEngine(sources, SearchConfig()) as inner:
        engine = ScriptedEngine(inner, page_size=call.page_size, passes=call.passes)
        engine.careless = call.careless
        with swallowed_logs():
            host = await subject.open(engine)
            try:
                yield World(call, subject, host, engine, persistence)
            finally:
                await subject.close(host)


def _aborted(when: str, at: int) -> str:
    if when == "task":
        return f"aborted in a task, after round {at}"
    return f"aborted {when} call {at}"


def texts_in(given: object) -> Iterator[str]:
    """Yield the texts among some arguments."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, Mapping):
        for value in given.values():
            yield from texts_in(value)
    elif isinstance(given, list):
        for value in given:
            yield from texts_in(value)


def _session_json(one: Session) -> list[Any]:
    return [one.header.to_json(), [event.to_json() for event in one.events], one.place]


def _session_of(form: list[Any]) -> Session:
    header, events, place = form
    made = tuple(SessionEvent.from_json(event) for event in events)
    return Session(SessionHeader.from_json(header), made, place)


def _script(subject: str, calls: tuple[HostCall, ...]) -> str:
    return "\n".join(_lines(subject, calls))


def _lines(subject: str, calls: tuple[HostCall, ...]) -> Iterator[str]:
    module, _, name = subject.partition(":")
    forms = [call.to_json() for call in calls]
    yield "import asyncio\n\nfrom session_query_specs.hosts import HostCall\n"
    yield f"from {module} import {name}\n"
    yield f"CALLS = {pprint.pformat(forms, width=96, sort_dicts=False)}\n"
    yield "for call in CALLS:"
    yield f"    print(asyncio.run(HostCall.from_json(call).heard({name}())))\n"
