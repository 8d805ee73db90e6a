"""Texts as searches see them: tokens, queries, matches and snippets. Pure functions of text."""

from __future__ import annotations

from session_query.text._folding import Segmentation
from session_query.text._index_form import index_form, token_texts
from session_query.text._literal import LiteralPattern, contains_literal, literal_pattern
from session_query.text._match import Match, Matcher, Rank, measure
from session_query.text._matching import BLOCK_TOKENS, best_block, count_spans, occurrences
from session_query.text._query import (
    MAX_QUERY_CHARS,
    MAX_QUERY_TOKENS,
    MatchMode,
    ParsedQuery,
    Unit,
    parse_query,
)
from session_query.text._snippet import snippet
from session_query.text._stop_words import STOP_WORDS
from session_query.text._tokens import TOKENIZER_VERSION, Token, iter_tokens, tokenize
from session_query.text._whitespace import ANY_WHITESPACE, WHITESPACE, fold_whitespace, trim

__all__ = [
    "ANY_WHITESPACE",
    "BLOCK_TOKENS",
    "MAX_QUERY_CHARS",
    "MAX_QUERY_TOKENS",
    "STOP_WORDS",
    "TOKENIZER_VERSION",
    "WHITESPACE",
    "LiteralPattern",
    "Match",
    "MatchMode",
    "Matcher",
    "ParsedQuery",
    "Rank",
    "Segmentation",
    "Token",
    "Unit",
    "best_block",
    "contains_literal",
    "count_spans",
    "fold_whitespace",
    "index_form",
    "iter_tokens",
    "literal_pattern",
    "measure",
    "occurrences",
    "parse_query",
    "snippet",
    "token_texts",
    "tokenize",
    "trim",
]
