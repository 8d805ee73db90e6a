"""What a search answers for: the sources as they are now (RECON-1 to RECON-5, RECON-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from session_query import (
    AbortSignal,
    CorpusListing,
    ErrorCode,
    EventDocument,
    LiveSession,
    PersistedSnapshot,
    SearchConfig,
    SessionHeader,
    SessionQueryEngine,
    SessionQueryError,
    SessionSources,
    SurfaceError,
    invalid_surface,
    semantic_documents,
    session_not_found,
)

__all__ = ["Log", "Observed", "Observing"]


@dataclass(frozen=True, slots=True)
class Log:
    """A stored log as it was inspected, or what is wrong with it."""

    header: SessionHeader
    revision: str
    documents: tuple[EventDocument, ...] = ()
    failure: SessionQueryError | None = None

    def is_of(self, snapshot: PersistedSnapshot) -> bool:
        """Tell whether a listing shows the log unchanged."""
        return (self.header, self.revision) == (snapshot.header, snapshot.revision)


@dataclass(slots=True)
class Observed:
    """A listing, and what could not be read while it was looked at."""

    listing: CorpusListing
    unread: dict[str, SessionQueryError] = field(default_factory=dict)


class Observing(SessionQueryEngine):
    """The part of the oracle that looks at sources; it remembers each log as last inspected."""

    config: SearchConfig

    def __init__(self, sources: SessionSources, config: SearchConfig) -> None:
        super().__init__(sources, config)
        self._logs: dict[tuple[str, str], Log] = {}
        self._numbers: dict[object, int] = {}

    # -- the corpus ---------------------------------------------------------------------------

    async def observe(self, signal: AbortSignal | None) -> Observed:
        """List, inspect what has changed, list again; once more if that shows other changes."""
        seen = Observed(await self._corpus.observe_listing(signal))
        for last in (False, True):
            changed = self.changed(seen)
            for snapshot in changed:
                await self.inspect(seen, snapshot, signal)
            if not changed:
                break
            before, seen.listing = seen.listing, await self._corpus.observe_listing(signal)
            if self.shows_the_same(before, seen.listing):
                if last or not self.changed(seen):
                    break
            elif last:
                raise SessionQueryError(
                    "sessions came, went or moved twice while they were read",
                    ErrorCode.PERSISTENCE_FAILED,
                )
        return seen

    def changed(self, seen: Observed) -> list[PersistedSnapshot]:
        """Return what has to be inspected: no log that a live session owns (RECON-3)."""
        return [
            snapshot
            for name, snapshot in seen.listing.persisted.items()
            if name not in seen.listing.live
            and name not in seen.unread
            and not ((log := self.log_of(seen.listing, name)) and log.is_of(snapshot))
        ]

    def shows_the_same(self, before: CorpusListing, after: CorpusListing) -> bool:
        """Tell whether two listings differ in revisions at most (RECON-1)."""
        return self.must_stay(before) == self.must_stay(after)

    def must_stay(self, listing: CorpusListing) -> tuple[object, ...]:
        """Return what must not change while logs are inspected."""
        headers = {name: snapshot.header for name, snapshot in listing.persisted.items()}
        return listing.binding, dict(listing.live), headers, listing.conflicts.keys()

    async def inspect(
        self, seen: Observed, snapshot: PersistedSnapshot, signal: AbortSignal | None
    ) -> None:
        """Read a log and remember it; leave it out if it is damaged, or can't be read now."""
        header, binding = snapshot.header, seen.listing.binding
        identity = self.identity(seen.listing)
        try:
            stored = await self._corpus.inspect(header, binding, signal)
        except SessionQueryError as failure:
            if signal is not None and signal.aborted:
                raise
            if failure.code is ErrorCode.CORRUPT_SESSION:
                failed = Log(header, snapshot.revision, failure=failure)
                self._logs[identity, header.id] = failed
            else:
                seen.unread[header.id] = failure
            if failure.code is not ErrorCode.SESSION_NOT_FOUND:
                self.say_left_out(header.id, failure, snapshot.revision)
            return
        try:
            documents = tuple(self.documents(header.id, stored.events))
        except SurfaceError as error:
            invalid = invalid_surface(error, header)
            log = Log(stored.header, stored.revision, failure=invalid)
            self.say_left_out(header.id, invalid, stored.revision)
        else:
            log = Log(stored.header, stored.revision, documents)
        self._logs[identity, header.id] = log

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        """Return the documents of a log (LOG-24)."""
        return semantic_documents(session_id, events, self.config.unsearchable_tools)

    def say_left_out(self, session_id: str, failure: SessionQueryError, revision: str) -> None:
        """Write the one log record for what is left out (ERR-5)."""
        self._diagnostics.record(session_id, failure.code, failure.message, revision)

    def log_of(self, listing: CorpusListing, session_id: str) -> Log | None:
        """Return a stored log as last inspected."""
        return self._logs.get((self.identity(listing), session_id))

    def identity(self, listing: CorpusListing) -> str:
        """Return the identity of the store that was listed (RECON-2)."""
        persistence = listing.binding.persistence
        return "" if persistence is None else persistence.identity

    def visible(self, seen: Observed) -> Mapping[str, tuple[EventDocument, ...]]:
        """Return the documents of each session that is searched: live shadows stored (SEARCH-4)."""
        found: dict[str, tuple[EventDocument, ...]] = {}
        for name in seen.listing.persisted:
            log = self.log_of(seen.listing, name)
            if log is not None and log.failure is None and name not in seen.unread:
                found[name] = log.documents
        for name, session in seen.listing.live.items():
            found[name] = tuple(self.documents(name, session.events))
        return found

    def corpus_generation(self, seen: Observed) -> str:
        """Return what changes with any change of the corpus or of the mounting (CURSOR-3)."""
        listing = seen.listing
        stored = [
            (name, repr(one.header.to_json()), "" if name in listing.live else one.revision)
            for name, one in sorted(listing.persisted.items())
        ]
        live = [self.live_generation(one) for _, one in sorted(listing.live.items())]
        left_out = sorted({*listing.conflicts, *seen.unread})
        return repr((self.number(listing.binding), stored, live, left_out))

    def live_generation(self, session: LiveSession) -> str:
        """Return what changes with a live session."""
        return f"live {self.number(session)} {len(session.events)}"

    def number(self, thing: object) -> int:
        """Return a number of its own for each live session and mounting."""
        return self._numbers.setdefault(thing, len(self._numbers))

    # -- one session --------------------------------------------------------------------------

    async def observe_one(
        self, session_id: str, signal: AbortSignal | None
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str]:
        """Return header, documents and generation of one session; a live one asks no store."""
        live = self.live_one(session_id)
        if live is not None:
            return live
        try:
            seen = Observed(await self._corpus.observe_listing(signal))
            snapshot = seen.listing.persisted.get(session_id)
            if snapshot is not None and snapshot in self.changed(seen):
                await self.inspect(seen, snapshot, signal)
        except SessionQueryError:
            live = self.live_one(session_id)
            if live is None or (signal is not None and signal.aborted):
                raise
            return live
        return self.live_one(session_id) or self.stored_one(session_id, seen)

    def live_one(
        self, session_id: str
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str] | None:
        """Return what a live session holds now."""
        session = self.sources.store.get(session_id)
        if session is None:
            return None
        documents = tuple(self.documents(session_id, session.events))
        return session.header, documents, self.live_generation(session)

    def stored_one(
        self, session_id: str, seen: Observed
    ) -> tuple[SessionHeader, tuple[EventDocument, ...], str]:
        """Return a stored session, or raise what is wrong with it (RECON-5)."""
        if session_id in seen.listing.conflicts:
            raise seen.listing.conflicts[session_id]
        if session_id in seen.unread:
            raise seen.unread[session_id]
        snapshot = seen.listing.persisted.get(session_id)
        log = self.log_of(seen.listing, session_id)
        if snapshot is None or log is None:
            raise session_not_found(session_id)
        if log.failure is not None:
            raise log.failure
        return (
            snapshot.header,
            log.documents,
            f"stored {self.identity(seen.listing)} {log.revision}",
        )
