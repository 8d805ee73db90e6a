"""Lineages read back as trees, however deep, and whatever the sessions are called (RENDER-1)."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query import LineageNode, LineageTrace, SessionRecord
from tool_session_query import ToolSessionQueryConfig

from ..toolset.scripted import ScriptedEngine, answer, header, record
from .hostile import IDS, TEXTS
from .parsing import CAUTION, Lines, quoted
from .test_search_answers import titles_of

ABOVE = "(goes on outside this workspace, or with a session that is gone)"
BELOW = "(more outside this workspace)"
LAST = "Titles are shown for the first sessions only; session_search shows others."

KINSHIP = {"fork": None, "sub-agent": "subagent"}
"""What a session is to its parent, and the origin that says so."""
UNTITLED = ("untitled",)


class Shown(NamedTuple):
    """A lineage as an answer shows it; None is a marker."""

    target: One
    ancestors: list[One | None]
    descendants: list[tuple[int, One | None]]


class One(NamedTuple):
    """A session on one line; the title is None where none is shown, and a tuple if it has none."""

    session_id: str
    kinship: str | None
    title: str | tuple[str] | None


def session(text: str) -> One:
    """A session on one line."""
    session_id, rest = quoted(text)
    kinship = next((one for one in KINSHIP if rest.startswith(f", {one}, ")), None)
    rest = rest if kinship is None else rest.removeprefix(f", {kinship}")
    title: str | tuple[str] | None = None
    if rest.startswith(", title "):
        rest = rest.removeprefix(", title ")
        if rest.startswith('"'):
            title, rest = quoted(rest)
        else:
            title, rest = UNTITLED, rest.removeprefix("untitled")
    assert rest == ", created 2026-05-28T20:26:40.000Z, persisted"
    return One(session_id, kinship, title)


def parsed(text: str) -> Shown:
    """Read an answer of `session_trace` back."""
    lines = Lines(text)
    cautions = lines.next_is(CAUTION)
    if cautions:
        assert lines.take() == CAUTION
    named, rest = quoted(lines.take("Lineage of session "))
    target = session(lines.take("target: "))
    assert (named, rest) == (target.session_id, "")
    ancestors: list[One | None] = []
    if lines.take("ancestors") != ": none":
        while lines.next_is(f"{len(ancestors) + 1}. "):
            ancestors.append(session(lines.take(f"{len(ancestors) + 1}. ")))
        if lines.next_is(ABOVE):
            ancestors.append(None)
            assert lines.take() == ABOVE
        assert ancestors
    descendants = []
    if lines.take("descendants:") != " none":
        while lines.left and not lines.next_is(LAST):
            descendants.append(_descendant(lines.take()))
        assert descendants
    assert lines.left in ([], [LAST])
    sessions = [target, *ancestors, *(one for _, one in descendants)]
    assert cautions == any(one is not None and isinstance(one.title, str) for one in sessions)
    return Shown(target, ancestors, descendants)


def _descendant(line: str) -> tuple[int, One | None]:
    found = re.match("((?:  )*)- (?:depth ([0-9]+): )?", line)
    assert found
    depth = len(found[1]) // 2 if found[2] is None else int(found[2]) - 1
    rest = line[found.end() :]
    return depth, None if rest == BELOW else session(rest)


def traced(trace: LineageTrace, titles: dict[str, str | None]) -> Shown:
    """What `session_trace` answers, read back."""
    engine = ScriptedEngine(
        trace_session=trace,
        read_titles=lambda ids: titles_of({one: titles[one] for one in ids}),
    )
    arguments = {"session_id": trace.target.id}
    text = answer(engine, "session_trace", arguments)
    assert text == answer(engine, "session_trace", arguments)
    return parsed(text)


HIDDEN = SessionRecord(header("hidden", cwd="/srv/places"), live=True, persisted=True)


@st.composite
def _lineages(draw: st.DrawFn) -> tuple[LineageTrace, dict[str, str | None], Shown]:
    """A lineage, the titles of its sessions, and what is to be seen of it."""
    ids = draw(st.lists(IDS, min_size=1, max_size=9, unique=True))
    titles: dict[str, str | None] = {one: draw(st.none() | TEXTS) for one in ids}
    kinship = {one: draw(st.sampled_from([None, *KINSHIP])) for one in ids}
    known = {
        one: One(
            one,
            kinship[one],
            UNTITLED if (title := titles[one]) is None else title,
        )
        for one in ids
    }

    def record_of(one: str) -> SessionRecord:
        if (kin := kinship[one]) is None:
            return record(one)
        return record(one, parent_session="any", origin=KINSHIP[kin])

    target, *others = ids
    cut = draw(st.integers(0, len(others)))
    ancestors, below = others[:cut], others[cut:]
    end = draw(st.sampled_from(["root", "hidden", "missing"]))
    places: dict[str | None, list[str]] = {}
    for number, one in enumerate(below):
        above = draw(st.sampled_from([None, *below[:number]]))
        places.setdefault(above, []).append(one)
    with_hidden = draw(st.sets(st.sampled_from([None, *below])))
    shown: list[tuple[int, One | None]] = []

    def nodes(parent: str | None, depth: int) -> list[LineageNode]:
        found = []
        for one in places.get(parent, []):
            shown.append((depth, known[one]))
            found.append(LineageNode(record_of(one), nodes(one, depth + 1)))
        if parent in with_hidden:
            shown.append((depth, None))
            inner = LineageNode(record("unseen"))
            found[:0] = [LineageNode(HIDDEN), LineageNode(HIDDEN, [inner])]
        return found

    records = [record_of(one) for one in ancestors] + ([HIDDEN] if end == "hidden" else [])
    root = [record_of(target), *records][-1] if end == "root" else None
    trace = LineageTrace(
        record_of(target),
        tuple(records),
        tuple(nodes(None, 0)),
        complete=end != "missing",
        root=root,
    )
    seen: list[One | None] = [known[one] for one in ancestors]
    return trace, titles, Shown(known[target], seen + ([] if end == "root" else [None]), shown)


@pytest.mark.requirement("RENDER-1", "RENDER-2", "AUTH-6")
@given(_lineages())
def test_a_lineage_reads_back(lineage: tuple[LineageTrace, dict[str, str | None], Shown]) -> None:
    """Ancestors come nearest first, descendants in preorder, hidden ones as one marker each."""
    trace, titles, expected = lineage
    assert traced(trace, titles) == expected


def deep(levels: int) -> LineageTrace:
    """A lineage of as many ancestors and as many levels of descendants."""
    node: tuple[LineageNode, ...] = ()
    for level in range(levels, 0, -1):
        node = (LineageNode(record(f"down{level:06}"), node),)
    ancestors = tuple(record(f"up{level:06}") for level in range(levels))
    return LineageTrace(record("mid"), ancestors, node, complete=True, root=ancestors[-1])


def _free(trace: LineageTrace) -> None:
    """Take a deep tree apart from the outside."""
    nodes = trace.descendants
    object.__setattr__(trace, "descendants", ())
    while nodes:
        [node] = nodes
        nodes = node.descendants
        object.__setattr__(node, "descendants", ())


@pytest.mark.requirement("RENDER-2")
def test_a_deep_lineage_is_whole_and_of_linear_size() -> None:
    """20,000 levels up and down are shown, in twice the text of half as many."""
    sizes = []
    for levels in (10_000, 20_000):
        trace = deep(levels)
        config = ToolSessionQueryConfig()
        engine = ScriptedEngine(trace_session=trace)
        text = answer(engine, "session_trace", {"session_id": "mid"})
        sizes.append(len(text))
        shown = parsed(text)
        assert [depth for depth, _ in shown.descendants] == list(range(levels))
        names = [one.session_id for _, one in shown.descendants if one is not None]
        assert names == [f"down{level:06}" for level in range(1, levels + 1)]
        above = [one for one in shown.ancestors if one is not None]
        assert [one.session_id for one in above] == [f"up{level:06}" for level in range(levels)]
        assert sum(one.title is not None for one in above) == config.max_search_results - 1
        _free(trace)
    assert sizes[1] < 2.1 * sizes[0]
