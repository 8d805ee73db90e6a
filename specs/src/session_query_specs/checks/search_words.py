"""Which words of a query count, and where they are found (SEARCH-13)."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    agree_on_hits,
    expect_hits,
)
from session_query_specs.checks._check import check, reached
from session_query_specs.checks._searches import FINDS, searches
from session_query_specs.corpora import (
    Call,
    CallsOn,
    Corpus,
    session,
)

__all__: list[str] = []


@check("SEARCH-13/all", searches(match="all"), after=FINDS, weight=2)
async def _all(provider: ProviderUnderTest, example: CallsOn) -> None:
    """`all` finds the documents with every unit of the query somewhere, and no others."""
    await agree_on_hits(provider, example)


@check("SEARCH-13/any", searches(match="any"), after=FINDS, weight=2)
async def _any(provider: ProviderUnderTest, example: CallsOn) -> None:
    """`any` finds the documents with at least one unit of the query, and no others."""
    await agree_on_hits(provider, example)


_QUESTIONS: Final = (
    ("where is the alpha", "alpha", "the where is"),
    ("what did we do about alpha?", "alpha", "what we did about"),
    ("the", "the alpha", "alpha"),
    ("don't alpha", "alpha", "don't"),
    ("什么 权限", "权限", "什么"),
    ("src/main.py", "in src/main.py here", "main src py"),
    ("工作区权限", "权限 工作区 区权", "限权区作工"),
)


@st.composite
def _questions(draw: st.DrawFn) -> CallsOn:
    query, found, missed = draw(st.sampled_from(_QUESTIONS))
    match = draw(st.sampled_from(("all", "any")))
    corpus = Corpus(
        (session("found", [found]), session("missed", [missed]), session("alike", ["zeta"]))
    )
    return CallsOn(corpus, [Call("search_sessions", ({"query": query, "match": match},))])


@check("SEARCH-13/words", _questions(), after=FINDS)
async def _words(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Stop words are dropped unless they are all there is; a word of several tokens is a phrase."""
    expect_hits((await example.outcomes(provider))[0], [("found", 0)])


@st.composite
def _blocks(draw: st.DrawFn) -> CallsOn:
    """Draw texts in which words stand in blocks of their own, near the edges of blocks."""
    gaps = st.sampled_from((0, 1, 2, 61, 62, 63, 64))
    words = st.sampled_from(("alpha", "beta", "src/main.py"))
    part = st.builds(lambda gap, word: f"{'o ' * gap}{word}", gaps, words)
    text = st.lists(part, min_size=2, max_size=4).map(" ".join)
    texts = draw(st.lists(text, min_size=1, max_size=3))
    request = {"sessionId": "s", "query": "alpha beta src/main.py", "match": "any"}
    corpus = Corpus((session("s", [*texts, "src/main.py beta alpha"]),))
    return CallsOn(corpus, [Call("search_events", (request,))])


def without_snippet(hit: dict[str, Any]) -> dict[str, Any]:
    """Return what of an event hit has nothing to do with the snippet."""
    return {key: value for key, value in hit.items() if key != "snippet"}


@check("SEARCH-13/matched", _blocks(), after=FINDS, weight=2)
async def _matched(provider: ProviderUnderTest, example: CallsOn) -> None:
    """`matched` lists the units that begin in the best block of 64 tokens, in query order."""
    [hits] = await agree_on_hits(provider, example, without_snippet)
    sizes = {len(hit["matched"]) for hit in hits}
    if len(sizes) > 1:
        reached("best blocks of different sizes")
    if any(len(hit["matched"]) < max(sizes) for hit in hits):
        reached("units in several blocks")
