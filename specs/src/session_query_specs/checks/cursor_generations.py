"""When a cursor goes stale, and when it doesn't (CURSOR-3, CURSOR-4)."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    in_terms,
    store_calls,
)
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._pages import (
    PAGED_CORPUS,
    PAGES,
    Change,
    PagesOn,
    expect_refusal,
    first_cursor,
    page_of,
    paged_request,
    paged_targets,
)
from session_query_specs.corpora import (
    opened,
)

__all__: list[str] = []


_CORPUS_CHANGES: Final = (
    Change("append live", "live"),
    Change("append live", "both"),
    Change("append stored", "stored"),
    Change("append stored", "other"),
    Change("store new", ""),
    Change("attach new", ""),
    Change("detach", "live"),
    Change("detach", "both"),
    Change("remount", ""),
    Change("unmount", ""),
)


@check(
    "CURSOR-3/corpus",
    st.sampled_from(_CORPUS_CHANGES).map(
        lambda change: PagesOn(
            PAGED_CORPUS, "search_sessions", paged_request("search_sessions"), change=change
        )
    ),
    after=PAGES,
)
async def _corpus(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor over the corpus is STALE_CURSOR after any change of it, or of the mounted store."""
    await _goes_stale(provider, example)


_OWN_CHANGES: Final = (
    ("stored", Change("append stored", "stored")),
    ("live", Change("append live", "live")),
    ("both", Change("append live", "both")),
    ("both", Change("detach", "both")),
)


@check(
    "CURSOR-3/own-session",
    st.sampled_from(_OWN_CHANGES).map(
        lambda own: PagesOn(
            PAGED_CORPUS, "search_events", paged_request("search_events", own[0]), change=own[1]
        )
    ),
    after=PAGES,
)
async def _own_session(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor in one session is STALE_CURSOR after a change of that session's source."""
    await _goes_stale(provider, example)


async def _goes_stale(provider: ProviderUnderTest, example: PagesOn) -> None:
    parts = example.corpus.open()
    async with opened(provider, parts[0]) as engine:
        cursor = await first_cursor(engine, example)
        if example.change is not None:
            example.change.make(parts)
            reached(str(example.change))
        await expect_refusal(engine, example.next, cursor, ErrorCode.STALE_CURSOR)
        # and a search from the start works again
        await page_of(engine, example.method, example.request)


_FOREIGN_CHANGES: Final = tuple(
    (target, change)
    for target in ("stored", "live")
    for change in _CORPUS_CHANGES
    if change.session != target and (target, change.kind) != ("stored", "unmount")
)


@check(
    "CURSOR-3/other-sessions",
    st.sampled_from(_FOREIGN_CHANGES).map(
        lambda own: PagesOn(
            PAGED_CORPUS, "search_events", paged_request("search_events", own[0]), change=own[1]
        )
    ),
    after=PAGES,
)
async def _other_sessions(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor in one session outlives changes of others; it gives the very next page."""
    parts = example.corpus.open()
    async with opened(provider, parts[0]) as engine:
        cursor = await first_cursor(engine, example)
        wanted, _ = await page_of(engine, example.method, example.request, cursor)
        if example.change is not None:
            example.change.make(parts)
            reached(str(example.change))
        got, _ = await page_of(engine, example.method, example.request, cursor)
        if got != wanted:
            raise Violation(in_terms(wanted), in_terms(got))


_MANY_SEARCHES: Final = 40


@check("CURSOR-4/evicted", paged_targets(), after=PAGES, weight=0.5)
async def _evicted(provider: ProviderUnderTest, example: PagesOn) -> None:
    """A cursor works after many other searches were begun, and asks for no inspection."""
    sources, _, persistence = example.corpus.open()
    async with opened(provider, sources) as engine:
        cursor = await first_cursor(engine, example)
        wanted, _ = await page_of(engine, example.method, example.request, cursor)
        for number in range(_MANY_SEARCHES):
            other = {**example.request, "query": f"alpha x{number}", "match": "any"}
            await page_of(engine, example.method, other)
        persistence.reads.clear()
        got, _ = await page_of(engine, example.method, example.request, cursor)
    if got != wanted:
        raise Violation(in_terms(wanted), in_terms(got))
    if set(persistence.reads) - {"list"}:
        raise Violation("no log to be inspected again", store_calls(persistence.reads))
