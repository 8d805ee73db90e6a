"""Every exception that the package raises on purpose.

::

    Exception
    ├── ValueError
    │   ├── JsonError              a text or value that is not lossless JSON
    │   └── SurfaceError           a log that breaks a rule of the surface
    ├── SessionQueryError          what the service tells its callers; carries a closed ``code``
    │   └── AbortError             the default reason of an abort
    ├── SessionStoreError          a refused operation on live sessions
    └── PersistenceError           what a store tells the service
        ├── PersistenceCorruptionError
        ├── PersistenceNotFoundError
        ├── PersistenceConflictError
        └── PersistenceWriteError
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from session_query.log import SessionHeader

__all__ = [
    "AbortError",
    "ErrorCode",
    "JsonError",
    "PersistenceConflictError",
    "PersistenceCorruptionError",
    "PersistenceError",
    "PersistenceNotFoundError",
    "PersistenceWriteError",
    "SessionQueryError",
    "SessionStoreError",
    "SessionStoreErrorCode",
    "SurfaceError",
]


class JsonError(ValueError):
    """Raised when a text or value is not lossless JSON; the message says what and where (LOG-4)."""


class SurfaceError(ValueError):
    """Raised when a log breaks a rule of the surface; ``seq`` is the event that does (LOG-11)."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"event {seq}: {reason}")
        self.seq = seq
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.seq, self.reason))


class ErrorCode(StrEnum):
    """The closed set of codes of :class:`SessionQueryError` (ERR-1)."""

    ABORTED = "SESSION_QUERY_ABORTED"
    CORRUPT_SESSION = "SESSION_QUERY_CORRUPT_SESSION"
    EVENT_NOT_FOUND = "SESSION_QUERY_EVENT_NOT_FOUND"
    INDEX_FAILED = "SESSION_QUERY_INDEX_FAILED"
    INVALID_CONFIG = "SESSION_QUERY_INVALID_CONFIG"
    INVALID_CURSOR = "SESSION_QUERY_INVALID_CURSOR"
    INVALID_FILTER = "SESSION_QUERY_INVALID_FILTER"
    INVALID_LIMIT = "SESSION_QUERY_INVALID_LIMIT"
    INVALID_LINEAGE = "SESSION_QUERY_INVALID_LINEAGE"
    INVALID_QUERY = "SESSION_QUERY_INVALID_QUERY"
    INVALID_SURFACE = "SESSION_QUERY_INVALID_SURFACE"
    INVALID_WINDOW = "SESSION_QUERY_INVALID_WINDOW"
    PERSISTENCE_FAILED = "SESSION_QUERY_PERSISTENCE_FAILED"
    SEARCH_DISABLED = "SESSION_QUERY_SEARCH_DISABLED"
    SESSION_NOT_FOUND = "SESSION_QUERY_SESSION_NOT_FOUND"
    SOURCE_CONFLICT = "SESSION_QUERY_SOURCE_CONFLICT"
    STALE_CURSOR = "SESSION_QUERY_STALE_CURSOR"


class SessionQueryError(Exception):
    """Raised when the service can't answer; ``code`` says why (ERR-1).

    The original failure, if there was one, is the ``__cause__`` (ERR-2). ``header`` is that of the
    observation that failed, so that a consumer can check authority on failures too (ERR-4).
    """

    def __init__(
        self, message: str, code: ErrorCode | str, *, header: SessionHeader | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = ErrorCode(code)
        self.header = header

    def to_json(self) -> dict[str, str]:
        """Return ``{code, message}`` (JSON-1)."""
        return {"code": self.code.value, "message": self.message}

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_query_error, (type(self), self.message, self.code.value, self.header))


def _rebuild_query_error(
    kind: type[SessionQueryError], message: str, code: str, header: SessionHeader | None
) -> SessionQueryError:
    error = kind.__new__(kind)
    SessionQueryError.__init__(error, message, code, header=header)
    return error


class AbortError(SessionQueryError):
    """Raised when an operation was aborted and the caller gave no reason of its own (CANCEL-1)."""

    def __init__(self, message: str = "the operation was aborted") -> None:
        super().__init__(message, ErrorCode.ABORTED)


class SessionStoreErrorCode(StrEnum):
    """The codes of :class:`SessionStoreError` (LOG-15)."""

    INVALID_BOUNDARY = "INVALID_BOUNDARY"
    INVALID_EVENT = "INVALID_EVENT"
    OPEN_TURN = "OPEN_TURN"
    SESSION_ALREADY_EXISTS = "SESSION_ALREADY_EXISTS"
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    SESSION_NOT_LIVE = "SESSION_NOT_LIVE"


class SessionStoreError(Exception):
    """Raised when the live store refuses an operation; nothing was changed (LOG-14, LOG-15)."""

    def __init__(self, message: str, code: SessionStoreErrorCode | str) -> None:
        super().__init__(message)
        self.message = message
        self.code = SessionStoreErrorCode(code)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.code.value))


class PersistenceError(Exception):
    """Base of what a store raises; the service translates it (ERR-2)."""


class PersistenceCorruptionError(PersistenceError):
    """Raised when a stored log is damaged; other logs are not affected (LOG-16, LOG-20).

    ``line`` is the 1-based line of the log (1 is the header), or None where no line is to blame.
    """

    def __init__(self, session_id: str, line: int | None, reason: str) -> None:
        where = "" if line is None else f", line {line}"
        super().__init__(f"session {session_id!r}{where}: {reason}")
        self.session_id = session_id
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.session_id, self.line, self.reason))


class PersistenceNotFoundError(PersistenceError):
    """Raised when the store holds no session of that id (LOG-16)."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"no stored session {session_id!r}")
        self.session_id = session_id

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.session_id,))


class PersistenceConflictError(PersistenceError):
    """Raised when another writer owns the session, or the events don't follow the stored ones."""

    def __init__(self, session_id: str, reason: str) -> None:
        super().__init__(f"session {session_id!r}: {reason}")
        self.session_id = session_id
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.session_id, self.reason))


class PersistenceWriteError(PersistenceError):
    """Raised when a batch could not be written; the log is as it was before (LOG-21)."""

    def __init__(self, session_id: str, reason: str) -> None:
        super().__init__(f"session {session_id!r}: {reason}")
        self.session_id = session_id
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.session_id, self.reason))
