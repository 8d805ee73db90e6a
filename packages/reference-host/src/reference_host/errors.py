"""Every exception that the host raises on purpose.

::

    Exception
    ├── HostError               what a person is told; carries a ``code``
    │   ├── CompositionError    a composition that can't be mounted
    │   ├── SessionError        a session that can't be opened, or is in use
    │   └── ModelError          a model that failed to answer
    ├── ToolError               what a model is told of a tool that failed
    └── ToolTimeoutError        the reason for which the deadline policy aborts a tool
"""

from __future__ import annotations

__all__ = [
    "CompositionError",
    "HostError",
    "ModelError",
    "SessionError",
    "ToolError",
    "ToolTimeoutError",
]


class HostError(Exception):
    """Raised with a message that says what was wrong, where, and what to do; `code` names it."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.code))


class CompositionError(HostError):
    """Raised before anything is mounted: `COMPOSITION_NOT_FOUND` or `COMPOSITION_INVALID`."""


class SessionError(HostError):
    """Raised for a session that can't be opened or is in use.

    Codes: `SESSION_NOT_FOUND`, `SESSION_CWD_MISMATCH`, `SESSION_BUSY`, `SESSION_CORRUPT`,
    `SESSION_UNREADABLE`, `SESSION_OWNED_ELSEWHERE`, `SESSION_WRITE_FAILED`, `SESSION_INVALID_CWD`,
    `SESSION_INVALID_TITLE`, `SESSION_CLOSED`.
    """


class ModelError(HostError):
    """Raised when a model fails to answer.

    Codes: `MODEL_SCRIPT_ENDED`, `MODEL_UNAVAILABLE`, `MODEL_REFUSED`, `MODEL_TIMEOUT`,
    `MODEL_INVALID_ANSWER`.
    """


class ToolError(Exception):
    """Raised by a tool with a message that is safe to show to the model (HOST-6).

    `name` and `code` are logged with the result.
    """

    def __init__(self, message: str, code: str, name: str = "ToolError") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.code, self.name))


class ToolTimeoutError(TimeoutError):
    """The reason for which the deadline policy aborts a tool (HOST-5)."""
