"""Arguments: their models and schemas, and what they come to once they are checked."""

from tool_session_query._input._arguments import (
    EventReadArguments,
    EventSearchArguments,
    EventTraceArguments,
    SessionSearchArguments,
    SessionTraceArguments,
)
from tool_session_query._input._models import (
    Arguments,
    Span,
    checked_span,
    milliseconds,
    read_arguments,
)
from tool_session_query._input._schemas import parameters_of

__all__ = [
    "Arguments",
    "EventReadArguments",
    "EventSearchArguments",
    "EventTraceArguments",
    "SessionSearchArguments",
    "SessionTraceArguments",
    "Span",
    "checked_span",
    "milliseconds",
    "parameters_of",
    "read_arguments",
]
