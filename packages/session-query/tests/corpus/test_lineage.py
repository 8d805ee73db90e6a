"""Ancestors and descendants, against a model that follows the definition."""

from __future__ import annotations

import copy
import gc
import pickle
import random
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.corpus import LineageCycleError, LineageNode, SessionRecord
from session_query.corpus._lineage import trace_lineage
from session_query.errors import ErrorCode
from session_query.log._json import dumps, loads, same

from .logs import header

IDS = [*"abcdefgh"]
DEEP = 100_000

families = st.dictionaries(
    st.sampled_from(IDS),
    st.tuples(st.sampled_from([None, "missing", *IDS]), st.integers(0, 2)),
    min_size=1,
)
"""Each session's parent and creation time; cycles and missing parents included."""


def records(family: dict[str, tuple[str | None, int]]) -> dict[str, SessionRecord]:
    """The records of a family."""
    return {
        name: SessionRecord(header(name, at, parent_session=parent), live=True, persisted=False)
        for name, (parent, at) in family.items()
    }


def model_ancestors(family: dict[str, tuple[str | None, int]], name: str) -> list[str | None]:
    """The parents outward: up to None for a root, up to a missing or a repeated id otherwise."""
    line: list[str | None] = [name]
    while (last := line[-1]) is not None and last in family and last not in line[:-1]:
        line.append(family[last][0])
    return line[1:]


def model_descendants(
    family: dict[str, tuple[str | None, int]], name: str, target: str
) -> list[dict[str, Any]]:
    """The forest below a session, by recursion."""
    children = [
        (at, child) for child, (parent, at) in family.items() if parent == name and child != target
    ]
    return [
        {"id": child, "descendants": model_descendants(family, child, target)}
        for _, child in sorted(children)
    ]


def forest(nodes: tuple[LineageNode, ...]) -> list[dict[str, Any]]:
    """The same form of a real forest."""
    return [{"id": node.session.id, "descendants": forest(node.descendants)} for node in nodes]


@pytest.mark.requirement("TRACE-1", "TRACE-2")
@given(families, st.randoms(use_true_random=False))
@example({"a": ("a", 0)}, random.Random(0))
@example({"a": ("b", 0), "b": ("c", 0), "c": ("b", 0)}, random.Random(0))
@example({"a": (None, 0), "b": ("c", 0), "c": ("b", 0), "d": ("a", 0)}, random.Random(0))
def test_every_lineage_is_what_the_definition_says(
    family: dict[str, tuple[str | None, int]], shuffler: random.Random
) -> None:
    """Ancestors, forest, order of siblings, end and cycles agree with the model."""
    known = records(family)
    shuffled = [*known.values()]
    shuffler.shuffle(shuffled)
    for name in family:
        *line, end = model_ancestors(family, name)
        below = model_descendants(family, name, name)
        if end in family:
            with pytest.raises(LineageCycleError) as caught:
                trace_lineage(name, shuffled)
            assert caught.value.code is ErrorCode.INVALID_LINEAGE
            assert caught.value.header == known[name].header
            trace = caught.value.trace
        else:
            trace = trace_lineage(name, shuffled)
        assert trace.target == known[name]
        assert [record.id for record in trace.ancestors] == line
        assert forest(trace.descendants) == below
        assert trace.complete == (end is None)
        assert trace.unresolved_parent_id == end
        root = known[line[-1] if line and line[-1] else name]
        assert trace.root == (root if end is None else None)


@cache
def deep_records(shape: str) -> list[SessionRecord]:
    """A chain, or a chain with a side branch at each step, from `s0` down."""
    found = []
    for number in range(DEEP):
        parent = f"s{number - 1}" if number else None
        found.append(SessionRecord(header(f"s{number}", number, parent_session=parent), True, True))
        if shape == "comb" and parent:
            side = header(f"side{number}", number, parent_session=parent)
            found.append(SessionRecord(side, live=True, persisted=True))
    return found


@pytest.mark.requirement("TRACE-2", "JSON-1")
@pytest.mark.parametrize("shape", ["chain", "comb"])
def test_deep_trees_exhaust_nothing(shape: str) -> None:
    """A tree 100,000 deep is traced from both ends, compared, copied, pickled and let go."""
    known = deep_records(shape)
    up = trace_lineage(f"s{DEEP - 1}", known)
    assert len(up.ancestors) == DEEP - 1
    assert up.root == known[0]
    down = trace_lineage("s0", known)
    [*_, (depth, _)] = [(d, n) for d, n in down.descendants[0].walk() if n.session.id[:4] != "side"]
    assert depth == DEEP - 2
    again = trace_lineage("s0", known)
    assert again == down
    assert hash(again.descendants[0]) == hash(down.descendants[0])
    assert repr(down.descendants[0])
    assert pickle.loads(pickle.dumps(down.descendants[0])) == down.descendants[0]  # noqa: S301 - made just now
    assert copy.deepcopy(down.descendants[0]) is down.descendants[0]
    del again
    gc.collect()


@pytest.mark.requirement("TRACE-2", "JSON-1")
def test_the_json_of_a_deep_tree_can_be_written() -> None:
    """The nested form of a tree 100,000 deep is made and let go; one 9,000 deep can be written."""
    form = trace_lineage("s0", deep_records("chain")).to_json()
    depth, level = 0, form["descendants"]
    while level:
        depth, level = depth + 1, level[0]["descendants"]
    assert depth == DEEP - 1
    del form, level
    gc.collect()
    written = dumps(trace_lineage("s0", deep_records("chain")[:9_000]).to_json())
    assert written.count('"descendants"') == 9_000


@pytest.mark.requirement("JSON-1")
@given(families)
def test_the_json_nests_sessions_under_their_parents(
    family: dict[str, tuple[str | None, int]],
) -> None:
    """The form holds the records as they are, and only the end that applies."""
    known = records(family)
    for name in family:
        try:
            trace = trace_lineage(name, known.values())
        except LineageCycleError as error:
            trace = error.trace

        def form(below: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [
                {
                    "session": known[found["id"]].to_json(),
                    "descendants": form(found["descendants"]),
                }
                for found in below
            ]

        expected: dict[str, Any] = {
            "target": known[name].to_json(),
            "ancestors": [record.to_json() for record in trace.ancestors],
            "descendants": form(model_descendants(family, name, name)),
            "complete": trace.complete,
        }
        if trace.root:
            expected["root"] = trace.root.to_json()
        else:
            expected["unresolvedParentId"] = trace.unresolved_parent_id
        assert trace.to_json() == expected
        assert same(loads(dumps(expected)), expected)


@given(families)
def test_nodes_are_values(family: dict[str, tuple[str | None, int]]) -> None:
    """Nodes are equal when their trees are, survive pickling, and can't be changed."""
    known = records(family)
    nodes = {}
    for name in family:
        try:
            trace = trace_lineage(name, known.values())
        except LineageCycleError as error:
            copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - made just now
            trace = copied.trace
        nodes[name] = LineageNode(known[name], trace.descendants)
    for name, node in nodes.items():
        assert pickle.loads(pickle.dumps(node)) == node  # noqa: S301 - made just now
        assert {other for other in nodes if nodes[other] == node} == {name}
        for attribute in ("session", "descendants"):
            with pytest.raises(AttributeError):
                setattr(node, attribute, None)
            with pytest.raises(AttributeError):
                delattr(node, attribute)
        assert node != name
