"""What happens to a corpus, step by step, as data: the stateful part of the suite (CONF-7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionEvent, SessionHeader, SessionSources, SessionStore

from session_query_specs.corpora._calls import Call
from session_query_specs.corpora._corpus import CREATED, message
from session_query_specs.stores import MemoryPersistence

__all__ = ["Happening", "History", "World", "call_of", "histories"]

_NAMES: Final = ("a", "b", "c")
_QUERIES: Final = ("word", "other", "word other", "gone")
_TEXTS: Final = ("word", "other word", "word word", "other")


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happens; `kind` is the name of a method of `World`, or `search`, `reopen`."""

    kind: str
    arguments: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(map(repr, self.arguments))})"


@dataclass(frozen=True, slots=True)
class History:
    """Some steps, the first on empty sources."""

    steps: Sequence[Happening]

    def described(self) -> list[str]:
        """Return the steps, a line each."""
        return [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]

    def script(self, subject: str) -> str:
        """Return a program that goes through the same steps."""
        module, _, name = subject.partition(":")
        steps = "\n".join(f"    {(step.kind, *step.arguments)!r}," for step in self.steps)
        return _SCRIPT.format(module=module, name=name, steps=steps)


class World:
    """Sources that things happen to; a step that makes no sense just now does nothing."""

    def __init__(self) -> None:
        self.store, self.persistence = SessionStore(), MemoryPersistence()
        self.sources = SessionSources(self.store, self.persistence)
        self._logs: dict[str, tuple[SessionHeader, list[SessionEvent]]] = {}
        self._clock = CREATED

    def happen(self, step: Happening) -> None:
        """Let one step happen."""
        getattr(self, f"_{step.kind}")(*step.arguments)

    def _put(self, name: str, texts: Sequence[str]) -> None:
        """Write a stored log anew."""
        header = SessionHeader(0, name, CREATED, "/w")
        events = [self._event(seq, text) for seq, text in enumerate(texts)]
        self._logs[name] = (header, events)
        self.persistence.put(header, events)

    def _extend(self, name: str, text: str) -> None:
        """Let a stored log grow."""
        if name in self._logs:
            header, events = self._logs[name]
            events.append(self._event(len(events), text))
            self.persistence.put(header, events)

    def _remove(self, name: str) -> None:
        self._logs.pop(name, None)
        self.persistence.remove(name)

    def _attach(self, name: str) -> None:
        """Take up a session in this process: a stored one as it is, another one empty."""
        if self.store.get(name) is None:
            header, events = self._logs.get(name, (SessionHeader(0, name, CREATED, "/w"), []))
            self.store.attach(header, events)

    def _say(self, name: str, text: str) -> None:
        live = self.store.get(name)
        if live is not None:
            event = self._event(len(live.events), text)
            live.append(event.type, event.data, "append", time=event.time)

    def _detach(self, name: str, flush: bool) -> None:  # noqa: FBT001 - a step's arguments have no names
        """Let go of a live session, with its log stored or lost."""
        live = self.store.get(name)
        if live is None:
            return
        self.store.detach(name)
        if flush:
            self._logs[name] = (live.header, list(live.events))
            self.persistence.put(live.header, live.events)

    def _corrupt(self, name: str) -> None:
        """Make a stored log one whose surface can't be: it is left out from then on."""
        if name in self._logs:
            header, events = self._logs[name]
            bad = SessionEvent(
                "user/message",
                len(events),
                self._clock,
                message("word"),
                {"op": "replace", "start": 99, "end": 99},
            )
            self.persistence.put(header, [*events, bad])

    def _unmount(self) -> None:
        self.sources.unmount()

    def _mount(self) -> None:
        self.sources.mount(self.persistence)

    def _event(self, seq: int, text: str) -> SessionEvent:
        self._clock += 1
        return SessionEvent("user/message", seq, self._clock, message(text), "append")


def call_of(step: Happening) -> Call:
    """Return the call that a `search` is."""
    scope, query, match, limit = step.arguments
    request = {"query": query, "match": match, "limit": limit}
    if scope is None:
        return Call("search_sessions", (request,))
    return Call("search_events", ({"sessionId": scope, **request},))


def histories(*, reopening: bool) -> st.SearchStrategy[History]:
    """Draw histories.

    Args:
        reopening: also close the engine and open it again on the same directory.
    """
    names, texts = st.sampled_from(_NAMES), st.sampled_from(_TEXTS)
    scopes = st.one_of(st.none(), names)
    searches = st.tuples(
        scopes,
        st.sampled_from(_QUERIES),
        st.sampled_from(["phrase", "any", "all"]),
        st.sampled_from([20, 1]),
    )
    kinds = [
        searches.map(lambda given: Happening("search", given)),
        st.tuples(names, st.lists(texts, min_size=1, max_size=3).map(tuple)).map(
            lambda given: Happening("put", given)
        ),
        st.tuples(names, texts).map(lambda given: Happening("extend", given)),
        names.map(lambda name: Happening("attach", (name,))),
        st.tuples(names, texts).map(lambda given: Happening("say", given)),
        st.tuples(names, st.booleans()).map(lambda given: Happening("detach", given)),
        names.map(lambda name: Happening("remove", (name,))),
        names.map(lambda name: Happening("corrupt", (name,))),
        st.sampled_from([Happening("unmount"), Happening("mount")]),
    ]
    if reopening:
        kinds.append(st.just(Happening("reopen")))
    steps = st.lists(st.one_of(kinds), min_size=2, max_size=15)
    begun = st.sampled_from(_TEXTS).map(lambda text: Happening("put", ("a", (text,))))
    last = searches.map(lambda given: Happening("search", given))
    return st.builds(lambda first, some, end: History([first, *some, end]), begun, steps, last)


_SCRIPT = """\
import asyncio
import tempfile
from pathlib import Path

from session_query_specs import SuiteConfig
from session_query_specs.corpora.histories import Happening, World, call_of

from {module} import {name}

STEPS = [
{steps}
]


async def main():
    world = World()
    with tempfile.TemporaryDirectory() as folder:
        config = SuiteConfig(directory=Path(folder))
        engine = await {name}().open(world.sources, config)
        for kind, *arguments in STEPS:
            step = Happening(kind, tuple(arguments))
            if kind == "search":
                print(call_of(step), await call_of(step).on(engine))
            elif kind == "reopen":
                await engine.close()
                engine = await {name}().open(world.sources, config)
            else:
                world.happen(step)
        await engine.close()


asyncio.run(main())
"""
