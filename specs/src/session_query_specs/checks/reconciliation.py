"""Searches while the sources change (RECON-1 to RECON-8, CURSOR-3)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from session_query import ErrorCode, SessionQueryEngine

from session_query_specs._subjects import ProviderUnderTest, SuiteConfig
from session_query_specs.checks._agreement import differing, in_terms, items_of, store_calls
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._searches import ALL
from session_query_specs.corpora import Call, CallsOn, Corpus, Outcome, opened, session
from session_query_specs.corpora.histories import (
    Happening,
    History,
    World,
    call_of,
    histories,
    replacements,
)
from session_query_specs.oracle import Oracle

__all__: list[str] = []


_Searching: TypeAlias = Callable[
    [SessionQueryEngine, SessionQueryEngine, Happening, int], Coroutine[Any, Any, None]
]


async def _go_through(provider: ProviderUnderTest, history: History, searching: _Searching) -> None:
    """Go through a history; each search has to be answered as the oracle does.

    Args:
        provider: the provider.
        history: what happens.
        searching: makes a search, and compares the answers.
    """
    world = World()
    with tempfile.TemporaryDirectory(prefix="session-query-specs-") as folder:
        config = SuiteConfig(directory=Path(folder))
        engine = await provider.open(world.sources, config)
        oracle = await Oracle().open(world.sources, config)
        try:
            for number, step in enumerate(history.steps, 1):
                if step.kind == "search":
                    await searching(engine, oracle, step, number)
                elif step.kind == "reopen":
                    reached("a reopening")
                    await engine.close()
                    engine = await provider.open(world.sources, config)
                else:
                    world.happen(step)
        finally:
            await engine.close()
            await oracle.close()


async def _search(
    engine: SessionQueryEngine, oracle: SessionQueryEngine, step: Happening, number: int
) -> None:
    call = call_of(step)
    got, expected = await call.on(engine), await call.on(oracle)
    for outcome in (got, expected):
        if outcome.answer is not None:
            # cursors differ between engines; that there is one does not
            outcome.answer["nextCursor"] = outcome.answer.get("nextCursor") is not None
    if expected.answer is not None and expected.answer["items"]:
        reached("a hit")
    if got != expected:
        if _told(got) != _told(expected):
            raise Violation(f"{_told(expected)}, in step {number}", _told(got))
        for want, have in zip(expected.answer["items"], got.answer["items"], strict=True):
            if want != have:
                told = f"{differing(want, have)}, in step {number}"
                raise Violation(told, differing(have, want))
        raise Violation(f"{expected}, in step {number}", str(got))


async def _search_all(
    engine: SessionQueryEngine, oracle: SessionQueryEngine, step: Happening, number: int
) -> None:
    """Compare all that is found, in whatever order; which match is the best depends on that."""
    call = call_of(step)
    whole = Call(call.method, ({**call.arguments[0], "limit": ALL},))
    got, expected = [_unordered(await whole.on(one)) for one in (engine, oracle)]
    if expected and expected[0] != _NO_HITS:
        reached("a hit")
    if got != expected:
        raise Violation(f"{'; '.join(expected)}, in step {number}", "; ".join(got))


def _unordered(outcome: Outcome) -> list[str]:
    """Return what was found, as a person reads it, or a code."""
    if outcome.code is not None:
        return [outcome.code]
    found = []
    for hit in items_of(outcome):
        if "bestMatch" in hit:
            where = [name for name in ("live", "persisted") if hit[name]]
            found.append(f"{hit['header']['id']} ({', '.join(where)})")
        else:
            found.append(f"{hit['sessionId']}#{hit['seq']}")
    return [*sorted(found or [_NO_HITS]), *["more to come"] * ("nextCursor" in outcome.answer)]


_NO_HITS: Final = "no hits"


def _told(outcome: Outcome) -> str:
    """Return a page as a person reads it, or a code."""
    if outcome.code is not None:
        return outcome.code
    more = ", and more to come" if outcome.answer["nextCursor"] else ""
    return f"{in_terms(outcome.answer['items'])}{more}"


@check(
    "RECON-1/history",
    histories(reopening=False),
    needs=("ranking=contract",),
    after=("SEARCH-1/finds", "SEARCH-2/finds"),
    weight=6,
)
async def _history(provider: ProviderUnderTest, example: History) -> None:
    """Whatever has happened to the sources, a search answers for what is there now."""
    await _go_through(provider, example, _search)


@check(
    "RECON-1/found",
    histories(reopening=False),
    needs=("ranking=provider",),
    after=("SEARCH-1/finds", "SEARCH-2/finds"),
    weight=6,
)
async def _found(provider: ProviderUnderTest, example: History) -> None:
    """Whatever has happened to the sources, a search finds what is there now, in its own order."""
    await _go_through(provider, example, _search_all)


@check(
    "RECON-1/replaced",
    replacements(),
    after=("SEARCH-1/finds", "SEARCH-2/finds"),
)
async def _replaced(provider: ProviderUnderTest, example: History) -> None:
    """A session with the id, the length and the times of one that is gone is found in its place."""
    await _go_through(provider, example, _search_all)


@check(
    "RECON-4/reopened",
    histories(reopening=True),
    needs=("ranking=contract", "persistent_index"),
    after=("RECON-1/history",),
    weight=4,
)
async def _reopened(provider: ProviderUnderTest, example: History) -> None:
    """Opened again on the same directory, it answers for what is there now."""
    await _go_through(provider, example, _search)


@check(
    "RECON-4/found",
    histories(reopening=True),
    needs=("ranking=provider", "persistent_index"),
    after=("RECON-1/found",),
    weight=4,
)
async def _found_again(provider: ProviderUnderTest, example: History) -> None:
    """Opened again on the same directory, it finds what is there now, in its own order."""
    await _go_through(provider, example, _search_all)


_STORED: Final = Corpus(tuple(session(name, ["word"], cwd="/w") for name in ("a", "b", "c")))
_SEARCH: Final = Call("search_sessions", ({"query": "word"},))


def _case(told: str) -> st.SearchStrategy[CallsOn]:
    return st.just(CallsOn(_STORED, [_SEARCH], told=(told,)))


@check(
    "RECON-2/unchanged",
    _case("the same call again; the log of 'b' grows; and once more"),
    after=("SEARCH-1/finds",),
)
async def _unchanged(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search where nothing has changed inspects no log; one that changed is the only one."""
    sources, _, persistence = example.corpus.open()
    [call] = example.calls
    async with opened(provider, sources) as engine:
        await _finds(engine, call, 3)
        persistence.reads.clear()
        await _finds(engine, call, 3)
        if set(persistence.reads) - {"list"}:
            raise Violation("no inspection", store_calls(persistence.reads))
        changed = session("b", ["word", "more"], cwd="/w")
        persistence.put(changed.header, changed.events)
        persistence.reads.clear()
        await _finds(engine, call, 3)
        if set(persistence.reads) - {"list"} != {"b"}:
            raise Violation("an inspection of 'b' alone", store_calls(persistence.reads))


@check(
    "RECON-2/reopened",
    _case("it is closed, opened again on the same directory, and asked again"),
    needs=("persistent_index",),
    after=("RECON-2/unchanged",),
)
async def _opened_again(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Opened again on the same directory, it inspects no log that has not changed."""
    sources, _, persistence = example.corpus.open()
    [call] = example.calls
    with tempfile.TemporaryDirectory(prefix="session-query-specs-") as folder:
        async with opened(provider, sources, directory=Path(folder)) as engine:
            await _finds(engine, call, 3)
        persistence.reads.clear()
        async with opened(provider, sources, directory=Path(folder)) as engine:
            await _finds(engine, call, 3)
        if set(persistence.reads) - {"list"}:
            raise Violation("no inspection", store_calls(persistence.reads))


@check("RECON-3/owned", _case("the session 'a' is live as well"), after=("RECON-2/unchanged",))
async def _owned(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A stored log that a live session owns is not inspected."""
    sources, store, persistence = example.corpus.open()
    first = example.corpus.sessions[0]
    store.attach(first.header, first.events)
    async with opened(provider, sources) as engine:
        await _finds(engine, example.calls[0], 3)
        await _finds(engine, Call("search_sessions", ({"query": "nowhere"},)), 0)
        if first.header.id in persistence.reads:
            raise Violation(f"no inspection of {first.header.id!r}", store_calls(persistence.reads))


@check(
    "RECON-5/left-out",
    _case("the store fails for 'b', and some time later it works again"),
    after=("SEARCH-1/finds",),
)
async def _left_out(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A session that can't be read is left out of a search, which finds the others."""
    sources, _, persistence = example.corpus.open()

    async def broken(what: str, _signal: object) -> None:
        if what == "b":
            raise OSError("this log can't be read")

    persistence.before = broken
    async with opened(provider, sources) as engine:
        await _finds(engine, example.calls[0], 2)
        answer = await Call("search_events", ({"sessionId": "b", "query": "word"},)).on(engine)
        if answer.code != ErrorCode.PERSISTENCE_FAILED.value:
            raise Violation(ErrorCode.PERSISTENCE_FAILED.value, answer.code or "an answer")
        persistence.before = None
        await _finds(engine, example.calls[0], 3)


@check(
    "RECON-8/target",
    _case("then searches of 'a' and of a live session alone"),
    after=("SEARCH-2/finds",),
)
async def _target(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search in one session inspects that one alone, and a live one touches no store."""
    sources, store, persistence = example.corpus.open()
    live = session("live", ["word"])
    store.attach(live.header, live.events)
    async with opened(provider, sources) as engine:
        persistence.reads.clear()
        await _finds(engine, Call("search_events", ({"sessionId": "a", "query": "word"},)), 1)
        if set(persistence.reads) - {"list", "a"}:
            raise Violation("an inspection of 'a' alone", store_calls(persistence.reads))
        persistence.reads.clear()
        await _finds(engine, Call("search_events", ({"sessionId": "live", "query": "word"},)), 1)
        if persistence.reads:
            raise Violation("no call of the store", store_calls(persistence.reads))


async def _finds(engine: SessionQueryEngine, call: Call, count: int) -> None:
    answer = await call.on(engine)
    items = items_of(answer)
    if len(items) != count:
        raise Violation(f"{count} hits", in_terms(items))
