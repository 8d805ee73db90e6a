"""The logical corpus: live sessions and stored logs as one set of sessions."""

from session_query.corpus._event_trace import EventTrace
from session_query.corpus._failures import (
    invalid_surface,
    session_not_found,
    source_conflict,
    translate_store_error,
)
from session_query.corpus._lineage import LineageCycleError, LineageNode, LineageTrace
from session_query.corpus._logical import CorpusListing, LogicalCorpus, SessionObservation
from session_query.corpus._records import EventRecord, SessionRecord
from session_query.corpus._sources import Binding, SessionSources
from session_query.corpus._titles import TitleObservation, TitleResult

__all__ = [
    "Binding",
    "CorpusListing",
    "EventRecord",
    "EventTrace",
    "LineageCycleError",
    "LineageNode",
    "LineageTrace",
    "LogicalCorpus",
    "SessionObservation",
    "SessionRecord",
    "SessionSources",
    "TitleObservation",
    "TitleResult",
    "invalid_surface",
    "session_not_found",
    "source_conflict",
    "translate_store_error",
]
