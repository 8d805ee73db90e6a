"""Searches whose sources change while they are looked at (RECON-1, RECON-2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hypothesis import strategies as st
from session_query import AbortSignal, ErrorCode, SessionSources, SessionStore

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    expect_code,
    expect_hits,
    in_terms,
    items_of,
    store_calls,
)
from session_query_specs.checks._check import Violation, check
from session_query_specs.checks._searches import FINDS
from session_query_specs.corpora import Call, CallsOn, CallsWhile, Corpus, Outcome, opened, session
from session_query_specs.stores import MemoryPersistence

__all__: list[str] = []

_NAMES: Final = ("a", "b", "c")
_CORPUS: Final = Corpus(tuple(session(name, ["word"], cwd="/w") for name in _NAMES))
_SEARCH: Final = Call("search_sessions", ({"query": "word"},))


@dataclass(slots=True)
class _Moving:
    """Sources in which something changes whenever it is told to."""

    sources: SessionSources
    store: SessionStore
    persistence: MemoryPersistence
    moves: int = field(default=0)

    def comes(self) -> None:
        """Store one more session."""
        one = session(f"d{self.moves}", ["word"])
        self.persistence.put(one.header, one.events)

    def goes(self) -> None:
        """Remove the last session."""
        self.persistence.remove(_NAMES[-self.moves])

    def header(self) -> None:
        """Give a session another working directory."""
        self.persistence.put(
            replace(_CORPUS.sessions[0].header, cwd=f"/{self.moves}"), _CORPUS.sessions[0].events
        )

    def mounted(self) -> None:
        """Mount another store."""
        other = MemoryPersistence(f"other {self.moves}")
        one = session(f"z{self.moves}", ["word"])
        other.put(one.header, one.events)
        other.before = self.persistence.before
        self.sources.mount(other)

    def live(self) -> None:
        """Attach one more live session."""
        one = session(f"l{self.moves}", ["word"])
        self.store.attach(one.header, one.events)

    def grows(self) -> None:
        """Append an event to a log."""
        one = session("a", ["word"] * (1 + self.moves), cwd="/w")
        self.persistence.put(one.header, one.events)


_CHANGES: Final[dict[str, tuple[Callable[[_Moving], None], list[str]]]] = {
    "a session comes": (_Moving.comes, ["a", "b", "c", "d1"]),
    "a session goes": (_Moving.goes, ["a", "b"]),
    "a header changes": (_Moving.header, ["a", "b", "c"]),
    "another store is mounted": (_Moving.mounted, ["z1"]),
    "a session becomes live": (_Moving.live, ["a", "b", "c", "l1"]),
}
"""What changes, and what is found after the first time."""


def _cases(changes: list[str], when: str) -> st.SearchStrategy[CallsWhile]:
    return st.sampled_from(changes).map(
        lambda what: CallsWhile(_CORPUS, [_SEARCH], told=(what, when), what=what)
    )


async def _searched(
    provider: ProviderUnderTest,
    example: CallsOn,
    change: Callable[[_Moving], None],
    moves_at: Callable[[str, int, int], bool],
) -> tuple[Outcome, Outcome]:
    """Return how a search ends while its sources change, and the next one, when they don't.

    Args:
        provider: the provider.
        example: its corpus is what the sources hold at first.
        change: makes a change.
        moves_at: tells for the name of a call of the store, the number of listings so far, and of
            changes so far, whether there is a change now.
    """
    sources, store, persistence = example.corpus.open()
    moving = _Moving(sources, store, persistence)
    quiet = False
    listings = 0

    async def before(what: str, _signal: AbortSignal | None) -> None:
        nonlocal listings
        listings += what == "list"
        if not quiet and moves_at(what, listings, moving.moves):
            moving.moves += 1
            change(moving)

    persistence.before = before
    async with opened(provider, sources) as engine:
        outcome = await _SEARCH.on(engine)
        quiet = True
        expect_hits(await Call("search_sessions", ({"query": "absentword"},)).on(engine), [])
        return outcome, await _SEARCH.on(engine)


def _found(outcome: Outcome) -> list[tuple[str, Any]]:
    return sorted((hit["header"]["id"], hit["header"].get("cwd")) for hit in items_of(outcome))


_SECOND: Final = 2


def _at_first_inspection(what: str, _listings: int, moves: int) -> bool:
    return what != "list" and moves == 0


def _at_second_listing(what: str, listings: int, moves: int) -> bool:
    return what == "list" and listings == _SECOND and moves == 0


@check(
    "RECON-1/meanwhile",
    _cases([*_CHANGES], "while logs are inspected, and then no more"),
    after=FINDS,
)
async def _meanwhile(provider: ProviderUnderTest, example: CallsWhile) -> None:
    """What changes once while logs are inspected is in the answer."""
    change, names = _CHANGES[example.what]
    # a log whose header changes under its own inspection may be left out
    moves_at = _at_second_listing if change is _Moving.header else _at_first_inspection
    outcome, later = await _searched(provider, example, change, moves_at)
    expect_hits(outcome, [(name, 0) for name in names])
    if _found(outcome) != _found(later):
        raise Violation(f"as it is now: {_found(later)}", f"{_found(outcome)}")


async def _quiet_listings(provider: ProviderUnderTest, example: CallsOn) -> int:
    """Return how often a search lists when nothing changes; some list before each inspection."""
    sources, _, persistence = example.corpus.open()
    async with opened(provider, sources) as engine:
        persistence.reads.clear()
        await _SEARCH.on(engine)
        return persistence.reads.count("list")


@check(
    "RECON-1/no-end",
    # an engine may list as often as it inspects, and nothing can go away for ever
    _cases([what for what in _CHANGES if what != "a session goes"], "until two tries are over"),
    after=("RECON-1/meanwhile",),
)
async def _no_end(provider: ProviderUnderTest, example: CallsWhile) -> None:
    """What still changes after one more try fails the search, and the next one succeeds."""
    change, _ = _CHANGES[example.what]

    def and_grows(moving: _Moving) -> None:
        # where nothing has to be inspected, one listing suffices
        change(moving)
        if change is _Moving.live:
            moving.grows()

    two_tries = 2 * await _quiet_listings(provider, example)

    def moves_at(what: str, listings: int, moves: int) -> bool:
        if change is _Moving.mounted:
            return what != "list" and moves < min(listings, two_tries)
        return what == "list" and _SECOND <= listings <= two_tries

    outcome, later = await _searched(provider, example, and_grows, moves_at)
    if not items_of(later):
        raise Violation("what is there now, once it is quiet", in_terms(items_of(later)))
    expect_code(outcome, ErrorCode.PERSISTENCE_FAILED)


@check(
    "RECON-1/growing",
    _cases(["the log of 'a' grows"], "at each call of the store"),
    after=FINDS,
)
async def _growing(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Logs that only grow, without end, are answered for as they were inspected."""
    outcome, _ = await _searched(provider, example, _Moving.grows, lambda *_: True)
    got = [name for name, _ in _found(outcome)]
    if got != [*_NAMES]:
        raise Violation(f"{[*_NAMES]}", f"{got}")


@check(
    "RECON-2/other-store",
    st.just(
        CallsOn(
            Corpus((session("a", ["word"]),)),
            [_SEARCH, Call("search_sessions", ({"query": "other"},))],
            told=("a store with the same id and revision, but the text 'other', is mounted",),
        )
    ),
    after=FINDS,
)
async def _other_store(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Another store with equal ids and revisions is not mistaken for the one before."""
    sources, _, persistence = example.corpus.open()
    other = MemoryPersistence("other")
    there = session("a", ["other"])
    other.put(there.header, there.events)
    old, new = example.calls
    async with opened(provider, sources) as engine:
        for mounted, here, gone in ((None, old, new), (other, new, old), (persistence, old, new)):
            if mounted is not None:
                sources.mount(mounted)
            persistence.reads.clear()
            expect_hits(await here.on(engine), [("a", 0)])
            expect_hits(await gone.on(engine), [])
        if set(persistence.reads) - {"list"}:
            told = store_calls(persistence.reads)
            raise Violation("no inspection by the store that is back", told)
