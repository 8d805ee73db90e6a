"""Calls of tools as data, and the engine that they are made on."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from session_query import ErrorCode, SessionQueryError
from session_query_specs.corpora import Corpus
from session_query_specs.hosts import (
    CANARY,
    Change,
    Failure,
    HostCall,
    Race,
    hidden,
    host_calls,
    own,
    visible,
)
from session_query_specs.loop import Schedule

from .broken import Tools

SEARCH = HostCall(
    Corpus((own(), *(visible(f"v{at}", "rocket", title="x") for at in range(3)))),
    "session_search",
    {"query": "rocket", "match": "all"},
)


@pytest.mark.requirement("CONF-15")
@given(host_calls())
def test_a_call_survives_a_trip_through_json(call: HostCall) -> None:
    """What a script holds is the very call, with all that happens meanwhile."""
    full = call.but(
        changes=(
            Change(("before", 1), "v0", hidden("v0", "x", place="live")),
            Change(("task", 3), "v1", None),
        ),
        failures=(
            Failure("read_titles", ErrorCode.INDEX_FAILED.value, "here"),
            Failure(2, "a group"),
        ),
        page_size=2,
        abort=("after", 1),
        damage=((0, "v2"),),
        passes=1,
    )
    assert HostCall.from_json(json.loads(json.dumps(full.to_json()))) == full


@pytest.mark.requirement("CONF-2")
@pytest.mark.parametrize(("size", "pages"), [(1, 4), (2, 2), (3, 2), (None, 1)])
def test_the_engine_has_pages_of_any_size(size: int | None, pages: int) -> None:
    """A page is never larger than the script says; the caller's own session is a hit as well."""
    heard = asyncio.run(SEARCH.but(page_size=size).heard(Tools()))
    assert heard.methods == [*["search_sessions"] * pages, "read_titles"]
    assert all(f"v{at}" in heard.text for at in range(3))


@pytest.mark.requirement("CONF-2")
def test_a_call_of_the_engine_fails_as_the_script_says() -> None:
    """By its number or as the first of a method, a call raises what was asked for."""
    code = ErrorCode.INDEX_FAILED.value
    for at, asked in ((0, 1), (1, 2), ("read_titles", 2)):
        heard = asyncio.run(SEARCH.but(failures=(Failure(at, code),)).heard(Tools()))
        assert (heard.code, len(heard.calls)) == (code, asked)
    raised = Failure(0, code, "elsewhere").raised()
    assert isinstance(raised, SessionQueryError)
    assert raised.header is not None
    assert CANARY in str(raised.header.cwd)


@pytest.mark.requirement("CONF-2")
@pytest.mark.parametrize("when", ["before", "after", "read"])
def test_a_change_happens_at_its_moment(when: str) -> None:
    """A session that is deleted before, after or in the middle of a call is gone from then on."""
    trace = HostCall(SEARCH.corpus, "session_trace", {"session_id": "v0"})
    gone = trace.but(changes=(Change((when, 0), "v0", None),))  # type: ignore[arg-type]
    assert asyncio.run(trace.heard(Tools())).code is None
    assert asyncio.run(gone.heard(Tools())).code == "SESSION_QUERY_TOOL_UNAUTHORIZED"


@pytest.mark.requirement("CONF-8", "CONF-10")
def test_a_race_is_decided_by_its_schedule() -> None:
    """The same call is refused or answered, as the task that deletes its target runs."""
    trace = HostCall(SEARCH.corpus, "session_trace", {"session_id": "v0"})
    gone = trace.but(passes=1, changes=(Change(("task", 0), "v0", None),))
    early, first = Race(gone).heard(Tools())
    late, second = Race(gone, Schedule(priorities=(5, 0, *[5] * 40))).heard(Tools())
    assert early.code == "SESSION_QUERY_TOOL_UNAUTHORIZED"
    assert late.code is None
    assert any(line.endswith("change 0") for line in first)
    assert first != second
