"""Errors: one closed set of codes, and data that survives a trip between processes."""

from __future__ import annotations

import pickle

import pytest
from session_query import errors
from session_query.errors import (
    AbortError,
    ErrorCode,
    JsonError,
    PersistenceConflictError,
    PersistenceCorruptionError,
    PersistenceError,
    PersistenceNotFoundError,
    PersistenceWriteError,
    SessionQueryError,
    SessionStoreError,
    SessionStoreErrorCode,
    SurfaceError,
)
from session_query.log import SessionHeader

HEADER = SessionHeader(0, "s", 1, cwd="/w")


@pytest.mark.requirement("ERR-1")
def test_the_codes_are_a_closed_set() -> None:
    """Each code is the text that its name says, and no other text is one."""
    names = {
        "ABORTED", "CORRUPT_SESSION", "EVENT_NOT_FOUND", "INDEX_FAILED", "INVALID_CONFIG",
        "INVALID_CURSOR", "INVALID_FILTER", "INVALID_LIMIT", "INVALID_QUERY", "INVALID_LINEAGE",
        "INVALID_SURFACE", "INVALID_WINDOW", "PERSISTENCE_FAILED", "SEARCH_DISABLED",
        "SESSION_NOT_FOUND", "STALE_CURSOR", "SOURCE_CONFLICT",
    }  # fmt: skip
    assert {code.name: code.value for code in ErrorCode} == {
        name: f"SESSION_QUERY_{name}" for name in names
    }
    assert SessionQueryError("m", "SESSION_QUERY_ABORTED").code is ErrorCode.ABORTED
    with pytest.raises(ValueError, match="OTHER"):
        SessionQueryError("m", "OTHER")


@pytest.mark.requirement("LOG-15")
def test_the_codes_of_the_live_store_are_six() -> None:
    """A refused operation carries one of six codes."""
    assert {code.value for code in SessionStoreErrorCode} == {
        "SESSION_NOT_FOUND", "SESSION_NOT_LIVE", "SESSION_ALREADY_EXISTS", "INVALID_BOUNDARY",
        "OPEN_TURN", "INVALID_EVENT",
    }  # fmt: skip
    assert SessionStoreError("m", "OPEN_TURN").code == "OPEN_TURN"


@pytest.mark.requirement("ERR-1", "ERR-4", "LOG-11", "LOG-15", "LOG-16")
@pytest.mark.parametrize(
    "error",
    [
        SessionQueryError("m \ud800", ErrorCode.ABORTED, header=HEADER),
        AbortError(),
        AbortError("m"),
        SessionStoreError("m", SessionStoreErrorCode.OPEN_TURN),
        PersistenceCorruptionError("s", 3, "r"),
        PersistenceCorruptionError("s\n", None, "r"),
        PersistenceNotFoundError("s"),
        PersistenceConflictError("s", "r"),
        PersistenceWriteError("s", "r"),
        JsonError("m"),
        SurfaceError(3, "r"),
    ],
    ids=repr,
)
def test_an_error_survives_pickling(error: Exception) -> None:
    """Type, message and every field come back."""
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 - it is our own
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


@pytest.mark.requirement("ERR-1", "ERR-4")
def test_a_query_error_tells_code_message_and_header() -> None:
    """The JSON form has the code and the message, the object the header too."""
    error = SessionQueryError("m", ErrorCode.STALE_CURSOR, header=HEADER)
    assert error.to_json() == {"code": "SESSION_QUERY_STALE_CURSOR", "message": "m"}
    assert error.header is HEADER
    assert AbortError().code is ErrorCode.ABORTED
    assert AbortError().header is None


@pytest.mark.requirement("LOG-16", "LOG-20")
def test_a_store_error_names_session_line_and_reason() -> None:
    """Whoever reads the message finds the place; hostile ids are escaped."""
    assert str(PersistenceCorruptionError("a\x1b", 3, "a gap")) == r"session 'a\x1b', line 3: a gap"
    assert str(PersistenceCorruptionError("a", None, "twice")) == "session 'a': twice"
    for error in (
        PersistenceCorruptionError("a", 3, "r"),
        PersistenceNotFoundError("a"),
        PersistenceConflictError("a", "r"),
        PersistenceWriteError("a", "r"),
    ):
        assert isinstance(error, PersistenceError)
        assert "'a'" in str(error)


def test_the_tree_in_the_docstring_is_complete() -> None:
    """Every exception that the module exports is drawn."""
    assert errors.__doc__ is not None
    for name in errors.__all__:
        if issubclass(getattr(errors, name), Exception):
            assert name in errors.__doc__
