"""Providers that take their sources for what they are not (CORPUS-1, -2, -5, ERR-2, ERR-5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from session_query import (
    AbortSignal,
    Binding,
    CorpusListing,
    ErrorCode,
    LogicalCorpus,
    PersistedSnapshot,
    SessionHeader,
    SessionLog,
    SessionObservation,
    SessionQueryError,
    SessionRecord,
    SessionSources,
    StoredSession,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import OracleEngine

__all__: list[str] = []


class _OnCorpus(OracleEngine):
    """An engine on another corpus.

    Attributes:
        corpus: its class.
    """

    corpus: type[LogicalCorpus]

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._corpus = self.corpus(sources, self._diagnostics)


class _FirstMounting(SessionSources):
    """Sources whose first mounting stays."""

    __slots__ = ("_first",)

    def __init__(self, inner: SessionSources) -> None:
        super().__init__(inner.store)
        self._first = inner.binding

    @property
    def binding(self) -> Binding:
        return self._first


@provider_mutant("CORPUS-1/mounting")
class KeepsTheMounting(OracleEngine):
    """Asks the store that was mounted when it was opened, for ever."""

    def __init__(self, sources: SessionSources, config: Any = None) -> None:
        super().__init__(_FirstMounting(sources), config)


@provider_mutant("CORPUS-2/both")
class LiveIsNotStored(OracleEngine):
    """Lists a session that is live and stored as one that is live alone."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        return [
            record._replace(persisted=record.persisted and not record.live)
            for record in await super().list_sessions(signal)
        ]


@provider_mutant("CORPUS-2/both")
class PrefersTheStore(OracleEngine):
    """Reads the stored log of a session that is live too."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        log = await super().read_session(session_id, signal)
        listing = await self._corpus.observe_listing(signal)
        store, stored = listing.binding.persistence, listing.persisted.get(session_id)
        if store is None or stored is None or session_id not in listing.live:
            return log
        return SessionLog(log.header, (await store.inspect(session_id, signal)).events)


class _Credulous(LogicalCorpus):
    """Takes any log for the one that was listed."""

    async def inspect(
        self, listed: SessionHeader, binding: Binding, signal: AbortSignal | None
    ) -> StoredSession:
        try:
            return await super().inspect(listed, binding, signal)
        except SessionQueryError as error:
            if error.code is not ErrorCode.SOURCE_CONFLICT or binding.persistence is None:
                raise
            return await binding.persistence.inspect(listed.id, signal)


@provider_mutant("CORPUS-5/replaced")
class TakesAnyLog(_OnCorpus):
    """Reads whatever log is in the place of the one that was listed."""

    corpus = _Credulous


class _Hasty(LogicalCorpus):
    """Looks for a live session before it asks the store, and not again."""

    async def observe(self, session_id: object, signal: AbortSignal | None) -> SessionObservation:
        live = self.live(session_id) if isinstance(session_id, str) else None
        if live is not None or not isinstance(session_id, str):
            return live or await super().observe(session_id, signal)
        binding = self.sources.binding
        listed = await self.list_snapshots(binding, signal)
        named = [one for one in listed if one.header.id == session_id]
        return await self.resolve(session_id, named, binding, signal)


@provider_mutant("CORPUS-5/attached")
class LooksForLiveOnce(_OnCorpus):
    """Fails with the store although a live owner has taken the session up meanwhile."""

    corpus = _Hasty


class _Causeless(LogicalCorpus):
    """Forgets why a store failed."""

    async def list_snapshots(
        self, binding: Binding, signal: AbortSignal | None
    ) -> Sequence[PersistedSnapshot]:
        try:
            return await super().list_snapshots(binding, signal)
        except SessionQueryError as error:
            raise SessionQueryError(error.message, error.code) from None


@provider_mutant("ERR-2/cause")
class ForgetsTheCause(_OnCorpus):
    """Raises the right code for a store that failed, without the store's own exception."""

    corpus = _Causeless


class _Mistaken(LogicalCorpus):
    """Takes a store that failed for a damaged session."""

    async def list_snapshots(
        self, binding: Binding, signal: AbortSignal | None
    ) -> Sequence[PersistedSnapshot]:
        try:
            return await super().list_snapshots(binding, signal)
        except SessionQueryError as error:
            raise SessionQueryError(error.message, ErrorCode.CORRUPT_SESSION) from error.__cause__


@provider_mutant("ERR-2/cause")
class BrokenIsCorrupt(_OnCorpus):
    """Takes a store that failed for a damaged session, with the right cause."""

    corpus = _Mistaken


class _Repeating(LogicalCorpus):
    """Forgets at each listing what it has said."""

    async def observe_listing(self, signal: AbortSignal | None = None) -> CorpusListing:
        self._diagnostics = type(self._diagnostics)()
        return await super().observe_listing(signal)


@provider_mutant("ERR-5/one-record")
class WarnsEachTime(_OnCorpus):
    """Warns at each search of what it leaves out."""

    corpus = _Repeating
