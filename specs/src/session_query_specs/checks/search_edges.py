"""Long, many and rare things in searches (SEARCH-5, -10, -12, -13, CURSOR-1, CORPUS-2, LOG-24)."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from session_query import STOP_WORDS, ErrorCode, SessionEvent, SessionHeader

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    agree_on_hits,
    expect_code,
    expect_hits,
    items_of,
    places,
)
from session_query_specs.checks._check import Violation, check
from session_query_specs.checks._searches import FINDS
from session_query_specs.corpora import (
    Call,
    CallsOn,
    Corpus,
    Place,
    Session,
    Step,
    log_of,
    opened,
    session,
)

__all__: list[str] = []


def _one(query: str, **more: Any) -> Call:
    return Call("search_events", ({"sessionId": "s", "query": query, **more},))


def _numbered(count: int, last: str) -> str:
    """Return so many different words, of which the last one is given."""
    return " ".join([*(f"w{number}" for number in range(1, count)), last])


_COUNTS: Final = (9, 17, 33, 65, 129, 257)


def _long(match: str) -> list[CallsOn]:
    """Return searches for many words, of which the last is in the text or not."""
    return [
        CallsOn(
            Corpus((session("s", [_numbered(count, "alpha")]),)),
            [_one(_numbered(count, last), match=match) for last in ("alpha", "beta")],
        )
        for count in _COUNTS
    ]


@check("SEARCH-5/to-its-end", st.sampled_from(_long("phrase")), after=FINDS)
async def _long_phrases(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A long phrase is compared to its end."""
    found, other = await example.outcomes(provider)
    expect_hits(found, [("s", 0)])
    expect_hits(other, [])


@check("SEARCH-13/many", st.sampled_from(_long("all")), after=FINDS)
async def _many_words(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Of many words, each counts."""
    found, other = await example.outcomes(provider)
    expect_hits(found, [("s", 0)])
    expect_hits(other, [])


_STOPS: Final = sorted(STOP_WORDS)
_TENS: Final = [" ".join(_STOPS[at : at + 10]) for at in range(0, len(_STOPS), 10)]


@check(
    "SEARCH-13/stop-words",
    st.sampled_from([made(some) for some in _TENS for made in (str.lower, str.upper)]).map(
        lambda some: CallsOn(
            Corpus((session("s", ["alpha"]),)),
            [_one(f"{some} alpha", match="all"), _one(f"{some} beta", match="all")],
        )
    ),
    after=FINDS,
    weight=2,
)
async def _stop_words(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Each stop word is dropped, in whatever case."""
    found, other = await example.outcomes(provider)
    expect_hits(found, [("s", 0)])
    expect_hits(other, [])


_RARE: Final = (
    "\x01",
    "\x1b",
    "\x1c",
    "\x1f",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "\u200b",
    "\x0b",
)


@check(
    "SEARCH-5/controls",
    st.sampled_from([made for rare in _RARE for made in (rare, f"alpha{rare}beta")]).map(
        lambda query: CallsOn(Corpus((session("s", ["alpha beta"]),)), [_one("alpha"), _one(query)])
    ),
    after=FINDS,
)
async def _controls(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A query with control characters is text; blank is what the contract's white space leaves."""
    found, got = await example.outcomes(provider)
    expect_hits(found, [("s", 0)])
    [query] = [call.arguments[0]["query"] for call in example.calls[1:]]
    if query in {"\u2028", "\ufeff", "\x0b"}:
        expect_code(got, ErrorCode.INVALID_QUERY)
    else:
        expect_hits(got, [("s", 0)] if "alpha" in query else [])


@check(
    "SEARCH-10/best-block",
    st.sampled_from([(gap, match) for gap in (64, 70, 130) for match in ("any", "all")]).map(
        lambda drawn: CallsOn(
            Corpus((session("s", [f"alpha {'o ' * drawn[0]}x alpha beta {'o ' * 40}"]),)),
            [_one("alpha beta", match=drawn[1])],
            {"snippet_chars": 30},
        )
    ),
    after=FINDS,
)
async def _best_block(provider: ProviderUnderTest, example: CallsOn) -> None:
    """The snippet of words shows the first match of the best block, not of the text."""
    await agree_on_hits(provider, example)


_MANY: Final = 1_100
_CROWD: Final = Corpus(
    (Session(SessionHeader(0, "s", 0), log_of([Step("say", "alpha")] * _MANY, 0)),)
)


@check(
    "CURSOR-1/crowd",
    st.just(CallsOn(_CROWD, [_one("alpha", limit=500)])),
    after=("CURSOR-1/pages",),
)
async def _crowd(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Pages give all of more than a thousand matches in one session."""
    sources, _, _ = example.corpus.open()
    [call] = example.calls
    found: list[tuple[str, int]] = []
    async with opened(provider, sources) as engine:
        expect_hits(await _one("beta").on(engine), [])
        outcome = await call.on(engine)
        found += places(items_of(outcome))
        while (cursor := outcome.answer.get("nextCursor")) and len(found) <= _MANY:
            outcome = await _one("alpha", limit=500, cursor=cursor).on(engine)
            found += places(items_of(outcome))
    if sorted(found) != [("s", seq) for seq in range(_MANY)]:
        raise Violation(
            f"{_MANY} matches, each once", f"{len(found)}, {len({*found})} of them once"
        )


_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "both")
_FULL: Final = SessionHeader.from_json(
    {
        "version": 0,
        "id": "s",
        "createdAt": 5,
        "cwd": "/w",
        "parentSession": "gone",
        "seedLength": 0,
        "origin": "subagent",
        "agentPreset": "explorer",
    }
)


@check(
    "CORPUS-2/found-header",
    st.sampled_from(_PLACES).map(
        lambda place: CallsOn(
            Corpus((Session(_FULL, session("s", ["alpha"]).events, place),)),
            [Call("search_sessions", ({"query": "alpha"},)), _one("alpha"), _one("absentword")],
        )
    ),
    after=FINDS,
)
async def _found_header(provider: ProviderUnderTest, example: CallsOn) -> None:
    """What is found carries the whole header of its session."""
    over_all, in_one, none = await example.outcomes(provider)
    expect_hits(none, [])
    expect_hits(over_all, [("s", 0)])
    expect_hits(in_one, [("s", 0)])
    for header in (items_of(over_all)[0]["header"], in_one.answer["session"]):
        if header != _FULL.to_json():
            raise Violation(f"the header {_FULL.to_json()}", f"{header}")


@check(
    "LOG-24/configured",
    st.just(
        CallsOn(
            Corpus(
                (
                    Session(
                        SessionHeader(0, "s", 0),
                        log_of([Step("use", "alpha"), Step("search", "alpha")], 0),
                    ),
                )
            ),
            [_one("alpha")],
            {"unsearchable_tools": ["grep"]},
        )
    ),
    after=("LOG-24/no-echo",),
)
async def _configured(provider: ProviderUnderTest, example: CallsOn) -> None:
    """The tools that give no text are those of the settings."""
    [found] = await example.outcomes(provider)
    expect_hits(found, [("s", 3), ("s", 4), ("s", 5)])


def _use(name: str, text: str) -> list[tuple[str, dict[str, Any], Any]]:
    """Return type, data and surface operation of a call `c` of a tool, and of its result."""
    call = {"turn": 1, "step": 1, "callId": "c", "name": name, "arguments": text}
    content = [{"type": "text", "text": text}]
    result = {"type": "tool-result", "toolCallId": "c", "content": content}
    source = {"kind": "tool", "callId": "c"}
    told = {"id": "r", "role": "user", "content": [result], "source": source}
    return [
        ("tool/call", call, None),
        ("tool/result", {"turn": 1, "step": 1, "message": told}, "append"),
    ]


@check(
    "LOG-24/nearest",
    st.sampled_from((("grep", "session_search"), ("session_search", "grep"))).map(
        lambda names: CallsOn(
            Corpus(
                (
                    Session(
                        SessionHeader(0, "s", 0),
                        tuple(
                            SessionEvent(kind, seq, seq, data, operation)
                            for seq, (kind, data, operation) in enumerate(
                                [*_use(names[0], "alpha"), *_use(names[1], "alpha")]
                            )
                        ),
                    ),
                )
            ),
            [_one("alpha"), _one("absentword")],
        )
    ),
    after=("LOG-24/no-echo",),
)
async def _nearest(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A result belongs to the nearest earlier call of its id, whatever tool another one was of."""
    found, none = await example.outcomes(provider)
    expect_hits(none, [])
    first = example.corpus.sessions[0].events[0].to_json()["data"]
    greps = isinstance(first, dict) and first["name"] == "grep"
    expect_hits(found, [("s", 0), ("s", 1)] if greps else [("s", 2), ("s", 3)])


@check(
    "RECON-7/closed",
    st.just(CallsOn(Corpus((session("s", ["alpha"]),)), [_one("alpha")], told=("once closed",))),
    after=FINDS,
)
async def _closed(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A closed engine refuses searches in one session as well."""
    sources, _, _ = example.corpus.open()
    [call] = example.calls
    async with opened(provider, sources) as engine:
        expect_hits(await call.on(engine), [("s", 0)])
        await engine.close()
        expect_code(await call.on(engine), ErrorCode.INDEX_FAILED)
