"""Tokens (SEARCH-6, SEARCH-7)."""

from __future__ import annotations

import itertools
import sys
from unicodedata import category, combining, decomposition, normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.text import Segmentation, Token, iter_tokens, tokenize
from session_query.text._memo import WINDOW
from session_query.text._normalization import _in_canonical_order, continues, nfkc
from session_query.text._scripts import is_european as in_european_range
from session_query.text._scripts import is_pointed as in_pointed_range
from session_query.text._scripts import is_spaceless as in_spaceless_range
from session_query.text._tokens import locate_tokens

from .models import is_european, is_point, is_spaceless, model_tokens
from .texts import SEGMENTATIONS, hostile_texts, long_texts

segmentations = st.sampled_from(SEGMENTATIONS)
CHARS = [chr(code) for code in range(sys.maxunicode + 1)]


def texts_of(text: str, segmentation: Segmentation = "script") -> list[str]:
    """Return the texts of the tokens of `text`, as `tokenize` finds them."""
    return [token.text for token in tokenize(text, segmentation)]


@pytest.mark.requirement("SEARCH-6", "SEARCH-7")
@given(hostile_texts, segmentations)
def test_equal_the_model(text: str, segmentation: Segmentation) -> None:
    """Tokens are those of the whole text in normal form, folded and split as the contract says."""
    assert texts_of(text, segmentation) == model_tokens(text, segmentation)


@pytest.mark.requirement("SEARCH-6")
@given(hostile_texts, segmentations)
def test_normal_forms(text: str, segmentation: Segmentation) -> None:
    """Composed, decomposed and compatible spellings of a text have the same tokens."""
    tokens = texts_of(text, segmentation)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert texts_of(normalize(form, text), segmentation) == tokens


@pytest.mark.requirement("SEARCH-6")
@given(hostile_texts, segmentations)
def test_positions(text: str, segmentation: Segmentation) -> None:
    """Tokens lie in order in the original, and each is among the tokens of what it covers."""
    start, end = 0, 0
    for token in tokenize(text, segmentation):
        # Not strictly: one character, or a cluster that normalization changes, can be in several.
        assert start <= token.start < token.end <= len(text)
        assert end <= token.end
        start, end = token.start, token.end
        assert token.text in texts_of(text[token.start : token.end], segmentation)


@pytest.mark.requirement("SEARCH-6")
@given(hostile_texts, segmentations, st.integers(0, 12), st.sampled_from(["a", "x ", "漢", "é, "]))
def test_far_inside(text: str, segmentation: Segmentation, back: int, filler: str) -> None:
    """A text has the same tokens at any place of a long one, however long its words are."""
    before = (filler * WINDOW)[: WINDOW - back]
    text = f"{before}{text}{filler * 3}"
    assert texts_of(text, segmentation) == model_tokens(text, segmentation)


@pytest.mark.requirement("SEARCH-6")
@given(long_texts, segmentations)
@example("a" * (WINDOW + 1) + " " + "b" * WINDOW, "script")
def test_long_tokens(text: str, segmentation: Segmentation) -> None:
    """Tokens may be as long as they like."""
    assert texts_of(text, segmentation) == model_tokens(text, segmentation)


@pytest.mark.requirement("SEARCH-6")
@given(hostile_texts, hostile_texts, segmentations)
def test_white_space_separates(left: str, right: str, segmentation: Segmentation) -> None:
    """White space keeps what is before it from what is after it."""
    together = texts_of(f"{left}\n{right}", segmentation)
    # In between, a mark at the begin of the right text is on white space in either case.
    assert together == texts_of(left, segmentation) + texts_of(f"\n{right}", segmentation)


@pytest.mark.requirement("SEARCH-6")
@given(hostile_texts, segmentations, st.integers(0, 20))
def test_lazily(text: str, segmentation: Segmentation, size: int) -> None:
    """The first tokens can be had without the rest."""
    tokens = iter_tokens(text + " word" * 100, segmentation)
    assert (
        list(itertools.islice(tokens, size)) == tokenize(text + " word" * 100, segmentation)[:size]
    )


@pytest.mark.requirement("SEARCH-6")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ế", ["e"]),
        ("ß ẞ", ["ss", "ss"]),
        ("ＡＩ１２", ["ai12"]),
        ("e\u0301le\u0300ve élève", ["eleve", "eleve"]),
        ("Ёлка Ύψος", ["елка", "υψοσ"]),
        ("İstanbul ısı", ["istanbul", "ısı"]),
        ("שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]),
        ("हिन्दी", ["हिन्दी"]),
        ("POL-358", ["pol", "358"]),
        ("TODO: fix", ["todo", "fix"]),
        ("#123", ["123"]),
        ("50%", ["50"]),
        ("don't don’t", ["don", "t", "don", "t"]),
        ("@nasa", ["nasa"]),
        ("src/main.py", ["src", "main", "py"]),
        ("snake_case", ["snake", "case"]),
        ('-- ""', []),
        ("a\u0000b\ud800c", ["a", "b", "c"]),
        ("😀👍🏽ok", ["😀", "👍", "ok"]),
        ("👩\u200d👧", ["👩", "👧"]),
        ("⚠\ufe0fWarning", ["⚠", "\ufe0f", "warning"]),
        ("㎏ ½ ﬁ", ["kg", "1", "2", "fi"]),
        ("x\u0304 3\u0304 ↀ\u0304", ["x", "3\u0304", "ↀ\u0304"]),
    ],
)
def test_examples(text: str, tokens: list[str]) -> None:
    """What people write becomes the tokens that they would name."""
    assert texts_of(text) == tokens
    assert texts_of(text, "none") == tokens


@pytest.mark.requirement("SEARCH-7")
@pytest.mark.parametrize(
    ("text", "script", "none"),
    [
        ("使用FTS5索引", ["使", "用", "fts5", "索", "引"], ["使用fts5索引"]),
        ("ﾊﾟｿｺﾝ", ["パ", "ソ", "コ", "ン"], ["パソコン"]),
        ("サーバーAPI", ["サ", "ー", "バ", "ー", "api"], ["サーバーapi"]),
        ("한국어", ["한", "국", "어"], ["한국어"]),
        ("น้ำ", ["น", "\u0e49", "\u0e4d", "\u0e32"], ["น\u0e49\u0e4d\u0e32"]),
        ("ລາວ ខ្មែរ", ["ລ", "າ", "ວ", *"ខ្មែរ"], ["ລາວ", "ខ្មែរ"]),
        ("葛\U000e0100飾", ["葛", "\U000e0100", "飾"], ["葛\U000e0100飾"]),
        ("か\u309aabc", ["か", "\u309a", "abc"], ["か\u309aabc"]),
        ("日本語。", ["日", "本", "語"], ["日本語"]),
        ("๑๒", ["๑", "๒"], ["๑๒"]),
    ],
)
def test_scripts_without_spaces(text: str, script: list[str], none: list[str]) -> None:
    """Each character of a script without spaces is a token, unless that is switched off."""
    assert texts_of(text) == script
    assert texts_of(text, "none") == none


@pytest.mark.requirement("SEARCH-7")
@given(st.text(st.sampled_from("漢字使用かカー가กี่ำ"), min_size=1), st.data())
def test_every_part_is_found(text: str, data: st.DataObject) -> None:
    """The tokens of any part of a normalized text without spaces are in a row in the whole."""
    text = normalize("NFKC", text)
    first = data.draw(st.integers(0, len(text) - 1))
    last = data.draw(st.integers(first + 1, len(text)))
    part = normalize("NFKC", text[first:last])
    if part == text[first:last]:
        assert texts_of(part) == texts_of(text)[first:last]


@pytest.mark.requirement("SEARCH-6")
def test_exact_positions() -> None:
    """Positions are those of the original: whole clusters, with the marks that are dropped."""
    assert tokenize("e\u0301\u0323x ㎏漢!") == [
        Token("ex", 0, 4),
        Token("kg", 5, 6),
        Token("漢", 6, 7),
    ]
    assert tokenize("x\u0304\u0488 שָׁ") == [Token("x", 0, 3), Token("ש", 4, 7)]
    assert tokenize("ｶﾞ น้ำ") == [
        Token("ガ", 0, 2),
        Token("น", 3, 4),
        Token("\u0e49", 4, 5),
        Token("\u0e4d", 5, 6),
        Token("\u0e32", 5, 6),
    ]


@pytest.mark.requirement("SEARCH-6")
@pytest.mark.parametrize("letter", ["a", "é", "अ", "\U00010400"])
def test_endless_word(letter: str) -> None:
    """A word without end is one token."""
    text = f"x {letter * (3 * WINDOW + 5)} x"
    word = model_tokens(letter, "script")[0] * (3 * WINDOW + 5)
    assert tokenize(text) == [
        Token("x", 0, 1),
        Token(word, 2, len(text) - 2),
        Token("x", len(text) - 1, len(text)),
    ]


@pytest.mark.requirement("SEARCH-6")
@given(
    st.lists(st.sampled_from("\u0301\u0323\u3099\uff9e\u0f73\u0338é"), max_size=200), st.booleans()
)
@example(["\u0301", "\u0323"] * 100, True)
def test_marks_without_end(marks: list[str], composes: bool) -> None:
    """Long runs of marks are normalized as short ones are."""
    text = ("か" if composes else "") + "".join(marks)
    assert nfkc(text) == normalize("NFKC", text)
    # What takes long is to put them in order, so they must be when they are normalized.
    ordered = "".join(_in_canonical_order(text.replace("é", "e")))
    assert ordered.replace("か", "") == normalize("NFD", ordered.replace("か", ""))


@pytest.mark.requirement("SEARCH-6")
def test_segmentation_is_checked() -> None:
    """Another segmentation is refused, and not taken for one of the two."""
    with pytest.raises(ValueError, match="words"):
        tokenize("a", "words")  # type: ignore[arg-type]


@pytest.mark.requirement("SEARCH-6", "SEARCH-7")
def test_script_ranges() -> None:
    """The ranges of scripts agree with Unicode on every character that it matters for."""
    for char in CHARS:
        kind = category(char)
        if kind[0] == "L":
            assert in_european_range(char) == is_european(char), char
        if kind[0] in "LNM" and normalize("NFKC", char) == char:
            assert in_spaceless_range(char) == is_spaceless(char), char
        if kind == "Mn":
            assert in_pointed_range(char) == is_point(char), char


@pytest.mark.requirement("SEARCH-6")
def test_where_text_can_be_cut() -> None:
    """All characters that compose with the one before them are known."""
    second = {*map(chr, range(0x1161, 0x1176)), *map(chr, range(0x11A8, 0x11C3))}  # of Hangul
    for char in CHARS:
        parts = decomposition(char).split()
        if (
            len(parts) == 2
            and parts[0][0] != "<"
            and normalize("NFC", normalize("NFD", char)) == char
        ):
            second.add(chr(int(parts[1], 16)))
    assert len(second) > 100
    for char in CHARS:
        first = normalize("NFKD", char)[0]
        if combining(first) or first in second:
            assert continues(char), char


@pytest.mark.requirement("SEARCH-10")
@given(st.lists(st.tuples(hostile_texts, st.sampled_from([1, 300])), max_size=3), segmentations)
@example([("x", 300), (" y z", 1)], "script")
@example([("中", 300), ("é", 300), (" y", 1)], "none")
def test_located_tokens(parts: list[tuple[str, int]], segmentation: Segmentation) -> None:
    """Some tokens are found where they are among all of them, long ones and many alike."""
    text = "".join(part * times for part, times in parts)
    tokens = tokenize(text, segmentation)
    for first in {0, 1, len(tokens) // 2, len(tokens) - 2, len(tokens) - 1} & set(
        range(len(tokens))
    ):
        size = min(2, len(tokens) - first)
        located = locate_tokens(text, first, size, segmentation)
        assert located == (tokens[first].start, tokens[first + size - 1].end)
