"""Requests: what is wrong with them, in which order, and when two are the same."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import ErrorCode, SessionQueryError
from session_query.query import (
    EventSearchRequest,
    IdFilter,
    SearchConfig,
    SeqFilter,
    SessionSearchRequest,
    TypeFilter,
    normalize_event_search,
    normalize_session_search,
)

from .test_filters import EVENT_FILTERS, SESSION_FILTERS

CONFIG = SearchConfig(default_limit=7, max_limit=30)
MODES = st.sampled_from(["phrase", "all", "any"])


def session_code(**fields: Any) -> ErrorCode:
    """The code that a request over the corpus is refused with."""
    with pytest.raises(SessionQueryError) as caught:
        normalize_session_search(SessionSearchRequest(**fields), CONFIG)
    return caught.value.code


@pytest.mark.requirement("SEARCH-1", "SEARCH-5", "SEARCH-11", "ERR-1")
def test_mistakes_are_told_in_a_fixed_order() -> None:
    """Types come first, then the query, then filters, then the limit."""
    wrong: dict[str, Any] = {
        "cursor": 5,
        "query": " ",
        "session_filters": [None],
        "event_filters": [None],
        "limit": 0,
    }
    right: dict[str, Any] = {
        "cursor": "c",
        "query": "q",
        "session_filters": [],
        "event_filters": [],
        "limit": 30,
    }
    codes = []
    for key in ("cursor", "query", "session_filters", "event_filters", "limit"):
        codes.append(session_code(**wrong))
        wrong[key] = right[key]
    assert codes == [
        ErrorCode.INVALID_CURSOR,
        ErrorCode.INVALID_QUERY,
        ErrorCode.INVALID_FILTER,
        ErrorCode.INVALID_FILTER,
        ErrorCode.INVALID_LIMIT,
    ]
    assert normalize_session_search(SessionSearchRequest(**wrong), CONFIG).limit == 30


@pytest.mark.requirement("SEARCH-11")
@pytest.mark.parametrize("limit", [0, -1, 31, True, 1.0, "5", float("nan"), 10**30])
def test_a_limit_outside_the_range_is_refused(limit: Any) -> None:
    """A page has from 1 to `max_limit` items."""
    assert session_code(query="q", limit=limit) is ErrorCode.INVALID_LIMIT
    with pytest.raises(SessionQueryError):
        normalize_event_search(EventSearchRequest("a", "q", limit=limit), CONFIG)


@pytest.mark.requirement("SEARCH-5", "SEARCH-13", "JSON-1")
@pytest.mark.parametrize(
    "wrong",
    [
        {"query": None},
        {"query": 5},
        {"query": ["q"]},
        {"query": ""},
        {"query": "\u3000\n"},
        {"query": "a\0b"},
        {"query": "q", "match": "ALL"},
        {"query": "q", "match": 1},
        {"query": "q", "match": ["any"]},
        {"query": "q", "sessionId": "a"},
        {"query": "q", "session_filters": []},
        {"query": "q", "offset": 3},
        {},
        None,
        "q",
        [],
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(wrong: Any) -> None:
    """A blank or odd query, an unknown mode and an unknown key are errors about the query."""
    for refuse in (
        lambda: normalize_session_search(wrong, CONFIG),
        lambda: SessionSearchRequest.from_json(wrong),
    ):
        with pytest.raises(SessionQueryError) as caught:
            refuse()
        assert caught.value.code is ErrorCode.INVALID_QUERY


@pytest.mark.requirement("SEARCH-2")
@pytest.mark.parametrize("wrong", [None, 5, ["a"]])
def test_a_search_in_a_session_names_it(wrong: Any) -> None:
    """A session id that is no text, or is missing, is refused."""
    for request in (EventSearchRequest(wrong, "q"), {"query": "q", "sessionId": wrong}):
        with pytest.raises(SessionQueryError) as caught:
            normalize_event_search(request, CONFIG)
        assert caught.value.code is ErrorCode.INVALID_QUERY
    with pytest.raises(SessionQueryError, match="sessionId"):
        EventSearchRequest.from_json({"query": "q"})


@pytest.mark.requirement("SEARCH-1")
def test_left_out_fields_have_their_defaults() -> None:
    """Without a limit the page has the engine's default; without filters all is admitted."""
    found = normalize_session_search({"query": " a \n b "}, CONFIG)
    assert (found.limit, found.cursor, found.query.match) == (7, None, "phrase")
    assert found.session_filters.is_empty
    assert found.event_filters.is_empty
    assert found.query.normalized == "a b"


session_requests = st.builds(
    SessionSearchRequest,
    st.sampled_from(["a", "b  c", "权限"]),
    st.lists(SESSION_FILTERS, max_size=2),
    st.lists(EVENT_FILTERS, max_size=2),
    st.none() | st.integers(1, 30),
    st.none() | st.sampled_from(["c", "d"]),
    MODES,
)
event_requests = st.builds(
    EventSearchRequest,
    st.sampled_from(["a", "\ud800"]),
    st.sampled_from(["a", "b  c"]),
    st.lists(EVENT_FILTERS, max_size=2),
    st.none() | st.integers(1, 30),
    st.none() | st.sampled_from(["c", "d"]),
    MODES,
)


@pytest.mark.requirement("JSON-1")
@given(session_requests, event_requests)
def test_a_request_survives_its_json(one: SessionSearchRequest, other: EventSearchRequest) -> None:
    """What has its default is left out, and a search takes either form for the same."""
    form = one.to_json()
    assert form.keys() <= {"query", "sessionFilters", "eventFilters", "limit", "cursor", "match"}
    assert None not in form.values()
    assert [] not in form.values()
    again = SessionSearchRequest.from_json(form)
    assert again.to_json() == form
    expected = normalize_session_search(one, CONFIG).digest
    assert normalize_session_search(form, CONFIG).digest == expected
    assert normalize_session_search(again, CONFIG).digest == expected
    form = other.to_json()
    assert form.keys() <= {"sessionId", "query", "filters", "limit", "cursor", "match"}
    assert EventSearchRequest.from_json(form).to_json() == form
    expected = normalize_event_search(other, CONFIG).digest
    assert normalize_event_search(form, CONFIG).digest == expected


@pytest.mark.requirement("CURSOR-2")
@given(session_requests, st.randoms(use_true_random=False), st.sampled_from([None, "x"]))
def test_the_order_of_filters_and_values_is_no_matter(
    one: SessionSearchRequest, shuffler: random.Random, cursor: str | None
) -> None:
    """A request with its filters and values in another order, on another page, is the same."""
    form = one.to_json()
    for key in ("sessionFilters", "eventFilters"):
        filters = form.get(key, [])
        shuffler.shuffle(filters)
        for found in filters:
            if "values" in found:
                found["values"] = [*found["values"], *found["values"]]
                shuffler.shuffle(found["values"])
    form["cursor"] = cursor
    form["query"] = f" {form['query']}\n"
    form.setdefault("limit", 7)
    expected = normalize_session_search(one, CONFIG).digest
    assert normalize_session_search(form, CONFIG).digest == expected


@pytest.mark.requirement("CURSOR-2", "SEARCH-13")
def test_unlike_requests_have_unlike_digests() -> None:
    """Scope, query, mode, limit and each filter tell requests apart."""
    forms: list[dict[str, Any]] = [
        {"query": "q"},
        {"query": "Q"},
        {"query": "q", "match": "all"},
        {"query": "q", "match": "any"},
        {"query": "q", "limit": 8},
        {"query": "q", "sessionFilters": [{"kind": "id", "values": []}]},
        {"query": "q", "sessionFilters": [{"kind": "id", "values": ["a"]}]},
        {"query": "q", "sessionFilters": [{"kind": "id", "values": ["b"]}]},
        {"query": "q", "sessionFilters": [{"kind": "id", "values": ["a", "b"]}]},
        {"query": "q", "sessionFilters": [{"kind": "cwd", "values": ["a"]}]},
        {"query": "q", "sessionFilters": [{"kind": "parent", "values": ["a"]}]},
        {"query": "q", "sessionFilters": [{"kind": "parent", "values": [None]}]},
        {"query": "q", "eventFilters": [{"kind": "seq", "from": 1}]},
        {"query": "q", "eventFilters": [{"kind": "seq", "to": 1}]},
        {"query": "q", "eventFilters": [{"kind": "time", "from": 1}]},
        {"query": "q", "eventFilters": [{"kind": "type", "values": ["a"]}]},
        {"query": "q", "eventFilters": [{"kind": "type", "values": ["\ud800"]}]},
    ]
    digests = {normalize_session_search(form, CONFIG).digest for form in forms}
    digests |= {
        normalize_event_search({"query": "q", "sessionId": name}, CONFIG).digest
        for name in ("a", "b")
    }
    assert len(digests) == len(forms) + 2


@pytest.mark.requirement("FILTER-3")
def test_a_request_keeps_what_it_was_made_of() -> None:
    """Changing lists and objects that a request was made of does not change the request."""
    values, form = ["a"], {"kind": "type", "values": ["x"]}
    filters: list[Any] = [form, SeqFilter(1)]
    request = SessionSearchRequest("q", [IdFilter(values)], filters)
    before = normalize_session_search(request, CONFIG)
    values.append("b")
    form["values"] = ["y"]
    filters.clear()
    after = normalize_session_search(request, CONFIG)
    assert after.digest == before.digest
    assert after.event_filters.compiled.types == frozenset("x")
    assert request.to_json()["eventFilters"] == [
        {"kind": "type", "values": ["x"]},
        {"kind": "seq", "from": 1},
    ]


@pytest.mark.requirement("SEARCH-12")
def test_a_request_has_no_budget_of_values() -> None:
    """125,000 values are one request, the same one in any order."""
    values = [f"id-{number}" for number in range(125_000)]
    one = SessionSearchRequest("q", [IdFilter(values)], [TypeFilter(values)] * 50)
    other = SessionSearchRequest("q", [IdFilter(values[::-1])], [TypeFilter(values)])
    normalized = normalize_session_search(one, CONFIG)
    assert normalized.digest == normalize_session_search(other, CONFIG).digest
    fewer = SessionSearchRequest("q", [IdFilter(values[1:])], [TypeFilter(values)])
    assert normalized.digest != normalize_session_search(fewer, CONFIG).digest
