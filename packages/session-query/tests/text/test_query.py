"""What queries ask for (SEARCH-5, SEARCH-13)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import ErrorCode, SessionQueryError
from session_query.text import (
    MAX_QUERY_CHARS,
    MAX_QUERY_TOKENS,
    STOP_WORDS,
    WHITESPACE,
    MatchMode,
    Segmentation,
    fold_whitespace,
    parse_query,
    tokenize,
    trim,
)

from .texts import SEGMENTATIONS, hostile_texts

segmentations = st.sampled_from(SEGMENTATIONS)
modes: st.SearchStrategy[MatchMode] = st.sampled_from(["phrase", "all", "any"])


def texts_of(text: str, segmentation: Segmentation = "script") -> tuple[str, ...]:
    """Return the texts of the tokens of `text`, as `tokenize` finds them."""
    return tuple(token.text for token in tokenize(text, segmentation))


def units_of(query: str, match: MatchMode = "any") -> list[str]:
    """Return the units of a query as they are shown."""
    return [unit.text for unit in parse_query(query, match).units]


def is_searchable(text: str) -> bool:
    """Whether `text` may be a query."""
    return bool(trim(text)) and "\0" not in text


@pytest.mark.requirement("SEARCH-5")
@given(hostile_texts.filter(is_searchable), segmentations)
def test_phrase(query: str, segmentation: Segmentation) -> None:
    """A phrase is the tokens of the query; a query without any is no error and asks for nothing."""
    parsed = parse_query(query, "phrase", segmentation)
    assert parsed.normalized == fold_whitespace(trim(query))
    tokens = texts_of(query.strip(WHITESPACE), segmentation)
    assert [unit.tokens for unit in parsed.units] == ([tokens] if tokens else [])


@pytest.mark.requirement("SEARCH-5")
@given(hostile_texts.filter(is_searchable), st.text(WHITESPACE, min_size=1), modes)
def test_white_space(query: str, space: str, match: MatchMode) -> None:
    """White space around a query is nothing, and any amount between its words is the same."""
    spaced = space + query.replace(" ", space) + space
    assert parse_query(spaced, match) == parse_query(query, match)


@pytest.mark.requirement("SEARCH-13")
@given(st.lists(st.sampled_from(["the", "rocket", "Rocket!", "src/main.py", "don't", "!!", "é"])))
def test_words(words: list[str]) -> None:
    """The units are the words that tell something, once each, in order and as written."""
    expected: dict[tuple[str, ...], str] = {}
    stop = {texts_of("the"), texts_of("don't"), ()}
    kept = [word for word in words if texts_of(word) not in stop]
    for word in kept or [word for word in words if texts_of(word)]:
        expected.setdefault(texts_of(word), word.strip("!"))
    if not words:
        return
    for match in ("all", "any"):
        units = parse_query(" ".join(words), match).units
        assert {unit.tokens: unit.text for unit in units} == expected
        assert [unit.tokens for unit in units] == list(expected)


@pytest.mark.requirement("SEARCH-13")
@given(hostile_texts.filter(is_searchable), segmentations)
def test_units_cover_the_words(query: str, segmentation: Segmentation) -> None:
    """No token of a telling word is left out, and no unit spans two words."""
    parsed = parse_query(query, "all", segmentation)
    words = [texts_of(word, segmentation) for word in parsed.normalized.split(" ")]
    stop = {texts_of(word, segmentation) for word in STOP_WORDS}
    telling = [word for word in words if word and word not in stop] or [w for w in words if w]
    tokens = {token for word in telling for token in word}
    assert {token for unit in parsed.units for token in unit.tokens} == tokens
    for unit in parsed.units:
        assert any(
            unit.tokens == word[at : at + len(unit.tokens)]
            for word in telling
            for at in range(len(word))
        )
        assert unit.text.encode()


@pytest.mark.requirement("SEARCH-13")
@pytest.mark.parametrize(
    ("query", "units"),
    [
        ("what did we do about the rocket launch", ["rocket", "launch"]),
        ("how did I fix the flaky login test?", ["fix", "flaky", "login", "test"]),
        ("Why doesn't the build pass on CI?", ["build", "pass", "CI"]),
        ("Why DOESN’T it work", ["work"]),
        ("what is it", ["what", "is", "it"]),
        ("what ?!", ["what"]),
        ("!!! ??", []),
        ("src/main.py (line 3)", ["src/main.py", "line", "3"]),
        ("\"quoted\" -- 'text',", ["quoted", "text"]),
        ("Login login LOGIN!", ["Login"]),
        ("rocket \u0344", ["rocket", "\u0344"]),
        ("权限", ["权限"]),
        ("工作区", ["工作", "作区"]),
        ("权限 边界", ["权限", "边界"]),
        ("为什么 登录 失败", ["登录", "失败"]),
        ("使用FTS5索引", ["使用FTS5索引"]),
        ("使用FTS5的索引", ["使用FTS5", "的索", "索引"]),
        ("请看工作区，谢谢", ["请看", "看工", "工作", "作区", "谢谢"]),
        ("a/b工作区/c", ["a/b", "工作", "作区", "c"]),
        ("ｶﾞｿﾘﾝ", ["ｶﾞｿ", "ｿﾘ", "ﾘﾝ"]),
        ("로그인", ["로그", "그인"]),
    ],
)
def test_examples(query: str, units: list[str]) -> None:
    """Questions lose the words that tell nothing, and scripts without spaces become pairs."""
    assert units_of(query, "any") == units
    assert units_of(query, "all") == units


@pytest.mark.requirement("SEARCH-7", "SEARCH-13")
def test_no_pairs_without_segmentation() -> None:
    """Where space-less scripts are runs like any other, a word of them is one unit."""
    assert [unit.tokens for unit in parse_query("工作区权限", "any", "none").units] == [
        ("工作区权限",)
    ]


@pytest.mark.requirement("SEARCH-13")
def test_stop_words() -> None:
    """Stop words are in lower case, trimmed, and have tokens."""
    for word in STOP_WORDS:
        assert word == word.lower() == trim(word)
        assert texts_of(word)
    assert {"what", "the", "don't", "how"} <= STOP_WORDS
    assert not {"fix", "test", "error", "file", "login", "use"} & STOP_WORDS


@pytest.mark.requirement("SEARCH-5")
@pytest.mark.parametrize(
    ("query", "match", "complaint"),
    [
        ("", "phrase", "blank"),
        (" \n\u3000\ufeff", "any", "blank"),
        ("a\0b", "phrase", "NUL at 1"),
        (None, "phrase", "NoneType"),
        (b"a", "all", "bytes"),
        ("a", "every", "'every'"),
        ("a", ["any"], "any"),
        ("word " * (MAX_QUERY_TOKENS + 1), "phrase", "1,024"),
        ("word " * (MAX_QUERY_TOKENS + 1), "any", "1,024"),
        ("a" * (MAX_QUERY_CHARS + 1), "phrase", "65,536"),
        ("漢" * 10_000_000, "any", "65,536"),
        ("a\u0301" * 10_000_000, "all", "65,536"),
    ],
)
def test_refused(query: object, match: object, complaint: str) -> None:
    """What can't be a query is refused at once, saying what was wrong."""
    with pytest.raises(SessionQueryError, match=complaint) as caught:
        parse_query(query, match)  # type: ignore[arg-type]
    assert caught.value.code is ErrorCode.INVALID_QUERY


@pytest.mark.requirement("SEARCH-5")
@pytest.mark.parametrize("match", ["phrase", "all", "any"])
def test_long_queries(match: MatchMode) -> None:
    """A query may be as long as it likes if it is white space and punctuation that make it so."""
    query = "rocket " + "! \n" * 100_000 + " launch" + "…" * 100_000
    assert [token for unit in parse_query(query, match).units for token in unit.tokens] == [
        "rocket",
        "launch",
    ]
    words = " ".join(map(str, range(MAX_QUERY_TOKENS)))
    assert sum(len(unit.tokens) for unit in parse_query(words, match).units) == MAX_QUERY_TOKENS
