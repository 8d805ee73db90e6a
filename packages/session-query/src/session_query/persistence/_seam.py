"""The seam between the service and whatever keeps the logs (LOG-16)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from session_query.cancellation import AbortSignal
from session_query.log import SessionEvent, SessionHeader

__all__ = [
    "PersistedSnapshot",
    "SessionPersistence",
    "StoredSession",
    "StoredTail",
    "WritableSessionPersistence",
]


@dataclass(frozen=True, slots=True)
class PersistedSnapshot:
    """A stored session as a listing sees it.

    ``revision`` is opaque: it changes whenever that log changes, and stays equal while it does not.
    """

    header: SessionHeader
    revision: str


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One complete stored log, with the revision that it was read at."""

    header: SessionHeader
    events: Sequence[SessionEvent]
    revision: str


@dataclass(frozen=True, slots=True)
class StoredTail:
    """The events that a log gained since a revision, and the revision that they lead to."""

    events: Sequence[SessionEvent]
    revision: str


class SessionPersistence(ABC):
    """Reads of a store of session logs; none of them changes the store (LOG-16).

    Each read takes an optional ``signal``: an implementation may stop early when that aborts, and
    whoever calls it waits for it to settle either way (CANCEL-3).
    """

    @property
    @abstractmethod
    def identity(self) -> str:
        """A name equal for every opening of one store, and never shared by two."""

    @abstractmethod
    async def list(self, signal: AbortSignal | None = None) -> Sequence[SessionHeader]:
        """Return the headers of all sessions; no log is read."""

    @abstractmethod
    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        """Return header and revision of all sessions; no log is read."""

    @abstractmethod
    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        """Return one complete log.

        Raises :class:`PersistenceCorruptionError` or :class:`PersistenceNotFoundError`.
        """

    async def inspect_tail(
        self, session_id: str, since_revision: str, signal: AbortSignal | None = None
    ) -> StoredTail | None:
        """Return what was appended since ``since_revision``.

        None where the store can't prove that the events before are the ones it handed out then.
        """
        del session_id, since_revision, signal
        return None


class WritableSessionPersistence(SessionPersistence):
    """A store that can also write (LOG-16)."""

    @abstractmethod
    async def append(self, header: SessionHeader, events: Sequence[SessionEvent]) -> None:
        """Append events to a log, creating it if need be; durable when it returns.

        Raises :class:`PersistenceConflictError` if the first seq is not the stored count or another
        writer owns the session, and :class:`PersistenceWriteError` with the log as it was.
        """

    @abstractmethod
    async def flush(self) -> None:
        """Wait until everything accepted so far is durable."""
