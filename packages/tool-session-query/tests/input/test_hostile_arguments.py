"""Whatever a model or a framework hands over, a tool answers or says what is wrong (INPUT-2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_session_query import SessionQueryToolError

from ..toolset.scripted import LEAST, TOOLS, ScriptedEngine, answer, refusal, tool_of

NAMES = sorted(
    {name for tool in TOOLS for name in tool_of(ScriptedEngine(), tool).parameters["properties"]}
)


class Unprintable:
    """Something that no message can hold."""

    def __str__(self) -> NoReturn:
        raise RuntimeError

    __repr__ = __str__


class UnprintableText(str):
    """A text that can be read but not shown."""

    __slots__ = ()

    def __str__(self) -> NoReturn:
        raise RuntimeError

    __repr__ = __str__


class BrokenMapping(Mapping[str, Any]):
    """Arguments that can't be read."""

    def __getitem__(self, key: str) -> NoReturn:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        return 1


def _nested(depth: int) -> object:
    value: object = "x"
    for _ in range(depth):
        value = [value]
    return value


def _cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


_ODD: list[Any] = [
    10**6000,
    -(10**6000),
    math.nan,
    math.inf,
    -math.inf,
    "\ud800",
    "\udc00\ud800",
    "\0",
    "a" * 100_000,
    b"query",
    (1, 2),
    frozenset(["a"]),
    Unprintable(),
    UnprintableText("x"),
    _nested(100_000),
    _cyclic(),
    object,
    ...,
]
ODD = st.integers(0, len(_ODD) - 1).map(lambda place: _ODD[place])  # not all can be printed
LEAVES = st.one_of(
    ODD, st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=4)
_ODD_KEYS: list[Any] = [
    "\ud800", "x" * 10_000, 10**6000, b"query", (1,), math.nan, UnprintableText("query"), ...
]  # fmt: skip
KEYS = st.one_of(
    st.sampled_from(NAMES),
    st.text(max_size=3),
    st.integers(),
    st.none(),
    st.integers(0, len(_ODD_KEYS) - 1).map(lambda place: _ODD_KEYS[place]),
)
ARGUMENTS = st.one_of(VALUES, st.dictionaries(KEYS, VALUES, max_size=4))


@pytest.mark.requirement("INPUT-2", "TOOL-6", "SAN-4")
@pytest.mark.parametrize("tool", TOOLS)
@given(arguments=ARGUMENTS, whole=st.booleans())
def test_any_arguments_are_answered_or_refused(tool: str, arguments: object, whole: bool) -> None:
    """A call ends with text or with a short `INVALID_ARGUMENT` that drags nothing along."""
    if whole and isinstance(arguments, dict):
        arguments = {**LEAST[tool], **arguments}
    engine = ScriptedEngine()
    try:
        text = answer(engine, tool, arguments)
    except SessionQueryToolError as error:
        refused = error
    else:
        assert isinstance(text, str)
        return
    assert refused.code == "SESSION_QUERY_TOOL_INVALID_ARGUMENT"
    assert refused.__cause__ is None
    assert refused.__context__ is None
    assert refused.argument is None or isinstance(refused.argument, str)
    assert len(refused.message) < 600 * 5  # of five mistakes at most
    refused.message.encode()
    assert not engine.asked


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize("tool", TOOLS)
def test_arguments_that_are_no_object_are_refused(tool: str) -> None:
    """Only an object has arguments; no argument is to blame then."""
    for arguments in (None, "query", '{"query": "a"}', 5, 10**6000, 1.5, True, ["query"], object()):
        error = refusal(lambda given=arguments: answer(ScriptedEngine(), tool, given))  # type: ignore[misc]
        assert error.argument is None
        assert error.message.startswith("expected arguments as a JSON object, got ")


@pytest.mark.requirement("INPUT-2")
@pytest.mark.parametrize("tool", TOOLS)
def test_arguments_that_cannot_be_read_are_refused(tool: str) -> None:
    """A mapping that fails by itself is no exception of its own for the host."""
    error = refusal(lambda: answer(ScriptedEngine(), tool, BrokenMapping()))
    assert error.code == "SESSION_QUERY_TOOL_INVALID_ARGUMENT"


@pytest.mark.requirement("INPUT-2")
def test_a_number_is_called_a_number() -> None:
    """The message for a number in the place of arguments doesn't call it too large."""
    error = refusal(lambda: answer(ScriptedEngine(), "session_trace", 5))
    assert error.message == "expected arguments as a JSON object, got a number"


@pytest.mark.requirement("INPUT-2")
@given(st.text(min_size=1, max_size=200).filter(lambda name: name not in NAMES))
def test_an_unknown_argument_is_told_by_its_name(name: str) -> None:
    """The name of what is unknown is in the error, cut if it's long."""
    error = refusal(lambda: answer(ScriptedEngine(), "session_trace", {name: 1}))
    assert error.argument is not None
    assert name.startswith(error.argument.removesuffix("…"))
    assert len(error.argument) <= 61
