"""Targets that are replaced after they were authorized: each failure, seen or hidden (AUTH-4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from session_query import (
    PersistenceCorruptionError,
    SessionEvent,
    SessionHeader,
)
from session_query.live import LiveSession

from .calling import REFUSED, Ask, Outcome, called
from .corpora import CALLER, CANARY, ELSEWHERE, HERE, Corpus, broken, header, log
from .engines import watched

ENGINES = pytest.mark.parametrize("engine", ["sqlite", "scripted"])
READ = Ask("session_event_read", {"session_id": "v0", "seq": 2})
TRACE = Ask("session_event_trace", {"session_id": "v0", "seq": 2})
SEARCH = Ask("session_event_search", {"session_id": "v0", "query": "rocket"})
LINEAGE = Ask("session_trace", {"session_id": "v0"})

Replace = Callable[[Corpus, str], object]


def put(corpus: Corpus, cwd: str, events: list[SessionEvent]) -> None:
    """Put another log in the place of the target."""
    corpus.put(header("v0", cwd), events)


def shorter(corpus: Corpus, cwd: str) -> None:
    """Replace the target by one that ends earlier."""
    put(corpus, cwd, log(CANARY))


def corrupt(corpus: Corpus, cwd: str) -> None:
    """Replace the target by one that can't be read."""
    put(corpus, cwd, log(CANARY))
    corpus.persistence.failures["v0"] = PersistenceCorruptionError("v0", 3, CANARY)


def unreadable(corpus: Corpus, cwd: str) -> None:
    """Replace the target by one that the store fails to read."""
    put(corpus, cwd, log(CANARY))
    corpus.persistence.failures["v0"] = OSError(CANARY)


def misplaced(corpus: Corpus, cwd: str) -> None:
    """Replace the target by one whose surface is wrong."""
    put(corpus, cwd, broken(CANARY, CANARY, CANARY))


def circular(corpus: Corpus, cwd: str) -> None:
    """Replace the target by one that is its own ancestor."""
    corpus.put(header("v0", cwd, parent_session="v1"), log(CANARY))
    corpus.put(header("v1", cwd, parent_session="v0"), log(CANARY))


def gone(corpus: Corpus, cwd: str) -> None:
    """End the target."""
    del cwd
    corpus.remove("v0")


EVENT_NOT_FOUND = "SESSION_QUERY_EVENT_NOT_FOUND"
CORRUPT = "SESSION_QUERY_CORRUPT_SESSION"
SURFACE = "SESSION_QUERY_INVALID_SURFACE"
LINE = "SESSION_QUERY_INVALID_LINEAGE"

CASES = [
    (READ, shorter, EVENT_NOT_FOUND),
    (TRACE, shorter, EVENT_NOT_FOUND),
    (READ, corrupt, CORRUPT),
    (TRACE, corrupt, CORRUPT),
    (SEARCH, corrupt, CORRUPT),
    (TRACE, misplaced, SURFACE),
    (SEARCH, misplaced, SURFACE),
    (LINEAGE, circular, LINE),
    (READ, gone, REFUSED),
    (TRACE, gone, REFUSED),
    (SEARCH, gone, REFUSED),
    (LINEAGE, gone, REFUSED),
]


def replaced(engine: str, ask: Ask, replace: Replace, cwd: str, at: int = 1) -> Outcome:
    """Make a call while its target is replaced before the call of that number."""

    async def main() -> Outcome:
        corpus = Corpus()
        caller = corpus.begin_caller()
        corpus.put(header("v0"), log("rocket", "rocket", "rocket", title="rockets"))
        async with watched(corpus.sources, engine) as service:
            service.before = lambda number: number == at and replace(corpus, cwd)
            return await called(service, ask, caller)

    return asyncio.run(main())


@ENGINES
@pytest.mark.requirement("AUTH-4")
@pytest.mark.parametrize(("ask", "replace", "code"), CASES)
def test_a_failure_keeps_its_code_in_the_workspace(
    engine: str, ask: Ask, replace: Replace, code: str
) -> None:
    """A failure has its own code as long as its session may be seen, and a text without details."""
    found = replaced(engine, ask, replace, HERE)
    assert found.code == code
    assert not found.has_canary


@ENGINES
@pytest.mark.requirement("AUTH-4", "AUTH-3", "AUTH-8")
@pytest.mark.parametrize(("ask", "replace", "code"), CASES)
def test_a_failure_of_a_hidden_session_is_the_one_refusal(
    engine: str, ask: Ask, replace: Replace, code: str
) -> None:
    """Whatever is wrong with a session that moved away, it looks like one that never was."""
    del code
    refusal = replaced(
        engine, ask._replace(arguments={**ask.arguments, "session_id": "no"}), gone, HERE, at=9
    )
    assert refusal.code == REFUSED
    assert replaced(engine, ask, replace, ELSEWHERE) == refusal


@ENGINES
@pytest.mark.requirement("TITLE-2", "AUTH-4")
@pytest.mark.parametrize(
    ("replace", "cwd", "title"),
    [
        (corrupt, HERE, f"untitled ({CORRUPT})"),
        (shorter, HERE, "untitled"),
        (unreadable, HERE, "untitled (SESSION_QUERY_PERSISTENCE_FAILED)"),
        (unreadable, ELSEWHERE, None),
        (corrupt, ELSEWHERE, None),
        (shorter, ELSEWHERE, None),
        (gone, HERE, None),
    ],
)
def test_a_title_that_fails_tells_only_what_its_header_allows(
    engine: str, replace: Replace, cwd: str, title: str | None
) -> None:
    """A title that can't be read has its code; one of a session out of sight ends the call."""
    for ask, at in ((LINEAGE, 2), (Ask("session_search", {"query": "rocket", "match": "all"}), 1)):
        found = replaced(engine, ask, replace, cwd, at)
        if title is None:
            assert found.code == REFUSED
        else:
            assert found.text is not None
            assert f"title {title}," in found.text or f"title: {title}\n" in found.text
        assert not found.has_canary


def own_session_moves(corpus: Corpus, caller: LiveSession, number: int) -> None:
    """Take up the caller's session under another working directory, before the first call."""
    if number:
        return
    corpus.store.detach(CALLER)
    moved = SessionHeader(0, CALLER, caller.header.created_at, ELSEWHERE)
    corpus.store.attach(moved, log(*[f"rocket {CANARY}"] * 4, title=CANARY))


@ENGINES
@pytest.mark.requirement("AUTH-1", "AUTH-4", "AUTH-2")
@pytest.mark.parametrize("cwd", [HERE, None, "relative"])
@pytest.mark.parametrize("ask", [READ, TRACE, SEARCH, LINEAGE])
def test_an_own_session_that_moved_is_refused(engine: str, cwd: str | None, ask: Ask) -> None:
    """A session under the caller's own id is not the caller's once its cwd is another."""
    own = {name: given for name, given in ask.arguments.items() if name != "session_id"}

    async def main() -> Outcome:
        corpus = Corpus()
        caller = corpus.begin_caller(cwd)
        async with watched(corpus.sources, engine) as service:
            service.before = lambda number: own_session_moves(corpus, caller, number)
            return await called(service, ask._replace(arguments=own), caller)

    found = asyncio.run(main())
    assert found.code == REFUSED
    assert not found.has_canary
