"""Corpora with a search of each kind: what many checks of searches are judged on."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from session_query_specs.corpora import (
    Call,
    CallsOn,
    Corpus,
    corpora,
    event_requests,
    session_requests,
)

__all__ = ["ALL", "FINDS", "WORDS", "both_ways", "searches"]

FINDS: Final = ("SEARCH-1/finds", "SEARCH-2/finds")
ALL: Final = 500
"""A limit that no corpus here reaches."""


@st.composite
def searches(
    draw: st.DrawFn,
    of: st.SearchStrategy[str] | None = None,
    methods: str = "both",
    match: str | None = None,
) -> CallsOn:
    """Draw a corpus and a search of each kind without filters, which find something mostly."""
    corpus = draw(corpora(of))
    calls = []
    if methods != "events":
        request = draw(session_requests(corpus, filters=0, match=match))
        calls.append(Call("search_sessions", ({**request, "limit": ALL},)))
    if methods != "sessions":
        request = draw(event_requests(corpus, filters=0, match=match))
        calls.append(Call("search_events", ({**request, "limit": ALL},)))
    return CallsOn(corpus, calls)


WORDS: Final = st.sampled_from(("alpha", "beta", "gamma"))
"""Some word."""


def both_ways(corpus: Corpus, query: str) -> list[Call]:
    """Return the search for a query over the corpus, and the one in its first session."""
    target = corpus.sessions[0].header.id
    return [
        Call("search_sessions", ({"query": query},)),
        Call("search_events", ({"sessionId": target, "query": query},)),
    ]
