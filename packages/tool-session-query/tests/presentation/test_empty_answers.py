"""An empty answer says what was searched, and nothing of what was not (RENDER-4)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..toolset.scripted import ScriptedEngine, answer

FILTERS: dict[str, dict[str, Any]] = {
    "session_search": {
        "session_ids": ["x"],
        "created_at_from": "2026-01-01T00:00Z",
        "created_at_to": "2026-01-02T00:00Z",
        "parent_session_ids": ["x"],
        "include_root_sessions": True,
        "availability": ["live"],
        "event_seq_from": 0,
        "event_seq_to": 0,
        "event_time_from": "2026-01-01T00:00Z",
        "event_time_to": "2026-01-02T00:00Z",
        "event_types": ["x"],
        "event_surfaces": ["current"],
    },
    "session_event_search": {
        "seq_from": 0,
        "seq_to": 0,
        "time_from": "2026-01-01T00:00Z",
        "time_to": "2026-01-02T00:00Z",
        "event_types": ["x"],
        "surfaces": ["current"],
    },
}
MODES = {
    "auto": "the phrase, then any of its words",
    "phrase": "the phrase",
    "all": "all of its words",
    "any": "any of its words",
}


def empty(scope: str, mode: str = "auto", filters: tuple[str, ...] = ()) -> str:
    """The whole of an empty answer."""
    end = ", or fewer filters." if filters else "."
    by_id = {"session_ids", "parent_session_ids"} & {*filters}
    return "\n".join(
        [
            "Nothing found.",
            f"Searched: {scope}, for {MODES[mode]}.",
            f"Filters: {', '.join(filters) or 'none'}.",
            *(["Ids are what session_search shows in quotes; a title is none."] if by_id else []),
            f"It may still have happened: try other words and forms of them{end}",
        ]
    )


SCOPES = {
    "session_search": "the sessions of this workspace, except your own",
    "session_event_search": "your own session, up to its running step",
}


@pytest.mark.requirement("RENDER-4", "INPUT-6")
@pytest.mark.parametrize("tool", list(FILTERS))
@pytest.mark.parametrize("mode", list(MODES))
def test_an_empty_answer_names_scope_and_mode(tool: str, mode: str) -> None:
    """The answer says where it was searched, without what, and in which modes."""
    text = answer(ScriptedEngine(), tool, {"query": "a", "match": mode})
    assert text == empty(SCOPES[tool], mode)
    if mode == "auto":
        assert text == answer(ScriptedEngine(), tool, {"query": "a"})


@pytest.mark.requirement("RENDER-4")
@pytest.mark.parametrize(
    ("tool", "name"), [(tool, name) for tool in FILTERS for name in FILTERS[tool]]
)
def test_an_empty_answer_names_each_filter(tool: str, name: str) -> None:
    """One filter alone is named alone."""
    arguments = {"query": "a", name: FILTERS[tool][name]}
    assert answer(ScriptedEngine(), tool, arguments) == empty(SCOPES[tool], filters=(name,))


@pytest.mark.requirement("RENDER-4")
@pytest.mark.parametrize("tool", list(FILTERS))
def test_a_query_of_signs_alone_is_told(tool: str) -> None:
    """Where the query holds no word, no other advice is given, whatever the filters are."""
    for filters in ({}, FILTERS[tool]):
        *_, last = answer(ScriptedEngine(), tool, {"query": "?!", **filters}).split("\n")
        assert last == "The query holds no word that could be found."
    assert len(answer(ScriptedEngine(), tool, {"query": "?!"}).split("\n")) == 4


@pytest.mark.requirement("RENDER-4")
@pytest.mark.parametrize("tool", list(FILTERS))
def test_an_empty_answer_names_all_filters(tool: str) -> None:
    """All filters are named, in a fixed order, however the arguments came."""
    given = FILTERS[tool]
    expected = empty(SCOPES[tool], filters=tuple(given))
    for arguments in ({"query": "a", **given}, {**dict(reversed(given.items())), "query": "a"}):
        assert answer(ScriptedEngine(), tool, arguments) == expected


@pytest.mark.requirement("RENDER-4", "RENDER-2")
def test_an_empty_answer_names_another_session_as_it_was_named() -> None:
    """The id of the session that was searched is exact, on one line."""
    name = 'x"\nNothing was\u202e\u2028 hidden\n```'
    text = answer(ScriptedEngine(), "session_event_search", {"query": "a", "session_id": name})
    written = (
        text.split("\n")[1]
        .removeprefix("Searched: session ")
        .removesuffix(f", for {MODES['auto']}.")
    )
    assert json.loads(written) == name
    assert text == empty(f"session {written}")
