"""What is read of one log, against what was noted down while it was drawn (READ-1, -2, TRACE-3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode, EventFilter, SessionEvent

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._controls import ABSENT
from session_query_specs.checks._exact import (
    RecordedLog,
    answers,
    recorded_logs,
    refused,
    scene,
)
from session_query_specs.checks.filters import as_object
from session_query_specs.corpora import Call, CallsOn, Corpus, Place, Session, message, session

__all__: list[str] = []

_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "both")
_HEADER: Final = session("a").header


@dataclass(frozen=True, slots=True)
class _Reading:
    """Some reads of one log."""

    log: RecordedLog
    place: Place
    calls: tuple[Call, ...] = ()

    @property
    def on(self) -> CallsOn:
        """The same as calls on a corpus."""
        corpus = Corpus((Session(_HEADER, tuple(self.log.events), self.place),))
        return CallsOn(corpus, self.calls)

    def described(self) -> list[str]:
        """Return log and calls in lines that a person reads."""
        return self.on.described()

    def script(self, subject: str) -> str:
        """Return a program that makes the calls."""
        return self.on.script(subject)


def _agree(call: Call, expected: Any, got: Any) -> None:
    if got != expected:
        raise Violation(f"{call} to give {expected}", f"{got}")


_WHOLE: Final = (
    Call("read_session", ("a",)),
    Call("list_events", ("a",)),
    Call("read_surface", ("a",)),
    Call("read_title", ("a",)),
)


@check(
    "READ-1/whole",
    st.builds(_Reading, recorded_logs(), st.sampled_from(_PLACES), st.just(_WHOLE)),
    after=("READ-1/reads",),
    weight=3,
)
async def _whole(provider: ProviderUnderTest, example: _Reading) -> None:
    """A log, its records, its surface and its last title are what was recorded."""
    log, head = example.log, _HEADER.to_json()
    forms = [event.to_json() for event in log.events]
    async with scene(provider, example.on.corpus) as opened:
        read, listed, surface, title = [await answers(opened, call) for call in example.calls]
    _agree(_WHOLE[0], {"session": head, "events": forms}, read)
    _agree(_WHOLE[1], [log.record(seq) for seq in range(len(forms))], listed)
    shown = [forms[seq] for seq in log.nodes]
    through = len(forms) - 1 if forms else None
    _agree(_WHOLE[2], {"session": head, "capturedThroughSeq": through, "events": shown}, surface)
    told = dict(title).get("title")
    _agree(_WHOLE[3], log.title, told and told["title"])


@st.composite
def _windows(draw: st.DrawFn) -> _Reading:
    log = draw(recorded_logs(1))
    sizes = st.one_of(st.integers(0, 5), st.just(50))
    asked = ("a", draw(st.integers(0, len(log.events) - 1)), draw(sizes), draw(sizes))
    return _Reading(log, draw(st.sampled_from(_PLACES)), (Call("read_event", asked),))


@check("READ-2/clipped", _windows(), after=("READ-2/window",), weight=2)
async def _clipped(provider: ProviderUnderTest, example: _Reading) -> None:
    """A window has the events within reach as they are, live or stored alike."""
    [call] = example.calls
    _, seq, before, after = call.arguments
    async with scene(provider, example.on.corpus) as opened:
        got = await answers(opened, call)
    inside = [one for one in example.log.events if seq - before <= one.seq <= seq + after]
    expected = {
        "session": _HEADER.to_json(),
        "target": example.log.events[seq].to_json(),
        "events": [event.to_json() for event in inside],
        "startSeq": inside[0].seq,
        "endSeq": inside[-1].seq,
    }
    _agree(call, expected, got)


_NO_SEQ: Final = (-1, 2, 10**30, True, "0", None, 0.5)


@check(
    "READ-2/no-event",
    st.builds(
        lambda method, seq, place: CallsOn(
            Corpus((session("a", ["x", "y"], place=place),)), [Call(method, ("a", seq))]
        ),
        st.sampled_from(["read_event", "trace_event"]),
        st.sampled_from(_NO_SEQ),
        st.sampled_from(_PLACES),
    ),
    after=("READ-2/window",),
)
async def _no_event(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A seq that a log doesn't hold is an error about that session."""
    [call] = example.calls
    async with scene(provider, example.corpus) as opened:
        await answers(opened, Call(call.method, ("a", 1)))
        await refused(opened.engine, call, ErrorCode.EVENT_NOT_FOUND, _HEADER)


@check(
    "READ-2/gaps",
    st.sampled_from([(0, 2, 4, 7), (3, 4), (1, 9)]).map(
        lambda seqs: CallsOn(
            Corpus((Session(_HEADER, tuple(_said(seq, "x") for seq in seqs)),)),
            [Call("read_event", ("a", seqs[-1], 3, 5))],
        )
    ),
    after=("READ-2/clipped",),
    weight=0.2,
)
async def _gaps(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Where the seqs of a stored log have gaps, the target is the event that has the seq."""
    [call] = example.calls
    seqs = [event.seq for event in example.corpus.sessions[0].events]
    expected = seqs[-4:]
    async with scene(provider, example.corpus) as opened:
        got = dict(await answers(opened, call))
        _agree(call, expected, [event["seq"] for event in got["events"]])
        _agree(call, (seqs[-1], expected[0]), (got["target"]["seq"], got["startSeq"]))
        missing = next(seq for seq in range(10) if seq not in seqs)
        absent = Call("read_event", ("a", missing))
        await refused(opened.engine, absent, ErrorCode.EVENT_NOT_FOUND, _HEADER)


def _said(seq: int, text: str) -> SessionEvent:
    return SessionEvent("user/message", seq, 1_000 + seq, message(text), "append")


_EVENT_FILTERS: Final[st.SearchStrategy[dict[str, Any]]] = st.one_of(
    st.builds(
        lambda low, size: {"kind": "seq", "from": low, "to": low + size},
        st.integers(0, 10),
        st.integers(0, 10),
    ),
    st.integers(988, 1_012).map(lambda low: {"kind": "time", "from": low}),
    st.lists(st.sampled_from(["user/message", "session/title", "host/own"])).map(
        lambda values: {"kind": "type", "values": values}
    ),
    st.lists(st.sampled_from(["current", "shadowed", "log-only"]), min_size=1).map(
        lambda values: {"kind": "surface", "values": values}
    ),
    st.sampled_from(["raid", "BRAID", "two words", "σίσυφος", "X Y", "权"]).map(
        lambda text: {"kind": "text", "text": text}
    ),
)


def _passes(record: dict[str, Any], text: str, one: dict[str, Any]) -> bool:
    """Tell whether a filter admits an event that has a text."""
    kind = one["kind"]
    if kind == "text":
        parts = [re.escape(part) for part in one["text"].split()]
        return re.search(r"\s+".join(parts), text, re.IGNORECASE) is not None
    if "values" in one:
        return bool(record[kind] in one["values"])
    return bool(one.get("from", 0) <= record[kind] <= one.get("to", 10_000))


@check(
    "FILTER-1/filter-events",
    st.builds(
        lambda log, place, filters: _Reading(log, place, (Call("filter_events", ("a", filters)),)),
        recorded_logs(),
        st.sampled_from(_PLACES),
        st.lists(_EVENT_FILTERS, max_size=3),
    ),
    after=("READ-1/whole",),
    weight=3,
)
async def _filter_events(provider: ProviderUnderTest, example: _Reading) -> None:
    """`filter_events` gives the events that have text and pass each filter, in log order."""
    [call] = example.calls
    log, filters = example.log, call.arguments[1]
    documents = [({**log.record(seq), "text": text}, text) for seq, text in log.texts.items()]
    documents.sort(key=lambda one: one[0]["seq"])
    expected = [
        document
        for document, text in documents
        if all(_passes(document, text, one) for one in filters)
    ]
    reached(f"{len(filters)} filters keep {'some' if expected else 'nothing'}")
    objects: list[EventFilter] = [as_object(one) for one in filters]  # type: ignore[misc]
    async with scene(provider, example.on.corpus) as opened:
        for given in (filters, objects):
            _agree(call, expected, await answers(opened, Call("filter_events", ("a", given))))


_LITERAL: Final = (
    ("a.c", "A.C", True),
    ("abc", "a.c", False),
    ("100%", "0%", True),
    ("a\u3000\n b", "a b", True),
    ("a b", "a\t\t b", True),
    ("ab", "a b", False),
    ("ΌΣΟΣ", "όσος", True),
    ("Straße", "STRASSE", False),
    ("İ", "i", False),
)


@check(
    "FILTER-4/literal",
    st.sampled_from(_LITERAL).map(
        lambda one: CallsOn(
            Corpus((session("a", [one[0]]),)),
            [Call("filter_events", ("a", [{"kind": "text", "text": one[1]}]))],
            told=("it is found" if one[2] else "it is not found",),
        )
    ),
    after=("FILTER-1/filter-events",),
)
async def _literal(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A text is literal: case folds one to one, and any run of white space fits any other."""
    [call] = example.calls
    none = Call("filter_events", ("a", [{"kind": "text", "text": ABSENT}]))
    async with scene(provider, example.corpus) as opened:
        _agree(none, [], await answers(opened, none))
        if len(await answers(opened, Call("filter_events", ("a", [])))) != 1:
            raise Violation("the event without a filter", "another number of events")
        found = bool(await answers(opened, call))
    if found != (example.told == ("it is found",)):
        raise Violation(example.told[0], "it is found" if found else "it is not found")


@check(
    "TRACE-3/recorded",
    st.builds(
        lambda log, place: _Reading(
            log, place, tuple(Call("trace_event", ("a", seq)) for seq in range(len(log.events)))
        ),
        recorded_logs(1),
        st.sampled_from(_PLACES),
    ),
    after=("TRACE-3/relations",),
    weight=2,
)
async def _recorded(provider: ProviderUnderTest, example: _Reading) -> None:
    """Replacers, removed events, citations and citing events are those of the log's making."""
    log = example.log
    replacer = {gone: seq for seq, removed in log.removed_by.items() for gone in removed}
    async with scene(provider, example.on.corpus) as opened:
        for seq, call in enumerate(example.calls):
            chain, at = [], seq
            while at in replacer:
                chain.append(at := replacer[at])
            expected = {
                "session": _HEADER.to_json(),
                "target": log.record(seq),
                **({"replacedBy": chain[0]} if chain else {}),
                "replacementChain": chain,
                "replacedEventSeqs": log.removed_by.get(seq, []),
                "sourceEventSeqs": log.cites.get(seq, []),
                "derivedEventSeqs": [
                    one for one, cited in sorted(log.cites.items()) if seq in cited
                ],
            }
            _agree(call, expected, await answers(opened, call))
