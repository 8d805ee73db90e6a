"""The oracle and the SQLite provider share no search code, and answer alike."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_query_specs.checks import CHECKS
from session_query_specs.corpora import (
    Call,
    CallsOn,
    Outcome,
    corpora,
    event_requests,
    session_requests,
    texts,
)
from session_query_specs.oracle import Oracle
from session_query_specs.running import Profile, Status, judge
from session_query_sqlite.conformance import SqliteProvider

TIED = st.sampled_from(("alpha", "alpha alpha", "beta alpha", "alpha alpha alpha", "alpha bêta"))


@st.composite
def searches(draw: st.DrawFn, of: st.SearchStrategy[str]) -> CallsOn:
    """Draw a corpus, settings, and some searches of each kind, all there is to a request drawn."""
    corpus = draw(corpora(of))
    limits = st.sampled_from((None, 1, 2, 500))
    calls = []
    for _ in range(2):
        sessions = {**draw(session_requests(corpus, filters=1)), "limit": draw(limits)}
        events = {**draw(event_requests(corpus, filters=1)), "limit": draw(limits)}
        calls += [Call("search_sessions", (sessions,)), Call("search_events", (events,))]
    config = {
        "snippet_chars": draw(st.sampled_from((240, 1, 2, 3, 5, 8, 12, 20))),
        "segmentation": draw(st.sampled_from(("script", "none"))),
    }
    return CallsOn(corpus, calls, config)


def comparable(outcome: Outcome) -> tuple[Any, str | None]:
    """Return an outcome without the text of its cursor, which is each provider's own."""
    answer = outcome.answer
    if isinstance(answer, dict) and "nextCursor" in answer:
        answer = {**answer, "nextCursor": "…"}
    return answer, outcome.code


@pytest.mark.requirement("CONF-6")
@settings(max_examples=50)
@given(st.one_of(searches(texts()), searches(TIED)))
def test_the_oracle_answers_as_the_sqlite_provider_does(example: CallsOn) -> None:
    """Over any corpus, any search gives the same JSON or the same code from both."""
    logging.getLogger("session_query").setLevel(logging.ERROR)
    wanted = asyncio.run(example.outcomes(Oracle()))
    got = asyncio.run(example.outcomes(SqliteProvider()))
    for call, want, have in zip(example.calls, wanted, got, strict=True):
        assert comparable(want) == comparable(have), str(call)


@pytest.mark.requirement("CONF-6")
@pytest.mark.parametrize(
    "name", ["SEARCH-9/order", "SEARCH-13/order", "SEARCH-13/blocks", "SEARCH-10/snippet"]
)
def test_the_sqlite_provider_agrees_where_ties_are_sought(name: str) -> None:
    """The checks that compare orders and snippets with the oracle's pass for SQLite."""
    where = "session_query_sqlite.conformance:SqliteProvider"
    result = judge(CHECKS[name], SqliteProvider(), where, Profile("few", 15, 1, 1), 2)
    assert result.status is Status.PASSED, result.finding
