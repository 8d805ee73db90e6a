"""What happens to a corpus, step by step, as data: the stateful part of the suite (CONF-7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionEvent, SessionHeader, SessionSources, SessionStore

from session_query_specs.corpora._calls import Call
from session_query_specs.corpora._corpus import CREATED, message
from session_query_specs.stores import MemoryPersistence

__all__ = ["Happening", "History", "World", "call_of", "histories", "replacements"]

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
        return [
            f"{number}. {call_of(step) if step.kind == 'search' else step}"
            for number, step in enumerate(self.steps, 1)
        ]

    def script(self, subject: str) -> str:
        """Return a program that goes through the same steps."""
        module, _, name = subject.partition(":")
        steps = "\n".join(
            f"    Happening({step.kind!r}, {step.arguments!r})," for step in self.steps
        )
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

    def _turn_back_clock(self) -> None:
        """Let what comes next have the times of what came first."""
        self._clock = CREATED

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
    searches = st.tuples(
        st.one_of(st.none(), names),
        st.sampled_from(_QUERIES),
        st.sampled_from(["phrase", "any", "all"]),
        st.sampled_from([20, 1]),
    ).map(lambda given: Happening("search", given))
    some_texts = st.lists(texts, min_size=1, max_size=3).map(tuple)
    choice = st.integers(0, 5039)
    part = st.tuples(choice, choice, some_texts, st.one_of(st.none(), st.just(_BROAD), searches))
    parts = st.lists(part, max_size=14)
    return st.builds(
        lambda first, some, end: History([*_sensible(first, some, reopening), end]),
        texts,
        parts,
        st.one_of(searches, st.just(_BROAD)),
    )


_BROAD: Final = Happening("search", (None, "word other", "any", 20))
"""What goes unnoticed is often covered up by the next change, so it is looked at before."""

_Part = tuple[int, int, tuple[str, ...], Happening | None]


def _sensible(first: str, parts: Sequence[_Part], reopening: bool) -> Iterator[Happening]:  # noqa: FBT001 - see `histories`
    """Turn numbers into steps that make sense where they happen, so that few do nothing."""
    # how many events each session has
    stored, live, mounted = {"a": 1}, dict[str, int](), True
    yield Happening("put", ("a", (first,)))
    for which, whose, texts, look in parts:
        kinds = [*(["put", "extend", "remove", "corrupt"] if stored else ["put"])]
        kinds += ["say", "say", "detach"] if live else []
        kinds += ["attach"] if live.keys() != {*_NAMES} else []
        kinds += ["unmount"] if mounted else ["mount"] * 3
        kinds += ["reopen"] * 2 * reopening
        kinds += ["replace"] * (2 if live else len(stored) > 0)
        kind = kinds[which % len(kinds)]
        if kind in {"mount", "unmount", "reopen"}:
            mounted = mounted if kind == "reopen" else kind == "mount"
            yield Happening(kind)
        else:
            own = _whose(kind, stored, live)
            name = own[whose % len(own)]
            if kind == "put":
                stored[name] = len(texts)
                yield Happening(kind, (name, texts))
            elif kind in {"extend", "say"}:
                grown = stored if kind == "extend" else live
                grown[name] += 1
                yield Happening(kind, (name, texts[0]))
            elif kind == "detach":
                flush = whose % 2 == 0
                count = live.pop(name)
                stored.update({name: count} if flush else {})
                yield Happening(kind, (name, flush))
            elif kind == "replace":
                count = live.get(name) or stored.get(name, 0)
                yield from _replaced(name, _as_many(texts, count), live=name in live)
                (stored if name in live else live).pop(name, None)
            else:
                if kind == "attach":
                    live[name] = stored.get(name, 0)
                elif kind == "remove":
                    del stored[name]
                yield Happening(kind, (name,))
        if look is not None:
            yield look


def _whose(kind: str, stored: Mapping[str, int], live: Mapping[str, int]) -> list[str]:
    """Return the sessions that something can happen to."""
    there: dict[str, Collection[str]] = {
        "put": _NAMES,
        "attach": {*_NAMES} - live.keys(),
        "say": live,
        "detach": live,
        "replace": live or stored,
    }
    return sorted(there.get(kind, stored))


def _as_many(texts: Sequence[str], count: int) -> tuple[str, ...]:
    return tuple(texts[at % len(texts)] for at in range(count))


def _replaced(name: str, texts: Sequence[str], *, live: bool) -> Iterator[Happening]:
    """Put another session of as many events into the place of one that was just seen."""
    yield _BROAD
    if live:
        yield Happening("detach", (name, False))
        yield Happening("remove", (name,))
        yield Happening("turn_back_clock")
        yield from _live(name, texts)
    else:
        yield Happening("turn_back_clock")
        yield Happening("put", (name, tuple(texts)))


def _live(name: str, texts: Sequence[str]) -> Iterator[Happening]:
    yield Happening("attach", (name,))
    for text in texts:
        yield Happening("say", (name, text))


def replacements() -> st.SearchStrategy[History]:
    """Draw histories in which a session of the same id, length and time takes another's place."""
    places, methods = st.sampled_from(["live", "stored"]), st.sampled_from([None, "a"])
    return st.builds(_replacement, places, places, methods)


def _replacement(before: str, after: str, scope: str | None) -> History:
    """Say `word`, look for it, say `other` in its place, and look for both."""

    def made(place: str, text: str) -> list[Happening]:
        return [*_live("a", [text])] if place == "live" else [Happening("put", ("a", (text,)))]

    def look(query: str) -> Happening:
        return Happening("search", (scope, query, "phrase", 20))

    gone = [Happening("detach", ("a", False))] if before == "live" else []
    gone += [Happening("remove", ("a",))] if (before, after) == ("stored", "live") else []
    return History(
        [
            *made(before, "word"),
            *(look("word"), look("other")),
            *(*gone, Happening("turn_back_clock")),
            *made(after, "other"),
            *(look("word"), look("other")),
        ]
    )


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
        for step in STEPS:
            if step.kind == "search":
                print(call_of(step), await call_of(step).on(engine))
            elif step.kind == "reopen":
                await engine.close()
                engine = await {name}().open(world.sources, config)
            else:
                world.happen(step)
        await engine.close()


asyncio.run(main())
"""
