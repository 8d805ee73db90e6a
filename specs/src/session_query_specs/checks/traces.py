"""Lineage and event traces (TRACE-1 to TRACE-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode, SessionEvent

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.corpora import Call, CallsOn, Corpus, Session, message, session

__all__: list[str] = []

_NAMES: Final = "abcdef"


@st.composite
def _families(draw: st.DrawFn) -> CallsOn:
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=3, max_size=6, unique=True))
    anyone = st.sampled_from([None, *names, "missing"])
    nobody = st.none()
    parents = [
        # often the one before, or the first: long lines and large families are worth tracing
        draw(st.one_of(*([st.just(names[at - 1]), st.just(names[0])] if at else [nobody]), anyone))
        for at in range(len(names))
    ]
    corpus = Corpus(
        tuple(
            session(name, parent=parent, created_at=draw(st.integers(0, 2)))
            for name, parent in zip(names, parents, strict=True)
        )
    )
    targets = st.sampled_from([names[0], names[-1], *names])
    return CallsOn(corpus, (Call("trace_session", (draw(targets),)),))


def _ancestry(corpus: Corpus, name: str) -> tuple[list[str], str | None, bool]:
    """Return the ancestors outward, a parent that is not there, and whether there is a circle."""
    parents = {one.header.id: one.header.parent_session for one in corpus.sessions}
    line, parent = [name], parents[name]
    while parent is not None and parent in parents and parent not in line:
        line.append(parent)
        parent = parents[parent]
    return line[1:], parent, parent in line


def _descendants(corpus: Corpus, name: str, target: str) -> list[Mapping[str, Any]]:
    children = [
        one
        for one in corpus.sessions
        if one.header.parent_session == name and one.header.id != target
    ]
    children.sort(key=lambda one: (one.header.created_at, one.header.id))
    return [
        {"id": one.header.id, "descendants": _descendants(corpus, one.header.id, target)}
        for one in children
    ]


def _ids(nodes: Sequence[Any]) -> list[Mapping[str, Any]]:
    return [
        {"id": node["session"]["header"]["id"], "descendants": _ids(node["descendants"])}
        for node in nodes
    ]


@check("TRACE-1/lineage", _families(), weight=4)
async def _lineage(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A lineage names every ancestor outward, every descendant, and where it ends."""
    [answer] = await example.outcomes(provider)
    name = example.calls[0].arguments[0]
    ancestors, end, circle = _ancestry(example.corpus, name)
    if circle:
        return  # TRACE-2
    got = answer.answer
    if got is None:
        raise Violation("a lineage", str(answer))
    told = [record["header"]["id"] for record in got["ancestors"]]
    if told != ancestors:
        raise Violation(f"the ancestors {ancestors}", f"{told}")
    if len(told) > 1:
        reached("several ancestors")
    if got["complete"] != (end is None) or got.get("unresolvedParentId") != end:
        raise Violation(
            _end(end is None, end), _end(got["complete"], got.get("unresolvedParentId"))
        )
    expected = _descendants(example.corpus, name, name)
    if expected:
        reached("descendants")
    if _ids(got["descendants"]) != expected:
        raise Violation(f"the descendants {_tree(expected)}", _tree(_ids(got["descendants"])))


def _end(complete: bool, missing: str | None) -> str:  # noqa: FBT001 - as in the answer
    return f"complete={complete}, unresolvedParentId={missing!r}"


def _tree(nodes: Sequence[Mapping[str, Any]]) -> str:
    """Return descendants as `a(b, c(d))`."""
    parts = (
        node["id"] + (_tree(node["descendants"]) if node["descendants"] else "") for node in nodes
    )
    return f"({', '.join(parts)})"


@check("TRACE-2/circle", _families(), after=("TRACE-1/lineage",), weight=2)
async def _circle(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A circle in the ancestry of the target is told by its code, and no other circle is."""
    [answer] = await example.outcomes(provider)
    circle = _ancestry(example.corpus, example.calls[0].arguments[0])[2]
    if circle:
        reached("a circle")
    expected = ErrorCode.INVALID_LINEAGE.value if circle else None
    if answer.code != expected:
        raise Violation(expected or "a lineage", answer.code or "a lineage")


@st.composite
def _replacements(draw: st.DrawFn) -> CallsOn:
    """Draw a log in which events replace others, and one of its events."""
    events: list[SessionEvent] = []
    surface: list[int] = []
    for seq in range(draw(st.integers(1, 7))):
        operation: Any = "append"
        sources = None
        replaces: bool = draw(st.booleans())
        if surface and replaces:
            first = draw(st.integers(0, len(surface) - 1))
            last = draw(st.integers(first, len(surface) - 1))
            operation = {"op": "replace", "start": surface[first], "end": surface[last]}
            sources = surface[first : last + 1]
            surface[first : last + 1] = [seq]
        else:
            surface.append(seq)
        events.append(
            SessionEvent("user/message", seq, seq, message(f"m{seq}"), operation, sources)
        )
    one = session("a")
    corpus = Corpus((Session(one.header, tuple(events)),))
    replacing = [event.seq for event in events if event.source_event_seqs]
    targets = [st.integers(0, len(events)), *[st.sampled_from(replacing)] * bool(replacing)]
    return CallsOn(corpus, (Call("trace_event", ("a", draw(st.one_of(targets)))),))


@check("TRACE-3/relations", _replacements(), weight=2)
async def _relations(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An event is tied to what replaced it, what it replaced, what it cites, and what cites it."""
    [answer] = await example.outcomes(provider)
    seq = example.calls[0].arguments[1]
    events = example.corpus.sessions[0].events
    if seq == len(events):
        if answer.code != ErrorCode.EVENT_NOT_FOUND.value:
            raise Violation(ErrorCode.EVENT_NOT_FOUND.value, str(answer))
        return
    cited = {event.seq: list(event.source_event_seqs or ()) for event in events}
    by = {old: new for new, olds in cited.items() for old in olds}
    chain, at = [], seq
    while at in by:
        at = by[at]
        chain.append(at)
    if len(chain) > 1:
        reached("a chain of replacements")
    if len(cited[seq]) > 1:
        reached("several sources")
    expected: dict[str, Any] = {
        "replacementChain": chain,
        "replacedEventSeqs": cited[seq],
        "sourceEventSeqs": cited[seq],
        "derivedEventSeqs": [new for new, olds in cited.items() if seq in olds],
    }
    if chain:
        expected["replacedBy"] = chain[0]
    got = answer.answer or {}
    told = {key: value for key, value in got.items() if key not in {"session", "target"}}
    for key in sorted({*told, *expected}):
        if told.get(key) != expected.get(key):
            got_it = answer.code or f"{told.get(key)}"
            raise Violation(f"{key} {expected.get(key)} for event {seq}", got_it)
