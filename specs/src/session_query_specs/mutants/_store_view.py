"""Sources as a provider sees them through a store that may be faulty."""

from __future__ import annotations

from collections.abc import Sequence

from session_query import (
    AbortSignal,
    Binding,
    PersistedSnapshot,
    SessionHeader,
    SessionPersistence,
    SessionSources,
    StoredSession,
)

__all__ = ["StoreView", "ViewedSources"]


class StoreView(SessionPersistence):
    """Passes on what another store answers; a subclass gets one thing wrong."""

    def __init__(self, inner: SessionPersistence) -> None:
        self.inner = inner

    @property
    def identity(self) -> str:
        """Where the logs come from."""
        return self.inner.identity

    async def list(self, signal: AbortSignal | None = None) -> Sequence[SessionHeader]:
        """Return the headers of all logs."""
        return await self.inner.list(signal)

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        """Return headers and revisions of all logs."""
        return await self.inner.list_snapshots(signal)

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        """Return one log."""
        return await self.inner.inspect(session_id, signal)


class ViewedSources(SessionSources):
    """The live sessions of other sources, and a view of what is mounted there."""

    __slots__ = ("_inner", "_seen", "_view", "_viewed")

    def __init__(self, inner: SessionSources, view: type[StoreView]) -> None:
        super().__init__(inner.store)
        self._inner = inner
        self._view = view
        self._seen: Binding | None = None
        self._viewed = Binding(None)

    @property
    def binding(self) -> Binding:
        """The mounting, with the view in the place of the store."""
        binding = self._inner.binding
        if binding is not self._seen:
            self._seen, store = binding, binding.persistence
            self._viewed = Binding(None if store is None else self._view(store))
        return self._viewed
