"""Filters: forms, mistakes, and what they admit, against a model that asks clause by clause."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.corpus import SessionRecord
from session_query.errors import ErrorCode, SessionQueryError
from session_query.query import (
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    Filter,
    IdFilter,
    ParentFilter,
    SeqFilter,
    SurfaceFilter,
    TextFilter,
    TimeFilter,
    TypeFilter,
    normalize_event_filters,
    normalize_session_filters,
)

from ..corpus.engines import engine_over
from ..corpus.logs import header

TEXTS = st.sampled_from(["a", "b", "é", "\ud800", "\U00010000", ""])
ENDS = st.integers(-2, 4) | st.sampled_from([2.0, 2**53, 10**30, -(10**30)])
RANGES: st.SearchStrategy[tuple[Any, Any]] = st.one_of(
    st.tuples(ENDS, st.none()),
    st.tuples(st.none(), ENDS),
    st.tuples(ENDS, ENDS).map(sorted).map(tuple),
)


def lists(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Values of a filter, none among them too."""
    return st.lists(values, max_size=4)


SESSION_FILTERS = st.one_of(
    st.builds(IdFilter, lists(TEXTS)),
    st.builds(CwdFilter, lists(TEXTS | st.none())),
    st.builds(ParentFilter, lists(TEXTS | st.none())),
    st.builds(AvailabilityFilter, lists(st.sampled_from(["live", "persisted"]))),
    RANGES.map(lambda ends: CreatedAtFilter(*ends)),
)
EVENT_FILTERS = st.one_of(
    st.builds(TypeFilter, lists(TEXTS)),
    st.builds(SurfaceFilter, lists(st.sampled_from(["current", "shadowed", "log-only"]))),
    RANGES.map(lambda ends: SeqFilter(*ends)),
    RANGES.map(lambda ends: TimeFilter(*ends)),
)
RECORDS = st.builds(
    SessionRecord,
    st.builds(
        header,
        TEXTS.filter(bool),
        st.integers(0, 4),
        cwd=TEXTS | st.none(),
        parent_session=TEXTS | st.none(),
    ),
    st.booleans(),
    st.booleans(),
).filter(lambda record: record.live or record.persisted)


def as_json(filters: list[Filter], forms: list[bool]) -> list[Any]:
    """Some of the filters as JSON."""
    return [one.to_json() if form else one for one, form in zip(filters, forms, strict=False)]


def holds(one: Filter, values: Mapping[str, Any]) -> bool:
    """What the definition of one filter says, read from its JSON."""
    form = one.to_json()
    value = values[form.pop("kind")]
    if "values" in form:
        return any(given == found for given in form["values"] for found in value)
    low, high = form.get("from", -math.inf), form.get("to", math.inf)
    return bool(low <= value <= high)


@pytest.mark.requirement("FILTER-1", "FILTER-2")
@given(st.lists(SESSION_FILTERS, max_size=5), st.lists(st.booleans(), min_size=5), RECORDS)
@example(
    [AvailabilityFilter(["live"]), AvailabilityFilter(["persisted"])],
    [False, False],
    SessionRecord(header("a"), live=True, persisted=False),
)
def test_a_session_is_admitted_if_every_clause_holds(
    filters: list[Filter], forms: list[bool], record: SessionRecord
) -> None:
    """Clauses are ANDed and their values ORed, objects and JSON alike; the answer is O(1)."""
    normalized = normalize_session_filters(as_json(filters, forms))
    values = {
        "id": [record.header.id],
        "cwd": [record.header.cwd],
        "parent": [record.header.parent_session],
        "created-at": record.header.created_at,
        "availability": ["live"] * record.live + ["persisted"] * record.persisted,
    }
    expected = all(holds(one, values) for one in filters)
    assert normalized.admits(record) == expected
    assert normalized.is_empty == (not filters)
    assert not (normalized.nothing and expected)


@pytest.mark.requirement("FILTER-1", "FILTER-2")
@given(
    st.lists(EVENT_FILTERS, max_size=5),
    st.lists(st.booleans(), min_size=5),
    st.integers(0, 4),
    TEXTS,
    st.integers(-2, 4),
    st.sampled_from(["current", "shadowed", "log-only"]),
)
def test_an_event_is_admitted_if_every_clause_holds(  # noqa: PLR0913, PLR0917 - four of an event
    filters: list[Filter], forms: list[bool], seq: int, kind: str, time: int, surface: str
) -> None:
    """The compiled bounds are the intersection of all clauses, and fit into 64 bits."""
    normalized = normalize_event_filters(as_json(filters, forms))
    bounds = normalized.compiled
    values = {"seq": seq, "type": [kind], "time": time, "surface": [surface]}
    expected = all(holds(one, values) for one in filters)
    assert bounds.admits(seq, kind, time, surface) == expected
    assert normalized.is_empty == (not filters)
    assert not (bounds.nothing and expected)
    for end in (bounds.seq_from, bounds.seq_to, bounds.time_from, bounds.time_to):
        assert end is None or -(2**63) <= end < 2**63


@pytest.mark.requirement("FILTER-2")
@pytest.mark.parametrize(
    ("filters", "nothing"),
    [
        ([IdFilter([])], True),
        ([IdFilter(["a", "b"]), IdFilter(["b", "c"])], False),
        ([IdFilter(["a"]), IdFilter(["c"])], True),
        ([AvailabilityFilter([])], True),
        ([AvailabilityFilter(["live"]), AvailabilityFilter(["persisted"])], False),
        ([CreatedAtFilter(None, 3), CreatedAtFilter(5)], True),
        ([CreatedAtFilter(None, 5), CreatedAtFilter(5)], False),
        ([CreatedAtFilter(2**60)], True),
        ([CwdFilter([None])], False),
    ],
)
def test_clauses_that_exclude_each_other_are_known_at_once(
    filters: list[Filter], nothing: bool
) -> None:
    """Filters that no session can meet say so, without any being asked about."""
    assert normalize_session_filters(filters).nothing is nothing


EVENT_KINDS = ["seq", "time", "type", "surface", "text"]
WRONG_FILTERS: list[Any] = [
    None,
    5,
    "id",
    [],
    {},
    {"kind": None},
    {"kind": ["id"]},
    {"kind": "ID", "values": []},
    {"kind": "ids", "values": []},
    {"values": ["a"]},
    {"kind": "id"},
    {"kind": "id", "values": None},
    {"kind": "id", "values": "abc"},
    {"kind": "id", "values": {"a": 1}},
    {"kind": "id", "values": [None]},
    {"kind": "id", "values": [5]},
    {"kind": "id", "values": [["a"]]},
    {"kind": "id", "values": ["a"], "from": 1},
    {"kind": "id", "value": ["a"]},
    {"kind": "cwd", "values": [True]},
    {"kind": "parent", "values": [0]},
    {"kind": "availability", "values": ["Live"]},
    {"kind": "availability", "values": ["live", None]},
    {"kind": "created-at"},
    {"kind": "created-at", "from": None},
    {"kind": "created-at", "from": 1, "to": None},
    {"kind": "created-at", "from": "1"},
    {"kind": "created-at", "from": True},
    {"kind": "created-at", "from": 1.5},
    {"kind": "created-at", "from": math.nan},
    {"kind": "created-at", "to": math.inf},
    {"kind": "created-at", "to": -math.inf},
    {"kind": "created-at", "from": 2, "to": 1},
    {"kind": "created-at", "from": 1, "until": 2},
    {"kind": "created-at", "from_": 1},
    IdFilter("abc"),
    IdFilter(None),  # type: ignore[arg-type]
    IdFilter([b"a"]),  # type: ignore[list-item]
    CwdFilter({"a": 1}),
    CreatedAtFilter(),
    CreatedAtFilter(2, 1),
    CreatedAtFilter(False, 1),
    CreatedAtFilter("1"),  # type: ignore[arg-type]
    AvailabilityFilter(["stored"]),
    SeqFilter(1),
    {"kind": "seq", "from": 1},
    IdFilter,
]
WRONG_EVENT_FILTERS: list[Any] = [
    {"kind": "surface", "values": ["Current"]},
    {"kind": "surface", "values": [None]},
    {"kind": "type", "values": [None]},
    {"kind": "seq"},
    {"kind": "seq", "from": 3, "to": 2},
    {"kind": "time", "to": math.nan},
    {"kind": "text"},
    {"kind": "text", "text": None},
    {"kind": "text", "text": 5},
    {"kind": "text", "text": " \n\u3000\ufeff"},
    {"kind": "text", "text": "x", "match": "all"},
    TextFilter(""),
    TextFilter(["x"]),  # type: ignore[arg-type]
    SeqFilter(),
    IdFilter(["a"]),
    {"kind": "id", "values": ["a"]},
]


@pytest.mark.requirement("FILTER-2", "ERR-1")
@pytest.mark.parametrize("wrong", WRONG_FILTERS, ids=repr)
def test_a_session_filter_that_cannot_be_meant_is_refused(wrong: Any) -> None:
    """Every mistake has one code and says which filter it is."""
    with pytest.raises(SessionQueryError, match=r"filters\[1\]") as caught:
        normalize_session_filters([IdFilter(["a"]), wrong])
    assert caught.value.code is ErrorCode.INVALID_FILTER


@pytest.mark.requirement("FILTER-2", "FILTER-4", "ERR-1")
@pytest.mark.parametrize("wrong", WRONG_EVENT_FILTERS, ids=repr)
def test_an_event_filter_that_cannot_be_meant_is_refused(wrong: Any) -> None:
    """The same holds for filters on events, blank texts among them."""
    with pytest.raises(SessionQueryError, match=r"filters\[0\]") as caught:
        normalize_event_filters([wrong], text=True)
    assert caught.value.code is ErrorCode.INVALID_FILTER


@pytest.mark.requirement("FILTER-2")
@pytest.mark.parametrize("wrong", [None, 5, "id", {"kind": "id", "values": []}, IdFilter(["a"])])
def test_filters_are_a_list(wrong: Any) -> None:
    """A filter that stands alone, or nothing at all, is no list of filters."""
    for normalize in (normalize_session_filters, normalize_event_filters):
        with pytest.raises(SessionQueryError) as caught:
            normalize(wrong)
        assert caught.value.code is ErrorCode.INVALID_FILTER


@pytest.mark.requirement("FILTER-1")
def test_a_search_takes_no_text_filter() -> None:
    """`TextFilter` is for `filter_events` alone."""
    with pytest.raises(SessionQueryError):
        normalize_event_filters([TextFilter("x")])
    assert normalize_event_filters([TextFilter("x")], text=True).texts == ("x",)


@pytest.mark.requirement("FILTER-3")
def test_a_filter_keeps_what_it_was_made_of() -> None:
    """Changing the values that a filter was made of does not change it."""
    values = ["a"]
    made = IdFilter(values)
    values.append("b")
    assert made == IdFilter(("a",))
    assert made.to_json() == {"kind": "id", "values": ["a"]}


@pytest.mark.requirement("FILTER-2")
def test_a_filter_that_is_iterated_once_is_enough() -> None:
    """Generators serve as lists of filters and of values."""
    engine = engine_over(None, [(header("a"), []), (header("b"), [])])
    filters = (IdFilter(name for name in "b") for _ in range(2))  # type: ignore[arg-type]
    found = asyncio.run(engine.filter_sessions(filters))
    assert [record.id for record in found] == ["b"]


@pytest.mark.requirement("JSON-1", "FILTER-1")
@given(st.one_of(SESSION_FILTERS, EVENT_FILTERS, st.builds(TextFilter, st.just("x"))))
def test_a_filter_survives_its_json(one: Filter) -> None:
    """Each filter reads its own form back, checked, and refuses that of another kind."""
    form = one.to_json()
    assert form["kind"] == one.kind
    again = type(one).from_json(form)
    assert again == one
    assert hash(again) == hash(one)
    other = SeqFilter if isinstance(one, IdFilter) else IdFilter
    with pytest.raises(SessionQueryError) as caught:
        other.from_json(form)
    assert caught.value.code is ErrorCode.INVALID_FILTER


@pytest.mark.requirement("JSON-1")
@pytest.mark.parametrize("wrong", [{"kind": "id", "values": [5]}, {"kind": "id"}, None])
def test_reading_a_filter_checks_its_values(wrong: Any) -> None:
    """`from_json` refuses what an operation would refuse."""
    with pytest.raises(SessionQueryError) as caught:
        IdFilter.from_json(wrong)
    assert caught.value.code is ErrorCode.INVALID_FILTER


@pytest.mark.requirement("FILTER-2", "LOG-23")
def test_a_pair_of_surrogates_is_the_character_it_stands_for() -> None:
    """A value that spells a character as two surrogates matches the character, as ids do."""
    record = SessionRecord(header("\U0001f600"), live=True, persisted=False)
    assert normalize_session_filters([IdFilter(["\ud83d\ude00"])]).admits(record)


@pytest.mark.requirement("SEARCH-12")
def test_there_is_no_budget_of_values_or_clauses() -> None:
    """125,000 values and 50 clauses are one set, asked once for each session."""
    values = [f"id-{number}" for number in range(125_000)]
    filters: list[Filter] = [IdFilter(values[number:]) for number in range(50)]
    filters += [CwdFilter([*values, None])]
    normalized = normalize_session_filters(filters)
    for name, admitted in (("id-49", True), ("id-48", False), ("id-124999", True)):
        record = SessionRecord(header(name), live=True, persisted=False)
        assert normalized.admits(record) is admitted
