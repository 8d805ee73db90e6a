"""How searches are followed page by page, and what a cursor is bound to (CURSOR-1, CURSOR-2)."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    expected_of,
    in_terms,
    items_of,
    places,
)
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._pages import (
    EVENT_FILTERS,
    FORGERIES,
    METHODS,
    PAGED_CORPUS,
    PAGES,
    SESSION_FILTERS,
    PagesOn,
    expect_refusal,
    first_cursor,
    follow,
    page_of,
    paged_request,
    paged_targets,
)
from session_query_specs.checks._searches import ALL, FINDS
from session_query_specs.corpora import (
    Call,
    CallsOn,
    corpora,
    event_requests,
    opened,
    session_requests,
)

__all__: list[str] = []


@st.composite
def _paged(draw: st.DrawFn) -> PagesOn:
    corpus = draw(corpora(st.sampled_from(("alpha", "alpha beta", "beta alpha alpha"))))
    method = draw(st.sampled_from(METHODS))
    make = session_requests if method == "search_sessions" else event_requests
    request = draw(make(corpus, filters=1))
    query = draw(st.sampled_from(("alpha", request["query"])))
    return PagesOn(corpus, method, {**request, "query": query, "limit": draw(st.integers(1, 4))})


@check("CURSOR-1/pages", _paged(), after=FINDS, weight=2)
async def _pages(provider: ProviderUnderTest, example: PagesOn) -> None:
    """Following cursors yields every match exactly once, in order, with any page size."""
    limit = example.request["limit"]
    whole = Call(example.method, ({**example.request, "limit": ALL},))
    [wanted] = await expected_of(CallsOn(example.corpus, [whole]))
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        pages = await follow(engine, example.method, example.request)
        at_once = items_of(await whole.on(engine))
    got = [hit for page in pages for hit in page]
    if sorted(_keys(example, got)) != sorted(_keys(example, items_of(wanted))):
        raise Violation(in_terms(items_of(wanted)), in_terms(got))
    if got != at_once:
        raise Violation(f"as on one page: {in_terms(at_once)}", in_terms(got))
    sizes = [len(page) for page in pages]
    if any(size != limit for size in sizes[:-1]) or sizes[-1] > limit:
        raise Violation(f"full pages of {limit}, and a last one", f"pages of {sizes}")
    if sizes[-1] == 0 and len(sizes) > 1:
        raise Violation("a last page with hits", f"pages of {sizes}")
    reached("several pages" if len(sizes) > 1 else "one page")


def _keys(example: PagesOn, hits: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Return what a search finds: which match is a session's best depends on the order."""
    found = places(hits)
    return found if example.method == "search_events" else [(name, 0) for name, _ in found]


# -- what a cursor is bound to ----------------------------------------------------------------


_OTHER: Final[tuple[dict[str, Any], ...]] = (
    {"query": "beta"},
    {"query": "alpha beta"},
    {"match": "any"},
    {"match": "phrase"},
    {"limit": 3},
    {"limit": 1},
    {"limit": None},
    {"sessionId": "live"},
    {"sessionFilters": SESSION_FILTERS[:1]},
    {"sessionFilters": []},
    {"eventFilters": EVENT_FILTERS[:1]},
    {"filters": [{"kind": "seq", "from": 1}, EVENT_FILTERS[1]]},
)


@st.composite
def _others(draw: st.DrawFn) -> PagesOn:
    method = draw(st.sampled_from(METHODS))
    base = paged_request(method)
    fitting = [one for one in _OTHER if one.keys() <= base.keys()]
    return PagesOn(PAGED_CORPUS, method, base, {**base, **draw(st.sampled_from(fitting))})


@check("CURSOR-2/request", _others(), after=PAGES, weight=1.5)
async def _request(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor with another query, mode, limit, target or filter is INVALID_CURSOR."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        cursor = await first_cursor(engine, example)
        await expect_refusal(engine, example.next, cursor, ErrorCode.INVALID_CURSOR)
        await first_cursor(engine, example)


@st.composite
def _scopes(draw: st.DrawFn) -> PagesOn:
    method = draw(st.sampled_from(METHODS))
    other = next(one for one in METHODS if one != method)
    asked = {"query": "alpha", "limit": 2}
    ids = {"sessionId": "stored", **asked}
    request, then = (asked, ids) if method == "search_sessions" else (ids, asked)
    return PagesOn(PAGED_CORPUS, method, request, then, other)


@check("CURSOR-2/scope", _scopes(), after=PAGES)
async def _scope(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor of one kind of search is INVALID_CURSOR for the other."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        cursor = await first_cursor(engine, example)
        await expect_refusal(engine, example.next, cursor, ErrorCode.INVALID_CURSOR)


@st.composite
def _forged(draw: st.DrawFn) -> PagesOn:
    method = draw(st.sampled_from(METHODS))
    return PagesOn(
        PAGED_CORPUS, method, paged_request(method), forge=draw(st.sampled_from([*FORGERIES]))
    )


@check("CURSOR-2/forged", _forged(), after=PAGES)
async def _forgery(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor that was truncated or otherwise changed is INVALID_CURSOR."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        cursor = await first_cursor(engine, example)
        forged = example.forged(cursor)
        if forged != cursor:
            await expect_refusal(engine, example.next, forged, ErrorCode.INVALID_CURSOR)


@check("CURSOR-2/instance", paged_targets(), after=PAGES)
async def _instance(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor of one engine is INVALID_CURSOR for another one over the same sources."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine, opened(provider, sources) as other:
        cursor = await first_cursor(engine, example)
        await first_cursor(other, example)
        await expect_refusal(other, example.next, cursor, ErrorCode.INVALID_CURSOR)


_SAME_QUERY: Final = ("alpha", " alpha", "alpha\n", "\u00a0alpha\t ")


@st.composite
def _reordered(draw: st.DrawFn) -> PagesOn:
    method = draw(st.sampled_from(METHODS))
    base = paged_request(method)

    def mixed(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [
            {**one, "values": draw(st.permutations(one["values"]))} if "values" in one else one
            for one in draw(st.permutations(value))
        ]

    other = {key: mixed(value) for key, value in base.items()}
    return PagesOn(
        PAGED_CORPUS, method, base, {**other, "query": draw(st.sampled_from(_SAME_QUERY))}
    )


@check("CURSOR-2/same-request", _reordered(), after=PAGES)
async def _same_request(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor fits the same request with its filters in any order, and white space around it."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        cursor = await first_cursor(engine, example)
        wanted, _ = await page_of(engine, example.method, example.request, cursor)
        [request] = example.next.arguments
        got, _ = await page_of(engine, example.method, request, cursor)
        if got != wanted:
            raise Violation(in_terms(wanted), in_terms(got))
