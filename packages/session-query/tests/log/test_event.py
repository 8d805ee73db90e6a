"""One log entry: its envelope is checked, its data is kept, and neither can be changed."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.log import FrozenDict, FrozenList, SessionEvent
from session_query.log._event import checked_envelope
from session_query.log._json import MAX_DEPTH, SAFE_INTEGER, dumps, loads, same

from .values import JSON, TEXTS, depth_of, nested

FORMS = st.fixed_dictionaries(
    {
        "type": TEXTS | st.sampled_from(["user/message", "turn/start", "host/own"]),
        "seq": st.integers(0, SAFE_INTEGER),
        "time": st.integers(-SAFE_INTEGER, SAFE_INTEGER),
        "data": JSON,
    },
    optional={
        "ignorable": st.just(True),
        "surfaceOp": JSON.filter(lambda value: value is not None),
        "sourceEventSeqs": JSON.filter(lambda value: value is not None),
    },
)
MINIMAL = {"type": "t", "seq": 0, "time": 0, "data": {}}


def adopted(form: dict[str, Any]) -> SessionEvent:
    """Build an event the way a reader does, out of values that nobody else holds."""
    own = loads(dumps(form))
    return SessionEvent._adopt(
        own["type"],
        own["seq"],
        own["time"],
        own["data"],
        own.get("surfaceOp"),
        own.get("sourceEventSeqs"),
        own.get("ignorable", False),
    )


@pytest.mark.requirement("LOG-3", "LOG-4", "LOG-23")
@given(FORMS)
def test_json_gives_back_the_event(form: dict[str, Any]) -> None:
    """Whatever an event holds is what its JSON form tells, however the event was made."""
    for event in (SessionEvent.from_json(form), adopted(form)):
        assert same(event.to_json(), form)
        assert dumps(event.to_json()["data"]) == dumps(form["data"])
        assert same(event.data, form["data"])
        assert same(event.surface_op, form.get("surfaceOp"))
        assert same(event.source_event_seqs, form.get("sourceEventSeqs"))
        assert same(event.to_json(), form)
        assert SessionEvent.from_json(loads(dumps(event.to_json()))) == event


@pytest.mark.requirement("LOG-5")
@given(FORMS)
def test_an_event_is_detached(form: dict[str, Any]) -> None:
    """Changing what an event was made of, or what it gave away, does not reach the event."""
    expected = loads(dumps(form))
    event = SessionEvent.from_json(form)
    given_away = event.to_json()
    for value in (form, given_away):
        for key in ("data", "surfaceOp", "sourceEventSeqs"):
            if isinstance(value.get(key), dict):
                value[key]["spoilt"] = True
            elif isinstance(value.get(key), list):
                value[key].append("spoilt")
        value["type"] = "spoilt"
    assert same(event.to_json(), expected)


@pytest.mark.requirement("LOG-5")
def test_all_json_of_an_event_is_frozen() -> None:
    """Data, surface operation and sources are frozen, on events that a reader made too."""
    form = {
        **MINIMAL,
        "data": {"a": [1]},
        "surfaceOp": {"op": "replace", "start": 0, "end": 0},
        "sourceEventSeqs": [0],
    }
    for event in (SessionEvent.from_json(form), adopted(form)):
        assert type(event.data) is FrozenDict
        assert type(event.data["a"]) is FrozenList
        assert type(event.surface_op) is FrozenDict
        assert type(event.source_event_seqs) is FrozenList
        assert event.data is event.data
        for name in ("type", "seq", "data", "surface_op", "_raw", "other"):
            with pytest.raises(AttributeError, match="immutable"):
                setattr(event, name, 1)
            with pytest.raises(AttributeError, match="immutable"):
                delattr(event, name)


@pytest.mark.requirement("LOG-3", "LOG-4")
@given(FORMS, st.data())
def test_equality_is_that_of_the_stored_form(form: dict[str, Any], data: st.DataObject) -> None:
    """Two events are equal exactly if their JSON forms are, with ``true`` apart from 1."""
    name = data.draw(st.sampled_from(["type", "seq", "time", "data", "surfaceOp", "ignorable"]))
    other_form = {**form, name: data.draw(FORMS).get(name, form.get(name))}
    if other_form[name] is None and name != "data":
        del other_form[name]
    one, other = SessionEvent.from_json(form), adopted(other_form)
    assert (one == other) is (other == one) is same(form, other_form)
    assert hash(one) == hash(other) or one != other
    assert one != form


@pytest.mark.requirement("LOG-3")
def test_true_is_no_number_in_data() -> None:
    """Data that differs in type alone makes another event."""
    assert SessionEvent("t", 0, 0, {"a": True}) != SessionEvent("t", 0, 0, {"a": 1})
    assert SessionEvent("t", 0, 0, {"a": 1.0}) == SessionEvent("t", 0, 0, {"a": 1})


@pytest.mark.requirement("LOG-4", "LOG-5")
@given(FORMS)
def test_copies_are_equal(form: dict[str, Any]) -> None:
    """A copy, shallow or deep, is the event itself; a pickled one is equal."""
    event = adopted(form)
    assert copy.copy(event) is copy.deepcopy(event) is event
    assert pickle.loads(pickle.dumps(event)) == event  # noqa: S301 - it is our own
    assert repr(event) == f"SessionEvent({event.type!r}, seq={event.seq}, time={event.time})"


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize("depth", [2_000, MAX_DEPTH])
def test_deep_data_survives_everything(depth: int) -> None:
    """Deep data can be appended, read, compared, pickled and written as a line again."""
    event = SessionEvent("t", 0, 0, nested(depth))
    assert depth_of(event.data) == depth_of(event.to_json()["data"]) == depth
    line = dumps(event.to_json())
    for other in (SessionEvent.from_json(loads(line)), adopted(loads(line))):
        assert other == event
        assert dumps(other.to_json()) == line
        assert depth_of(other.data) == depth
        assert pickle.loads(pickle.dumps(other)) == event  # noqa: S301 - it is our own
    with pytest.raises(ValueError, match=r"event 't': nested more than"):
        SessionEvent("t", 0, 0, nested(MAX_DEPTH + 1))


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize("value", [math.nan, math.inf, {1}, b"", {1: 2}, object()])
def test_data_that_is_not_json_is_refused_by_type(value: object) -> None:
    """The error names the type of the event."""
    for place in (value, [value], {"a": {"b": value}}):
        with pytest.raises(ValueError, match="event 'host/own'"):
            SessionEvent("host/own", 0, 0, place)


@pytest.mark.requirement("LOG-3")
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("type", [1, None, ["t"]]),
        ("seq", [-1, True, "0", 0.5, 2**53, 10**6_000, None]),
        ("time", [False, 1.5, -(2**53), math.nan, nested(3_000), None]),
        ("ignorable", [False, 1, None]),
        ("surfaceOp", [None]),
        ("sourceEventSeqs", [None]),
        ("id", [1]),
    ],
)
def test_a_wrong_envelope_is_refused_by_field(name: str, values: list[object]) -> None:
    """Each violation of the envelope is an error that names the field, in few words."""
    for value in values:
        for read in (SessionEvent.from_json, checked_envelope):
            with pytest.raises(ValueError, match=name) as caught:
                read({**MINIMAL, name: value})
            assert len(str(caught.value)) < 200


@pytest.mark.requirement("LOG-3")
def test_a_key_that_is_no_text_is_unknown() -> None:
    """An envelope key of another type is refused like any unknown one."""
    form: dict[Any, Any] = {**MINIMAL, 1: 1}
    with pytest.raises(ValueError, match="unknown event field 1"):
        SessionEvent.from_json(form)


@pytest.mark.requirement("LOG-3")
@pytest.mark.parametrize("name", MINIMAL)
def test_the_four_fields_are_required(name: str) -> None:
    """Type, seq, time and data can't be left out."""
    with pytest.raises(ValueError, match=name):
        SessionEvent.from_json({key: value for key, value in MINIMAL.items() if key != name})


@pytest.mark.requirement("LOG-3")
@pytest.mark.parametrize("form", [[], "event", None, 1])
def test_only_an_object_is_an_event(form: object) -> None:
    """Any other JSON is refused."""
    with pytest.raises(ValueError, match="JSON object"):
        SessionEvent.from_json(form)


@pytest.mark.requirement("LOG-3")
def test_integral_floats_count_as_integers() -> None:
    """A seq or time of ``1.0`` is the integer 1, in type too, and negative times are times."""
    event = SessionEvent.from_json({**MINIMAL, "seq": 1.0, "time": -2.0})
    assert (event.seq, event.time) == (1, -2)
    assert type(event.seq) is type(event.time) is int


@pytest.mark.requirement("LOG-3")
def test_any_type_and_any_data_are_kept() -> None:
    """The type is an open text, the data any JSON, and ignorable is remembered."""
    event = SessionEvent("", 0, 0, None, ignorable=True)
    assert event.to_json() == {"type": "", "seq": 0, "time": 0, "data": None, "ignorable": True}
    assert SessionEvent.from_json(event.to_json()).ignorable
    with pytest.raises(ValueError, match="ignorable"):
        SessionEvent("t", 0, 0, None, ignorable=1)  # type: ignore[arg-type]
