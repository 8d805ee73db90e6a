"""Exact reads without an index: enough to list and to resume (HOST-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from session_query import (
    AbortSignal,
    ErrorCode,
    EventSearchRequest,
    SessionQueryEngine,
    SessionQueryError,
    SessionSearchRequest,
)

__all__ = ["UnindexedEngine"]


class UnindexedEngine(SessionQueryEngine):
    """Everything but search."""

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> NoReturn:
        """Raise `SESSION_QUERY_SEARCH_DISABLED`."""
        del request, signal
        raise _disabled()

    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> NoReturn:
        """Raise `SESSION_QUERY_SEARCH_DISABLED`."""
        del request, signal
        raise _disabled()


def _disabled() -> SessionQueryError:
    problem = "this composition mounts no index; add [index] to it"
    return SessionQueryError(problem, ErrorCode.SEARCH_DISABLED)
