"""Running the calls of a step: who may overlap, deadlines, permissions, failures."""

from reference_host.dispatch._dispatcher import (
    ABORTED,
    ABORTED_BEFORE_DISPATCH,
    TOOL_FAILED,
    TOOL_INVALID_ARGUMENT,
    TOOL_NOT_FOUND,
    TOOL_PERMISSION_DENIED,
    TOOL_TIMEOUT,
    Dispatcher,
    OutputPolicy,
    Permission,
    ToolFailure,
    ToolOutcome,
)
from reference_host.dispatch._scheduling import PendingCall, ToolCall

__all__ = [
    "ABORTED",
    "ABORTED_BEFORE_DISPATCH",
    "TOOL_FAILED",
    "TOOL_INVALID_ARGUMENT",
    "TOOL_NOT_FOUND",
    "TOOL_PERMISSION_DENIED",
    "TOOL_TIMEOUT",
    "Dispatcher",
    "OutputPolicy",
    "PendingCall",
    "Permission",
    "ToolCall",
    "ToolFailure",
    "ToolOutcome",
]
