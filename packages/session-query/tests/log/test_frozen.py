"""Frozen JSON: nobody can change it, and otherwise it is plain JSON."""

from __future__ import annotations

import copy
import enum
import json
import math
import operator
import pickle
from collections import namedtuple
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from session_query import log
from session_query.errors import JsonError
from session_query.log._json import (
    MAX_DEPTH,
    MAX_NESTING,
    FrozenDict,
    FrozenList,
    describe,
    freeze,
    freeze_data,
    same,
    thaw,
)

from .values import JSON, depth_of, nested

DICT_CHANGES: dict[str, tuple[Any, ...]] = {
    "__setitem__": ("a", 2),
    "__delitem__": ("a",),
    "__ior__": ({"a": 2},),
    "clear": (),
    "pop": ("a",),
    "popitem": (),
    "setdefault": ("b", 2),
    "update": ({"a": 2},),
}
LIST_CHANGES: dict[str, tuple[Any, ...]] = {
    "__setitem__": (0, 2),
    "__delitem__": (0,),
    "__iadd__": ([2],),
    "__imul__": (2,),
    "append": (2,),
    "clear": (),
    "extend": ([2],),
    "insert": (0, 2),
    "pop": (),
    "remove": (1,),
    "reverse": (),
    "sort": (),
}


def spoil(value: Any) -> None:
    """Change a plain value at every level."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += item.values()
            item["spoilt"] = True
        elif isinstance(item, list):
            pending += item
            item.append("spoilt")


@pytest.mark.requirement("LOG-5")
@pytest.mark.parametrize("name", DICT_CHANGES)
def test_no_method_changes_an_object(name: str) -> None:
    """Every mutator of a dict is refused, at every level."""
    value = freeze({"a": {"a": 1}})
    for frozen in (value, value["a"]):
        with pytest.raises(TypeError, match="frozen"):
            getattr(frozen, name)(*DICT_CHANGES[name])
    assert value == {"a": {"a": 1}}


@pytest.mark.requirement("LOG-5")
@pytest.mark.parametrize("name", LIST_CHANGES)
def test_no_method_changes_an_array(name: str) -> None:
    """Every mutator of a list is refused, at every level."""
    value = freeze([[1]])
    for frozen in (value, value[0]):
        with pytest.raises(TypeError, match="frozen"):
            getattr(frozen, name)(*LIST_CHANGES[name])
    assert value == [[1]]


@pytest.mark.requirement("LOG-5")
def test_a_second_construction_changes_nothing() -> None:
    """Calling the constructor of an existing value again does nothing to it."""
    members, items = freeze({"a": 1}), freeze([1])
    members.__init__({"b": 2})
    items.__init__([2])
    assert members == {"a": 1}
    assert items == [1]
    with pytest.raises(AttributeError):
        members.extra = 1


@pytest.mark.requirement("LOG-5")
def test_a_constructed_value_is_frozen_to_the_bottom() -> None:
    """The public types can't be made to hold something that changes."""
    inner = [1]
    members, items = FrozenDict({"a": inner}, b=inner), FrozenList([inner])
    inner.append(2)
    assert members == {"a": [1], "b": [1]}
    assert items == [[1]]
    assert type(members["a"]) is type(items[0]) is FrozenList
    with pytest.raises(JsonError):
        FrozenList([object()])
    with pytest.raises(TypeError, match="frozen"):
        FrozenDict.fromkeys("ab")


@pytest.mark.requirement("LOG-4", "LOG-5")
@given(JSON)
def test_freezing_and_thawing_detach(value: Any) -> None:
    """A frozen value equals its source, and neither's later changes reach the other."""
    expected = copy.deepcopy(value)
    frozen = freeze(value)
    assert same(frozen, expected)
    thawed = thaw(frozen)
    assert same(thawed, expected)
    spoil(value)
    spoil(thawed)
    assert same(frozen, expected)
    assert freeze(frozen) is frozen or not isinstance(frozen, (dict, list))


@pytest.mark.requirement("LOG-5")
def test_what_a_frozen_value_gives_away_is_detached() -> None:
    """Copies, slices and sums are the caller's own, and hold frozen members."""
    members, items = freeze({"a": [1]}), freeze([[1], [2]])
    for own in (members | {}, members.copy(), dict(members)):
        own["b"] = 2
    assert members == {"a": [1]}
    for copied in (items[:], items * 1, items.copy(), list(items)):
        copied.append(3)
        with pytest.raises(TypeError):
            copied[0].append(3)
    assert items == [[1], [2]]


@pytest.mark.requirement("LOG-5")
@given(JSON)
def test_copies_of_a_frozen_value(value: Any) -> None:
    """A copy, shallow or deep, is the value itself; a pickled one is equal and frozen."""
    frozen = freeze([value])
    assert copy.copy(frozen) is copy.deepcopy(frozen) is frozen
    back = pickle.loads(pickle.dumps(frozen))  # noqa: S301 - it is our own
    assert same(back, frozen)
    assert type(back) is FrozenList
    members = freeze({"a": value})
    assert copy.copy(members) is copy.deepcopy(members) is members
    assert type(pickle.loads(pickle.dumps(members))) is FrozenDict  # noqa: S301 - it is our own


@pytest.mark.requirement("LOG-5")
def test_a_frozen_value_serves_as_a_plain_one() -> None:
    """It equals plain JSON either way round, and the standard library writes it."""
    plain = {"a": [1, {"b": None}], "c": "d"}
    frozen = freeze(plain)
    assert frozen == plain
    assert plain == frozen
    assert operator.ne(frozen, plain) is operator.ne(plain, frozen) is False
    assert operator.ne(frozen, {"a": 1}) is operator.ne({"a": 1}, frozen) is True
    assert freeze([1]) == [1.0]
    assert freeze([1]) != [2]
    assert freeze([1]) != (1,)
    assert frozen != "text"
    assert json.dumps(frozen) == json.dumps(plain)
    assert repr(frozen) == repr(plain)
    assert isinstance(frozen, dict)
    assert isinstance(frozen["a"], list)


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize("depth", [2_000, MAX_DEPTH])
def test_deep_values_do_all_that_shallow_ones_do(depth: int) -> None:
    """Freezing, thawing, comparing, printing, copying and pickling survive the nesting."""
    plain = nested(depth)
    frozen = freeze(plain)
    assert depth_of(frozen) == depth_of(thaw(frozen)) == depth
    assert frozen == plain
    assert plain == frozen
    assert frozen != nested(depth, "other")
    assert repr(frozen).startswith("[" if depth % 2 else "{'k': ")
    assert copy.deepcopy(frozen) is frozen
    assert pickle.loads(pickle.dumps(frozen)) == frozen  # noqa: S301 - it is our own


@pytest.mark.requirement("LOG-4")
def test_nesting_has_a_limit() -> None:
    """Deeper values, and those that contain themselves, are refused by name."""
    cycle: list[Any] = []
    cycle += [cycle, cycle]
    for value in (nested(MAX_NESTING + 1), cycle):
        with pytest.raises(JsonError, match=f"{MAX_NESTING} levels"):
            freeze(value)
    with pytest.raises(JsonError, match=f"{MAX_DEPTH} levels"):
        freeze_data(nested(MAX_DEPTH + 1))


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize(
    ("value", "name"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ({1}, "set"),
        (b"x", "bytes"),
        (object, "type"),
        ({1: 2}, "key of type int"),
        ({None: 2}, "key of type NoneType"),
        (range(2), "range"),
    ],
)
def test_what_is_not_json_is_refused_by_name(value: object, name: str) -> None:
    """The error names the first thing that is not JSON, however deep it stands."""
    for holder in (value, [value], {"a": ({"b": value},)}):
        with pytest.raises(JsonError, match=name):
            freeze(holder)


class _Text(str):
    __slots__ = ()


class _Number(enum.IntEnum):
    ONE = 1


class _Share(float):
    __slots__ = ()


@pytest.mark.requirement("LOG-4", "LOG-5")
def test_derived_types_become_plain_ones() -> None:
    """Subclasses, tuples and foreign mappings are kept as the JSON that they stand for."""
    pair = namedtuple("pair", "a b")  # noqa: PYI024 - the untyped form is what is tested
    value = {_Text("k"): [_Text("v"), _Number.ONE, _Share(0.5), pair(1, 2), MappingProxyType({})]}
    frozen = freeze(value)
    assert frozen == {"k": ["v", 1, 0.5, [1, 2], {}]}
    ((key, items),) = frozen.items()
    kinds = [str, str, int, float, FrozenList, FrozenDict]
    assert [type(item) for item in [key, *items]] == kinds


@pytest.mark.requirement("LOG-4")
def test_true_is_not_one() -> None:
    """JSON equality tells a boolean from a number, at any place, and ignores key order."""
    assert not same({"a": [True]}, {"a": [1]})
    assert not same(0, False)
    assert same({"a": 1, "b": 2.0}, {"b": 2, "a": 1.0})
    assert not same({"a": 1}, {"b": 1})
    assert not same([1], [1, 1])
    assert not same([], {})


@pytest.mark.requirement("LOG-23")
def test_two_halves_of_a_character_become_one() -> None:
    """A high and a low surrogate side by side are frozen as what they read back as."""
    assert freeze({"\ud83d\ude00": "x\ud83d\ude00"}) == {"😀": "x😀"}
    assert freeze(["\ude00\ud83d"]) == ["\ude00\ud83d"]


@pytest.mark.requirement("LOG-4")
def test_error_messages_never_print_what_they_refuse() -> None:
    """The description of a value is short, whatever the value is."""
    huge = [10**6_000, "x" * 10**6, nested(3_000), nested(3_001), (1,) * 10**6]
    for value in (None, True, 1, 1.5, object(), *huge):
        assert len(describe(value)) < 120


def test_the_frozen_types_are_public() -> None:
    """Callers can name what they are handed."""
    assert log.FrozenDict is FrozenDict
    assert log.FrozenList is FrozenList
