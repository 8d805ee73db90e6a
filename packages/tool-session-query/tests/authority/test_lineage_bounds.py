"""Where a lineage leaves the workspace (AUTH-6)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .calling import Ask, Outcome, called
from .corpora import CALLER, CANARY, ELSEWHERE, HERE, Corpus, header, log
from .engines import watched

ABOVE = "(goes on outside this workspace, or with a session that is gone)"
BELOW = "(more outside this workspace)"
CYCLE = "SESSION_QUERY_INVALID_LINEAGE"

Parents = Mapping[str, str | None]
"""The parent of each session; ids that begin with h are those of hidden ones."""


def traced(parents: Parents, session_id: str = "a", ask: Ask | None = None) -> Outcome:
    """Trace a session among these."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    for number, (name, parent) in enumerate(parents.items()):
        hidden = name.startswith("h")
        origin = "subagent" if name in {"c", "e"} else None
        head = header(
            named(name),
            ELSEWHERE if hidden else HERE,
            created_at=1_000 + number,
            parent_session=None if parent is None else named(parent),
            origin=origin,
        )
        corpus.put(head, log("rocket", title=CANARY if hidden else None))

    async def main() -> Outcome:
        async with watched(corpus.sources, "scripted") as service:
            return await called(
                service, ask or Ask("session_trace", {"session_id": session_id}), caller
            )

    return asyncio.run(main())


def named(name: str) -> str:
    """The id of a session; that of a hidden one shows if it leaks."""
    return f"{name} {CANARY}" if name.startswith("h") else name


def lines(outcome: Outcome) -> list[str]:
    """The answer without what it says of each session."""
    assert outcome.text is not None
    assert not outcome.has_canary
    named, target, *rest = outcome.text.split("\n")
    assert named.startswith("Lineage of session ")
    assert target.startswith("target: ")
    return [line.split(", title")[0] for line in rest]


@pytest.mark.requirement("AUTH-6")
@pytest.mark.parametrize(
    "above",
    [
        {"b": "gone"},
        {"b": "h0"},
        {"b": "h0", "h0": None},
        {"b": "h0", "h0": "c", "c": None},
        {"b": "h0", "h0": "h1", "h1": "h0"},
        {"b": "h0", "h0": "b"},
    ],
)
def test_hidden_missing_and_circular_ancestors_look_the_same(above: Parents) -> None:
    """Upward a lineage ends with one marker, whatever comes there."""
    found = lines(traced({"a": "b", **above}))
    assert found == ["ancestors, nearest first:", '1. "b", fork', ABOVE, "descendants: none"]


@pytest.mark.requirement("AUTH-6")
def test_a_lineage_that_ends_with_a_root_has_no_marker() -> None:
    """A marker stands only where something is hidden or missing."""
    found = lines(traced({"a": "b", "b": None, "c": "a"}))
    assert found == ["ancestors, nearest first:", '1. "b"', "descendants:", '- "c", sub-agent']
    assert lines(traced({"a": None})) == ["ancestors: none", "descendants: none"]


@pytest.mark.requirement("AUTH-6")
def test_hidden_children_leave_one_marker_after_the_visible_ones() -> None:
    """All hidden children of one node are one marker; what comes of them is cut off with them."""
    found = lines(
        traced(
            {
                "a": None,
                "h0": "a",
                "b": "a",
                "h1": "a",
                "c": "a",
                "h2": "b",
                "d": "b",
                "under hidden": "h0",
                "h3": "h0",
                "e": "c",
            }
        )
    )
    assert found == [
        "ancestors: none",
        "descendants:",
        '- "b", fork',
        '  - "d", fork',
        f"  - {BELOW}",
        '- "c", sub-agent',
        '  - "e", sub-agent',
        f"- {BELOW}",
    ]


@pytest.mark.requirement("AUTH-6", "AUTH-8")
@given(st.integers(1, 5), st.integers(0, 5))
def test_a_marker_tells_no_number(first: int, second: int) -> None:
    """However many children are hidden, and however much comes of them, the answer is the same."""
    one = {"a": None, "b": "a", **{f"h{number}": "a" for number in range(first)}}
    more = {f"h9{number}": "h0" for number in range(second)}
    assert traced({**one, **more}) == traced({"a": None, "b": "a", "h0": "a"})


@pytest.mark.requirement("AUTH-6", "AUTH-4")
@pytest.mark.parametrize(
    ("parents", "is_told"),
    [
        ({"a": "a"}, True),
        ({"a": "b", "b": "a"}, True),
        ({"a": "b", "b": "c", "c": "b"}, True),
        ({"a": "b", "b": "c", "c": "a", "h0": "a"}, True),
        ({"a": "h0", "h0": "a"}, False),
        ({"a": "b", "b": "h0", "h0": "a"}, False),
        ({"a": "b", "b": "h0", "h0": "h0"}, False),
        ({"a": "h0", "h0": "b", "b": "c", "c": "b"}, False),
    ],
)
def test_a_circle_is_told_only_if_all_of_it_may_be_seen(parents: Parents, is_told: bool) -> None:
    """A circle with a hidden session looks like any other boundary."""
    found = traced(parents)
    if is_told:
        assert found.code == CYCLE
        assert not found.has_canary
    else:
        assert ABOVE in lines(found)


@pytest.mark.requirement("AUTH-6")
@pytest.mark.parametrize(
    ("parent", "shown"),
    [
        (None, "none"),
        ("b", '"b" (fork)'),
        (CALLER, f'"{CALLER}" (fork)'),
        ("h0", "outside this workspace or gone (fork)"),
        ("gone", "outside this workspace or gone (fork)"),
    ],
)
def test_a_parent_of_a_hit_is_named_only_if_it_may_be_seen(parent: str | None, shown: str) -> None:
    """Hidden and missing parents give the same marker in a hit."""
    ask = Ask("session_search", {"query": "rocket", "session_ids": ["a"]})
    found = traced({"a": parent, "b": None, "h0": None}, ask=ask)
    assert found.text is not None
    assert f"\n   parent: {shown}\n" in found.text
    assert not found.has_canary
