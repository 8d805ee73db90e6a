"""Providers that do nothing right pass no check of searches."""

from __future__ import annotations

from typing import Any, Final

import pytest
from session_query import ErrorCode
from session_query_specs.checks import CHECKS
from session_query_specs.running import Status

from . import nulls
from .judging import NAMES, verdict

_CODES: Final = (
    ErrorCode.INVALID_CURSOR,
    ErrorCode.INVALID_FILTER,
    ErrorCode.INVALID_LIMIT,
    ErrorCode.INVALID_QUERY,
    ErrorCode.SESSION_NOT_FOUND,
    ErrorCode.STALE_CURSOR,
)


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize("name", NAMES)
def test_what_does_nothing_right_passes_no_check(name: str) -> None:
    """A provider that raises, refuses, finds nothing or finds everything fails each check."""
    engines: list[type[Any]] = [nulls.Raises, nulls.Nothing, nulls.Everything]
    engines += [nulls.raising(code) for code in _CODES]
    passed = [engine for engine in engines if verdict(CHECKS[name], engine) is not Status.FAILED]
    assert passed == []
