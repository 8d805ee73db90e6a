"""The live-preferred corpus: one id is one session, wherever it is kept (CORPUS-2 to CORPUS-6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from session_query._diagnostics import Diagnostics
from session_query.cancellation import AbortSignal
from session_query.corpus._failures import (
    session_not_found,
    source_conflict,
)
from session_query.corpus._records import SessionRecord
from session_query.corpus._sources import Binding, SessionSources
from session_query.corpus._store_calls import ask_store, checked_session, checked_snapshots
from session_query.errors import SessionQueryError
from session_query.live import LiveSession
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence import PersistedSnapshot, StoredSession

__all__ = ["CorpusListing", "LogicalCorpus", "SessionObservation"]

_LIVE_AND_STORED = "live and stored"


@dataclass(frozen=True, slots=True, eq=False)
class CorpusListing:
    """Which sessions there were when the store had answered; no log was read.

    Ids whose sources conflict are in none of the maps but `conflicts` (CORPUS-3).
    """

    binding: Binding
    """The mounting that was listed."""
    live: Mapping[str, LiveSession]
    """The live sessions by id."""
    persisted: Mapping[str, PersistedSnapshot]
    """The stored sessions by id, those that are live too among them."""
    conflicts: Mapping[str, SessionQueryError]
    """What an operation that names one of these ids raises."""

    def record(self, session_id: str) -> SessionRecord | None:
        """Return the record of one session, or None; O(1)."""
        live, persisted = self.live.get(session_id), self.persisted.get(session_id)
        if live is not None:
            return SessionRecord(live.header, live=True, persisted=persisted is not None)
        if persisted is not None:
            return SessionRecord(persisted.header, live=False, persisted=True)
        return None

    def records(self) -> list[SessionRecord]:
        """Return all records, newest first, then by id; O(sessions x log) (CORPUS-6)."""
        stored, live = self.persisted, self.live
        records = [
            SessionRecord(snapshot.header, live=False, persisted=True)
            for session_id, snapshot in stored.items()
            if session_id not in live
        ]
        records += [
            SessionRecord(session.header, live=True, persisted=session_id in stored)
            for session_id, session in live.items()
        ]
        # sorts are stable: the last one decides
        records.sort(key=attrgetter("header.id"))
        records.sort(key=attrgetter("header.created_at"), reverse=True)
        return records


@dataclass(frozen=True, slots=True, eq=False)
class SessionObservation:
    """One session's header and log as one source held them at one moment.

    `revision` is that of the stored log; None for a live session.
    """

    header: SessionHeader
    events: Sequence[SessionEvent]
    revision: str | None

    @classmethod
    def of_live(cls, session: LiveSession) -> SessionObservation:
        """Take what a live session holds now; O(1)."""
        return cls(session.header, session.events, None)


class LogicalCorpus:
    """Reads the sources as one corpus. Each method takes the signal of its caller (CANCEL-5).

    Args:
        sources: where sessions come from.
        diagnostics: writes the records of what is left out (ERR-5).
    """

    def __init__(self, sources: SessionSources, diagnostics: Diagnostics) -> None:
        self.sources = sources
        self._diagnostics = diagnostics

    async def observe_listing(self, signal: AbortSignal | None = None) -> CorpusListing:
        """List both sources; ids that conflict are left out with one log record each.

        Raises:
            SessionQueryError: `SESSION_QUERY_PERSISTENCE_FAILED` where the mounted store can't be
                listed (CORPUS-4).
        """
        listing, moved = await self._list_once(signal)
        if moved:
            # Its owner may have handed a session over to the store just after the store looked.
            listing, _ = await self._list_once(signal)
        for session_id, error in listing.conflicts.items():
            self._diagnostics.record(session_id, error.code, error.message)
        return listing

    async def _list_once(self, signal: AbortSignal | None) -> tuple[CorpusListing, bool]:
        """List both sources; also tell whether a live session went away and is in neither now."""
        binding = self.sources.binding
        before = {session.header.id for session in self.sources.store.list()}
        snapshots = await self.list_snapshots(binding, signal)
        live = {session.header.id: session for session in self.sources.store.list()}
        persisted: dict[str, PersistedSnapshot] = {}
        conflicts: dict[str, SessionQueryError] = {}
        for snapshot in snapshots:
            header = snapshot.header
            first = persisted.setdefault(header.id, snapshot).header
            if first is not header and not first.compatible_with(header):
                conflicts[header.id] = source_conflict(first, header, "stored")
        for session_id in live.keys() & persisted.keys():
            own, stored = live[session_id].header, persisted[session_id].header
            if not own.compatible_with(stored):
                conflicts[session_id] = source_conflict(own, stored, _LIVE_AND_STORED)
        moved = not before <= live.keys() | persisted.keys()
        for session_id in conflicts:
            live.pop(session_id, None)
            persisted.pop(session_id, None)
        return CorpusListing(binding, live, persisted, conflicts), moved

    async def list_snapshots(
        self, binding: Binding, signal: AbortSignal | None
    ) -> Sequence[PersistedSnapshot]:
        """List the store of one mounting; nothing where none was mounted.

        Raises:
            SessionQueryError: `SESSION_QUERY_PERSISTENCE_FAILED`.
        """
        persistence = binding.persistence
        if persistence is None:
            return ()
        return await ask_store(persistence.list_snapshots, checked_snapshots, signal, None)

    async def observe(self, session_id: object, signal: AbortSignal | None) -> SessionObservation:
        """Return header and log of one session; a live one touches no persistence (CORPUS-4).

        A stored one is listed, then inspected. Where a live owner attaches meanwhile, that is
        returned instead (CORPUS-5).

        Raises:
            SessionQueryError: `SESSION_QUERY_SESSION_NOT_FOUND`, `_SOURCE_CONFLICT`,
                `_CORRUPT_SESSION` or `_PERSISTENCE_FAILED`.
        """
        if signal is not None:
            signal.raise_if_aborted()
        if not isinstance(session_id, str):
            raise session_not_found(session_id)
        binding = self.sources.binding
        if (live := self.live(session_id)) is not None:
            return live
        try:
            snapshots = await self.list_snapshots(binding, signal)
        except SessionQueryError:
            if (live := self.live(session_id)) is not None:
                return live
            raise
        named = [found for found in snapshots if found.header.id == session_id]
        return await self.resolve(session_id, named, binding, signal)

    async def resolve(
        self,
        session_id: str,
        named: Sequence[PersistedSnapshot],
        binding: Binding,
        signal: AbortSignal | None,
    ) -> SessionObservation:
        """Return header and log of a session that a listing of `binding` named in `named`."""
        first = named[0].header if named else None
        for other in named[1:]:
            if first is not None and not first.compatible_with(other.header):
                raise source_conflict(first, other.header, "stored")
        if (live := self.live(session_id, first)) is not None:
            return live
        if first is None:
            raise session_not_found(session_id)
        try:
            stored = await self.inspect(first, binding, signal)
        except SessionQueryError:
            if (live := self.live(session_id, first)) is not None:
                return live
            raise
        return self.live(session_id, first) or SessionObservation(
            stored.header, stored.events, stored.revision
        )

    def live(
        self, session_id: str, listed: SessionHeader | None = None
    ) -> SessionObservation | None:
        """Return what the live session of that id holds now, or None where there is none.

        Raises:
            SessionQueryError: `SESSION_QUERY_SOURCE_CONFLICT` if it can't be the listed one.
        """
        session = self.sources.store.get(session_id)
        if session is None:
            return None
        if listed is not None and not session.header.compatible_with(listed):
            raise source_conflict(session.header, listed, _LIVE_AND_STORED)
        return SessionObservation.of_live(session)

    async def inspect(
        self, listed: SessionHeader, binding: Binding, signal: AbortSignal | None
    ) -> StoredSession:
        """Return the stored log of a listed session.

        Raises:
            SessionQueryError: with the listed header (ERR-4), `SESSION_QUERY_SESSION_NOT_FOUND`
                if the log is gone, `_CORRUPT_SESSION`, `_PERSISTENCE_FAILED`, and
                `_SOURCE_CONFLICT` if the log is not of the listed session (CORPUS-5).
        """
        persistence = binding.persistence
        if persistence is None:
            raise session_not_found(listed.id)
        stored = await ask_store(
            lambda seen: persistence.inspect(listed.id, seen), checked_session, signal, listed
        )
        if not stored.header.compatible_with(listed):
            raise source_conflict(listed, stored.header, "listed and inspected")
        return stored
