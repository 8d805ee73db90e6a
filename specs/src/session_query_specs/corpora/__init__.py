"""Corpora as data, and the Hypothesis strategies that draw them."""

from session_query_specs.corpora._calls import Call, CallsOn, CallsWhile, Outcome, opened, program
from session_query_specs.corpora._corpus import CREATED, Corpus, Place, Session, message, session
from session_query_specs.corpora._interruptions import Ended, Interruption
from session_query_specs.corpora._logs import STEPS, Step, log_of
from session_query_specs.corpora._strategies import (
    HOSTILE_WORDS,
    PLAIN_WORDS,
    corpora,
    event_filters,
    event_requests,
    hostile_texts,
    logs,
    matches,
    plain_texts,
    queries,
    session_filters,
    session_requests,
    sessions,
    texts,
    words_of,
)

__all__ = [
    "CREATED",
    "HOSTILE_WORDS",
    "PLAIN_WORDS",
    "STEPS",
    "Call",
    "CallsOn",
    "CallsWhile",
    "Corpus",
    "Ended",
    "Interruption",
    "Outcome",
    "Place",
    "Session",
    "Step",
    "corpora",
    "event_filters",
    "event_requests",
    "hostile_texts",
    "log_of",
    "logs",
    "matches",
    "message",
    "opened",
    "plain_texts",
    "program",
    "queries",
    "session",
    "session_filters",
    "session_requests",
    "sessions",
    "texts",
    "words_of",
]
