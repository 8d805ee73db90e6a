"""Bringing one session up to date for a search inside it (RECON-8)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from session_query import (
    AbortSignal,
    ErrorCode,
    LogicalCorpus,
    SessionHeader,
    SessionQueryError,
)

from session_query_sqlite._live import LiveView
from session_query_sqlite._observation import Observation
from session_query_sqlite._reconcile import Reconciler
from session_query_sqlite._state import IndexedSession, StoreIndex

__all__ = ["Target", "TargetReconciler"]


@dataclass(frozen=True, slots=True)
class Target:
    """The session that a search asks for, as observed; either live, or stored and indexed."""

    header: SessionHeader
    live: LiveView | None = None
    indexed: IndexedSession | None = None
    index: StoreIndex | None = None

    @property
    def number(self) -> int:
        """The number of a stored session."""
        return -1 if self.indexed is None else self.indexed.number

    @property
    def revision(self) -> str:
        """The revision of a stored session."""
        return "" if self.indexed is None else self.indexed.revision

    @property
    def identity(self) -> str:
        """The identity of the store of a stored session."""
        return "" if self.index is None else self.index.identity

    def within(self, connection: sqlite3.Connection, number: int) -> list[tuple[int, int]]:
        """Return the ranges of a stored session's documents."""
        return [] if self.index is None else self.index.within(connection, number)

    def still_indexed(self, connection: sqlite3.Connection) -> bool:
        """Tell whether the rows are those of this observation; True for a live session."""
        if self.indexed is None or self.index is None:
            return True
        return self.index.revision_of(connection, self.header.id) == (
            self.indexed.number,
            self.indexed.revision,
        )


class TargetReconciler:
    """Observes one session; a live one touches no store."""

    def __init__(self, corpus: LogicalCorpus, reconciler: Reconciler) -> None:
        self._corpus = corpus
        self._reconciler = reconciler

    async def reconcile(self, session_id: str, signal: AbortSignal | None) -> Target:
        """Return the session, indexed as it is now.

        Raises:
            SessionQueryError: ``SESSION_QUERY_SESSION_NOT_FOUND``, ``_SOURCE_CONFLICT``, or what is
                wrong with this session's log (RECON-5).
        """
        for _ in range(2):
            live = self._live(session_id)
            if live is not None:
                return live
            observation = await self._reconciler.reconcile_one(session_id, signal)
            target = self._live(session_id) or self._stored(session_id, observation)
            if target is not None:
                return target
        raise SessionQueryError(
            f"session {session_id!r} kept changing while it was read; try again",
            ErrorCode.PERSISTENCE_FAILED,
        )

    def _live(self, session_id: str) -> Target | None:
        session = self._corpus.sources.store.get(session_id)
        if session is None:
            return None
        return Target(session.header, LiveView(session, session.events))

    def _stored(self, session_id: str, observation: Observation) -> Target | None:
        """Return the stored session; None if it was replaced while it was read."""
        listing = observation.listing
        conflict = listing.conflicts.get(session_id)
        if conflict is not None:
            raise conflict
        snapshot = listing.persisted.get(session_id)
        persistence = listing.binding.persistence
        if snapshot is None or persistence is None:
            raise SessionQueryError(f"no session {session_id!r:.200}", ErrorCode.SESSION_NOT_FOUND)
        failure = observation.failures.get(session_id)
        if failure is not None:
            raise failure
        index = self._reconciler.index_of(persistence)
        indexed = index.state.sessions.get(session_id)
        if indexed is None or indexed.header != snapshot.header:
            return None
        if indexed.failure is not None:
            raise observation.damaged.get(session_id) or SessionQueryError(
                indexed.reason or "the log is damaged", indexed.failure, header=indexed.header
            )
        return Target(snapshot.header, indexed=indexed, index=index)
