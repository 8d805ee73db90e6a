"""The literal scan of text filters (FILTER-4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import ErrorCode, SessionQueryError
from session_query.text import WHITESPACE, contains_literal, literal_pattern, trim
from session_query.text._memo import WINDOW

from .texts import hostile_texts

needles = hostile_texts.filter(trim)
spaces = st.text(WHITESPACE, min_size=1, max_size=3)


@pytest.mark.requirement("FILTER-4")
@given(hostile_texts, needles, hostile_texts)
def test_finds_what_is_there(before: str, needle: str, after: str) -> None:
    """Any text is found literally, whatever its characters are and mean elsewhere."""
    assert contains_literal(before + needle + after, needle)
    assert literal_pattern(needle).is_in(f"{before} {needle} {after}")


@pytest.mark.requirement("FILTER-4")
@given(needles, spaces, spaces)
def test_white_space(needle: str, one: str, other: str) -> None:
    """Any run of white space equals any other, and none at the ends matters."""
    parts = [part for part in needle.split(" ") if trim(part)]
    assert contains_literal(f"x{one.join(parts)}x", f"{one}{other.join(parts)}{other}")


@pytest.mark.requirement("FILTER-4")
@given(hostile_texts, needles)
def test_finds_nothing_else(haystack: str, needle: str) -> None:
    """What is found is there but for case and white space."""

    def fold(text: str) -> str:
        parts = "".join(" " if char in WHITESPACE else char for char in text).split(" ")
        return " ".join(filter(None, parts)).casefold()

    if contains_literal(haystack, needle):
        assert fold(needle) in fold(haystack)


@pytest.mark.requirement("FILTER-4")
@pytest.mark.parametrize(
    ("needle", "haystack"),
    [
        ("RAID", "a Braid"),
        ("K", "\u212a"),
        ("\u212a", "k"),
        ("ſ", "S"),
        ("S", "ſ"),
        ("ΟΔΟΣ", "οδος"),
        ("οδός", "ΟΔΌΣ"),
        ("ẞ", "ß"),
        ("ᾈ", "ᾀ"),
        ("Ǆ", "ǆ"),
        ("Ꭰ", "ꭰ"),
        ("\u0345", "ι"),
        (".*", "a.*b"),
        ("foo bar", "FOO \t\n\u3000BAR"),
        ("\ud800", "a\ud800b"),
    ],
)
def test_found(needle: str, haystack: str) -> None:
    """Case is folded for each character alone, and nothing is a pattern."""
    assert contains_literal(haystack, needle)


@pytest.mark.requirement("FILTER-4")
@pytest.mark.parametrize(
    ("needle", "haystack"),
    [
        ("ss", "ß"),
        ("i", "İ"),
        ("i", "ı"),
        ("I", "ı"),
        ("ﬁ", "fi"),
        ("e", "é"),
        (".*", "ab"),
        ("foo bar", "foobar"),
        ("foobar", "foo bar"),
    ],
)
def test_not_found(needle: str, haystack: str) -> None:
    """Nothing is folded that simple case folding leaves alone."""
    assert not contains_literal(haystack, needle)


@pytest.mark.requirement("FILTER-4")
@given(st.integers(0, 8), st.sampled_from(["a", "漢", " "]))
def test_long_texts(back: int, filler: str) -> None:
    """A literal is found wherever a long text is divided, and white space is one run there."""
    text = filler * (2 * WINDOW - back) + "É \n É" + filler * WINDOW
    assert contains_literal(text, "é é")
    assert not contains_literal(text, "éé")


@pytest.mark.requirement("FILTER-4")
@pytest.mark.parametrize("needle", ["", " \ufeff\n", None, 3])
def test_refused(needle: object) -> None:
    """Blank text, and what is no text, is refused."""
    with pytest.raises(SessionQueryError) as caught:
        literal_pattern(needle)  # type: ignore[arg-type]
    assert caught.value.code is ErrorCode.INVALID_FILTER
