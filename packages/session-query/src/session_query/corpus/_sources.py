"""Where sessions come from (CORPUS-1)."""

from __future__ import annotations

from session_query.live import SessionStore
from session_query.persistence import SessionPersistence

__all__ = ["Binding", "SessionSources"]


class Binding:
    """One mounting of a store, or the time between two; compared by identity."""

    __slots__ = ("persistence",)

    def __init__(self, persistence: SessionPersistence | None) -> None:
        self.persistence = persistence
        """The store that was mounted, or None."""


class SessionSources:
    """The live sessions of the process, and an optional store of logs that may come and go.

    Args:
        store: the live sessions.
        persistence: the store to mount at first, if any.
    """

    __slots__ = ("_binding", "_store")

    def __init__(self, store: SessionStore, persistence: SessionPersistence | None = None) -> None:
        self._store = store
        self._binding = Binding(persistence)

    @property
    def store(self) -> SessionStore:
        """The live sessions."""
        return self._store

    @property
    def persistence(self) -> SessionPersistence | None:
        """The mounted store of logs, or None."""
        return self._binding.persistence

    @property
    def binding(self) -> Binding:
        """The current mounting: a new object after each `mount` and `unmount`.

        Whoever needs the store for more than one call takes it from one binding, and learns from
        `sources.binding is binding` whether that is still the mounted one.
        """
        return self._binding

    def mount(self, persistence: SessionPersistence) -> None:
        """Mount a store, in the place of the one that is mounted; also the same one again."""
        self._binding = Binding(persistence)

    def unmount(self) -> None:
        """Leave the live sessions as the only source."""
        if self._binding.persistence is not None:
            self._binding = Binding(None)
