"""Snippets (SEARCH-10)."""

from __future__ import annotations

import pytest
import regex  # type: ignore[import-untyped]  # it has no type hints
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.text import fold_whitespace, snippet, tokenize

from .texts import hostile_texts

words = st.lists(st.sampled_from(["a", "bc", "d\n\t", " ", "\u3000", ", ", "…"]), max_size=30)
texts = st.one_of(
    words.map("".join),
    hostile_texts,
    st.tuples(words.map("".join), hostile_texts, words.map("".join)).map("".join),
)
sizes = st.integers(1, 24)


@st.composite
def matches(draw: st.DrawFn) -> tuple[str, tuple[int, int] | None]:
    """Draw a text and a match in it: tokens, as a search has it, or just anything."""
    text = draw(texts)
    tokens = tokenize(text)
    like_a_search: bool = draw(st.booleans())
    if tokens and like_a_search:
        first = draw(st.integers(0, len(tokens) - 1))
        last = draw(st.integers(first, min(len(tokens) - 1, first + 3)))
        return text, (tokens[first].start, tokens[last].end)
    nothing: bool = draw(st.booleans())
    if nothing:
        return text, None
    start = draw(st.integers(0, len(text)))
    return text, (start, draw(st.integers(start, len(text))))


def model_snippet(text: str, match: tuple[int, int] | None, size: int) -> str:
    """Return the snippet, by trying each place at which it could start."""
    whole = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    folded = fold_whitespace(whole)
    if len(folded) <= size:
        return folded
    first, last = match or (0, 0)
    begin = len(fold_whitespace(whole[:first] + "|")) - 1
    if fold_whitespace(whole[:first][-1:]) == fold_whitespace(whole[first : first + 1]) == " ":
        begin -= 1  # in the middle of what becomes one space
    end = begin + len(fold_whitespace(whole[first:last]))
    boundaries = [0, *(cluster.end() for cluster in regex.finditer(r"\X", folded))]

    def shown(start: int) -> tuple[int, int]:
        cut_before, cut_after = start > 0, start + size < len(folded)
        low, high = start + cut_before, min(start + size - cut_after, len(folded))
        inside = [place for place in boundaries if low <= place <= high] or [high]
        return inside[0], inside[-1]

    preferred = min(max(0, begin - size // 3), len(folded) - size)
    opening = max(place for place in boundaries if place <= begin)
    for closing in (
        min(place for place in boundaries if place >= end),
        min((place for place in boundaries if place > begin), default=len(folded)),
    ):
        starts = [
            start
            for start in range(len(folded) - size + 1)
            if shown(start)[0] <= opening and closing <= shown(start)[1]
        ]
        if starts:
            low, high = shown(min(starts, key=lambda start: abs(start - preferred)))
            break
    else:
        low = begin
        high = low + size - (low > 0)
        high -= high < len(folded)
    before, after = "…" if low > 0 else "", "…" if high < len(folded) else ""
    return f"{before}{folded[low:high]}{after}" if low < high else "…"


@pytest.mark.requirement("SEARCH-10")
@given(matches(), sizes)
@example(("x e" + "\u0301" * 30 + " y", (2, 33)), 8)
@example(("🇩🇪" * 20, (20, 21)), 9)
@example(("ab cd ef gh", (6, 8)), 3)
def test_equals_the_model(found: tuple[str, tuple[int, int] | None], size: int) -> None:
    """A snippet starts where it should, or as near to that as shows the match."""
    text, match = found
    assert snippet(text, match, size) == model_snippet(text, match, size)


@pytest.mark.requirement("SEARCH-10")
@given(matches(), sizes)
def test_plain_text(found: tuple[str, tuple[int, int] | None], size: int) -> None:
    """A snippet is short enough, has no white-space runs and can be encoded."""
    text, match = found
    made = snippet(text, match, size)
    assert len(made) <= size
    assert fold_whitespace(made) == made
    made.encode()


@pytest.mark.requirement("SEARCH-10")
@given(
    st.sampled_from(["a ", "漢", "🇩🇪", "e\u0301", "👩\u200d👧", "क्षि", "\r\n"]),
    st.integers(0, 400),
    st.integers(0, 400),
    st.sampled_from([8, 40, 240]),
)
def test_inside_long_texts(filler: str, before: int, after: int, size: int) -> None:
    """A snippet from inside a long text is what it would be if the whole text had been read."""
    text = f"{filler * before}needle{filler * after}"
    start = len(filler) * before
    made = snippet(text, (start, start + 6), size)
    assert made == model_snippet(text, (start, start + 6), size)
    assert "needle" in made


@pytest.mark.requirement("SEARCH-10")
def test_examples() -> None:
    """A third of a snippet comes before the match, and each cut side spends one code point."""
    text = "0123456789" * 10
    assert snippet(text, (50, 53), 12) == "…7890123456…"
    assert snippet(text, (2, 4), 12) == "01234567890…"
    assert snippet(text, (97, 99), 12) == "…90123456789"
    assert snippet(text, (50, 60), 12) == "…0123456789…"
    assert snippet(text, (50, 61), 12) == "…7890123456…"
    assert snippet(text, None, 12) == "01234567890…"
    assert snippet(text, (50, 51), 1) == "…"
    assert snippet(" a \n b ", (3, 4), 12) == " a b "
    assert snippet("a\ud800b", None, 12) == "a\ufffdb"


@pytest.mark.requirement("SEARCH-10")
def test_monstrous_clusters() -> None:
    """A cluster that is longer than a snippet is left out, or cut if it's all that there is."""
    monster = "e" + "\u0301" * 10_000
    assert snippet(f"{monster} ok", (10_002, 10_004), 10) == "… ok"
    assert snippet(f"ok {monster}", (0, 2), 10) == "ok …"
    assert snippet(monster, (0, 10_001), 10) == monster[:9] + "…"
    assert snippet(f"so {monster}", (3, 10_004), 10) == "…" + monster[:8] + "…"
    assert snippet("🇩🇪" * 100_000, (100_001, 100_002), 9) == "…🇩🇪🇩🇪🇩🇪…"
    assert len(snippet("\u0301" * 100_000, (50_000, 50_001), 240)) == 240
    assert snippet("a" + " \n" * 100_000 + "b", (200_001, 200_002), 240) == "a b"
