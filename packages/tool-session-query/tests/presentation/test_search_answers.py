"""Search answers read back as what was found, whatever the sessions say (RENDER-1, RENDER-2)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query import (
    EventHit,
    EventSearchPage,
    SessionHit,
    SessionSearchPage,
    SessionTitle,
    TitleObservation,
    TitleResult,
)

from ..toolset.scripted import ScriptedEngine, answer, failure, header
from .hostile import IDS, TEXTS, lines_of
from .parsing import only_quoted, search

TIMES = st.integers(0, 2**42)
SURFACES: Any = st.sampled_from(["current", "shadowed", "log-only"])
MATCHED = st.none() | st.lists(TEXTS, min_size=1, max_size=3).map(tuple)


def event_hits(session_id: str = "other") -> st.SearchStrategy[EventHit]:
    """Matches in one session."""
    return st.builds(
        EventHit, st.just(session_id), st.integers(0, 99), TEXTS, TIMES, SURFACES, TEXTS, MATCHED
    )


@st.composite
def _session_hits(draw: st.DrawFn) -> tuple[SessionHit, str | None]:
    session_id = draw(IDS.filter(lambda one: one != "own"))
    parent = draw(st.none() | IDS)
    where = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    origin = draw(st.sampled_from([None, "subagent"]))
    found = header(
        session_id,
        parent_session=parent,
        origin=origin,
        seed_length=draw(st.none() | st.just(50)),
    )
    return SessionHit(found, *where, draw(event_hits(session_id))), draw(st.none() | TEXTS)


def titles_of(titles: dict[str, str | None]) -> list[TitleResult]:
    """The answers of the service for some titles."""
    return [
        TitleResult(
            one,
            TitleObservation(
                header(one), None if text is None else SessionTitle(text, (), {}, 0, 0)
            ),
        )
        for one, text in titles.items()
    ]


@pytest.mark.requirement("RENDER-1", "RENDER-2", "RENDER-3", "TITLE-1")
@given(st.lists(_session_hits(), min_size=1, max_size=4, unique_by=lambda pair: pair[0].header.id))
def test_a_search_of_sessions_reads_back(found: list[tuple[SessionHit, str | None]]) -> None:
    """Each hit has its id, title, time, parent, availability, match and snippet, and no other."""
    kinship = {None: "fork", "subagent": "sub-agent"}
    hits = [hit for hit, _ in found]
    titles = {hit.header.id: title for hit, title in found}
    engine = ScriptedEngine(
        search_sessions=SessionSearchPage(tuple(hits)), read_titles=titles_of(titles)
    )
    text = answer(engine, "session_search", {"query": "a"})
    assert text == answer(engine, "session_search", {"query": "a"})
    rest, shown, capped, missing = search(text, "session")
    assert (rest, capped, len(shown)) == ("", False, len(hits))
    matched = [hit.best_match.matched for hit in hits]
    assert missing == ([] if any(units is None or "a" in units for units in matched) else ["a"])
    for hit, one in zip(hits, shown, strict=True):
        best, title, parent = hit.best_match, titles[hit.header.id], hit.header.parent_session
        where = {"live": hit.live, "persisted": hit.persisted}
        assert one.session == {
            "id": hit.header.id,
            "title": ("untitled",) if title is None else title,
            "created": "2026-05-28T20:26:40.000Z",
            "parent": ("none",) if parent is None else parent,
            "kinship": None if parent is None else kinship[hit.header.origin],
            "availability": " and ".join(name for name, there in where.items() if there),
        }
        assert (one.seq, one.type, one.surface) == (best.seq, best.type, best.surface)
        assert one.inherited == (best.seq < (hit.header.seed_length or 0))
        assert one.matched == (None if best.matched is None else list(best.matched))
        assert one.snippet == lines_of(best.snippet)


@pytest.mark.requirement("RENDER-1", "RENDER-2", "RENDER-3")
@given(
    IDS.filter(lambda one: one != "own"),
    st.lists(event_hits(), min_size=1, max_size=4, unique_by=lambda hit: hit.seq),
    st.none() | st.integers(0, 99),
)
def test_a_search_of_events_reads_back(
    session_id: str, hits: list[EventHit], seed: int | None
) -> None:
    """Each match has its seq, type, surface, words and snippet, and inherited ones say so."""
    hits = [hit._replace(session_id=session_id) for hit in hits]
    page = EventSearchPage(header(session_id, seed_length=seed), tuple(hits))
    engine = ScriptedEngine(search_events=page)
    arguments = {"query": "a", "session_id": session_id, "match": "phrase"}
    rest, shown, _, missing = search(answer(engine, "session_event_search", arguments), "event")
    assert ascii(only_quoted(rest.removeprefix(" in session "))) == ascii(session_id)
    assert not missing
    assert len(shown) == len(hits)
    for hit, one in zip(hits, shown, strict=True):
        assert (one.seq, one.type, one.surface) == (hit.seq, hit.type, hit.surface)
        assert one.inherited == (hit.seq < (seed or 0))
        assert one.matched == (None if hit.matched is None else list(hit.matched))
        assert one.snippet == lines_of(hit.snippet)


@pytest.mark.requirement("RENDER-1", "TITLE-2")
def test_a_title_cannot_pass_for_its_absence() -> None:
    """`untitled` and a code stand without quotes, and a title that says so has them."""
    forged = "untitled (SESSION_QUERY_CORRUPT_SESSION)"
    hits = tuple(
        SessionHit(header(one), True, False, EventHit(one, 0, "t", 0, "current", ""))
        for one in ("a", "b", "c")
    )
    titles = titles_of({"a": forged, "b": None})
    broken = failure("SESSION_QUERY_CORRUPT_SESSION", header("c"))
    engine = ScriptedEngine(
        search_sessions=SessionSearchPage(hits),
        read_titles=[*titles, TitleResult("c", None, broken)],
    )
    shown = search(answer(engine, "session_search", {"query": "a"}), "session").hits
    assert [one.session["title"] for one in shown] == [forged, ("untitled",), (forged,)]


def missing_from(*matched: tuple[str, ...] | None, query: str, mode: str = "auto") -> list[str]:
    """The words that an answer says are in none of its matches."""
    hits = tuple(
        EventHit("other", seq, "t", 0, "current", "", one) for seq, one in enumerate(matched)
    )
    engine = ScriptedEngine(search_events=EventSearchPage(header(), hits))
    arguments = {"query": query, "match": mode, "session_id": "other"}
    return search(answer(engine, "session_event_search", arguments), "event").missing


@pytest.mark.requirement("RENDER-1")
@pytest.mark.parametrize("mode", ["auto", "any"])
def test_words_in_none_of_the_matches_are_told(mode: str) -> None:
    """A word of the query that no match holds is named, once and in the order of the query."""
    query = "redis lock timeout lock"
    assert missing_from(("redis",), ("redis",), query=query, mode=mode) == ["lock", "timeout"]
    assert missing_from(("redis",), ("timeout", "lock"), query=query, mode=mode) == []
    assert missing_from(None, query=query, mode=mode) == []
    assert missing_from(("redis",), None, query=query, mode=mode) == []  # the phrase has them all


@pytest.mark.requirement("RENDER-1")
@pytest.mark.parametrize("mode", ["phrase", "all"])
def test_where_every_word_had_to_match_none_is_missing(mode: str) -> None:
    """A phrase, or all words, are in each match."""
    assert missing_from(("redis",), query="redis lock", mode=mode) == []
