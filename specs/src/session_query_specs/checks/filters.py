"""What filters keep of what a search finds (FILTER-1 to FILTER-4)."""

from __future__ import annotations

import copy
import math
from typing import Any, Final

from hypothesis import strategies as st
from session_query import (
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    ErrorCode,
    Filter,
    IdFilter,
    ParentFilter,
    SeqFilter,
    SessionQueryError,
    SurfaceFilter,
    TextFilter,
    TimeFilter,
    TypeFilter,
)

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    agree_on_hits,
    expect_code,
    expect_hits,
    hits_of,
    places,
    store_calls,
)
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._searches import ALL, FINDS
from session_query_specs.corpora import (
    Call,
    CallsOn,
    Corpus,
    Place,
    corpora,
    event_filters,
    opened,
    session,
    session_filters,
)

__all__ = ["BAD_EVENT", "BAD_SESSION", "as_object"]

_KINDS: Final[tuple[type[Filter], ...]] = (
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    IdFilter,
    ParentFilter,
    SeqFilter,
    SurfaceFilter,
    TextFilter,
    TimeFilter,
    TypeFilter,
)
_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "both")
_BY_KIND: Final = {one.kind: one for one in _KINDS}


def as_object(given: dict[str, Any]) -> Filter:
    """Return the filter that a JSON form is of."""
    return _BY_KIND[given["kind"]].from_json(given)


@st.composite
def _filtered(draw: st.DrawFn, least: int, most: int) -> CallsOn:
    """Draw a corpus in which each text is found, and searches with filters."""
    corpus = draw(corpora(st.sampled_from(("alpha", "alpha beta", "alpha alpha"))))
    sessions = draw(st.lists(session_filters(), min_size=least, max_size=most))
    events = draw(st.lists(event_filters(), min_size=least, max_size=most))
    target = draw(st.sampled_from([one.header.id for one in corpus.sessions]))
    asked = {"query": "alpha", "limit": ALL}
    return CallsOn(
        corpus,
        [
            Call("search_sessions", ({**asked, "sessionFilters": sessions},)),
            Call("search_sessions", ({**asked, "eventFilters": events},)),
            Call("search_events", ({**asked, "sessionId": target, "filters": events},)),
        ],
    )


def _note_kinds(example: CallsOn, answers: list[list[dict[str, Any]]]) -> None:
    for call, hits in zip(example.calls, answers, strict=True):
        request = call.arguments[0]
        for key in ("sessionFilters", "eventFilters", "filters"):
            for one in request.get(key, ()):
                reached(f"{one['kind']} {'keeps some' if hits else 'keeps nothing'}")


@check("FILTER-1/kinds", _filtered(1, 1), after=FINDS, weight=3)
async def _kinds(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Each kind of filter keeps what it is for, and the same as an object and as JSON."""
    _note_kinds(example, await agree_on_hits(provider, example))
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        for call in example.calls:
            given = call.arguments[0]
            objects = {
                key: [as_object(one) for one in value] if key.lower().endswith("filters") else value
                for key, value in given.items()
            }
            wanted = places(await hits_of(engine, call.method, given))
            got = places(await hits_of(engine, call.method, objects))
            if wanted != got:
                raise Violation(f"the same hits with filter objects: {wanted}", str(got))


@check("FILTER-2/combined", _filtered(0, 3), after=FINDS, weight=2)
async def _combined(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Filters are ANDed and the values of one ORed; ranges are inclusive and may have one end."""
    _note_kinds(example, await agree_on_hits(provider, example))


_FULL: Final[tuple[tuple[str, str, list[Any]], ...]] = (
    ("sessionFilters", "id", ["here"]),
    ("sessionFilters", "cwd", ["/w"]),
    ("sessionFilters", "cwd", [None, "/w"]),
    ("sessionFilters", "parent", [None]),
    ("sessionFilters", "availability", ["live", "persisted"]),
    ("eventFilters", "type", ["user/message"]),
    ("eventFilters", "surface", ["current"]),
)


@st.composite
def _empty_values(draw: st.DrawFn) -> CallsOn:
    key, kind, values = draw(st.sampled_from(_FULL))
    corpus = Corpus((session("here", ["alpha"], cwd="/w", place=draw(st.sampled_from(_PLACES))),))
    calls = [
        Call("search_sessions", ({"query": "alpha", key: [{"kind": kind, "values": some}]},))
        for some in (values, values[:0])
    ]
    return CallsOn(corpus, calls)


@check("FILTER-2/empty", _empty_values(), after=FINDS)
async def _empty(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An empty list of values matches nothing."""
    full, empty = await example.outcomes(provider)
    expect_hits(full, [("here", 0)])
    expect_hits(empty, [])


BAD_SESSION: Final[tuple[Any, ...]] = (
    {"kind": "id"},
    {"kind": "id", "values": "here"},
    {"kind": "id", "values": [1]},
    {"kind": "id", "values": [None]},
    {"kind": "cwd", "values": None},
    {"kind": "cwd", "values": [b"/w"]},
    {"kind": "parent", "values": [True]},
    {"kind": "availability", "values": ["live", "gone"]},
    {"kind": "created-at", "from": 2, "to": 1},
    {"kind": "created-at", "from": math.inf},
    {"kind": "created-at", "to": math.nan},
    {"kind": "created-at", "from": "1"},
    {"kind": "created-at", "since": 1},
    {"kind": "owner", "values": ["me"]},
    {"kind": "seq", "from": 0},
    {"kind": "text", "text": "alpha"},
    {"values": ["here"]},
    "here",
    5,
)
BAD_EVENT: Final[tuple[Any, ...]] = (
    {"kind": "seq", "from": 1, "to": 0},
    {"kind": "seq", "from": True},
    {"kind": "seq", "to": 0.5},
    {"kind": "time", "from": -math.inf},
    {"kind": "time", "to": []},
    {"kind": "type", "values": [None]},
    {"kind": "type", "values": {"user/message": True}},
    {"kind": "surface", "values": ["current", "hidden"]},
    {"kind": "surface", "values": ["CURRENT"]},
    {"kind": "id", "values": ["here"]},
    {"kind": "color", "values": ["red"]},
    None,
)


@st.composite
def _bad_filters(draw: st.DrawFn) -> CallsOn:
    """Draw the same search without a filter, with one that nothing passes, and with a bad one."""
    bad_event = st.tuples(st.sampled_from(("eventFilters", "filters")), st.sampled_from(BAD_EVENT))
    key, bad = draw(
        st.one_of(st.tuples(st.just("sessionFilters"), st.sampled_from(BAD_SESSION)), bad_event)
    )
    good = draw(
        st.lists(session_filters() if key == "sessionFilters" else event_filters(), max_size=1)
    )
    method = "search_events" if key == "filters" else "search_sessions"
    ids = {"sessionId": "here"} if key == "filters" else {}
    nothing = {"kind": "id" if key == "sessionFilters" else "type", "values": ["none"]}
    tried: list[list[Any]] = [[], [nothing], [*good, bad]]
    corpus = Corpus((session("here", ["alpha"]),))
    return CallsOn(
        corpus,
        [Call(method, ({**ids, "query": "alpha", key: some},)) for some in tried],
    )


@check("FILTER-2/invalid", _bad_filters(), after=FINDS, weight=3)
async def _invalid(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A filter that can't be meant raises SESSION_QUERY_INVALID_FILTER; no source is touched."""
    sources, _, persistence = example.corpus.open()
    found, nothing, bad = example.calls
    async with opened(provider, sources) as engine:
        expect_hits(await found.on(engine), [("here", 0)])
        expect_hits(await nothing.on(engine), [])
        persistence.reads.clear()
        expect_code(await bad.on(engine), ErrorCode.INVALID_FILTER)
    if persistence.reads:
        raise Violation("no call of the store", store_calls(persistence.reads))


_CHANGED: Final = (
    ("sessionFilters", "id", ["here"], "there"),
    ("sessionFilters", "cwd", ["/here"], "/there"),
    ("eventFilters", "type", ["user/message"], "tool/call"),
    ("filters", "type", ["user/message"], "tool/call"),
)
"""Key, kind and values of a filter, and a value with which it finds something else.

The key `filters` is that of a search in one session.
"""


@st.composite
def _kept_filters(draw: st.DrawFn) -> CallsOn:
    key, kind, values, _ = draw(st.sampled_from(_CHANGED))
    place = draw(st.sampled_from(_PLACES))
    corpus = Corpus(
        (
            session("here", ["alpha"], cwd="/here", place=place),
            session("there", ["alpha" if key == "sessionFilters" else "beta"], cwd="/there"),
        )
    )
    request: dict[str, Any] = {"query": "alpha", key: [{"kind": kind, "values": [*values]}]}
    if key == "filters":
        return CallsOn(corpus, [Call("search_events", ({"sessionId": "here", **request},))])
    return CallsOn(corpus, [Call("search_sessions", (request,))])


@check("FILTER-3/copied", _kept_filters(), after=FINDS)
async def _copied(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Filters are copied when the call is made; what the caller changes later has no effect."""
    [call] = example.calls
    request = copy.deepcopy(call.arguments[0])
    [key] = request.keys() - {"query", "sessionId"}
    [given] = request[key]
    other = next(other for _, kind, _, other in _CHANGED if kind == given["kind"])
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        expect_hits(await call.on(engine), [("here", 0)])
        answer = getattr(engine, call.method)(request)
        given["values"][:] = [other]
        request["query"] = "changed"
        request[key].append({"kind": "nonsense"})
        try:
            got = places((await answer).to_json()["items"])
        except SessionQueryError as error:
            raise Violation("here#0, as when the call was made", error.code.value) from error
    if got != [("here", 0)]:
        raise Violation("here#0, as when the call was made", str(got))


@st.composite
def _text_filters(draw: st.DrawFn) -> CallsOn:
    method, key = draw(
        st.sampled_from((("search_sessions", "eventFilters"), ("search_events", "filters")))
    )
    ids = {"sessionId": "here"} if method == "search_events" else {}
    text = draw(st.sampled_from(("alpha", "alph", "zeta", " ")))
    corpus = Corpus((session("here", ["alpha"]),))
    filters: list[dict[str, Any]] = [{"kind": "text", "text": text}]
    asked = (("alpha", filters[:0]), ("beta", filters[:0]), ("alpha", filters))
    calls = [Call(method, ({**ids, "query": query, key: some},)) for query, some in asked]
    return CallsOn(corpus, calls)


@check("FILTER-4/not-in-searches", _text_filters(), after=FINDS)
async def _not_in_searches(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Searches take no text filter: SESSION_QUERY_INVALID_FILTER."""
    found, nothing, refused = await example.outcomes(provider)
    expect_hits(found, [("here", 0)])
    expect_hits(nothing, [])
    expect_code(refused, ErrorCode.INVALID_FILTER)
