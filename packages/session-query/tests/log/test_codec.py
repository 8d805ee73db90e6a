"""JSON text: strict on the way in, lossless both ways."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.errors import JsonError
from session_query.log._json import MAX_DEPTH, MAX_NESTING, dumps, dumps_bytes, loads, same
from session_query.log._parse import parse

from .values import JSON, depth_of, nested

NOT_JSON = [
    "", " ", "NaN", "Infinity", "-Infinity", "[NaN]", "1e999", "-1e999", '{"a":1e400}',
    "\ufeff1", "\u00a01", "1 2", "[1,]", '{"a":1,}', "{'a':1}", "01", "-01", "1.", ".5", "+1",
    "- 1", "1e", "0x1", '"\n"', '"\x00"', '"\\x"', '"\\u12"', '"a', "[", "{", "]", '{"a"}',
    '{"a" 1}', '{"a":1 "b":2}', "{1:2}", "[1}", '{"a":1]', "nul", "True", "[1 2]", "{}{}",
    '{"a":1}{"a":2}', "[,1]", "٣",
]  # fmt: skip


@pytest.fixture
def tight_guard() -> Iterator[None]:
    """The interpreter's guard against long integers, as tight as it can be set."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.requirement("LOG-4", "LOG-23")
@given(JSON)
def test_text_gives_back_the_value(value: object) -> None:
    """Any value is one line of UTF-8, and reads back with its types, keys and their order."""
    line = dumps_bytes(value)
    assert b"\n" not in line
    for back in (loads(line), loads(dumps(value)), parse(dumps(value))):
        assert same(back, value)
        assert dumps(back) == dumps(value)


@pytest.mark.requirement("LOG-4")
@given(JSON, st.booleans())
def test_any_writer_is_understood(value: object, ascii_only: bool) -> None:
    """What the standard library writes, with spaces and escapes, reads as the same value."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    assert same(loads(text), value)
    assert same(parse(text), value)


@pytest.mark.requirement("LOG-4")
@given(JSON.map(dumps), st.data())
@example("", None)
def test_the_two_parsers_agree(text: str, data: st.DataObject | None) -> None:
    """The loop without recursion accepts what the C scanner accepts, damaged texts included."""
    if data is not None and text:
        at = data.draw(st.integers(0, len(text) - 1))
        text = text[:at] + data.draw(st.sampled_from('[]{},:"\\0-.eE tn\n\ufeff')) + text[at + 1 :]
    try:
        expected = loads(text)
    except JsonError:
        with pytest.raises(JsonError):
            parse(text)
    else:
        assert same(parse(text), expected)


@pytest.mark.requirement("LOG-4", "LOG-20")
@pytest.mark.parametrize("text", NOT_JSON)
def test_what_is_not_json_is_refused(text: str) -> None:
    """Constants, overflow, a byte order mark, trailing text and every other slip are errors."""
    for read in (loads, parse):
        with pytest.raises(JsonError):
            read(text)
    with pytest.raises(JsonError):
        loads(text.encode())


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, {1, 2}, b"x", object()])
def test_what_is_not_json_is_not_written(value: object) -> None:
    """A value without a JSON form is an error wherever it stands, in deep nesting too."""
    for holder in (value, [value], {"a": [value]}, [nested(3_000), value]):
        with pytest.raises(JsonError):
            dumps(holder)


@pytest.mark.requirement("LOG-4")
def test_a_key_that_is_no_text_is_not_written() -> None:
    """The loop refuses a key that the writer of the standard library would turn into text."""
    with pytest.raises(JsonError, match="key of type int"):
        dumps([nested(3_000), {1: 2}])


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize("depth", [1, 900, 1_000, 2_000, MAX_DEPTH, MAX_NESTING])
def test_nesting_survives(depth: int) -> None:
    """Nesting reads and writes up to the limit, far beyond what the interpreter recurses."""
    text = dumps(nested(depth, "leaf"))
    assert depth_of(loads(text)) == depth_of(parse(text)) == depth
    assert dumps(loads(text)) == text


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize("depth", [MAX_NESTING + 1, 10 * MAX_NESTING])
def test_deeper_nesting_is_refused(depth: int) -> None:
    """One level more than the limit is a typed error."""
    with pytest.raises(JsonError, match="levels deep"):
        loads(dumps(nested(depth)) if depth == MAX_NESTING + 1 else "[" * depth)


@pytest.mark.requirement("LOG-4")
def test_the_limit_does_not_depend_on_the_interpreter() -> None:
    """A generous recursion limit lets the C scanner go deeper, but not the answer."""
    before = sys.getrecursionlimit()
    deepest, too_deep = dumps(nested(MAX_NESTING)), dumps(nested(MAX_NESTING + 1))
    sys.setrecursionlimit(20 * before)
    try:
        assert depth_of(loads(deepest)) == MAX_NESTING
        with pytest.raises(JsonError, match="levels deep"):
            loads(too_deep)
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.requirement("LOG-4")
def test_a_value_that_contains_itself_is_refused() -> None:
    """A cycle is an error and no endless loop."""
    cycle: list[object] = []
    cycle.append({"again": cycle})
    with pytest.raises(JsonError, match="contains itself"):
        dumps(cycle)


@pytest.mark.requirement("LOG-4")
@pytest.mark.parametrize("digits", [1, 599, 600, 601, 639, 641, 4_300, 4_301, 20_000])
@pytest.mark.usefixtures("tight_guard")
def test_integers_of_any_length(digits: int) -> None:
    """Every digit of an integer survives, whatever the interpreter's guard is set to."""
    text = ("1234567890" * (digits // 10 + 1))[:digits]
    for number in (text, f"-{text}", f"1{'0' * digits}"):
        assert dumps(loads(f"[{number}]")) == f"[{number}]"
        assert dumps(parse(number)) == number


@pytest.mark.requirement("LOG-4")
def test_of_two_members_with_one_name_the_last_counts() -> None:
    """A repeated name keeps its first place and takes its last value, as in other readers."""
    text = '{"a":1,"b":2,"a":3}'
    for value in (loads(text), parse(text)):
        assert list(value.items()) == [("a", 3), ("b", 2)]


@pytest.mark.requirement("LOG-4")
def test_a_negative_zero_keeps_its_sign() -> None:
    """The float -0.0 is told apart from 0.0."""
    assert dumps(loads("[-0.0,0.0]")) == "[-0.0,0.0]"


@pytest.mark.requirement("LOG-20", "LOG-23")
def test_bytes_that_are_no_utf8_read_as_replacement_characters() -> None:
    """Neither a stray byte nor an encoded surrogate makes a line unreadable."""
    assert loads(b'"a\xffb\xed\xa0\x80"') == "a\ufffdb\ufffd\ufffd\ufffd"


@pytest.mark.requirement("LOG-23")
def test_characters_stand_as_they_are_and_surrogates_as_escapes() -> None:
    """Text stays readable in the file, and what UTF-8 can't hold is escaped."""
    assert dumps("é😀\u2028\ue000\udc00\x00") == '"é😀\u2028\ue000\\udc00\\u0000"'
