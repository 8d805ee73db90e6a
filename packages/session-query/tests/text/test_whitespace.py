"""White space (LOG-6)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.text import ANY_WHITESPACE, WHITESPACE, fold_whitespace, trim

from .texts import hostile_texts

spaced = st.lists(st.one_of(st.sampled_from(WHITESPACE), hostile_texts)).map("".join)


@pytest.mark.requirement("LOG-6")
def test_code_points() -> None:
    """White space is what the contract lists."""
    codes = [*range(0x09, 0x0E), 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B)]
    codes += [0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF]
    assert [*map(ord, WHITESPACE)] == codes


@pytest.mark.requirement("LOG-6")
@given(spaced)
def test_folding(text: str) -> None:
    """Each run becomes one space, and nothing else changes."""
    assert fold_whitespace(text) == re.sub(f"[{WHITESPACE}]+", " ", text)
    assert fold_whitespace(text) == ANY_WHITESPACE.sub(" ", text)


@pytest.mark.requirement("LOG-6")
@given(spaced)
def test_trimming(text: str) -> None:
    """White space goes from both ends, and only there."""
    assert trim(text) == re.sub(f"^[{WHITESPACE}]+|[{WHITESPACE}]+\\Z", "", text)


@pytest.mark.requirement("LOG-6")
@given(st.integers(0, 5), st.integers(0, 5))
def test_folding_of_long_texts(before: int, spaces: int) -> None:
    """Runs are one run wherever a long text is divided."""
    text = "a" * ((1 << 16) - before) + " \n" * spaces + "b" + " " * (1 << 17) + "c"
    assert fold_whitespace(text) == ANY_WHITESPACE.sub(" ", text)
