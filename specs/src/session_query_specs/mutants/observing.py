"""Providers that answer for other sources than there are (RECON-1 to RECON-8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from session_query import (
    AbortSignal,
    EventDocument,
    PersistedSnapshot,
    SessionHeader,
    SessionQueryError,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import Log, Observed, OracleEngine

__all__: list[str] = []

One = tuple[SessionHeader, tuple[EventDocument, ...], str]


@provider_mutant("RECON-1/history", "RECON-1/found")
class InspectsOnce(OracleEngine):
    """Doesn't look at a stored log again once it has been inspected."""

    def changed(self, seen: Observed) -> list[PersistedSnapshot]:
        return [
            snapshot
            for snapshot in super().changed(seen)
            if self.log_of(seen.listing, snapshot.header.id) is None
        ]


@provider_mutant("RECON-1/history", "RECON-1/found")
class KeepsRemovedSessions(OracleEngine):
    """Goes on finding sessions whose logs are gone."""

    def visible(self, seen: Observed) -> Mapping[str, tuple[EventDocument, ...]]:
        found = dict(super().visible(seen))
        for (identity, name), log in self._logs.items():
            if identity == self.identity(seen.listing) and log.failure is None:
                found.setdefault(name, log.documents)
        return found

    def session_of(self, name: str) -> SessionHeader | None:
        return next((log.header for (_, one), log in self._logs.items() if one == name), None)

    def matches_in_corpus(self, asked: Any, seen: Observed) -> Any:
        for name in self.visible(seen):
            header = self.session_of(name)
            if seen.listing.record(name) is None and header is not None:
                kept = PersistedSnapshot(header, "kept")
                object.__setattr__(
                    seen.listing, "persisted", {**seen.listing.persisted, name: kept}
                )
        return super().matches_in_corpus(asked, seen)


@provider_mutant("RECON-1/history", "RECON-1/found")
class LiveAtFirstSight(OracleEngine):
    """Takes a live session for what it was when it was first seen."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._first: dict[int, tuple[EventDocument, ...]] = {}

    def visible(self, seen: Observed) -> Mapping[str, tuple[EventDocument, ...]]:
        found = dict(super().visible(seen))
        for name, session in seen.listing.live.items():
            found[name] = self._first.setdefault(self.number(session), found[name])
        return found


@provider_mutant("RECON-1/history", "RECON-1/found")
class CorruptStopsAll(OracleEngine):
    """Lets one corrupt session take down the search of all."""

    async def inspect(
        self, seen: Observed, snapshot: PersistedSnapshot, signal: AbortSignal | None
    ) -> None:
        await super().inspect(seen, snapshot, signal)
        log = self.log_of(seen.listing, snapshot.header.id)
        if log is not None and log.failure is not None:
            raise log.failure


@provider_mutant("RECON-1/replaced", "RECON-1/history", "RECON-1/found")
class CountsEvents(OracleEngine):
    """Takes a session for unchanged that has as many events as when it was last seen."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._known: dict[str, tuple[int, list[EventDocument]]] = {}

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        count, _ = self._known.get(session_id, (-1, []))
        if count != len(events):
            found = super().documents(session_id, events)
            self._known[session_id] = len(events), found
        return self._known[session_id][1]


@provider_mutant("RECON-1/replaced")
class LastTimeInOneSession(OracleEngine):
    """Answers for one session from before while its last event has the same time."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._last: dict[tuple[object, ...], One] = {}

    async def observe_one(self, session_id: str, signal: AbortSignal | None) -> One:
        found = await super().observe_one(session_id, signal)
        last = max((document.time for document in found[1]), default=None)
        return self._last.setdefault((session_id, last), found)


@provider_mutant("RECON-2/unchanged")
class InspectsAlways(OracleEngine):
    """Inspects every stored log at each search."""

    async def observe(self, signal: AbortSignal | None) -> Observed:
        self._logs.clear()
        return await super().observe(signal)


@provider_mutant("RECON-2/unchanged")
class OneChangeSpoilsAll(OracleEngine):
    """Inspects every stored log once one of them has changed."""

    def changed(self, seen: Observed) -> list[PersistedSnapshot]:
        changed = super().changed(seen)
        if not changed or not any(self.log_of(seen.listing, one.header.id) for one in changed):
            return changed
        return [one for name, one in seen.listing.persisted.items() if name not in seen.unread]


@provider_mutant("RECON-3/owned")
class InspectsOwned(OracleEngine):
    """Inspects the stored log of a session that is live."""

    async def observe(self, signal: AbortSignal | None) -> Observed:
        seen = await super().observe(signal)
        for name, snapshot in seen.listing.persisted.items():
            if name in seen.listing.live:
                await self.inspect(seen, snapshot, signal)
        return seen


@provider_mutant("RECON-4/reopened", "RECON-4/found")
class TrustsItsIndex(OracleEngine):
    """Opened again, believes that nothing has changed while it was closed."""

    indexes: ClassVar[dict[object, dict[tuple[str, str], Log]]] = {}

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._place = getattr(config, "directory", None)
        self._logs.update(self.indexes.pop(self._place, {}))
        self._trusted = {name for _, name in self._logs}

    def changed(self, seen: Observed) -> list[PersistedSnapshot]:
        return [one for one in super().changed(seen) if one.header.id not in self._trusted]

    async def close(self) -> None:
        self.indexes[self._place] = dict(self._logs)
        await super().close()


@provider_mutant("RECON-5/left-out")
class UnreadableStopsAll(OracleEngine):
    """Lets a log that can't be read take down the search of all."""

    async def inspect(
        self, seen: Observed, snapshot: PersistedSnapshot, signal: AbortSignal | None
    ) -> None:
        await super().inspect(seen, snapshot, signal)
        if snapshot.header.id in seen.unread:
            raise seen.unread[snapshot.header.id]


@provider_mutant("RECON-5/left-out")
class NeverTriesAgain(OracleEngine):
    """Leaves a log that couldn't be read once out for ever."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._failed: dict[str, SessionQueryError] = {}

    async def inspect(
        self, seen: Observed, snapshot: PersistedSnapshot, signal: AbortSignal | None
    ) -> None:
        await super().inspect(seen, snapshot, signal)
        self._failed.update(seen.unread)

    async def observe(self, signal: AbortSignal | None) -> Observed:
        seen = await super().observe(signal)
        seen.unread.update(self._failed)
        return seen


@provider_mutant("RECON-8/target")
class TargetInspectsAll(OracleEngine):
    """Inspects all that has changed for a search in one session."""

    async def observe_one(self, session_id: str, signal: AbortSignal | None) -> One:
        await self.observe(signal)
        return await super().observe_one(session_id, signal)


@provider_mutant("RECON-8/target")
class LiveTargetAsksTheStore(OracleEngine):
    """Lists the store for a search in a session that is live."""

    async def observe_one(self, session_id: str, signal: AbortSignal | None) -> One:
        await self._corpus.observe_listing(signal)
        return await super().observe_one(session_id, signal)
