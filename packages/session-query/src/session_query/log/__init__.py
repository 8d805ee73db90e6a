"""The session log: header, events, and the folds over them."""

from session_query.errors import JsonError, SurfaceError
from session_query.log._event import SURFACE_TYPES, EventType, SessionEvent
from session_query.log._header import LOG_VERSION, SessionHeader
from session_query.log._json import FrozenDict, FrozenList, JsonValue, dumps, loads
from session_query.log._surface import (
    Replacement,
    Surface,
    SurfaceFold,
    SurfaceFolder,
    fold_surface,
    surfaces,
)
from session_query.log._text import (
    QUERY_TOOL_NAMES,
    EventDocument,
    HiddenCalls,
    document_texts,
    extract_event_text,
    semantic_documents,
)
from session_query.log._title import SessionTitle, fold_title
from session_query.log._turns import interrupted_turn_closers, turn_is_open

__all__ = [
    "LOG_VERSION",
    "QUERY_TOOL_NAMES",
    "SURFACE_TYPES",
    "EventDocument",
    "EventType",
    "FrozenDict",
    "FrozenList",
    "HiddenCalls",
    "JsonError",
    "JsonValue",
    "Replacement",
    "SessionEvent",
    "SessionHeader",
    "SessionTitle",
    "Surface",
    "SurfaceError",
    "SurfaceFold",
    "SurfaceFolder",
    "document_texts",
    "dumps",
    "extract_event_text",
    "fold_surface",
    "fold_title",
    "interrupted_turn_closers",
    "loads",
    "semantic_documents",
    "surfaces",
    "turn_is_open",
]
