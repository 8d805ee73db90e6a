"""The header: checked, immutable, and compared by what makes a session one."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.log import SessionHeader
from session_query.log._json import SAFE_INTEGER, dumps, loads

from .values import TEXTS, nested

COUNTS = st.integers(0, SAFE_INTEGER)
IDS = TEXTS.filter(bool)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "version": st.just(0),
    "id": IDS,
    "createdAt": COUNTS,
    "cwd": TEXTS,
    "parentSession": IDS,
    "seedLength": COUNTS,
    "origin": st.just("subagent"),
    "delegationDepth": COUNTS,
    "agentPreset": TEXTS,
}
REQUIRED = ("version", "id", "createdAt")
FORMS = st.fixed_dictionaries(
    {name: FIELDS[name] for name in REQUIRED},
    optional={name: values for name, values in FIELDS.items() if name not in REQUIRED},
)
MINIMAL = {"version": 0, "id": "s", "createdAt": 1}


def header(**changes: Any) -> SessionHeader:
    """Build a header from JSON fields."""
    return SessionHeader.from_json({**MINIMAL, **changes})


@pytest.mark.requirement("LOG-1", "LOG-23")
@given(FORMS)
def test_json_gives_back_the_header(form: dict[str, Any]) -> None:
    """A header survives its JSON form, which has exactly the fields that are there."""
    read = SessionHeader.from_json(form)
    assert read.to_json() == form
    assert SessionHeader.from_json(loads(dumps(read.to_json()))) == read
    assert None not in read.to_json().values()


@pytest.mark.requirement("LOG-1")
def test_fields_have_python_names() -> None:
    """Each JSON name is the camel case of a field, and absent optionals are None."""
    full = SessionHeader(0, "s", 1, "/w", "p", 2, "subagent", 3, "fast")
    assert full.to_json() == {
        "version": 0, "id": "s", "createdAt": 1, "cwd": "/w", "parentSession": "p",
        "seedLength": 2, "origin": "subagent", "delegationDepth": 3, "agentPreset": "fast",
    }  # fmt: skip
    bare = SessionHeader(version=0, id="s", created_at=1)
    assert {getattr(bare, field.name) for field in dataclasses.fields(bare)[3:]} == {None}


@pytest.mark.requirement("LOG-1")
@pytest.mark.parametrize("name", FIELDS)
def test_null_is_no_absence(name: str) -> None:
    """A field that is null, required or not, is refused by name."""
    with pytest.raises(ValueError, match=name):
        SessionHeader.from_json({**MINIMAL, name: None})


@pytest.mark.requirement("LOG-1")
@pytest.mark.parametrize("name", REQUIRED)
def test_required_fields_are_missed_by_name(name: str) -> None:
    """Version, id and time of creation can't be left out."""
    with pytest.raises(ValueError, match=f"{name}: missing"):
        SessionHeader.from_json({key: value for key, value in MINIMAL.items() if key != name})


@pytest.mark.requirement("LOG-1")
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("version", [1, -1, "0", True, False, 0.5]),
        ("id", ["", 1, b"s"]),
        ("createdAt", [-1, 2**53, 1.5, True, "1", math.nan, math.inf, 10**6_000]),
        ("cwd", [1, [], False]),
        ("parentSession", [1, {}]),
        ("seedLength", [-1, 0.5, True, "0"]),
        ("origin", ["user", "", 1, ["subagent"]]),
        ("delegationDepth", [-1, True, 2**53]),
        ("agentPreset", [1, nested(3_000)]),
    ],
)
def test_a_wrong_value_is_refused_by_name(name: str, values: list[object]) -> None:
    """The error names the field and never prints a huge value."""
    for value in values:
        with pytest.raises(ValueError, match=name) as caught:
            header(**{name: value})
        assert len(str(caught.value)) < 200


@pytest.mark.requirement("LOG-1")
@pytest.mark.parametrize("form", [[], "s", None, {**MINIMAL, "model": "x"}, {1: 2}])
def test_what_is_no_header_is_refused(form: object) -> None:
    """Only an object of the known fields is a header, since nothing else could be kept."""
    with pytest.raises(ValueError, match=r"header"):
        SessionHeader.from_json(form)


@pytest.mark.requirement("LOG-1", "LOG-3")
def test_integral_floats_are_integers() -> None:
    """A number written with a fraction of zero is the integer, in type too."""
    read = header(version=0.0, createdAt=5.0, seedLength=2.0)
    assert (read.version, read.created_at, read.seed_length) == (0, 5, 2)
    assert {type(read.version), type(read.created_at), type(read.seed_length)} == {int}


@pytest.mark.requirement("LOG-1", "LOG-5")
def test_a_header_is_immutable() -> None:
    """No field can be set, and copies are equal."""
    read = header(cwd="/w")
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.id = "other"  # type: ignore[misc]
    form = read.to_json()
    form["id"] = "other"
    assert read.id == "s"
    assert copy.deepcopy(read) == pickle.loads(pickle.dumps(read)) == read  # noqa: S301 - our own


@pytest.mark.requirement("LOG-2")
@given(FORMS, st.data())
def test_compatibility_takes_part_of_the_fields(form: dict[str, Any], data: st.DataObject) -> None:
    """Changing one field breaks compatibility, unless it is the origin or the preset."""
    name = data.draw(st.sampled_from(sorted(FIELDS.keys() - {"version"})))
    changed = {**form, name: data.draw(FIELDS[name])}
    if name not in REQUIRED and data.draw(st.booleans()):
        del changed[name]
    one, other = SessionHeader.from_json(form), SessionHeader.from_json(changed)
    before, after = form.get(name), changed.get(name)
    if name == "delegationDepth":
        before, after = before or 0, after or 0
    expected = name in ("origin", "agentPreset") or before == after
    assert one.compatible_with(other) is other.compatible_with(one) is expected


@pytest.mark.requirement("LOG-2")
def test_no_depth_is_depth_zero() -> None:
    """An absent delegation depth equals 0, whereas an absent seed length does not."""
    assert header().compatible_with(header(delegationDepth=0))
    assert not header().compatible_with(header(delegationDepth=1))
    assert not header().compatible_with(header(seedLength=0))
