"""With which filters the service is asked, whatever a model sends (INPUT-2 to INPUT-4)."""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from hypothesis import strategies as st

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    BEACON,
    answered,
    host_check,
    plain,
    refused,
    searching,
    targeting,
)
from session_query_specs.checks._instants import ANYTIME, CLOSE, Written, written
from session_query_specs.hosts import Heard, HostCall, visible

__all__: list[str] = []

_SEARCHES: Final = ("session_search", "session_event_search")


@dataclass(frozen=True, slots=True)
class _Asking:
    """A search whose filters are known.

    Attributes:
        call: the search.
        filters: the JSON of the filters that it must ask with, by their kinds; None if it must
            ask nothing.
        wrong: the argument that is refused.
    """

    call: HostCall
    filters: Mapping[str, Mapping[str, Any]] | None
    wrong: str | None = None

    def described(self) -> list[str]:
        """Return the call in lines that a person reads."""
        return self.call.described()

    def script(self, subject: str) -> str:
        """Return a program that makes the call."""
        return self.call.script(subject)


def _filters(heard: Heard) -> list[dict[str, list[dict[str, Any]]]]:
    """Return the filters of each search that a host made: their JSON by their kinds."""
    found = []
    for call in heard.calls:
        if call.method in {"search_sessions", "search_events"}:
            [request] = call.arguments
            given = (
                [*request.session_filters, *request.event_filters]
                if call.method == "search_sessions"
                else request.filters
            )
            kinds: dict[str, list[dict[str, Any]]] = {}
            for one in given:
                form = dict(one) if isinstance(one, Mapping) else one.to_json()
                kinds.setdefault(form["kind"], []).append(form)
            found.append(kinds)
    return found


async def _asks_so(host: HostUnderTest, example: _Asking) -> None:
    """See that a search asks with the filters that it must have, and with no others."""
    await answered(host, plain(example.call.tool), "v0")
    if example.wrong is not None:
        reached("a range the wrong way round")
        await refused(host, example.call, example.wrong, "the range is the wrong way round")
        return
    heard = await answered(host, example.call)
    asked = _filters(heard)
    if example.filters is None:
        reached("a range without a whole millisecond")
        if asked:
            raise Violation("no search of a range that holds nothing", f"{asked}")
        return
    if not asked:
        raise Violation("a search", f"{heard.methods}")
    expected = {kind: [{"kind": kind, **form}] for kind, form in example.filters.items()}
    for kinds in asked:
        rest = {kind: forms for kind, forms in kinds.items() if kind != "cwd"}
        if rest != expected:
            raise Violation(f"a search with the filters {expected}", f"{rest}")


# -- each argument ------------------------------------------------------------------------------

_LISTS: Final[Mapping[str, Mapping[str, tuple[str, tuple[str, ...]]]]] = {
    "session_search": {
        "session_ids": ("id", ("v0", "v1", "x y")),
        "availability": ("availability", ("live", "persisted")),
        "event_types": ("type", ("user/message", "host/own", " ")),
        "event_surfaces": ("surface", ("current", "shadowed", "log-only")),
    },
    "session_event_search": {
        "event_types": ("type", ("user/message", "host/own", " ")),
        "surfaces": ("surface", ("current", "shadowed", "log-only")),
    },
}
_SEQS: Final = {"session_search": "event_seq", "session_event_search": "seq"}
_LARGEST: Final = 2**53 - 1


@st.composite
def _filtering(draw: st.DrawFn) -> _Asking:
    tool = draw(st.sampled_from(_SEARCHES))
    arguments: dict[str, Any] = {}
    filters: dict[str, dict[str, Any]] = {}
    for name, (kind, values) in _LISTS[tool].items():
        if draw(st.booleans()):
            some = draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
            arguments[name], filters[kind] = some, {"values": some}
    for end in draw(st.sets(st.sampled_from(["from", "to"]))):
        whole = draw(st.sampled_from([0, 3] if end == "from" else [3, 7, _LARGEST]))
        number = draw(st.sampled_from([whole, float(whole)])) if whole < _LARGEST else whole
        arguments[f"{_SEQS[tool]}_{end}"] = number
        filters.setdefault("seq", {})[end] = whole
    return _Asking(plain(tool).asking(**arguments), filters)


@host_check("INPUT-2/each-filter", _filtering(), weight=2)
async def _each_filter(host: HostUnderTest, example: _Asking) -> None:
    """Each argument is one filter more, and all values of a list are in the one filter."""
    await _asks_so(host, example)


@host_check(
    "INPUT-4/open-types",
    st.builds(
        lambda tool, types: _Asking(
            plain(tool).asking(event_types=types), {"type": {"values": types}}
        ),
        st.sampled_from(_SEARCHES),
        st.lists(st.text(max_size=8), min_size=1, max_size=4, unique=True),
    ),
)
async def _open_types(host: HostUnderTest, example: _Asking) -> None:
    """Any texts are types of events, and come to the service as they are."""
    await _asks_so(host, example)


@host_check(
    "INPUT-2/seq-ranges",
    st.builds(
        lambda tool, low, high: (
            searching(*(visible(f"m{at}m", *["x"] * at, "rocket") for at in range(5)))
            if tool == "session_search"
            else targeting(tool, target=visible("v0", *(f"rocket m{at}m" for at in range(5))))
        ).asking(**{f"{_SEQS[tool]}_from": low, f"{_SEQS[tool]}_to": high}),
        st.sampled_from(_SEARCHES),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    weight=2,
)
async def _seq_ranges(host: HostUnderTest, example: HostCall) -> None:
    """A range of seqs holds both of its ends, and is refused if it's the wrong way round."""
    low_name, high_name = (name for name in example.arguments if name.endswith(("_from", "_to")))
    low, high = example.arguments[low_name], example.arguments[high_name]
    whole = example.asking(**{low_name: None, high_name: None})
    await answered(host, whole, *(f"m{at}m" for at in range(5)))
    if low > high:
        await refused(host, example, low_name, "the range is the wrong way round")
        return
    heard = await answered(host, example)
    for at in range(5):
        if (f"m{at}m" in heard.text) != (low <= at <= high):
            told = "among" if low <= at <= high else "not among"
            raise Violation(f"the match with seq {at} {told} the hits", f"{heard}")


# -- times --------------------------------------------------------------------------------------

_RANGES: Final = {
    "created_at": ("session_search", "created-at"),
    "event_time": ("session_search", "time"),
    "time": ("session_event_search", "time"),
}


def _timed(name: str, low: Written | None, high: Written | None) -> _Asking:
    """Return a search of a range, and what it has to ask for."""
    tool, kind = _RANGES[name]
    arguments, bounds = {}, {}
    if low is not None:
        arguments[f"{name}_from"], bounds["from"] = low.text, math.ceil(low.exact)
    if high is not None:
        arguments[f"{name}_to"], bounds["to"] = high.text, math.floor(high.exact)
    call = plain(tool).asking(**arguments)
    if low is None or high is None:
        return _Asking(call, {kind: bounds})
    wrong = f"{name}_from" if low.exact > high.exact else None
    return _Asking(call, {kind: bounds} if bounds["from"] <= bounds["to"] else None, wrong)


def _at(fraction: str) -> Written:
    return written(datetime(2026, 1, 1), fraction, 0)  # noqa: DTZ001 - the offset is counted apart


_NARROW: Final = [
    (_at(low), _at(high))
    for low, high in (
        ("0001", "0001"),
        ("0000001", "0009999"),
        ("0002", "0001"),
        ("001", "0" * 30 + "1"),
        ("0010000", "001"),
        ("0009", "001"),
        ("9" * 3999, "9" * 4000),
        ("9" * 4000, "9" * 3999),
    )
]

_names = st.sampled_from([*_RANGES])


@host_check(
    "INPUT-3/exact",
    st.one_of(
        st.builds(_timed, _names, ANYTIME, st.none()),
        st.builds(_timed, _names, st.none(), ANYTIME),
        st.builds(lambda name, pair: _timed(name, *pair), _names, CLOSE),
        st.builds(lambda name, pair: _timed(name, *pair), _names, st.sampled_from(_NARROW)),
    ),
    weight=4,
)
async def _exact(host: HostUnderTest, example: _Asking) -> None:
    """The whole milliseconds within a range are asked for, no more and no less; none, nobody."""
    await _asks_so(host, example)


@dataclass(frozen=True, slots=True)
class _Day:
    """A search from a day on that may be none."""

    call: HostCall
    exists: bool

    def described(self) -> list[str]:
        """Return the call in lines that a person reads."""
        return self.call.described()

    def script(self, subject: str) -> str:
        """Return a program that makes the call."""
        return self.call.script(subject)


def _day(bound: str, year: int, month: int, day: int) -> _Day:
    exists = 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]  # noqa: PLR2004 - months
    tool = _RANGES[bound.rpartition("_")[0]][0]
    session = visible("v0", f"rocket {BEACON}")
    call = searching(session) if tool == "session_search" else targeting(tool, target=session)
    return _Day(call.asking(**{bound: f"{year:04}-{month:02}-{day:02}T00:00Z"}), exists)


@host_check(
    "INPUT-3/calendar",
    st.builds(
        _day,
        st.sampled_from([f"{name}_{end}" for name in _RANGES for end in ("from", "to")]),
        st.sampled_from([1900, 2000, 2023, 2024, 2100, 2400]),
        st.integers(0, 13),
        st.sampled_from([0, 1, 15, 28, 29, 30, 31, 32]),
    ),
    weight=2,
)
async def _calendar(host: HostUnderTest, example: _Day) -> None:
    """A day is taken where the calendar has it, and nowhere else."""
    *_, bound = example.call.arguments
    await answered(host, example.call.asking(**{bound: None}), BEACON)
    reached("a day" if example.exists else "no day")
    if example.exists:
        await answered(host, example.call)
    else:
        await refused(host, example.call, bound, "there is no such day")
