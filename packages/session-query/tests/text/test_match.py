"""How well documents answer queries (SEARCH-5, SEARCH-9, SEARCH-13)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.text import (
    Match,
    Matcher,
    MatchMode,
    ParsedQuery,
    Rank,
    Segmentation,
    Unit,
    measure,
    parse_query,
    tokenize,
)
from session_query.text._memo import WINDOW
from session_query.text._phrase_pattern import PhrasePattern

from .models import model_best_block, model_occurrences, model_spans
from .texts import SEGMENTATIONS, hostile_texts

segmentations = st.sampled_from(SEGMENTATIONS)
modes: st.SearchStrategy[MatchMode] = st.sampled_from(["phrase", "all", "any"])
ascii_texts = st.lists(
    st.sampled_from(["a", "A", "b", "ab", "1", " ", " ", "-", ". ", "\n", "_", "\0"]), max_size=40
).map("".join)
texts = st.one_of(ascii_texts, hostile_texts, st.tuples(ascii_texts, hostile_texts).map("".join))
some_unit_tokens = st.lists(st.sampled_from(["a", "b", "ab", "1", "é"]), min_size=1, max_size=4)


def model_measure(text: str, query: ParsedQuery, segmentation: Segmentation) -> Match | None:
    """Return what `measure` should, from the definitions alone."""
    found = tokenize(text, segmentation)
    tokens = [token.text for token in found]
    phrases = [unit.tokens for unit in query.units]
    missing = [phrase for phrase in phrases if not model_occurrences(tokens, phrase)]
    best = model_best_block(tokens, phrases)
    if best is None or (query.match != "any" and missing):
        return None
    block, units = best
    candidates = [
        (at, -len(phrases[unit]))
        for unit in units
        for at in model_occurrences(tokens, phrases[unit])
        if at // 64 == block
    ]
    first, size = min(candidates)
    matched = () if query.match == "phrase" else tuple(query.units[unit].text for unit in units)
    return Match(
        Rank(len(units), model_spans(tokens, phrases)),
        matched,
        found[first].start,
        found[first - size - 1].end,
    )


@st.composite
def queries(draw: st.DrawFn) -> ParsedQuery:
    """Draw a query of any mode, with units that occur and overlap."""
    match = draw(modes)
    size = 1 if match == "phrase" else 4
    units = draw(st.lists(some_unit_tokens.map(tuple), max_size=size, unique=True))
    return ParsedQuery(match, tuple(Unit(" ".join(unit), unit) for unit in units), "")


@pytest.mark.requirement("SEARCH-5", "SEARCH-9", "SEARCH-13")
@given(texts, queries(), segmentations)
def test_equals_the_model(text: str, query: ParsedQuery, segmentation: Segmentation) -> None:
    """Matches, ranks, matched units and positions are those of the definitions."""
    expected = model_measure(text, query, segmentation)
    assert measure(text, query, segmentation) == expected
    assert Matcher(query, segmentation).rank(text) == (expected and expected.rank)
    first_key = expected and (
        expected.rank.spans if query.match == "phrase" else expected.rank.units
    )
    assert Matcher(query, segmentation).strength(text) == first_key


@pytest.mark.requirement("SEARCH-5", "SEARCH-9", "SEARCH-13")
@given(st.data(), hostile_texts, modes, segmentations)
def test_finds_its_own_parts(
    data: st.DataObject, text: str, match: MatchMode, segmentation: Segmentation
) -> None:
    """A text is found by any tokens of it, as they are written there."""
    tokens = tokenize(text, segmentation)
    if not tokens:
        return
    first = data.draw(st.integers(0, len(tokens) - 1))
    last = data.draw(st.integers(first, len(tokens) - 1))
    part = text[tokens[first].start : tokens[last].end]
    if not part.strip() or "\0" in part:
        return
    query = parse_query(part, match, segmentation)
    found = measure(text, query, segmentation)
    assert found == model_measure(text, query, segmentation)
    if part == text:
        assert found


@pytest.mark.requirement("SEARCH-9")
@pytest.mark.parametrize("separator", [" ", "-" * 700, "—"])
@pytest.mark.parametrize("phrase", ["a", "b a", "a b a", "a b a b a", "a x a b a"])
@pytest.mark.parametrize("ends", ["", "b", "ba"])
def test_long_texts(phrase: str, separator: str, ends: str) -> None:
    """Spans are counted once each, wherever a long text is divided to count them."""
    words = ["a", "b", "a", "b", "a", "x"] * (4 * WINDOW // (6 * len(separator))) + [*ends]
    tokens = phrase.split()
    query = parse_query(phrase)
    found = measure(separator.join(words), query)
    assert found
    first = model_occurrences(words[:20], tokens)[0]
    assert found.start == first * (1 + len(separator))
    assert found.rank == Rank(1, _linear_spans(words, tokens))


def _linear_spans(words: list[str], phrase: list[str]) -> int:
    """Return what `model_spans` does for one phrase, soon enough for a long text."""
    spans = reach = 0
    for at in range(len(words)):
        if words[at : at + len(phrase)] == phrase:
            spans += at >= reach
            reach = at + len(phrase)
    return spans


@pytest.mark.requirement("SEARCH-9")
@given(st.sampled_from(["a", "é"]), st.integers(1, 40), st.booleans())
def test_long_phrases(word: str, size: int, border: bool) -> None:
    """Phrases that are too long for a pattern are counted like the others."""
    phrase = [word] * size + ([] if border else ["z"])
    text = " ".join([word] * 100 + ["z"] + [word] * 5 + phrase)
    query = parse_query(" ".join(phrase))
    assert measure(text, query) == model_measure(text, query, "script")
    assert PhrasePattern.fits(query.units[0].tokens) == (len(phrase) <= 16)


@pytest.mark.requirement("SEARCH-5", "SEARCH-6", "SEARCH-7")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("AI", "what AI does"),
        ("ai", "用AI写"),
        ("权限", "工作区权限边界"),
        ("使用", "使用FTS5索引"),
        ("fts5", "使用FTS5索引"),
        ("索引", "使用FTS5索引"),
        ("パ", "ﾊﾟｿｺﾝ"),
        ("tieng viet", "Tiếng Việt"),
        ("STRASSE", "Straße"),
        ("full width", "ｆｕｌｌ　ｗｉｄｔｈ"),
        ("POL-358", "see pol 358"),
        ("TODO: fix", "todo, fix it"),
        ("#123", "issue 123"),
        ("50%", "by 50 percent"),
        ("don't", "DON’T"),
        ("@nasa", "ask @NASA"),
        ("src/main.py", "in src/main.py:3"),
        ('a AND (b OR "c"*) NOT d', "a and b or c not d"),
        ("😀", "so 😀!"),
    ],
)
def test_found(query: str, text: str) -> None:
    """No character of a query is an operator, and what people look for is found."""
    assert measure(text, parse_query(query))


@pytest.mark.requirement("SEARCH-5", "SEARCH-6")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("AI", "a BRAID"),
        ("rocket launch", "launch rocket"),
        ("rocket launch", "rocket to launch"),
        ("fts", "FTS5"),
        ("!!!", "wow!!!"),
        ('-- ""', "anything"),
        ("限权", "工作区权限边界"),
    ],
)
def test_not_found(query: str, text: str) -> None:
    """A phrase needs its whole tokens, adjacent and in order; without tokens nothing is found."""
    assert measure(text, parse_query(query)) is None
    assert measure(text, parse_query(query, "all")) is None or "rocket" in query


@pytest.mark.requirement("SEARCH-13")
def test_best_block_decides() -> None:
    """What is close together counts: the match is the first of the block with most units."""
    far = "launch " + "word " * 70 + "the rocket launch " + "word " * 70 + "rocket"
    found = measure(far, parse_query("the rocket launch", "any"))
    assert found == Match(
        Rank(2, 4), ("rocket", "launch"), far.index("rocket"), far.index("rocket") + 6
    )
    assert measure(far, parse_query("rocket moon", "all")) is None
    found = measure(far, parse_query("rocket moon", "any"))
    assert found
    assert found.matched == ("rocket",)
