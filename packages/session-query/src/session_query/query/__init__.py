"""The service: requests, filters, results, and the engine that answers."""

from session_query.query._admission import (
    EventBounds,
    EventFilters,
    SessionFilters,
    normalize_event_filters,
    normalize_session_filters,
)
from session_query.query._config import EngineConfig, SearchConfig
from session_query.query._engine import SessionQueryEngine
from session_query.query._filter_forms import Filter
from session_query.query._filters import (
    AvailabilityFilter,
    CreatedAtFilter,
    CwdFilter,
    EventFilter,
    IdFilter,
    ParentFilter,
    SeqFilter,
    SessionFilter,
    SurfaceFilter,
    TextFilter,
    TimeFilter,
    TypeFilter,
)
from session_query.query._requests import EventSearchRequest, SessionSearchRequest
from session_query.query._results import (
    EventHit,
    EventSearchPage,
    EventWindow,
    SessionHit,
    SessionLog,
    SessionSearchPage,
    SurfaceSnapshot,
)
from session_query.query._searches import (
    NormalizedEventSearch,
    NormalizedSessionSearch,
    normalize_event_search,
    normalize_session_search,
)

__all__ = [
    "AvailabilityFilter",
    "CreatedAtFilter",
    "CwdFilter",
    "EngineConfig",
    "EventBounds",
    "EventFilter",
    "EventFilters",
    "EventHit",
    "EventSearchPage",
    "EventSearchRequest",
    "EventWindow",
    "Filter",
    "IdFilter",
    "NormalizedEventSearch",
    "NormalizedSessionSearch",
    "ParentFilter",
    "SearchConfig",
    "SeqFilter",
    "SessionFilter",
    "SessionFilters",
    "SessionHit",
    "SessionLog",
    "SessionQueryEngine",
    "SessionSearchPage",
    "SessionSearchRequest",
    "SurfaceFilter",
    "SurfaceSnapshot",
    "TextFilter",
    "TimeFilter",
    "TypeFilter",
    "normalize_event_filters",
    "normalize_event_search",
    "normalize_session_filters",
    "normalize_session_search",
]
