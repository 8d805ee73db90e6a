"""What right arguments mean (INPUT-1 to INPUT-3, INPUT-5, INPUT-6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation
from session_query_specs.checks._hosts import (
    BEACON,
    TARGET_ASKS,
    answered,
    asked_for,
    host_check,
    plain,
    refused,
    same,
    searching,
    targeting,
    values_of,
)
from session_query_specs.corpora import Corpus
from session_query_specs.hosts import CALLER, CANARY, HostCall, hidden, own, visible

__all__: list[str] = []


def _at(fraction: str, offset: str = "Z") -> str:
    return f"2026-01-01T00:00:00{fraction}{offset}"


_NEW_YEAR: Final = 1_767_225_600_000
"""2026-01-01T00:00:00Z."""

_RANGES: Final[tuple[tuple[str, str, bool | None], ...]] = (
    (_at(""), _at(""), True),
    (_at(".000"), _at(".0009"), True),
    (_at(".0001"), _at(".0009"), False),
    (_at(".001"), _at(".002"), False),
    (_at(".0000000001"), _at("", "-01:00"), False),
    ("2026-01-01T01:00+01:00", "2026-01-01T01:00+01:00", True),
    ("2025-12-31T23:59:59.9999Z", _at(".0"), True),
    (_at(".0002"), _at(".0001"), None),
    (_at("", "-01:00"), _at(""), None),
)
"""From, to, and whether an event of the new year is in it; None for a range the wrong way round."""


@dataclass(frozen=True, slots=True)
class _Range:
    """A search whose range has a known answer."""

    call: HostCall
    found: bool | None

    def described(self) -> list[str]:
        """Return the call in lines that a person reads."""
        return self.call.described()

    def script(self, subject: str) -> str:
        """Return a program that makes the call."""
        return self.call.script(subject)


def _ranged(names: tuple[str, str], asked: tuple[str, str, bool | None]) -> _Range:
    tool = "session_event_search" if names[0] == "time_from" else "session_search"
    session = visible("v0", f"rocket {BEACON}", created_at=_NEW_YEAR)
    call = targeting(tool, target=session) if tool in TARGET_ASKS else searching(session)
    return _Range(call.asking(**dict(zip(names, asked[:2], strict=True))), asked[2])


@host_check(
    "INPUT-3/ranges",
    st.builds(
        _ranged,
        st.sampled_from(
            [
                ("created_at_from", "created_at_to"),
                ("event_time_from", "event_time_to"),
                ("time_from", "time_to"),
            ]
        ),
        st.sampled_from(_RANGES),
    ),
    weight=2,
)
async def _ranges(host: HostUnderTest, example: _Range) -> None:
    """Bounds of time are inclusive and exact, below a millisecond too."""
    names = [name for name in example.call.arguments if name.endswith(("_from", "_to"))]
    await answered(host, example.call.asking(**dict.fromkeys(names)), BEACON)
    if example.found is None:
        await refused(host, example.call, names[0], "the range is the wrong way round")
        return
    heard = await answered(host, example.call)
    if (BEACON in heard.text) != example.found:
        where = "within" if example.found else "outside of"
        raise Violation(f"an event that lies {where} the range to be judged so", f"{heard}")
    low, high = (example.call.arguments[name] for name in names)
    if (low, high) == (_at(".0001"), _at(".0009")) and "search" in " ".join(heard.methods):
        raise Violation("no search of a range without a whole millisecond", f"{heard.methods}")


@host_check("INPUT-1/own-session", st.sampled_from(sorted(TARGET_ASKS)).map(plain))
async def _own_session(host: HostUnderTest, example: HostCall) -> None:
    """Without an id, the target is the caller's own session."""
    named = await answered(host, example.asking(session_id=CALLER))
    same(named, await example.asking(session_id=None).heard(host), "the own session is the default")
    if named.text == (await answered(host, example)).text:
        raise Violation("another answer for another session", f"{named}")


@host_check(
    "INPUT-1/target-alone",
    st.integers(0, 2).map(
        lambda seq: HostCall(Corpus((own(("a1", "b2", "c3")),)), "session_event_read", {"seq": seq})
    ),
    weight=0.2,
)
async def _target_alone(host: HostUnderTest, example: HostCall) -> None:
    """Without before and after, a read shows the target alone."""
    texts = ["a1", "b2", "c3"]
    shown = texts.pop(example.arguments["seq"])
    heard = await answered(host, example, shown)
    if any(text in heard.text for text in texts):
        raise Violation("the target without neighbours", f"{heard}")
    same(heard, await example.asking(before=0, after=0).heard(host), "0 is the default of both")


@host_check(
    "INPUT-2/or-and",
    st.builds(
        lambda ids, types: searching(
            *(visible(f"v{at}", "rocket", title="rocket") for at in range(4))
        ).asking(session_ids=sorted(ids), event_types=types),
        st.sets(st.sampled_from(["v0", "v1", "v2", "v3"]), min_size=1),
        st.sampled_from([["user/message"], ["step/start"], ["step/start", "user/message"]]),
    ),
)
async def _or_and(host: HostUnderTest, example: HostCall) -> None:
    """Values of one list are alternatives, and different arguments have to hold together."""
    await answered(host, example.asking(session_ids=None, event_types=None), "v0", "v3")
    holds = "user/message" in example.arguments["event_types"]
    heard = await answered(host, example)
    for at in range(4):
        expected = holds and f"v{at}" in example.arguments["session_ids"]
        if (f"v{at}" in heard.text) != expected:
            raise Violation(f"v{at} {'among' if expected else 'not among'} the hits", f"{heard}")


@st.composite
def _parents(draw: st.DrawFn) -> HostCall:
    sessions = [
        visible("up", "x"),
        visible("v0", "rocket", parent_session="up"),
        visible("v1", "rocket", parent_session=f"h {CANARY}"),
        visible("v2", "rocket"),
        hidden("h", "rocket"),
    ]
    ids = draw(st.lists(st.sampled_from(["up", f"h {CANARY}", "gone"]), min_size=1, max_size=4))
    return searching(*sessions, parent_session_ids=ids, include_root_sessions=draw(st.booleans()))


@host_check("INPUT-5/parents", _parents())
async def _parents_asked(host: HostUnderTest, example: HostCall) -> None:
    """Parents that are hidden or missing are left out before the search, and look alike."""
    await answered(host, example.asking(parent_session_ids=["up"]), "v0")
    heard = await answered(host, example)
    ids, roots = example.arguments["parent_session_ids"], example.arguments["include_root_sessions"]
    for name, expected in (("v0", "up" in ids), ("v1", False), ("v2", roots)):
        if (name in heard.text) != expected:
            raise Violation(f"{name} {'among' if expected else 'not among'} the hits", f"{heard}")
    if "up" not in ids and not roots and "search_sessions" in heard.methods:
        raise Violation("no search, since no parent remains", f"{heard.methods}")
    missing = example.but(corpus=Corpus(example.corpus.sessions[:-1]))
    other = await missing.heard(host)
    same(other, heard, "a hidden parent must look like a missing one")
    if asked_for(other) != asked_for(heard):
        raise Violation("the same calls for hidden and for missing parents", f"{heard.methods}")
    for call in heard.calls:
        if call.method == "search_sessions":
            told = [values_of("parent", one) for one in call.arguments[0].session_filters]
            [parents] = [one for one in told if one is not None]
            if set(parents) != {*(["up"] if "up" in ids else []), *([None] if roots else [])}:
                raise Violation("parents that may be seen, and no others", f"{parents}")
            if len(parents) > len(set(parents)):
                raise Violation("each parent once", f"{parents}")


_OTHERWISE_WRONG: Final[tuple[dict[str, Any], ...]] = (
    {"created_at_from": "2026-02-30T00:00Z"},
    {"created_at_from": "2026-02-02T00:00Z", "created_at_to": "2026-02-01T00:00Z"},
    {"event_time_from": "2026-02-02T00:00Z", "event_time_to": "2026-02-01T00:00Z"},
    {"event_seq_from": 3, "event_seq_to": 1},
    {"event_types": []},
    {"match": "none"},
    {"query": " "},
)


@host_check(
    "INPUT-5/others-first",
    st.builds(
        lambda call, wrong: call.asking(**wrong), _parents(), st.sampled_from(_OTHERWISE_WRONG)
    ),
)
async def _others_first(host: HostUnderTest, example: HostCall) -> None:
    """Another argument that is wrong is told before any parent is looked up, and whatever it is."""
    await answered(host, searching(*example.corpus.sessions[1:], parent_session_ids=["up"]), "v0")
    [name, *_] = [
        name
        for wrong in _OTHERWISE_WRONG
        if wrong.items() <= example.arguments.items()
        for name in wrong
    ]
    await refused(host, example, name, "it can't be meant")
    heard = await example.heard(host)
    known = example.asking(parent_session_ids=["up"], include_root_sessions=None)
    same(await known.heard(host), heard, "no parent was looked up")


_MATCHING: Final = {
    "phrase": {"launched the rocket": True, "rocket launched": False, "rocket": False},
    "all": {"launched the rocket": True, "rocket launched": True, "rocket": False},
    "any": {"launched the rocket": True, "rocket launched": True, "rocket": True},
}


@host_check(
    "INPUT-6/match",
    st.permutations(["launched the rocket", "rocket launched", "rocket"]).map(
        lambda texts: searching(
            *(visible(f"v{at}", text) for at, text in enumerate(texts)),
            visible("v9", "nothing"),
            query="launched the rocket",
        )
    ),
    weight=0.4,
)
async def _match(host: HostUnderTest, example: HostCall) -> None:
    """Each match mode finds what it says; auto is the default, the phrase's hits first."""
    texts = {name: _text_of(example, name) for name in ("v0", "v1", "v2")}
    for mode, expected in _MATCHING.items():
        heard = await answered(host, example.asking(match=mode))
        for name, text in texts.items():
            if (name in heard.text) != expected[text]:
                told = "among" if expected[text] else "not among"
                raise Violation(f"{text!r} {told} the hits of {mode}", f"{heard}")
    auto = await answered(host, example.asking(match="auto"), *texts)
    same(auto, await example.asking(match=None).heard(host), "auto is the default")
    [phrase] = [name for name, text in texts.items() if text == "launched the rocket"]
    if min(texts, key=auto.text.index) != phrase:
        raise Violation(f"the phrase's hit {phrase} first", f"{auto}")
    if "v9" in auto.text:
        raise Violation("no hit without any of the words", f"{auto}")


def _text_of(call: HostCall, name: str) -> str:
    [session] = [one for one in call.corpus.sessions if one.header.id == name]
    data: Any = session.events[0].to_json()["data"]
    return str(data["content"][0]["text"])


@host_check(
    "INPUT-6/how",
    st.builds(
        lambda tool, mode, word: (
            plain(tool)
            .but(corpus=Corpus((own(), visible("v0", f"{word} launched a buoy"))))
            .asking(query=f"{word} launched", match=mode)
        ),
        st.sampled_from(["session_search", "session_event_search"]),
        st.sampled_from(["auto", "phrase"]),
        st.sampled_from(["rocket", "mizzen", "gudgeon"]),
    ),
    weight=0.4,
)
async def _how(host: HostUnderTest, example: HostCall) -> None:
    """Each hit says how it matched: by the phrase, or by which of the words."""
    word, _ = example.arguments["query"].split()
    by_phrase = await answered(host, example, word)
    apart = example.asking(query=f"buoy {word}", match="auto")
    by_words = await answered(host, apart, word)
    if by_phrase.text.casefold().count("phrase") <= by_words.text.casefold().count("phrase"):
        raise Violation("a hit that says that it's by the phrase", f"{by_phrase}")
    for each in ("buoy", word):
        if by_words.text.count(each) <= by_phrase.text.count(each):
            raise Violation(f"a hit that says that it's by the word {each!r}", f"{by_words}")
