"""What a search answers for, and what a refresh reports (RECON-1, INDEX-10)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from session_query import CorpusListing, PersistedSnapshot, SessionQueryError

from session_query_sqlite._live import LiveView
from session_query_sqlite._state import IndexState, StoreIndex

__all__ = ["IndexReport", "Observation"]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a reconciliation did (INDEX-10); ``skipped`` are ids with the code of what is wrong."""

    indexed: int
    removed: int
    unchanged: int
    skipped: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, object]:
        """Return ``{indexed, removed, unchanged, skipped: [[sessionId, code]]}``."""
        return {
            "indexed": self.indexed,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "skipped": [list(one) for one in self.skipped],
        }


@dataclass(slots=True)
class Observation:
    """A listing, the live logs at that moment, and the index that was brought up to them."""

    listing: CorpusListing
    live: Mapping[str, LiveView]
    index: StoreIndex | None = None
    state: IndexState | None = None
    failures: dict[str, SessionQueryError] = field(default_factory=dict)
    """Sessions that could not be read this time."""
    damaged: dict[str, SessionQueryError] = field(default_factory=dict)
    """Why logs were found to be damaged this time, with the cause; the index keeps the words."""
    indexed: set[str] = field(default_factory=set)
    removed: int = 0

    @classmethod
    def of(cls, listing: CorpusListing) -> Observation:
        """Take the live logs as they are; no awaiting may stand between this and the listing."""
        return cls(listing, live_views(listing))

    def look_again(self, listing: CorpusListing) -> None:
        """Go on with a newer listing; what was done so far stays."""
        self.listing, self.live = listing, live_views(listing)

    def pending(self) -> list[PersistedSnapshot]:
        """Return what has to be inspected: changed logs that no live session owns (RECON-3)."""
        sessions = {} if self.state is None else self.state.sessions
        live, failures = self.listing.live, self.failures
        return [
            snapshot
            for name, snapshot in self.listing.persisted.items()
            if ((known := sessions.get(name)) is None or not known.is_of(snapshot))
            and name not in live
            and name not in failures
        ]

    def gone(self) -> list[str]:
        """Return the indexed sessions that the store no longer lists."""
        listed = self.listing
        return [
            name
            for name in (() if self.state is None else self.state.sessions)
            if name not in listed.persisted and name not in listed.conflicts
        ]

    def index_generation(self, connection: sqlite3.Connection) -> int:
        """Return the generation that the file is at now."""
        return 0 if self.index is None else self.index.generation(connection)

    def report(self) -> IndexReport:
        """Return what was done."""
        listed = self.listing
        sessions = {} if self.state is None else self.state.sessions
        skipped = {
            name: str(known.failure)
            for name, known in sessions.items()
            if known.failure is not None and name in listed.persisted
        }
        for failures in (self.failures, listed.conflicts):
            skipped |= {name: failure.code.value for name, failure in failures.items()}
        indexed = self.indexed - skipped.keys()
        others = listed.persisted.keys() - listed.live.keys() - indexed - skipped.keys()
        return IndexReport(
            indexed=len(indexed),
            removed=self.removed,
            unchanged=len(others),
            skipped=tuple(sorted(skipped.items())),
        )


def live_views(listing: CorpusListing) -> dict[str, LiveView]:
    """Return the live logs of a listing as they are now."""
    return {name: LiveView(session, session.events) for name, session in listing.live.items()}
