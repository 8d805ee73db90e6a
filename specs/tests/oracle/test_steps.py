"""Single steps of the oracle, on examples worked out by hand from the contract."""

from __future__ import annotations

from typing import get_args

import pytest
from session_query import (
    EventDocument,
    MatchMode,
    SearchConfig,
    SessionQueryEngine,
    SessionSources,
    SessionStore,
)
from session_query_specs.oracle import Oracle, OracleEngine


def engine(snippet_chars: int = 240) -> OracleEngine:
    """Return an engine without sessions."""
    config = SearchConfig(snippet_chars=snippet_chars)
    return OracleEngine(SessionSources(SessionStore()), config)


def units(query: str, match: MatchMode) -> list[str]:
    """Return the texts of the units of a query."""
    return [unit.text for unit in engine().units(query, match)]


@pytest.mark.requirement("SEARCH-13")
def test_units_are_telling_words_and_pairs_of_long_runs() -> None:
    """Stop words go, a word of several tokens stays whole, and long runs become pairs."""
    assert units("where is src/main.py ?", "any") == ["src/main.py"]
    assert units("the", "all") == ["the"]
    assert units("工作区 FTS5索引x", "all") == ["工作", "作区", "FTS5索引x"]
    assert units("a工作区b", "any") == ["a", "工作", "作区", "b"]
    assert units("alpha Alpha", "any") == ["alpha"]
    assert units("alpha  the", "phrase") == ["alpha  the"]


@pytest.mark.requirement("SEARCH-9")
@pytest.mark.parametrize(
    ("text", "query", "spans"),
    [("a a a", "a a", 1), ("a a a a", "a", 4), ("x y x y", "x y", 2), ("a a b a a", "a a", 2)],
)
def test_overlapping_occurrences_are_one_span(text: str, query: str, spans: int) -> None:
    """Occurrences that share a token are one span; those that only touch are two."""
    oracle = engine()
    document = EventDocument("s", 0, "user/message", 0, "current", text)
    found = oracle.find(document, oracle.units(query, "phrase"), "phrase")
    assert found is not None
    assert found.spans == spans


@pytest.mark.requirement("SEARCH-13")
def test_a_block_is_64_tokens_from_the_start() -> None:
    """Units at 63 and 64 are in different blocks, and the first of equal blocks is the best."""
    oracle = engine()
    text = "o " * 63 + "alpha beta"
    document = EventDocument("s", 0, "user/message", 0, "current", text)
    found = oracle.find(document, oracle.units("beta alpha", "any"), "any")
    assert found is not None
    assert found.units == (1,)
    assert text[found.start : found.end] == "alpha"


@pytest.mark.requirement("SEARCH-10")
@pytest.mark.parametrize(
    ("text", "size", "snippet"),
    [
        ("0123456789 word 0123456789", 12, "…89 word 01…"),
        ("word 0123456789", 8, "word 01…"),
        ("0123456789 word", 8, "…89 word"),
        ("a  b\n\nword", 8, "a b word"),
        ("0123456789 word", 2, "…"),
        ("👩\u200d👩\u200d👧👩\u200d👩\u200d👧 word 👩\u200d👩\u200d👧", 12, "… word …"),
    ],
)
def test_snippets_are_cut_as_the_contract_says(text: str, size: int, snippet: str) -> None:
    """A third is before the match, each cut side costs a code point, and clusters stay whole."""
    start = text.index("word")
    assert engine(size).snippet(text, start, start + 4) == snippet


@pytest.mark.requirement("CONF-6")
def test_the_oracle_is_a_provider_and_claims_what_it_is() -> None:
    """The oracle claims the contract's ranking and both segmentations, and keeps no index."""
    assert issubclass(Oracle.engine, SessionQueryEngine)
    assert set(Oracle.capabilities) == {"ranking", "segmentation", "deterministic_loop"}
    assert get_args(MatchMode) == ("phrase", "all", "any")
