"""Corpora as data, and the Hypothesis strategies that draw them."""

from session_query_specs.corpora._calls import Call, CallsOn, Outcome, opened, program
from session_query_specs.corpora._corpus import CREATED, Corpus, Place, Session, message, session

__all__ = [
    "CREATED",
    "Call",
    "CallsOn",
    "Corpus",
    "Outcome",
    "Place",
    "Session",
    "message",
    "opened",
    "program",
    "session",
]
