"""The forms that other implementations share."""

from __future__ import annotations

import pytest
from session_query.corpus import EventRecord, SessionRecord, TitleObservation, TitleResult
from session_query.errors import AbortError, ErrorCode, SessionQueryError
from session_query.log import EventDocument, SessionTitle
from session_query.log._json import dumps, loads
from session_query.query import (
    EventHit,
    EventSearchPage,
    EventWindow,
    SessionHit,
    SessionLog,
    SessionSearchPage,
    SurfaceSnapshot,
)

from ..corpus.logs import header, said

HEADER = header("s", 7, cwd="/w")
SESSION = {"version": 0, "id": "s", "createdAt": 7, "cwd": "/w"}
RECORD = {"header": SESSION, "live": True, "persisted": False}
EVENT = {"sessionId": "s", "seq": 3, "type": "user/message", "time": -5, "surface": "current"}
HIT = EventHit("s", 3, "user/message", -5, "current", "…words…", ("wo", "rds"))
HIT_FORM = {**EVENT, "snippet": "…words…", "matched": ["wo", "rds"]}
TITLE = SessionTitle("t", (1, 2), {"kind": "user"}, 4, 9)
TITLE_FORM = {
    "title": "t",
    "messageSeqs": [1, 2],
    "source": {"kind": "user"},
    "eventSeq": 4,
    "updatedAt": 9,
}
RAW = [event.to_json() for event in (said(0), said(1))]

FORMS = [
    (SessionRecord(HEADER, live=True, persisted=False), RECORD),
    (EventRecord("s", 3, "user/message", -5, "current"), EVENT),
    (EventDocument("s", 3, "user/message", -5, "current", "x"), {**EVENT, "text": "x"}),
    (HIT, HIT_FORM),
    (HIT._replace(matched=None), {**EVENT, "snippet": "…words…"}),
    (HIT._replace(matched=()), {**EVENT, "snippet": "…words…", "matched": []}),
    (SessionHit(HEADER, True, False, HIT), {**RECORD, "bestMatch": HIT_FORM}),
    (SessionSearchPage(()), {"items": []}),
    (
        SessionSearchPage((SessionHit(HEADER, True, False, HIT),), "c"),
        {"items": [{**RECORD, "bestMatch": HIT_FORM}], "nextCursor": "c"},
    ),
    (EventSearchPage(HEADER, ()), {"session": SESSION, "items": []}),
    (
        EventSearchPage(HEADER, (HIT,), "c"),
        {"session": SESSION, "items": [HIT_FORM], "nextCursor": "c"},
    ),
    (SessionLog(HEADER, (said(0), said(1))), {"session": SESSION, "events": RAW}),
    (
        SurfaceSnapshot(HEADER, None, ()),
        {"session": SESSION, "capturedThroughSeq": None, "events": []},
    ),
    (
        SurfaceSnapshot(HEADER, 1, (said(1),)),
        {"session": SESSION, "capturedThroughSeq": 1, "events": RAW[1:]},
    ),
    (
        EventWindow(HEADER, said(1), (said(0), said(1)), 0, 1),
        {"session": SESSION, "target": RAW[1], "events": RAW, "startSeq": 0, "endSeq": 1},
    ),
    (TITLE, TITLE_FORM),
    (TitleObservation(HEADER, TITLE), {"session": SESSION, "title": TITLE_FORM}),
    (TitleObservation(HEADER, None), {"session": SESSION}),
    (
        TitleResult("s", TitleObservation(HEADER, None)),
        {"sessionId": "s", "status": "fulfilled", "value": {"session": SESSION}},
    ),
    (
        TitleResult("s", reason=SessionQueryError("gone", ErrorCode.SESSION_NOT_FOUND)),
        {
            "sessionId": "s",
            "status": "rejected",
            "reason": {"code": "SESSION_QUERY_SESSION_NOT_FOUND", "message": "gone"},
        },
    ),
    (
        AbortError("enough"),
        {"code": "SESSION_QUERY_ABORTED", "message": "enough"},
    ),
]

IDS = [f"{number} {type(value).__name__}" for number, (value, _) in enumerate(FORMS)]


@pytest.mark.requirement("JSON-1", "SEARCH-1", "SEARCH-2", "SEARCH-3", "ERR-1")
@pytest.mark.parametrize(("value", "form"), FORMS, ids=IDS)
def test_a_value_has_the_form_of_the_table(value: object, form: dict[str, object]) -> None:
    """Each public value is written with these keys and no others; absent optionals are left out."""
    written = value.to_json()  # type: ignore[attr-defined]
    assert written == form
    assert loads(dumps(written)) == form


@pytest.mark.requirement("JSON-1", "LOG-5")
@pytest.mark.parametrize("value", [value for value, _ in FORMS], ids=IDS)
def test_values_and_forms_share_nothing(value: object) -> None:
    """A form is the caller's own, and a value can't be changed."""
    written = value.to_json()  # type: ignore[attr-defined]
    before = dumps(written)
    pending: list[object] = [written]
    while pending:
        found = pending.pop()
        if isinstance(found, dict):
            pending += found.values()
            found.clear()
        elif isinstance(found, list):
            pending += found
            found.clear()
    assert dumps(value.to_json()) == before  # type: ignore[attr-defined]
    for name in () if isinstance(value, Exception) else type(value).__match_args__:  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            setattr(value, name, None)


@pytest.mark.requirement("ERR-1")
def test_the_codes_are_a_closed_set() -> None:
    """Every code has the prefix, and an unknown one is refused."""
    assert {code.value.removeprefix("SESSION_QUERY_") for code in ErrorCode} == {
        "ABORTED",
        "CORRUPT_SESSION",
        "EVENT_NOT_FOUND",
        "INDEX_FAILED",
        "INVALID_CONFIG",
        "INVALID_CURSOR",
        "INVALID_FILTER",
        "INVALID_LIMIT",
        "INVALID_QUERY",
        "INVALID_LINEAGE",
        "INVALID_SURFACE",
        "INVALID_WINDOW",
        "PERSISTENCE_FAILED",
        "SEARCH_DISABLED",
        "SESSION_NOT_FOUND",
        "STALE_CURSOR",
        "SOURCE_CONFLICT",
    }
    with pytest.raises(ValueError, match="NO_SUCH"):
        SessionQueryError("x", "SESSION_QUERY_NO_SUCH")


@pytest.mark.requirement("SEARCH-3")
def test_no_score_and_no_engine_is_told() -> None:
    """What a hit tells is the event, a snippet, and the words that matched."""
    assert EventHit._fields == (*EventRecord._fields, "snippet", "matched")
    assert SessionHit._fields == (*SessionRecord._fields, "best_match")
