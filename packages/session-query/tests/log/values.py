"""Strategies for JSON values, hostile texts included."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


def _is_joined(text: str) -> bool:
    """Tell whether no high surrogate stands before a low one; freezing would join the two."""
    return text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


# Every code point: surrogates, NUL, BOM, bidi controls, private use, non-characters.
TEXTS = (
    st.text(st.characters(exclude_categories=()), max_size=20)
    | st.sampled_from(
        ["", "\ud800", "\udfff\ud800", "\x00", "\ufeffx", "a\u202eb", "\ue000", "\uffff", "😀"]
    )
).filter(_is_joined)
"""Any text."""

# Below the interpreter's guard of 4,300 digits, or else a failing example could not be printed.
INTEGERS = st.integers() | st.sampled_from([2**53, -(2**64), 10**4000, -(10**4000) + 7])
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | INTEGERS | FLOATS | TEXTS

JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)
"""Any JSON value of moderate size."""


def nested(depth: int, leaf: Any = 0) -> Any:
    """Return lists and objects in turn, ``depth`` levels of them around a leaf."""
    value = leaf
    for level in range(depth):
        value = {"k": value} if level % 2 else [value]
    return value


def depth_of(value: Any) -> int:
    """Count the levels of what :func:`nested` made, without recursion."""
    depth = 0
    while isinstance(value, (dict, list)):
        value = value["k"] if isinstance(value, dict) else value[0]
        depth += 1
    return depth
