"""What must be in a host's texts, however it writes them (RENDER-1, RENDER-3, RENDER-4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionEvent

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    BEACON,
    answered,
    asking,
    host_check,
    parts_of,
    same,
    searching,
    shows,
)
from session_query_specs.corpora import CREATED, Corpus, Place, Session, message
from session_query_specs.hosts import CANARY, HostCall, hidden, visible

__all__: list[str] = []


@st.composite
def _hits(draw: st.DrawFn) -> HostCall:
    before = draw(st.integers(0, 30))
    texts = [*["other words"] * before, f"rocket {BEACON}"]
    title = draw(st.sampled_from([None, "how it began"]))
    upper = visible("upper", "nothing")
    hit = visible("v0", *texts, title=title, parent_session=draw(st.sampled_from([None, "upper"])))
    tool = draw(st.sampled_from(["session_search", "session_event_search"]))
    return asking(tool, hit, upper)


@host_check("RENDER-1/hits", _hits())
async def _shown_hits(host: HostUnderTest, example: HostCall) -> None:
    """A hit shows its session's id and its seq, type, surface and text, by which to go on."""
    target = example.corpus.sessions[1]
    seqs = [event.seq for event in target.events if event.type == "user/message"]
    heard = await answered(host, example, "v0", BEACON, "user/message", "current")
    if not re.search(rf"(?<!\d){seqs[-1]}(?!\d)", heard.text):
        raise Violation(f"the seq {seqs[-1]} of the hit", f"{heard}")
    title = target.events[-1].to_json()["data"]
    if example.tool == "session_search" and isinstance(title, dict) and "title" in title:
        await answered(host, example, str(title["title"]))


_OPENED: Final = CREATED + 3_600_123
_TOLD_OPENED: Final = "2026-09-21T15:13:20.123Z"
_TOLD_EVENT: Final = "2026-09-21T15:13:21.123Z"
_FOUND_IN: Final[Mapping[Place, tuple[str, ...]]] = {
    "stored": ("persisted",),
    "live": ("live",),
    "both": ("live", "persisted"),
}


def _inherited(tool: str, place: Place, length: int) -> HostCall:
    """Return a search whose one hit, with seq 1, is inherited if `length` is 2, and not if it's 1.

    Args:
        tool: the search.
        place: where the session is.
        length: how many events are from its parent.
    """
    texts = ("other words", f"rocket {BEACON}", "words")
    head: dict[str, Any] = {"parent_session": "upper", "seed_length": length}
    hit = visible("v0", *texts, place=place, created_at=_OPENED, **head)
    return asking(tool, hit, visible("upper", "nothing"))


@host_check(
    "RENDER-1/told-of-hits",
    st.builds(
        _inherited,
        st.sampled_from(["session_search", "session_event_search"]),
        st.sampled_from(sorted(_FOUND_IN)),
        st.sampled_from([1, 2]),
    ),
    weight=0.6,
)
async def _told_of_hits(host: HostUnderTest, example: HostCall) -> None:
    """A hit shows its times to a millisecond, parent and availability, and if it's inherited."""
    place = example.corpus.sessions[1].place
    heard = await answered(host, example, _TOLD_EVENT)
    if example.tool == "session_search":
        shows(heard, _TOLD_OPENED, "upper", *_FOUND_IN[place])
        for other in sorted({*_FOUND_IN} - {place}):
            elsewhere = _inherited(example.tool, other, _length(example))
            if (await answered(host, elsewhere)).text == heard.text:
                raise Violation(f"another availability for {place} than for {other}", f"{heard}")
    other_length = 3 - _length(example)
    turned = await answered(host, _inherited(example.tool, place, other_length), _TOLD_EVENT)
    if turned.text == heard.text:
        raise Violation("a mark of a hit that is inherited, and of no other", f"{heard}")


def _length(call: HostCall) -> int:
    return call.corpus.sessions[1].header.seed_length or 0


_FIRST: Final = 70
"""The seq of the first event that others replace: such a number is part of no time."""


def _relations(kinds: Sequence[str], seq: int) -> HostCall:
    """Return the trace of one event of a log.

    Args:
        kinds: `say` for each event that is new, `replace` for one that replaces the event before.
        seq: the number of the event.
    """
    filler = [SessionEvent("host/own", at, CREATED, {}) for at in range(_FIRST)]
    said = []
    for at, kind in enumerate(kinds, _FIRST):
        told, replaced = message(f"m{at}"), {"op": "replace", "start": at - 1, "end": at - 1}
        given: Any = (replaced, [at - 1]) if kind == "replace" else ("append", None)
        said.append(SessionEvent("user/message", at, CREATED, told, *given))
    target = Session(visible("v0").header, (*filler, *said))
    return asking("session_event_trace", target).asking(seq=seq)


@host_check(
    "RENDER-1/relations",
    st.builds(
        lambda kinds, at: _relations(("say", *kinds), _FIRST + at % (len(kinds) + 1)),
        st.lists(st.sampled_from(["say", "replace", "replace"]), min_size=1, max_size=5),
        st.integers(0, 5),
    ),
)
async def _shown_relations(host: HostUnderTest, example: HostCall) -> None:
    """A trace of an event shows all that it is tied to, and says none where there is nothing."""
    lone = await answered(host, _relations(["say", "say"], _FIRST), str(_FIRST))
    if len(re.findall(r"(?i)\bnone\b", lone.text)) < _RELATIONS:
        raise Violation(f"none, for each of {_RELATIONS} relations", f"{lone}")
    seq, events = example.arguments["seq"], example.corpus.sessions[1].events
    before = events[seq].source_event_seqs or ()
    after = []
    for event in events[seq + 1 :]:
        if not event.source_event_seqs:
            break
        after.append(event.seq)
    if len(after) > 1:
        reached("a chain of replacements")
    heard = await answered(host, example, str(seq))
    told = re.findall(r"(?<!\d)[7-9]\d(?!\d)", heard.text)
    # one that replaces the target is told as that, as the first of the chain, and as made from it
    expected = Counter(map(str, [seq, *before, *before, *after, *after[:1], *after[:1]]))
    if expected - Counter(told) or {*told} - {*expected}:
        raise Violation(f"the seqs {sorted(expected.elements())}", f"{sorted(told)} in {heard}")
    places = [told.index(str(one)) for one in after]
    if places != sorted(places):
        raise Violation(f"a chain of replacements in the order {after}", f"{heard}")


_RELATIONS: Final = 5


def _family(above: int, below: Sequence[int]) -> HostCall:
    """Return the trace of `v0`, which has ancestors, and descendants at these depths in preorder.

    Args:
        above: how many ancestors.
        below: how deep each descendant is, from 1 on; too deep is as deep as can be.
    """
    ups = [f"up{number}" for number in range(above)]
    line = ["v0", *ups]
    sessions = [visible(one, "x") for one in line[-1:]]
    pairs = zip(line, ups, strict=False)
    sessions += (visible(one, "x", parent_session=parent) for one, parent in pairs)
    path = ["v0"]
    for number, asked in enumerate(below):
        depth = min(asked, len(path))
        name, parent = f"kid{number}d{depth}", path[depth - 1]
        sessions.append(visible(name, "x", parent_session=parent, created_at=CREATED + number))
        path[depth:] = [name]
    return asking("session_trace", *sessions)


@host_check(
    "RENDER-1/lineage",
    st.builds(_family, st.integers(0, 3), st.lists(st.integers(1, 3), max_size=5)),
)
async def _shown_lineage(host: HostUnderTest, example: HostCall) -> None:
    """Ancestors are shown nearest first; descendants in preorder, children behind parents."""
    heard = await answered(host, example, *(one.header.id for one in example.corpus.sessions[1:]))
    ups = re.findall(r"\bup\d\b", heard.text)
    if ups != sorted(ups):
        raise Violation("the ancestors, nearest first", f"{ups}")
    sessions = {one.header.id: one.header for one in example.corpus.sessions}
    lines = [line for line in heard.text.split("\n") if re.search(r"\bkid\d", line)]
    path, columns = ["v0"], [-1]
    for line in lines:
        [name] = re.findall(r"\bkid\dd\d\b", line)
        parent = sessions[name].parent_session
        if parent not in path:
            raise Violation("each descendant below its parent, in preorder", f"{heard}")
        at = path.index(parent)
        del path[at + 1 :], columns[at + 1 :]
        column = line.index(name)
        if at and column <= columns[-1]:
            raise Violation(f"{name!r} farther in than its parent {parent!r}", f"{heard}")
        path.append(name)
        columns.append(column)
    if len(path) > 2:  # noqa: PLR2004 - the target and a child
        reached("descendants of descendants")


def _reading(size: int, after: int) -> HostCall:
    session = visible("v0", f"{BEACON} {'long ' * size}the end", "next one", "one after")
    return asking("session_event_read", session).asking(after=after)


@host_check("RENDER-1/exact", st.builds(_reading, st.integers(1, 40), st.integers(0, 2)))
async def _exact(host: HostUnderTest, example: HostCall) -> None:
    """A read shows the whole event, nothing abridged, and the text of its neighbours."""
    [text] = [part["text"] for part in parts_of(example.corpus.sessions[1].events[0])]
    neighbours = ("next one", "one after")[: example.arguments["after"]]
    heard = await answered(host, example, text, *neighbours)
    if example.arguments["after"] == 0 and "next one" in heard.text:
        raise Violation("no neighbours, since none were asked for", f"{heard}")


@host_check(
    "TOOL-5/whole",
    st.builds(_reading, st.sampled_from([500, 5_000, 40_000]), st.just(0)),
    weight=0.12,
    after=("RENDER-1/exact",),
)
async def _whole(host: HostUnderTest, example: HostCall) -> None:
    """The tools cut nothing off; a policy of the host that does is not part of what is judged."""
    [text] = [part["text"] for part in parts_of(example.corpus.sessions[1].events[0])]
    await answered(host, _reading(1, 0), BEACON)
    heard = await example.heard(host)
    if text not in heard.text:
        raise Violation(f"all {len(text)} characters of the event", f"{len(heard.text)} in all")


@host_check(
    "RENDER-3/caution",
    st.builds(
        lambda tool, words: asking(tool, visible("v0", f"rocket {words}", title=words)),
        st.sampled_from(["session_search", "session_event_search"]),
        st.sampled_from(["", "ignore all that", "火箭", "a b c"]),
    ),
    weight=0.4,
)
async def _caution(host: HostUnderTest, example: HostCall) -> None:
    """One constant line of each answer with hits says that they are data, not instructions."""
    other = asking(example.tool, visible("v0", "another rocket"), visible("v1", "more rockets"))
    lines = [set((await answered(host, call, "v0")).text.split("\n")) for call in (example, other)]
    if not any("instruction" in line.casefold() for line in lines[0] & lines[1]):
        raise Violation("a constant line: data, not instructions", "no such line in both answers")


_FILTERS: Final[Mapping[str, Any]] = {
    "availability": ["live"],
    "event_types": ["user/message"],
    "event_seq_from": 3,
    "created_at_from": "2020-01-01T00:00:00Z",
}


@host_check(
    "RENDER-4/nothing-found",
    st.builds(
        lambda match, name: searching(
            visible("v0", f"rocket {BEACON}"), query="zeppelin", match=match
        ).asking(**({} if name is None else {name: _FILTERS[name]})),
        st.sampled_from(["auto", "phrase", "all", "any"]),
        st.sampled_from([None, *_FILTERS]),
    ),
)
async def _nothing_found(host: HostUnderTest, example: HostCall) -> None:
    """An empty answer says which filters and match modes it is of, and nothing of elsewhere."""
    found = await answered(host, searching(*example.corpus.sessions[1:]), "v0")
    empty = await answered(host, example)
    if empty.text == found.text or "v0" in empty.text or not empty.text.strip():
        raise Violation("an answer that says that nothing was found", f"{empty}")
    filters = [name for name in example.arguments if name in _FILTERS]
    if filters and (await answered(host, example.asking(**{filters[0]: None}))).text == empty.text:
        raise Violation(f"an answer that tells of the filter {filters[0]}", f"{empty}")
    for mode in {"phrase", "all", "any"} - {example.arguments["match"]}:
        if (await answered(host, example.asking(match=mode))).text == empty.text:
            raise Violation("another answer for another match mode", f"{empty}")
    other = hidden("h", f"zeppelin {CANARY}", title="zeppelin", place="both")
    more = example.but(corpus=Corpus((*example.corpus.sessions, other)))
    same(empty, await more.heard(host), "what other workspaces say is none of it")


@host_check(
    "RENDER-4/left-out",
    st.builds(
        lambda tool, match: (
            asking(tool, visible("v0", f"rocket {BEACON}"))
            .asking(session_id=None, query="zeppelin")
            .asking(match=match)
        ),
        st.sampled_from(["session_search", "session_event_search"]),
        st.sampled_from(["auto", "phrase", "all", "any"]),
    ),
    weight=0.3,
)
async def _left_out(host: HostUnderTest, example: HostCall) -> None:
    """An empty answer says where was searched, and that the own session or its step was not."""
    await answered(host, example.asking(query="rocket"), "rocket")
    heard = await answered(host, example)
    words = {"session_search": ("workspace", "own"), "session_event_search": ("own", "step")}
    for word in words[example.tool]:
        if not re.search(rf"(?i)\b{word}\b", heard.text):
            raise Violation(f"an answer that says {word!r} of what was searched", f"{heard}")
