"""The title: what the last title event says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import FrozenDict, SessionEvent, SessionTitle, fold_title

from .payloads import TYPED
from .values import JSON, TEXTS, nested

GOOD = {"title": "A title", "messageSeqs": [0], "source": {"kind": "provider", "model": "m"}}


def title_event(seq: int = 0, **changes: Any) -> SessionEvent:
    """Return a title event; a change to None leaves the field out."""
    data = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return SessionEvent("session/title", seq, 10 + seq, data)


@pytest.mark.requirement("LOG-13", "LOG-23")
@given(
    st.lists(
        st.tuples(TEXTS, st.sampled_from(["fallback", "provider", "user"]),
                  st.lists(st.integers(0, 9), max_size=3), st.booleans()),
        max_size=5,
    )
)  # fmt: skip
def test_the_last_title_counts(titles: list[tuple[str, str, list[int], bool]]) -> None:
    """The last title event gives title, messages, source, seq and time; others don't matter."""
    events: list[SessionEvent] = []
    expected = None
    for title, kind, seqs, is_title in titles:
        seq = len(events)
        if is_title:
            source = {"kind": kind, "extra": [1]}
            events.append(title_event(seq, title=title, messageSeqs=seqs, source=source))
            expected = SessionTitle(title, tuple(seqs), source, seq, 10 + seq)
        else:
            events.append(SessionEvent("host/own", seq, 0, {"title": title}))
    assert fold_title(iter(events)) == expected


@pytest.mark.requirement("LOG-13")
def test_no_title_event_means_no_title() -> None:
    """A log without one has no title."""
    assert fold_title([]) is None


@pytest.mark.requirement("LOG-13")
@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("title", [None, 1, ["x"]]),
        ("messageSeqs", [None, "0", [-1], [True], [0.5], [[]], [2**53]]),
        ("source", [None, "user", {}]),
        ("source.kind", ["guess", ["user"], nested(3_000)]),
    ],
)
def test_a_malformed_title_is_corruption(field: str, values: list[Any]) -> None:
    """The error tells which event is malformed, and where."""
    for value in values:
        changes = {"source": {"kind": value}} if field == "source.kind" else {field: value}
        with pytest.raises(SessionQueryError, match=f"title event 1 .*{field}") as caught:
            fold_title([title_event(), title_event(1, **changes)])
        assert caught.value.code is ErrorCode.CORRUPT_SESSION


@pytest.mark.requirement("LOG-13")
@given(JSON)
def test_title_data_of_another_shape_is_corruption(data: object) -> None:
    """Whatever stands where the data should be, the error is the typed one."""
    with pytest.raises(SessionQueryError, match="malformed"):
        fold_title([SessionEvent("session/title", 0, 0, data)])


@pytest.mark.requirement("LOG-13")
def test_an_earlier_malformed_title_does_not_matter() -> None:
    """Only the last title event is read."""
    title = fold_title([title_event(title=1), title_event(1)])
    assert title is not None
    assert title.title == "A title"


@pytest.mark.requirement("LOG-13")
@given(st.lists(TYPED, max_size=5))
def test_no_log_makes_it_fail_otherwise(typed: list[tuple[str, Any]]) -> None:
    """A log gives a title, none, or the typed error."""
    events = [SessionEvent(kind, seq, 0, data) for seq, (kind, data) in enumerate(typed)]
    try:
        fold_title(events)
    except SessionQueryError as error:
        assert error.code is ErrorCode.CORRUPT_SESSION  # noqa: PT017 - one of three outcomes


@pytest.mark.requirement("LOG-5", "LOG-13")
def test_a_title_is_detached_and_has_a_json_form() -> None:
    """Source and JSON form can't reach the event."""
    event = title_event(messageSeqs=[0.0, 2])
    title = fold_title([event])
    assert title is not None
    assert title.message_seqs == (0, 2)
    assert {type(seq) for seq in title.message_seqs} == {int}
    assert type(title.source) is FrozenDict
    form = title.to_json()
    assert form == {
        "title": "A title", "messageSeqs": [0, 2], "source": GOOD["source"],
        "eventSeq": 0, "updatedAt": 10,
    }  # fmt: skip
    form["source"]["kind"] = form["messageSeqs"] = "spoilt"
    assert title.to_json() == fold_title([event]).to_json()  # type: ignore[union-attr]
