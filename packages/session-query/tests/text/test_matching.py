"""Spans and blocks (SEARCH-9, SEARCH-13)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.text import best_block, count_spans, occurrences

from .models import model_best_block, model_occurrences, model_spans
from .texts import token_lists

letters = st.sampled_from("abc")
phrases = st.one_of(
    st.lists(letters, min_size=1, max_size=3), st.lists(letters, min_size=1, max_size=24)
)
long_documents = st.lists(
    st.tuples(letters, st.sampled_from([0, 1, 30, 62, 63, 64])), max_size=8
).map(lambda parts: [token for letter, rest in parts for token in [letter] + ["x"] * rest])


@pytest.mark.requirement("SEARCH-5")
@given(token_lists, phrases)
def test_occurrences(tokens: list[str], phrase: list[str]) -> None:
    """A phrase occurs wherever its tokens are in a row, overlapping or not."""
    assert occurrences(tokens, phrase) == model_occurrences(tokens, phrase)
    assert occurrences(tuple(tokens), tuple(phrase)) == model_occurrences(tokens, phrase)


@pytest.mark.requirement("SEARCH-5")
@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from("ab"), st.booleans())
def test_long_phrases(before: int, size: int, last: str, doubled: bool) -> None:
    """That holds for long phrases that repeat themselves."""
    tokens = (["a"] * before + ["b"]) * (2 if doubled else 1) + ["a"] * size
    phrase = ["a"] * max(0, size - 3) + [last]
    assert occurrences(tokens, phrase) == model_occurrences(tokens, phrase)


@pytest.mark.requirement("SEARCH-9")
@given(token_lists, st.lists(phrases.map(tuple), max_size=4))
def test_spans(tokens: list[str], units: list[tuple[str, ...]]) -> None:
    """Occurrences that share a token are one span, and those that only touch are two."""
    assert count_spans(tokens, units) == model_spans(tokens, units)


@pytest.mark.requirement("SEARCH-13")
@given(long_documents, st.lists(phrases.map(tuple), max_size=4))
def test_best_block(tokens: list[str], units: list[tuple[str, ...]]) -> None:
    """The best block is the first of those in which most units begin."""
    assert best_block(tokens, units) == model_best_block(tokens, units)


@pytest.mark.requirement("SEARCH-9")
def test_span_examples() -> None:
    """A phrase that overlaps itself is one span for as long as it does."""
    assert count_spans(["a", "b", "a", "b", "a"], [("a", "b", "a")]) == 1
    assert count_spans(["a", "b", "a", "a", "b", "a"], [("a", "b", "a")]) == 2
    assert count_spans(["a", "b", "c"], [("a", "b"), ("b", "c")]) == 1
    assert count_spans(["a", "b", "c"], [("a",), ("b",), ("c",)]) == 3
    assert count_spans(["a", "b"], [("a",), ("a", "b"), ("b",)]) == 1
    assert count_spans(["a", "b"], [()]) == 0


@pytest.mark.requirement("SEARCH-13")
def test_where_blocks_begin() -> None:
    """A unit counts for the block that it begins in, and blocks begin at the document's start."""
    tokens = ["x"] * 63 + ["a", "b", "c"]
    assert best_block(tokens, [("a",), ("b",), ("c",)]) == (1, (1, 2))
    assert best_block(tokens, [("a", "b"), ("c",)]) == (0, (0,))
    assert best_block(tokens, [("c",), ("a",)]) == (0, (1,))
    assert best_block(tokens, [("d",)]) is None
