"""Failures of stores and logs, as the service tells them (ERR-2, ERR-4)."""

from __future__ import annotations

from session_query.errors import (
    ErrorCode,
    PersistenceCorruptionError,
    PersistenceError,
    PersistenceNotFoundError,
    SessionQueryError,
)
from session_query.log import SessionHeader, SurfaceError

__all__ = [
    "invalid_surface",
    "session_not_found",
    "source_conflict",
    "translate_store_error",
]


def translate_store_error(
    error: BaseException, header: SessionHeader | None = None, *, after_listing: bool
) -> SessionQueryError:
    """Return what the service raises for a failure of a store, with `error` as its cause (ERR-2).

    Args:
        error: what the store raised, or what its answer turned out to be.
        header: the listed header of the session that was asked for (ERR-4).
        after_listing: whether a listing had named the session, so that an answer of "no such
            session" means that it went away meanwhile.
    """
    if isinstance(error, PersistenceCorruptionError):
        code, what = ErrorCode.CORRUPT_SESSION, "the stored log can't be used"
    elif after_listing and isinstance(error, PersistenceNotFoundError):
        code, what = ErrorCode.SESSION_NOT_FOUND, "the session went away while it was read"
    else:
        code, what = ErrorCode.PERSISTENCE_FAILED, "the store of sessions failed"
    translated = SessionQueryError(f"{what}: {_told(error)}", code, header=header)
    translated.__cause__ = error
    return translated


def _told(error: BaseException) -> str:
    try:
        if isinstance(error, PersistenceError):
            return str(error)  # it says by itself what is wrong, and where
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - a store's exception may not even be printable
        return type(error).__name__


def invalid_surface(error: SurfaceError, header: SessionHeader) -> SessionQueryError:
    """Return what the service raises for a log that breaks a surface rule (LOG-11)."""
    problem = f"the log of session {header.id!r} is invalid: {error}"
    translated = SessionQueryError(problem, ErrorCode.INVALID_SURFACE, header=header)
    translated.__cause__ = error
    return translated


def session_not_found(session_id: object) -> SessionQueryError:
    """Return what the service raises for an id that no source knows."""
    return SessionQueryError(f"no session {session_id!r:.200}", ErrorCode.SESSION_NOT_FOUND)


def source_conflict(one: SessionHeader, other: SessionHeader, sources: str) -> SessionQueryError:
    """Return what the service raises where two observations can't be of one session (CORPUS-3).

    Args:
        one: the header of the observation that comes first, or wins; the error carries it.
        other: the header of the other.
        sources: what was observed, such as `live and stored`.
    """
    differing = ", ".join(name for name in _IDENTITY if getattr(one, name) != getattr(other, name))
    # the remaining part of the identity is not a plain comparison: absent counts as 0
    problem = f"the {sources} headers of session {one.id!r} differ in {differing or _DEPTH}"
    return SessionQueryError(problem, ErrorCode.SOURCE_CONFLICT, header=one)


_IDENTITY = ("version", "id", "created_at", "cwd", "parent_session", "seed_length")
_DEPTH = "delegation_depth"
