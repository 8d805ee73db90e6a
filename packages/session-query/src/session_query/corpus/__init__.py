"""The logical corpus: live sessions and stored logs as one set of sessions."""

from session_query.corpus._event_trace import EventTrace, trace_in_log
from session_query.corpus._failures import (
    invalid_surface,
    session_not_found,
    source_conflict,
    translate_store_error,
)
from session_query.corpus._lineage import (
    LineageCycleError,
    LineageNode,
    LineageTrace,
    trace_lineage,
)
from session_query.corpus._logical import CorpusListing, LogicalCorpus, SessionObservation
from session_query.corpus._offload import Watched, offload
from session_query.corpus._records import EventRecord, SessionRecord
from session_query.corpus._sources import Binding, SessionSources
from session_query.corpus._titles import TitleObservation, TitleResult, read_titles

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
    "Watched",
    "invalid_surface",
    "offload",
    "read_titles",
    "session_not_found",
    "source_conflict",
    "trace_in_log",
    "trace_lineage",
    "translate_store_error",
]
