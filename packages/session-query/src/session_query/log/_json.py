"""All that the package uses of JSON: text, values, and frozen values (LOG-4, LOG-5)."""

from session_query.errors import JsonError
from session_query.log._codec import dumps, dumps_bytes, loads
from session_query.log._frozen import FrozenDict, FrozenList, freeze, freeze_data, thaw
from session_query.log._values import (
    MAX_DEPTH,
    MAX_NESTING,
    SAFE_INTEGER,
    JsonValue,
    describe,
    integral,
    safe_integral,
    same,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_NESTING",
    "SAFE_INTEGER",
    "FrozenDict",
    "FrozenList",
    "JsonError",
    "JsonValue",
    "describe",
    "dumps",
    "dumps_bytes",
    "freeze",
    "freeze_data",
    "integral",
    "loads",
    "safe_integral",
    "same",
    "thaw",
]
