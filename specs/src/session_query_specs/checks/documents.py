"""What of a log is searched, and what becomes of odd text (LOG-6, -12, -23, -24, JSON-1)."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode, SessionEvent, SessionHeader

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, check
from session_query_specs.checks._controls import ABSENT, tells_absent
from session_query_specs.corpora import Call, CallsOn, Corpus, Session, message, opened, session

__all__: list[str] = []

_HEADER: Final = SessionHeader(0, "a", 5, "/w")


def _log(*events: tuple[str, Any, Any, Any]) -> Corpus:
    """Return a corpus of one log: type, data, surface operation and sources of each event."""
    return Corpus(
        (
            Session(
                _HEADER,
                tuple(
                    SessionEvent(kind, seq, seq, data, operation, sources)
                    for seq, (kind, data, operation, sources) in enumerate(events)
                ),
            ),
        )
    )


def _assistant(*blocks: Any) -> dict[str, Any]:
    content = list(blocks)
    return {"turn": 1, "step": 1, "message": {"role": "assistant", "content": content}}


def _result(text: str, call_id: str) -> dict[str, Any]:
    block = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": text}],
    }
    source = {"kind": "tool", "callId": call_id}
    inner = {"role": "user", "content": [block], "source": source}
    return {"turn": 1, "step": 1, "message": inner}


def _call(name: str, call_id: str, arguments: str) -> dict[str, Any]:
    return {"turn": 1, "step": 1, "callId": call_id, "name": name, "arguments": arguments}


_TEXT: Final = {"type": "text", "text": "word"}
_KINDS: Final = (
    ("user/message", message("word"), "append", None),
    ("assistant/message", _assistant(_TEXT), "append", None),
    ("tool/call", _call("word", "c1", "{}"), None, None),
    ("tool/result", _result("word", "c1"), "append", None),
    ("todo/write", {"todos": [{"status": "pending", "content": "word"}]}, None, None),
    ("session/title", {"title": "word", "messageSeqs": [], "source": {"kind": "user"}}, None, None),
    (
        "turn/end",
        {"turn": 1, "reason": {"kind": "error", "error": {"message": "word"}}},
        None,
        None,
    ),
)
_SILENT: Final = (
    ("request/header", {"system": "word"}, None, None),
    ("assistant/chunk", {"text": "word"}, None, None),
    ("step/start", {"turn": 1, "step": 1, "note": "word"}, None, None),
    ("word/own", {"text": "word"}, None, None),
)


def _search(query: str) -> Call:
    return Call("search_events", ({"sessionId": "a", "query": query, "limit": 100},))


async def _found(provider: ProviderUnderTest, corpus: Corpus, query: str) -> list[dict[str, Any]]:
    """Return the hits in the log, by their seqs; a word that is nowhere finds none."""
    sources, _, _ = corpus.open()
    async with opened(provider, sources) as engine:
        answer = await _search(query).on(engine)
        await tells_absent(engine, "a")
    if answer.answer is None:
        raise Violation("an answer", str(answer))
    items: list[dict[str, Any]] = answer.answer["items"]
    return sorted(items, key=lambda hit: hit["seq"])


@check(
    "LOG-6/texts",
    st.lists(st.sampled_from([*_KINDS, *_SILENT]), min_size=1, max_size=6).map(
        lambda events: CallsOn(_log(*events), [_search("word")])
    ),
    after=("SEARCH-2/finds",),
    weight=2,
)
async def _texts(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Events whose type has text are found by it, and no others."""
    told = {kind for kind, *_ in _KINDS}
    expected = [event.seq for event in example.corpus.sessions[0].events if event.type in told]
    got = [hit["seq"] for hit in await _found(provider, example.corpus, "word")]
    if got != expected:
        raise Violation(f"the events {expected}", f"{got}")


@check(
    "LOG-12/surfaces",
    st.integers(1, 4).map(
        lambda count: CallsOn(
            _log(
                *(("user/message", message("word"), "append", None) for _ in range(count)),
                (
                    "user/message",
                    message("word summary"),
                    {"op": "replace", "start": 0, "end": count - 1},
                    list(range(count)),
                ),
                _KINDS[4],
            ),
            [_search("word")],
        )
    ),
    after=("LOG-6/texts",),
)
async def _surfaces(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A hit tells whether its event is on the surface, was once, or never."""
    count = len(example.corpus.sessions[0].events) - 2
    expected = [*["shadowed"] * count, "current", "log-only"]
    got = [hit["surface"] for hit in await _found(provider, example.corpus, "word")]
    if got != expected:
        raise Violation(f"{expected}", f"{got}")


@check(
    "LOG-24/no-echo",
    st.sampled_from(["session_search", "session_event_search", "session_event_read", "grep"]).map(
        lambda tool: CallsOn(
            _log(
                _KINDS[0],
                ("tool/call", _call(tool, "c1", '{"query": "word"}'), None, None),
                ("tool/result", _result("word", "c1"), "append", None),
            ),
            [_search("word")],
        )
    ),
    after=("LOG-6/texts",),
)
async def _no_echo(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Calls and results of the search tools themselves are not found, those of others are."""
    call = example.corpus.sessions[0].events[1].to_json()["data"]
    name = call["name"] if isinstance(call, dict) else ""
    expected = [0, 1, 2] if name == "grep" else [0]
    got = [hit["seq"] for hit in await _found(provider, example.corpus, "word")]
    if got != expected:
        raise Violation(f"the events {expected}", f"{got}")


_ODD: Final = ("\ud800", "\ufeff", "\u202e", "\x00", "\uffff", "\ue000", "\u2028", "\U000e0041")


@check(
    "LOG-23/odd-characters",
    st.lists(st.sampled_from([*_ODD, " ", "word"]), min_size=1, max_size=6).map(
        lambda parts: CallsOn(
            _log(("user/message", message(f"{''.join(parts)} findable"), "append", None)),
            [_search("findable"), Call("read_session", ("a",))],
        )
    ),
    after=("SEARCH-2/finds",),
)
async def _odd(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A text with odd characters is kept, read and found as any other."""
    hits = await _found(provider, example.corpus, "findable")
    if [hit["seq"] for hit in hits] != [0]:
        raise Violation("the event", f"{hits}")
    if any("\ud800" <= char <= "\udfff" for char in hits[0]["snippet"]):
        raise Violation("a snippet without lone surrogates", ascii(hits[0]["snippet"]))
    [only] = example.corpus.sessions
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        log = await engine.read_session("a")
        if log.events[0] != only.events[0]:
            raise Violation("the very event", ascii(log.events[0].to_json()))


def _calls(session_id: str, query: str) -> list[Call]:
    """Return a call of each operation that names a session or a word."""
    return [
        Call("search_sessions", ({"query": query},)),
        Call("search_events", ({"sessionId": "a", "query": query},)),
        Call("filter_sessions", ([{"kind": "id", "values": [session_id]}],)),
        Call("read_session", (session_id,)),
        Call("list_events", (session_id,)),
        Call("filter_events", ("a", [{"kind": "text", "text": query}])),
        Call("read_surface", (session_id,)),
        Call("read_event", (session_id, 0)),
        Call("read_titles", ([session_id],)),
        Call("trace_session", (session_id,)),
        Call("trace_event", (session_id, 0)),
    ]


_PAIRS: Final = list(zip(_calls("a", "word"), _calls(ABSENT, ABSENT), strict=True))
"""Each call, and the same for what isn't there."""
_MAY_BE_NULL: Final = {"capturedThroughSeq"}


@check(
    "JSON-1/answers",
    st.sampled_from(_PAIRS).map(
        lambda pair: CallsOn(Corpus((session("a", ["word"], cwd="/w"),)), pair)
    ),
    after=("READ-1/reads",),
)
async def _json(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Each answer has a form in JSON, in camelCase and without nulls for what is absent."""
    answer, absent = await example.outcomes(provider)
    if answer.code is not None or not _tells(answer.answer):
        raise Violation("an answer about 'a'", str(answer))
    if _tells(absent.answer) or absent.code not in {None, ErrorCode.SESSION_NOT_FOUND.value}:
        raise Violation(f"nothing about {ABSENT!r}", str(absent))
    if json.loads(json.dumps(answer.answer)) != answer.answer:
        raise Violation("plain JSON", str(answer))
    names = _names(answer.answer)
    wrong = sorted(name for name in names if "_" in name)
    if wrong:
        raise Violation("names in camelCase", f"{wrong}")
    nulls = sorted(_nulls(answer.answer) - _MAY_BE_NULL)
    if nulls:
        raise Violation("no null for what is absent", f"{nulls}")


def _tells(answer: Any) -> bool:
    """Tell whether an answer has an event or a record of the session."""
    if isinstance(answer, dict) and not answer.get("items", True):
        return False
    shown = json.dumps(answer)
    return '"a"' in shown or '"word"' in shown


def _nulls(value: Any) -> set[str]:
    """Return the keys whose values are null, those of events' own data left out."""
    if isinstance(value, list):
        return {name for one in value for name in _nulls(one)}
    if not isinstance(value, dict):
        return set()
    inner = {name for key, one in value.items() if key != "data" for name in _nulls(one)}
    return inner | {key for key, one in value.items() if one is None}


def _names(value: Any) -> set[str]:
    """Return the keys of an answer, those of events' own data left out."""
    if isinstance(value, list):
        return {name for one in value for name in _names(one)}
    if not isinstance(value, dict):
        return set()
    inner = {name for key, one in value.items() if key != "data" for name in _names(one)}
    return inner | set(value)


@check(
    "CORPUS-1/mounting",
    st.just(
        CallsOn(
            Corpus((session("a", ["word"]), session("b", ["word"], place="live"))),
            [Call("search_sessions", ({"query": "word"},)), Call("list_sessions")],
            told=("both again while the store is unmounted, and when it is mounted again",),
        )
    ),
    after=("SEARCH-1/finds",),
)
async def _mounting(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A store that is unmounted hides its sessions, and mounted again it shows them."""
    sources, _, persistence = example.corpus.open()
    call = Call("search_sessions", ({"query": "word"},))
    async with opened(provider, sources) as engine:
        for mounted, expected in ((True, ["a", "b"]), (False, ["b"]), (True, ["a", "b"])):
            if mounted:
                sources.mount(persistence)
            else:
                sources.unmount()
            answer = await call.on(engine)
            listed = sorted(record.header.id for record in await engine.list_sessions())
            items = (answer.answer or {"items": []})["items"]
            found = sorted(hit["header"]["id"] for hit in items)
            if found != expected or listed != expected:
                raise Violation(f"{expected} found and listed", f"{found} found, {listed} listed")
