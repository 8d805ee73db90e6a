"""What a tool tells the model when it can't answer (TOOL-6, AUTH-3)."""

from __future__ import annotations

from enum import StrEnum

from session_query import ErrorCode

__all__ = [
    "SessionQueryToolError",
    "ToolErrorCode",
    "invalid_argument",
    "no_current_step",
    "no_workspace",
    "unauthorized",
]


class ToolErrorCode(StrEnum):
    """The codes that are the tools' own; the others are those of the service (TOOL-6)."""

    FAILED = "SESSION_QUERY_TOOL_FAILED"
    INVALID_ARGUMENT = "SESSION_QUERY_TOOL_INVALID_ARGUMENT"
    MISSING_AGENT = "SESSION_QUERY_TOOL_MISSING_AGENT"
    NO_CURRENT_STEP = "SESSION_QUERY_TOOL_NO_CURRENT_STEP"
    UNAUTHORIZED = "SESSION_QUERY_TOOL_UNAUTHORIZED"


class SessionQueryToolError(Exception):
    """Raised by `ToolDefinition.execute` with a message that is safe to show to the model (TOOL-6).

    `code` says why. `argument` names the argument with `INVALID_ARGUMENT`; None elsewhere.
    """

    def __init__(
        self, message: str, code: ToolErrorCode | ErrorCode, *, argument: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.argument = argument

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (self.message, self.code, self.argument))


def _rebuilt(
    message: str, code: ToolErrorCode | ErrorCode, argument: str | None
) -> SessionQueryToolError:
    return SessionQueryToolError(message, code, argument=argument)


def unauthorized() -> SessionQueryToolError:
    """Return the one refusal: for other workspaces, and for what does not exist (AUTH-3)."""
    return SessionQueryToolError(
        "No such session in this workspace. Use session ids as session_search shows them; one that"
        " it has shown may be gone by now, then search again.",
        ToolErrorCode.UNAUTHORIZED,
    )


def no_workspace() -> SessionQueryToolError:
    """Return the refusal for a caller whose session belongs to no workspace (AUTH-2)."""
    return SessionQueryToolError(
        "Your session belongs to no workspace, so it has no earlier sessions to search."
        " session_event_search finds what was said earlier in your own session.",
        ToolErrorCode.UNAUTHORIZED,
    )


def no_current_step() -> SessionQueryToolError:
    """Return the error for a search of the own session before its first step (AUTH-7)."""
    return SessionQueryToolError(
        "Your session has no step yet, so there is nothing earlier in it to search. To search"
        " another session, give its session_id.",
        ToolErrorCode.NO_CURRENT_STEP,
    )


def invalid_argument(argument: str | None, problem: str) -> SessionQueryToolError:
    """Return the error for an argument that can't be meant (INPUT-2)."""
    message = problem if argument is None else f"{argument}: {problem}"
    return SessionQueryToolError(message, ToolErrorCode.INVALID_ARGUMENT, argument=argument)
