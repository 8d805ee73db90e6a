"""The form that indexes store (SEARCH-6)."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.text import Segmentation, index_form, token_texts, tokenize
from session_query.text._memo import WINDOW

from .texts import SEGMENTATIONS, hostile_texts, long_texts

segmentations = st.sampled_from(SEGMENTATIONS)


def texts_of(text: str, segmentation: Segmentation) -> list[str]:
    """Return the texts of the tokens of `text`, as `tokenize` finds them."""
    return [token.text for token in tokenize(text, segmentation)]


def split_as_fts5(text: str) -> list[str]:
    """Return the tokens that FTS5's `ascii` tokenizer makes, in Python."""
    folded = text.encode().lower().decode()
    return re.findall("[0-9a-z\x80-\U0010ffff]+", folded)


def tokens_of_fts5(text: str) -> list[str]:
    """Return the tokens that FTS5 itself makes."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='ascii')")
        connection.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab(texts, 'instance')")
        connection.execute("INSERT INTO texts VALUES (?)", (text,))
        rows = connection.execute("SELECT term FROM tokens ORDER BY offset")
        return [term for (term,) in rows]


@pytest.mark.requirement("SEARCH-6", "SEARCH-7")
@given(hostile_texts, segmentations)
def test_tokens_of_the_form(text: str, segmentation: Segmentation) -> None:
    """What FTS5's `ascii` tokenizer makes of the form of a text is the text's tokens."""
    form = index_form(text, segmentation)
    assert split_as_fts5(form) == texts_of(text, segmentation)
    assert tokens_of_fts5(form) == texts_of(text, segmentation)


@pytest.mark.requirement("SEARCH-6")
@given(hostile_texts, segmentations)
def test_token_texts(text: str, segmentation: Segmentation) -> None:
    """The texts of tokens are the same without their positions."""
    assert token_texts(text, segmentation) == texts_of(text, segmentation)


@pytest.mark.requirement("SEARCH-6")
@given(hostile_texts, segmentations, st.integers(0, 12), st.sampled_from(["a", "x ", "漢", "é, "]))
def test_far_inside(text: str, segmentation: Segmentation, back: int, filler: str) -> None:
    """That holds at any place of a long text, however long its words are."""
    text = f"{(filler * WINDOW)[: WINDOW - back]}{text}{filler * 3}"
    tokens = texts_of(text, segmentation)
    assert split_as_fts5(index_form(text, segmentation)) == tokens
    assert token_texts(text, segmentation) == tokens


@pytest.mark.requirement("SEARCH-6")
@given(long_texts, segmentations)
@example("a" * (WINDOW + 1) + " " * (WINDOW - 1) + "b", "script")
def test_long_tokens(text: str, segmentation: Segmentation) -> None:
    """That holds for tokens as long as they like."""
    tokens = texts_of(text, segmentation)
    assert split_as_fts5(index_form(text, segmentation)) == tokens
    assert token_texts(text, segmentation) == tokens


@pytest.mark.requirement("SEARCH-6")
@pytest.mark.parametrize("letter", ["a", "é", "अ", "\U00010400"])
def test_endless_word(letter: str) -> None:
    """A word without end is one token of the form too."""
    text = f"x {letter * (3 * WINDOW + 5)} x"
    assert token_texts(text) == texts_of(text, "script")
    assert split_as_fts5(index_form(text)) == texts_of(text, "script")


@pytest.mark.requirement("SEARCH-6")
@given(st.text(st.characters(max_codepoint=127)))
def test_ascii(text: str) -> None:
    """ASCII text is its own form, but for NUL."""
    assert index_form(text) == text.replace("\0", " ")


@pytest.mark.requirement("SEARCH-6")
def test_segmentation_is_checked() -> None:
    """Another segmentation is refused, for ASCII text too."""
    for function in (index_form, token_texts):
        with pytest.raises(ValueError, match="words"):
            function("a", "words")  # type: ignore[arg-type]
