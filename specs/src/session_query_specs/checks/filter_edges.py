"""Values and ends at which filters of searches are taken for others (FILTER-1, FILTER-2)."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionEvent, SessionHeader

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import agree_on_hits
from session_query_specs.checks._check import check
from session_query_specs.checks._searches import ALL, FINDS
from session_query_specs.corpora import CREATED, Call, CallsOn, Corpus, Place, Session, message

__all__: list[str] = []

Filters = list[dict[str, Any]]


def _values(kind: str, *values: str | None) -> dict[str, Any]:
    return {"kind": kind, "values": [*values]}


def _said(session_id: str, cwd: str | None, place: Place, *times: int, made: int = 0) -> Session:
    """Return a session in which something is said at each of some times."""
    events = tuple(
        SessionEvent("user/message", seq, time, message("alpha"), "append")
        for seq, time in enumerate(times)
    )
    return Session(SessionHeader(0, session_id, made, cwd), events, place)


def _asked(corpus: Corpus, filters: Filters) -> CallsOn:
    """Return searches with and without some filters, in the corpus or in one session too."""
    asked = {"query": "alpha", "limit": ALL}
    of_sessions = filters[0]["kind"] in {"cwd", "id", "parent", "availability", "created-at"}
    key = "sessionFilters" if of_sessions else "eventFilters"
    calls = [
        Call("search_sessions", (asked,)),
        Call("search_sessions", ({**asked, key: filters},)),
    ]
    if not of_sessions:
        one = corpus.sessions[0].header.id
        calls.append(Call("search_events", ({**asked, "sessionId": one, "filters": filters},)))
    return CallsOn(corpus, calls)


_CWDS: Final = ("/w", "/W", "/w/", "/", "", None, "\ud800", "\ufffd")
_IDS: Final = ("\u00e94", "e\u03014", "s", "S", "s ")
_TYPES: Final = (
    "user/message",
    "user/mess",
    "user/",
    "User/Message",
    "user/message ",
    "user/messages",
)


_PLACES: Final[tuple[Place, ...]] = ("stored", "live")


def _alike() -> list[CallsOn]:
    """Return a filter for each of some values that are easily taken for each other."""
    cwds = Corpus(
        tuple(_said(f"s{at}", cwd, _PLACES[at % 2], 0) for at, cwd in enumerate(_CWDS)),
    )
    ids = Corpus(tuple(_said(one, "/w", _PLACES[at % 2], 0) for at, one in enumerate(_IDS)))
    types = Corpus((_said("a", "/w", "stored", 0),))
    known: tuple[tuple[str, Corpus, tuple[str | None, ...]], ...] = (
        ("cwd", cwds, _CWDS),
        ("id", ids, _IDS),
        ("type", types, _TYPES),
    )
    return [
        _asked(corpus, [_values(kind, value)]) for kind, corpus, some in known for value in some
    ]


@check("FILTER-1/exactly", st.sampled_from(_alike()), after=FINDS)
async def _exactly(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A value of a filter is compared code point by code point: no prefix, no case, no form."""
    await agree_on_hits(provider, example)


_OVERLAPPING: Final[tuple[Filters, ...]] = (
    [_values("id", "a", "b"), _values("id", "b", "c")],
    [_values("id", "b", "c"), _values("id", "a", "b")],
    [_values("id", "a"), _values("id", "c")],
    [_values("cwd", "/w", "/v"), _values("cwd", "/v", None)],
    [_values("cwd", "/v", None), _values("cwd", "/w", "/v")],
    [_values("parent", None), _values("parent", "gone")],
    [_values("availability", "live"), _values("availability", "persisted")],
    [_values("availability", "persisted"), _values("availability", "live")],
    [_values("type", "user/message"), _values("type", "tool/call")],
    [_values("type", "tool/call"), _values("type", "user/message")],
    [_values("surface", "log-only"), _values("surface", "current")],
    [{"kind": "created-at", "from": 1}, {"kind": "created-at", "to": 1}],
    [{"kind": "created-at", "to": 1}, {"kind": "created-at", "from": 1}],
    [{"kind": "time", "from": 0}, {"kind": "time", "to": 0}],
    [{"kind": "time", "to": 0}, {"kind": "time", "from": 0}],
    [{"kind": "seq", "from": 1}, {"kind": "seq", "to": 1}],
    [{"kind": "seq", "to": 1}, {"kind": "seq", "from": 1}],
)
_ENDS: Final[tuple[Filters, ...]] = tuple(
    [{"kind": kind, side: end}]
    for kind in ("created-at", "time")
    for end in (0, 1, -1, 2**31, 2**32 + 1, -(2**32) - 1)
    for side in ("from", "to")
)
_THREE: Final = Corpus(
    (
        _said("a", "/w", "stored", -1, 0, 1, made=0),
        _said("b", "/v", "both", -1, 0, 1, made=1),
        _said("c", None, "live", -1, 0, CREATED, made=2),
    )
)


@check(
    "FILTER-2/overlapping",
    st.sampled_from(_OVERLAPPING).map(lambda some: _asked(_THREE, some)),
    after=FINDS,
)
async def _overlapping(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Of two filters of one kind both count: what one of them alone keeps is not found."""
    await agree_on_hits(provider, example)


@check(
    "FILTER-2/ends",
    st.sampled_from(_ENDS).map(lambda some: _asked(_THREE, some)),
    after=FINDS,
)
async def _ends(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An end of a range may be zero, negative or far away, and is what it says."""
    await agree_on_hits(provider, example)
