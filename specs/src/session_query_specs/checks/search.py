"""What searches find, and what they answer with (SEARCH-1 to SEARCH-4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    agree_on_hits,
    event_of,
    expect_code,
    expect_hits,
    in_terms,
    items_of,
)
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._searches import FINDS, WORDS, searches
from session_query_specs.corpora import (
    Call,
    CallsOn,
    Corpus,
    Place,
    corpora,
    plain_texts,
    queries,
    session,
)

__all__: list[str] = []


@st.composite
def _tiny(draw: st.DrawFn, method: str) -> CallsOn:
    """Draw one word that is in one of two sessions, and in one of two events."""
    word = draw(WORDS)
    place: Place = draw(st.sampled_from(("stored", "live")))
    corpus = Corpus(
        (session("here", ["delta", f"{word} epsilon"], place=place), session("there", ["delta"]))
    )
    ids: dict[str, Any] = {"sessionId": "here"} if method == "search_events" else {}
    return CallsOn(
        corpus, [Call(method, ({**ids, "query": asked},)) for asked in (word, "nowhere")]
    )


@check("SEARCH-1/finds", _tiny("search_sessions"))
async def _finds_sessions(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search over the corpus finds the session with the word, and no other."""
    found, nothing = await example.outcomes(provider)
    expect_hits(found, [("here", 1)])
    expect_hits(nothing, [])


@check("SEARCH-2/finds", _tiny("search_events"))
async def _finds_events(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search in a session finds the event with the word, and no other."""
    found, nothing = await example.outcomes(provider)
    expect_hits(found, [("here", 1)])
    expect_hits(nothing, [])


@check("SEARCH-1/one-hit-a-session", searches(methods="sessions"), after=FINDS[:1])
async def _one_hit_a_session(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Each session with a match is one hit, with its record and one of its matches as the best."""
    [wanted] = await agree_on_hits(provider, example)
    if len(wanted) > 1:
        reached("several sessions")


@check("SEARCH-2/all-matches", searches(methods="events"), after=FINDS[1:])
async def _all_matches(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Each matching event of the session is a hit, and no other event is."""
    [wanted] = await agree_on_hits(provider, example)
    if len(wanted) > 1:
        reached("several events")


@st.composite
def _headers(draw: st.DrawFn) -> CallsOn:
    corpus = draw(corpora(plain_texts()))
    calls = [
        Call("search_events", ({"sessionId": one.header.id, "query": asked},))
        for one in corpus.sessions
        for asked in (draw(queries(corpus)), "nowhere")
    ]
    control = session("control", ["here"])
    calls.append(Call("search_events", ({"sessionId": "control", "query": "here"},)))
    return CallsOn(Corpus((*corpus.sessions, control)), calls)


@check("SEARCH-2/header", _headers(), after=FINDS[1:])
async def _header(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search in a session answers with the header of that session, with zero hits too."""
    headers = {one.header.id: one.header.to_json() for one in example.corpus.sessions}
    outcomes = await example.outcomes(provider)
    expect_hits(outcomes[-1], [("control", 0)])
    for call, outcome in zip(example.calls, outcomes, strict=True):
        if call.arguments[0]["query"] == "nowhere":
            expect_hits(outcome, [])
        reached("hits" if items_of(outcome) else "zero hits")
        wanted, got = headers[call.arguments[0]["sessionId"]], outcome.answer["session"]
        if got != wanted:
            raise Violation(str(wanted), str(got))


@st.composite
def _unknown_targets(draw: st.DrawFn) -> CallsOn:
    word, unknown = draw(WORDS), draw(st.sampled_from(("nobody", "", "HERE", "here ")))
    corpus = Corpus((session("here", [word], place=draw(st.sampled_from(("stored", "live")))),))
    return CallsOn(
        corpus,
        [
            Call("search_events", ({"sessionId": name, "query": word},))
            for name in ("here", unknown)
        ],
    )


@check("SEARCH-2/unknown", _unknown_targets(), after=FINDS[1:])
async def _unknown(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search in an unknown session raises SESSION_QUERY_SESSION_NOT_FOUND."""
    known, unknown = await example.outcomes(provider)
    expect_hits(known, [("here", 0)])
    expect_code(unknown, ErrorCode.SESSION_NOT_FOUND)


@check("SEARCH-3/shape", searches(), after=FINDS)
async def _shape(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A hit is the event's record with a snippet and, for words, `matched`; there is no score."""
    control = Corpus((*example.corpus.sessions, session("control", ["here"])))
    controls = [Call("search_sessions", ({"query": query},)) for query in ("here", "nowhere")]
    calls = [*controls, *example.calls]
    outcomes = await replace(example, corpus=control, calls=calls).outcomes(provider)
    expect_hits(outcomes[0], [("control", 0)])
    expect_hits(outcomes[1], [])
    events = {(one.header.id, event.seq): event for one in control.sessions for event in one.events}
    for call, outcome in zip(calls, outcomes, strict=True):
        matched = {"matched"} if call.arguments[0].get("match", "phrase") != "phrase" else set()
        keys = {"sessionId", "seq", "type", "time", "surface", "snippet", *matched}
        for hit in items_of(outcome):
            if "bestMatch" in hit and hit.keys() != {"header", "live", "persisted", "bestMatch"}:
                raise Violation("a hit of header, live, persisted, bestMatch", ", ".join(hit))
            own = event_of(hit)
            if own.keys() != keys:
                raise Violation(f"a hit of {', '.join(sorted(keys))}", ", ".join(sorted(own)))
            event = events.get((own["sessionId"], own["seq"]))
            if event is None:
                raise Violation("a hit on an event of the corpus", in_terms([own]))
            if (own["type"], own["time"]) != (event.type, event.time):
                got = f"type {own['type']!r} and time {own['time']}"
                raise Violation(f"type {event.type!r} and time {event.time}", got)


@check("SEARCH-4/surfaces", searches(plain_texts()), after=FINDS, weight=1.5)
async def _surfaces(provider: ProviderUnderTest, example: CallsOn) -> None:
    """The documents of all three surfaces are found, and nothing that is no document."""
    for hits in await agree_on_hits(provider, example):
        for surface in sorted({event_of(hit)["surface"] for hit in hits}):
            reached(str(surface))


@st.composite
def _shadowed(draw: st.DrawFn) -> CallsOn:
    """Draw a session whose live and stored logs differ, with words of their own."""
    texts = [f"{draw(plain_texts(2))} w{index}" for index in range(draw(st.integers(1, 4)))]
    counts = draw(st.permutations((len(texts), draw(st.integers(0, len(texts) - 1)))))
    both = replace(
        session("both", texts, place="both"), stored_events=counts[0], live_events=counts[1]
    )
    corpus = Corpus((both, session("control", ["w0 delta"])))
    calls = [
        *(Call("search_sessions", ({"query": f"w{seq}"},)) for seq in range(len(texts))),
        *(
            Call("search_events", ({"sessionId": "both", "query": f"w{seq}"},))
            for seq in range(len(texts))
        ),
        Call("search_sessions", ({"query": "delta"},)),
    ]
    return CallsOn(corpus, calls)


@check("SEARCH-4/live-shadows", _shadowed(), after=FINDS)
async def _live_shadows(provider: ProviderUnderTest, example: CallsOn) -> None:
    """The events of a live session are found, and no event that only its stored log has."""
    [*outcomes, control] = await example.outcomes(provider)
    expect_hits(control, [("control", 0)])
    live = len(example.corpus.sessions[0].live or ())
    reached("the store is ahead" if live < len(example.corpus.sessions[0].events) else "it lags")
    for number, outcome in enumerate(outcomes):
        seq, in_corpus = number % (len(outcomes) // 2), number < len(outcomes) // 2
        wanted = [("both", seq)] if seq < live else []
        if in_corpus and seq == 0:
            wanted.append(("control", 0))
        expect_hits(outcome, wanted)
