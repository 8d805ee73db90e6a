"""What filters keep of what is listed, and how wrong ones are told (FILTER-1 to FILTER-3)."""

from __future__ import annotations

import copy
import math
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import store_calls
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._exact import answers, refused, scene
from session_query_specs.checks.filters import BAD_EVENT, BAD_SESSION, as_object
from session_query_specs.corpora import Call, CallsOn, Corpus, Place, session

__all__: list[str] = []

_NAMES: Final = ("a", "b", "é", "\ud800", "\U00010000")
_PATHS: Final = (None, "", "/w", "\ud800")
_PARENTS: Final = (None, "a", "gone", "")
_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "both")
_ENDS: Final = st.integers(-2, 4) | st.sampled_from([2.0, 2**53, 10**30, -(10**30)])


def _values(kind: str, values: tuple[Any, ...]) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(st.sampled_from(values), max_size=4).map(
        lambda given: {"kind": kind, "values": given}
    )


_SESSION_FILTERS: Final[st.SearchStrategy[dict[str, Any]]] = st.one_of(
    _values("id", _NAMES),
    _values("cwd", _PATHS),
    _values("parent", _PARENTS),
    _values("availability", ("live", "persisted")),
    st.one_of(
        _ENDS.map(lambda end: {"from": end}),
        _ENDS.map(lambda end: {"to": end}),
        st.tuples(_ENDS, _ENDS).map(lambda ends: {"from": min(ends), "to": max(ends)}),
    ).map(lambda ends: {"kind": "created-at", **ends}),
)


@st.composite
def _listed(draw: st.DrawFn) -> CallsOn:
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=5, unique=True))
    corpus = Corpus(
        tuple(
            session(
                name,
                place=draw(st.sampled_from(_PLACES)),
                cwd=draw(st.sampled_from(_PATHS)),
                parent=draw(st.sampled_from(_PARENTS)),
                created_at=draw(st.integers(0, 4)),
            )
            for name in names
        )
    )
    filters = draw(st.lists(_SESSION_FILTERS, max_size=3))
    return CallsOn(corpus, [Call("list_sessions"), Call("filter_sessions", (filters,))])


def _admits(record: dict[str, Any], one: dict[str, Any]) -> bool:
    """Tell whether a filter admits a session, as it is listed."""
    header = record["header"]
    if one["kind"] == "created-at":
        created = header["createdAt"]
        return bool(one.get("from", -math.inf) <= created <= one.get("to", math.inf))
    found = {
        "id": [header["id"]],
        "cwd": [header.get("cwd")],
        "parent": [header.get("parentSession")],
        "availability": ["live"] * record["live"] + ["persisted"] * record["persisted"],
    }[one["kind"]]
    return any(value in one["values"] for value in found)


@check("FILTER-1/filter-sessions", _listed(), after=("CORPUS-6/order",), weight=4)
async def _filter_sessions(provider: ProviderUnderTest, example: CallsOn) -> None:
    """`filter_sessions` is the listing without what a filter refuses, by one listing."""
    listing, filtering = example.calls
    [filters] = filtering.arguments
    async with scene(provider, example.corpus) as there:
        listed = await answers(there, listing)
        if len(listed) != len(example.corpus.sessions):
            raise Violation(
                f"{len(example.corpus.sessions)} sessions without a filter", f"{listed}"
            )
        expected = [one for one in listed if all(_admits(one, given) for given in filters)]  # type: ignore[arg-type]
        reached(f"{len(filters)} filters keep {'some' if expected else 'nothing'}")
        for given in (filters, [as_object(one) for one in filters]):
            there.store.reads.clear()
            got = await Call("filter_sessions", (given,)).on(there.engine)
            if got.answer != expected:
                raise Violation(f"{expected}", str(got))
            if set(there.store.reads) - {"list"} or len(there.store.reads) > 1:
                raise Violation("one listing", store_calls(there.store.reads))


_CORPUS: Final = Corpus((session("a", ["x", "y"]), session("b", ["z"])))


@check(
    "FILTER-2/exact",
    st.one_of(
        st.sampled_from(BAD_SESSION).map(
            lambda bad: Call("filter_sessions", ([{"kind": "id", "values": ["a"]}, bad],))
        ),
        st.sampled_from([*BAD_EVENT, {"kind": "text", "text": " \n\u3000"}, {"kind": "text"}]).map(
            lambda bad: Call("filter_events", ("a", [bad]))
        ),
    ).map(lambda call: CallsOn(_CORPUS, [call])),
    weight=2,
)
async def _bad(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A filter that can't be meant is refused by its code, before a source is touched."""
    [call] = example.calls
    right = ([{"kind": "id", "values": ["a"]}],) if call.method == "filter_sessions" else ("a", [])
    async with scene(provider, example.corpus) as there:
        await answers(there, Call(call.method, right))
        await refused(there.engine, call, ErrorCode.INVALID_FILTER, None)
        if there.store.reads:
            raise Violation("no call of the store", store_calls(there.store.reads))


@check(
    "FILTER-3/exact",
    st.sampled_from(
        [
            Call("filter_sessions", ([{"kind": "id", "values": ["a"]}],)),
            Call("filter_events", ("a", [{"kind": "seq", "from": 1}])),
            Call("filter_events", ("a", [{"kind": "type", "values": ["user/message"]}])),
            Call("read_titles", (["a", "b"],)),
        ]
    ).map(
        lambda call: CallsOn(_CORPUS, [call], told=("its lists are changed before it is awaited",))
    ),
)
async def _copied(provider: ProviderUnderTest, example: CallsOn) -> None:
    """What the caller changes after a call is made, awaited or not, has no effect."""
    [call] = example.calls
    given = copy.deepcopy(call.arguments)
    async with scene(provider, example.corpus) as there:
        expected = await answers(there, call)
        waiting = getattr(there.engine, call.method)(*given)
        for one in given[-1]:
            if isinstance(one, dict):
                one.update({"values": ["b"]} if "values" in one else {"from": 9})
        given[-1].append("nonsense")
        got = [one.to_json() for one in await waiting]
    if got != expected:
        raise Violation(f"{expected}, as when the call was made", f"{got}")
