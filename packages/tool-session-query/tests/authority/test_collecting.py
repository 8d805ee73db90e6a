"""Hits over several match modes and pages, and their titles (INPUT-6, TITLE-1, TITLE-2)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_query import (
    CwdFilter,
    EventSearchRequest,
    MatchMode,
    SeqFilter,
    SessionQueryEngine,
    SessionSearchRequest,
)

from .calling import Ask, Outcome, called
from .corpora import CALLER, ELSEWHERE, HERE, Corpus, header, log
from .engines import WatchedEngine, watched

QUERY = "rocket launched"
TEXTS = st.sampled_from(["rocket launched", "launched rocket", "a rocket", "it launched", "fuel"])
MODES: dict[str, list[MatchMode]] = {
    "auto": ["phrase", "any"],
    "phrase": ["phrase"],
    "all": ["all"],
    "any": ["any"],
}
ENGINES = pytest.mark.parametrize(("engine", "examples"), [("scripted", 100), ("sqlite", 40)])
MORE = "\nThere are more matches."
MATCHES = st.sampled_from([*MODES])


def shown(outcome: Outcome, pattern: str) -> list[str]:
    """The hits of an answer, by what names them."""
    assert outcome.text is not None
    return re.findall(rf"^\d+\. {pattern}", outcome.text, re.MULTILINE)


async def searched(engine: SessionQueryEngine, mode: MatchMode) -> list[str]:
    """The ids of all sessions that a search finds, but for the caller's."""
    request = SessionSearchRequest(QUERY, [CwdFilter([HERE])], limit=500, match=mode)
    page = await engine.search_sessions(request)
    return [hit.id for hit in page.items if hit.id != CALLER]


async def searched_events(engine: SessionQueryEngine, mode: MatchMode) -> list[str]:
    """The seqs of all events of the caller that a search finds before the running step."""
    filters = [SeqFilter(to=len(engine.sources.store.list()[0].events) - 3)]
    request = EventSearchRequest(CALLER, QUERY, filters, 500, None, mode)
    return [str(hit.seq) for hit in (await engine.search_events(request)).items]


@ENGINES
@pytest.mark.requirement("INPUT-6", "TITLE-1", "AUTH-5")
def test_sessions_are_collected_by_mode_and_up_to_the_cap(engine: str, examples: int) -> None:
    """The phrase's sessions come first, each once; a cap is told only if it left something out."""

    @settings(max_examples=examples)
    @given(st.lists(TEXTS, max_size=7), MATCHES, st.integers(1, 5), st.integers(1, 4))
    def check(texts: list[str], match: str, most: int, page: int) -> None:
        asyncio.run(main(texts, match, most, page))

    async def main(texts: Sequence[str], match: str, most: int, page: int) -> None:
        corpus = Corpus()
        caller = corpus.begin_caller()
        for number, text in enumerate(texts):
            corpus.put(header(f"v{number}"), log(text))
            corpus.put(header(f"h{number}", ELSEWHERE), log(text))
        async with watched(corpus.sources, engine) as service:
            found = [one for mode in MODES[match] for one in await searched(service.inner, mode)]
        ask = Ask("session_search", {"query": QUERY, "match": match})
        async with watched(corpus.sources, engine, default_limit=page, max_limit=page) as service:
            outcome = await called(service, ask, caller, most=most)
        wanted = [*dict.fromkeys(found)]
        assert shown(outcome, r'session "(\w+)"') == wanted[:most]
        assert (MORE in (outcome.text or "")) == (len(wanted) > most)
        titled = [call.given for call in service.calls if call.name == "read_titles"]
        assert titled == ([tuple(wanted[:most])] if wanted else [])

    check()


@ENGINES
@pytest.mark.requirement("INPUT-6", "TITLE-1", "AUTH-7")
def test_events_are_collected_by_mode_and_up_to_the_cap(engine: str, examples: int) -> None:
    """The phrase's events come first, each once; a cap is told only if it left something out."""

    @settings(max_examples=examples)
    @given(st.lists(TEXTS, max_size=7), MATCHES, st.integers(1, 5), st.integers(1, 4))
    def check(texts: list[str], match: str, most: int, page: int) -> None:
        asyncio.run(main(texts, match, most, page))

    async def main(texts: Sequence[str], match: str, most: int, page: int) -> None:
        corpus = Corpus()
        caller = corpus.store.attach(header(CALLER), log(*texts))
        caller.append("step/start", {"turn": 1, "step": 1})
        caller.append("session/title", {"title": QUERY, "messageSeqs": [], "source": {}})
        async with watched(corpus.sources, engine) as service:
            found = [
                one
                for mode in MODES[match]
                for one in (await searched_events(service.inner, mode) if texts else [])
            ]
        ask = Ask("session_event_search", {"query": QUERY, "match": match})
        async with watched(corpus.sources, engine, default_limit=page, max_limit=page) as service:
            outcome = await called(service, ask, caller, most=most)
        wanted = [*dict.fromkeys(found)]
        assert shown(outcome, r"seq (\d+),") == wanted[:most]
        assert (MORE in (outcome.text or "")) == (len(wanted) > most)

    check()


def found_in(texts: Sequence[str], **arguments: Any) -> tuple[Outcome, WatchedEngine]:
    """Search sessions of these texts, for the phrase at first."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    for number, text in enumerate(texts):
        corpus.put(header(f"v{number:03}"), log(text))

    async def main() -> tuple[Outcome, WatchedEngine]:
        async with watched(corpus.sources) as service:
            ask = Ask("session_search", {"query": QUERY, **arguments})
            return await called(service, ask, caller), service

    return asyncio.run(main())


@pytest.mark.requirement("INPUT-6")
def test_each_hit_says_how_it_matched() -> None:
    """A hit of the phrase says so; others say which of the words they have close together."""
    outcome, _ = found_in(["it launched", "the launched rocket", "a rocket launched"])
    assert shown(outcome, r'session "v00(\d)"') == ["2", "1", "0"]
    assert outcome.text is not None
    assert re.findall(r"^   matched.*", outcome.text, re.MULTILINE) == [
        "   matched: the phrase",
        '   matched, close together: "rocket", "launched"',
        '   matched: "launched"',
    ]


@pytest.mark.requirement("TITLE-1")
@pytest.mark.parametrize("match", ["auto", "phrase", "all", "any"])
@pytest.mark.parametrize("count", [99, 100, 101])
def test_the_default_cap_needs_one_page_of_each_search(match: str, count: int) -> None:
    """No cursor is followed for the default cap, with the own session among the hits."""
    outcome, service = found_in(["rocket launched"] * count, match=match)
    searches = [call.given[0] for call in service.calls if call.name == "search_sessions"]
    modes = MODES[match] if count <= 100 else MODES[match][:1]
    assert [search.match for search in searches] == modes  # type: ignore[attr-defined]
    assert {search.cursor for search in searches} == {None}  # type: ignore[attr-defined]
    assert len(shown(outcome, "session")) == min(count, 100)
    assert (MORE in (outcome.text or "")) == (count > 100)
