"""Which hits come first (SEARCH-8, SEARCH-9, SEARCH-13)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionHeader

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    agree_in_order,
    agree_on_hits,
    in_terms,
    items_of,
    places,
)
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._searches import ALL, FINDS
from session_query_specs.corpora import (
    CREATED,
    Call,
    CallsOn,
    Corpus,
    Place,
    Session,
    Step,
    log_of,
)

__all__: list[str] = []

_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "both")
_TEXTS: Final = (
    "alpha",
    "alpha delta",
    "delta alpha",
    "alpha alpha",
    "alpha alpha alpha",
    "alpha x alpha",
    "delta",
    "a\u0301 alpha",
    "alpha délta",
)
_QUERIES: Final = ("alpha", "alpha alpha", "alpha delta", "delta")


@cache
def _tied_sessions(session_id: str, cwds: tuple[str, ...]) -> st.SearchStrategy[Session]:
    """Draw a session whose texts are often equally strong, long and old."""
    step = st.builds(
        Step, st.sampled_from(("say", "say", "answer")), st.sampled_from(_TEXTS), st.integers(0, 1)
    )
    return st.builds(
        lambda steps, cwd, place: Session(
            SessionHeader(0, session_id, CREATED, cwd), log_of(steps), place
        ),
        st.lists(step, min_size=1, max_size=4),
        st.sampled_from(cwds),
        st.sampled_from(_PLACES),
    )


@st.composite
def _tied(draw: st.DrawFn, match: st.SearchStrategy[str]) -> CallsOn:
    ids = ("s1", "S2", "sé", "s")[: draw(st.integers(1, 4))]
    corpus = Corpus(tuple(draw(_tied_sessions(one, ("/w",))) for one in ids))
    asked = {"query": draw(st.sampled_from(_QUERIES)), "match": draw(match)}
    return CallsOn(
        corpus,
        [
            Call("search_sessions", (asked,)),
            Call("search_events", ({"sessionId": ids[0], **asked},)),
        ],
    )


def _note_ties(example: CallsOn, hits: list[dict[str, Any]]) -> None:
    """Take note of how far the order has to look."""
    texts = {
        (one.header.id, event.seq): (str(event.to_json()["data"]).count("alpha"), event.time)
        for one in example.corpus.sessions
        for event in one.events
    }
    keys = [
        (texts[place][0], len((hit.get("bestMatch") or hit)["snippet"]), texts[place][1])
        for place, hit in zip(places(hits), hits, strict=True)
    ]
    for size, what in ((1, "spans"), (2, "length"), (3, "time")):
        if any(count > 1 for count in Counter(key[:size] for key in keys).values()):
            reached(f"a tie of {what}")


_PHRASE: Final = st.just("phrase")
_WORDS: Final = st.sampled_from(("any", "all"))


@check("SEARCH-9/order", _tied(_PHRASE), needs=("ranking=contract",), after=FINDS, weight=3)
async def _order(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Hits are ordered by spans, length, time, session id and seq; the first is the best match."""
    for hits in await agree_in_order(provider, example):
        _note_ties(example, hits)


@check("SEARCH-13/order", _tied(_WORDS), needs=("ranking=contract",), after=FINDS, weight=3)
async def _words_order(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Words are ordered by units in the best block, length, spans, time, session id and seq."""
    for hits in await agree_in_order(provider, example):
        _note_ties(example, hits)
        if len({len((hit.get("bestMatch") or hit)["matched"]) for hit in hits}) > 1:
            reached("best blocks of different sizes")


@st.composite
def _far_apart(draw: st.DrawFn) -> CallsOn:
    """Draw texts in which two words are in one block of 64 tokens or not, at its very edges."""
    gaps = st.sampled_from((0, 1, 31, 61, 62, 63, 64, 65))
    part = st.builds(
        lambda gap, word: f"{'o ' * gap}{word}", gaps, st.sampled_from(("alpha", "delta"))
    )
    texts = draw(
        st.lists(st.lists(part, min_size=1, max_size=3).map(" ".join), min_size=2, max_size=4)
    )
    events = log_of([Step("say", text) for text in texts])
    corpus = Corpus((Session(SessionHeader(0, "s", CREATED), events),))
    asked = {"sessionId": "s", "query": "alpha delta", "match": draw(_WORDS)}
    return CallsOn(corpus, [Call("search_events", (asked,))])


@check("SEARCH-13/blocks", _far_apart(), needs=("ranking=contract",), after=FINDS, weight=2)
async def _block_order(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Units that begin in one block of 64 tokens, counted from the start, are stronger together."""
    [hits] = await agree_in_order(provider, example)
    if len({len(hit["matched"]) for hit in hits}) > 1:
        reached("together and apart")


@check("SEARCH-9/anywhere", _tied(_PHRASE), needs=("ranking=contract",), after=FINDS)
async def _anywhere(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Equal corpora give equal answers, whether sessions are live, stored or mixed."""
    wanted = await agree_in_order(provider, example)
    moved = tuple(
        replace(one, place=_PLACES[(_PLACES.index(one.place) + 1) % 3])
        for one in example.corpus.sessions
    )
    outcomes = await replace(example, corpus=Corpus(moved)).outcomes(provider)
    for hits, outcome in zip(wanted, outcomes, strict=True):
        got = items_of(outcome)
        if [*map(_where_from, hits)] != [*map(_where_from, got)]:
            raise Violation(in_terms(hits), in_terms(got))
        if len(hits) > 1:
            reached("several hits")


def _where_from(hit: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in hit.items() if key not in {"live", "persisted"}}


@check("SEARCH-9/stable", _tied(st.sampled_from(("phrase", "any"))), after=FINDS)
async def _stable(provider: ProviderUnderTest, example: CallsOn) -> None:
    """The same search over the same corpus gives the same order, each time and on each engine."""
    await agree_on_hits(provider, example)
    twice = replace(example, calls=[*example.calls, *example.calls])
    first = [places(items_of(one)) for one in await twice.outcomes(provider)]
    again = [places(items_of(one)) for one in await example.outcomes(provider)]
    half = len(again)
    for hits, other in zip(first, [*first[half:], *again], strict=False):
        if hits != other:
            raise Violation(f"the same order again: {hits}", str(other))
    if any(len(hits) > 1 for hits in again):
        reached("several hits")


@st.composite
def _workspaces(draw: st.DrawFn) -> CallsOn:
    """Draw sessions of one workspace, and others that have the same words, or some of them."""
    ids = ("s1", "s3", "s5")[: draw(st.integers(2, 3))]
    own = [draw(_tied_sessions(one, ("/w",))) for one in ids]
    others = [
        draw(_tied_sessions(one, ("/v", "/u")))
        for one in ("s0", "s2", "s4", "s6")[: draw(st.integers(1, 4))]
    ]
    asked = {
        "query": draw(st.sampled_from(_QUERIES)),
        "match": draw(st.sampled_from(("phrase", "all", "any"))),
        "sessionFilters": [{"kind": "cwd", "values": ["/w"]}],
    }
    return CallsOn(Corpus((*own, *others)), [Call("search_sessions", (asked,))])


@check("SEARCH-9/workspace", _workspaces(), after=FINDS, weight=2)
async def _workspace(provider: ProviderUnderTest, example: CallsOn) -> None:
    """The order in one workspace does not depend on what is in others."""
    await agree_on_hits(provider, example)
    own = Corpus(tuple(one for one in example.corpus.sessions if one.header.cwd == "/w"))
    [beside] = await example.outcomes(provider)
    [alone] = await replace(example, corpus=own).outcomes(provider)
    wanted, got = items_of(alone), items_of(beside)
    if places(wanted) != places(got):
        raise Violation(f"as without the others: {in_terms(wanted)}", in_terms(got))
    if len(got) > 1:
        reached("several hits")


_SOME_EVENTS: Final = st.sampled_from(
    (
        {"kind": "seq", "from": 1},
        {"kind": "seq", "to": 0},
        {"kind": "seq", "from": 1, "to": 2},
        {"kind": "type", "values": ["assistant/message"]},
        {"kind": "type", "values": ["user/message"]},
        {"kind": "time", "to": CREATED},
        {"kind": "time", "from": CREATED + 1},
    )
)


@st.composite
def _filtered(draw: st.DrawFn) -> CallsOn:
    """Draw the same search with all hits on a page, and with one."""
    ids = ("s1", "S2", "s")[: draw(st.integers(1, 3))]
    asked = {
        "query": draw(st.sampled_from(("alpha", "delta"))),
        "match": draw(st.sampled_from(("phrase", "any"))),
        "sessionFilters": draw(st.sampled_from(([], [{"kind": "cwd", "values": ["/w"]}]))),
        "eventFilters": [draw(_SOME_EVENTS)],
    }
    return CallsOn(
        Corpus(tuple(draw(_tied_sessions(one, ("/w", "/v"))) for one in ids)),
        [Call("search_sessions", ({**asked, "limit": limit},)) for limit in (ALL, 1)],
    )


@check("SEARCH-8/filters-first", _filtered(), after=FINDS, weight=2)
async def _filters_first(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Filters apply first: the strongest admitted event represents a session; pages are full."""
    whole = replace(example, calls=example.calls[:1])
    [wanted] = await agree_on_hits(provider, whole)
    full, page = (items_of(one) for one in await example.outcomes(provider))
    if page != full[:1]:
        raise Violation(f"the first of all hits: {in_terms(full[:1])}", in_terms(page))
    asked = dict(example.calls[0].arguments[0])
    unfiltered = Call("search_sessions", ({**asked, "eventFilters": []},))
    [without] = await replace(example, calls=[unfiltered]).outcomes(provider)
    best = dict(places(items_of(without)))
    if any(best[name] != seq for name, seq in places(wanted)):
        reached("a filter lets a weaker event represent its session")
