"""A hidden id does what a missing one does, down to the calls made (AUTH-3, INPUT-5)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .calling import REFUSED, Ask, Outcome, called
from .corpora import CANARY, Corpus, header, log
from .drawing import HIDDEN, VISIBLE, Drawn, asks, some
from .engines import watched

ABSENT = {session_id: f"no{session_id[1]} zzzzzzzz" for session_id in HIDDEN}
"""Ids of the same order and length that no session has."""


def absent(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with missing ids for hidden ones."""

    def replaced(given: Any) -> Any:
        if isinstance(given, list):
            return [replaced(one) for one in given]
        return ABSENT.get(given, given) if isinstance(given, str) else given

    return {
        name: replaced(given) if name != "query" else given for name, given in arguments.items()
    }


async def observed(engine: str, sessions: list[Drawn], ask: Ask) -> tuple[Outcome, str]:
    """What comes of a call, and which calls of the service it made."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    for session in sessions:
        session.put_into(corpus)
    async with watched(corpus.sources, engine) as service:
        outcome = await called(service, ask, caller)
    calls = repr(service.calls)
    for hidden, missing in ABSENT.items():
        calls = calls.replace(repr(hidden), repr(missing))
    return outcome, calls


@pytest.mark.requirement("AUTH-3", "INPUT-5")
@pytest.mark.parametrize(("engine", "examples"), [("scripted", 100), ("sqlite", 50)])
def test_a_hidden_id_does_what_a_missing_one_does(engine: str, examples: int) -> None:
    """Result, error and calls made are the same for hidden and for missing ids."""

    @settings(max_examples=examples)
    @given(some(VISIBLE, hidden=False), some(HIDDEN, hidden=True), asks())
    def check(visible: list[Drawn], hidden: list[Drawn], ask: Ask) -> None:
        sessions = [*hidden, *visible]
        with_hidden = asyncio.run(observed(engine, sessions, ask))
        with_missing = asyncio.run(
            observed(engine, sessions, ask._replace(arguments=absent(ask.arguments)))
        )
        assert with_hidden == with_missing

    check()


FEW = st.lists(st.sampled_from(["v0", "v1", *HIDDEN, "gone"]), min_size=1, max_size=6)


@pytest.mark.requirement("INPUT-5")
@given(FEW, st.booleans())
def test_parents_are_reduced_and_made_unique_before_the_search(
    parents: list[str], roots: bool
) -> None:
    """The search is asked for visible parents only, each once; with none left it is not asked."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    for session_id in ("v0", "v1"):
        corpus.put(header(session_id), log("rocket"))
    for session_id in HIDDEN:
        corpus.put(header(session_id, f"/srv/{CANARY}"), log("rocket"))
    arguments = {"query": "rocket", "parent_session_ids": parents, "include_root_sessions": roots}

    async def main() -> tuple[Outcome, list[str]]:
        async with watched(corpus.sources, "scripted") as service:
            outcome = await called(service, Ask("session_search", arguments), caller)
        searches = [call.given[0] for call in service.calls if call.name == "search_sessions"]
        asked = [search.to_json() for search in searches]  # type: ignore[attr-defined]
        return outcome, [json.dumps(one["sessionFilters"]) for one in asked]

    outcome, filters = asyncio.run(main())
    wanted = [*sorted({"v0", "v1"} & {*parents}), *([None] if roots else [])]
    if wanted:
        assert filters
        assert {json.dumps({"kind": "parent", "values": wanted}) in one for one in filters} == {
            True
        }
    else:
        assert not filters
        assert outcome.text is not None
        assert outcome.text.startswith("Nothing found.")
    assert not outcome.has_canary


@pytest.mark.requirement("INPUT-5")
@pytest.mark.parametrize(
    "wrong",
    [
        {"created_at_from": "2026-02-30T00:00Z"},
        {"created_at_from": "2026-02-02T00:00Z", "created_at_to": "2026-02-01T00:00Z"},
        {"event_time_from": "2026-02-02T00:00Z", "event_time_to": "2026-02-01T00:00Z"},
        {"event_seq_from": 2, "event_seq_to": 1},
        {"event_types": []},
        {"match": "none"},
        {"query": " "},
    ],
)
def test_all_else_is_checked_before_any_parent_is_looked_up(wrong: dict[str, Any]) -> None:
    """A wrong argument is an error whatever the parents are, and the service is asked nothing."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    corpus.put(header("v0"), log("rocket"))

    async def main(parent: str) -> Outcome:
        async with watched(corpus.sources, "scripted") as service:
            arguments = {"query": "rocket", "parent_session_ids": [parent], **wrong}
            outcome = await called(service, Ask("session_search", arguments), caller)
        assert service.calls == []
        return outcome

    outcomes = {asyncio.run(main(parent)) for parent in ("v0", HIDDEN[0], "gone")}
    assert {outcome.code for outcome in outcomes} == {"SESSION_QUERY_TOOL_INVALID_ARGUMENT"}
    assert len(outcomes) == 1


@pytest.mark.requirement("AUTH-3", "AUTH-4")
@pytest.mark.parametrize("session_id", ["h", "gone", "v0 ", "V0", " "])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("session_event_search", {"query": "rocket"}),
        ("session_trace", {}),
        ("session_event_trace", {"seq": 0}),
        ("session_event_read", {"seq": 0}),
    ],
)
def test_a_refused_target_is_asked_nothing(
    tool: str, arguments: dict[str, Any], session_id: str
) -> None:
    """A target is authorized by one listing before anything is asked of it."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    corpus.put(header("v0"), log("rocket"))
    corpus.put(header("h", "/srv/other"), log("rocket"))

    async def main() -> tuple[Outcome, list[str]]:
        async with watched(corpus.sources) as service:
            ask = Ask(tool, {**arguments, "session_id": session_id})
            return await called(service, ask, caller), service.names

    outcome, names = asyncio.run(main())
    assert outcome.code == REFUSED
    assert names == ["filter_sessions"]
