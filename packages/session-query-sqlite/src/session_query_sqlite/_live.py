"""Live sessions in tables of the connection: they shadow the persisted rows (INDEX-1, RECON-6)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from session_query import LiveSession, SessionEvent, SurfaceFolder
from session_query.log import HiddenCalls
from session_query.text import Segmentation

from session_query_sqlite._database import Database
from session_query_sqlite._ranges import Directory, IdRanges
from session_query_sqlite._rows import SessionRows, documents_of
from session_query_sqlite._schema import LIVE, LIVE_FROM

__all__ = ["LiveIndex", "LiveView"]

_SLICE = 256


class LiveView(NamedTuple):
    """A live session and its log as one search observes them."""

    session: LiveSession
    events: Sequence[SessionEvent]


class _Entry:
    """One live session as far as it is indexed."""

    __slots__ = ("calls", "count", "folder", "number", "session")

    def __init__(self, session: LiveSession, number: int, tools: Collection[str]) -> None:
        self.session = session
        self.number = number
        self.count = 0
        self.folder = SurfaceFolder()
        self.calls = HiddenCalls(tools)


class LiveIndex:
    """Follows the live sessions of the process, event by event."""

    def __init__(self, segmentation: Segmentation, unsearchable_tools: Collection[str]) -> None:
        self._segmentation = segmentation
        self._tools = unsearchable_tools
        self._entries: dict[str, _Entry] = {}
        self._next = LIVE_FROM
        self._garbage: set[int] = set()
        """Numbers whose rows are to be deleted: their session went, or indexing it failed."""

    def forget(self) -> None:
        """Start over: the tables went with the connection."""
        self._entries.clear()
        self._garbage.clear()

    def numbers(self) -> dict[int, str]:
        """Return the ids of the indexed live sessions by number."""
        return {entry.number: name for name, entry in self._entries.items()}

    def number_of(self, session_id: str) -> int:
        """Return the number of an indexed live session."""
        return self._entries[session_id].number

    @staticmethod
    def directory(connection: sqlite3.Connection) -> Directory:
        """Return which live documents belong to which session; O(live sessions)."""
        return Directory.read(connection, LIVE)

    @staticmethod
    def within(connection: sqlite3.Connection, number: int) -> list[tuple[int, int]]:
        """Return the ranges of one live session's documents."""
        return IdRanges(connection, LIVE).of_session(number)

    def sync(
        self,
        database: Database,
        views: Mapping[str, LiveView],
        *,
        only: Iterable[str] | None = None,
    ) -> None:
        """Bring the tables up to what was observed; a job.

        Costs the new events. With ``only``, the other sessions are left as they are.
        """
        asked = views if only is None else {name: views[name] for name in only}
        judged = list(self._entries) if only is None else self._entries.keys() & asked.keys()
        for name in judged:
            if not self._follows(name, views):
                self._garbage.add(self._entries.pop(name).number)
        pending = [(name, view) for name, view in asked.items() if not self._is_current(name, view)]
        if not pending and not self._garbage:
            return
        connection = database.connection
        rows = SessionRows(connection, LIVE, self._segmentation)
        for number in list(self._garbage):
            connection.execute("BEGIN")
            rows.remove(number)
            connection.execute("COMMIT")
            self._garbage.discard(number)
        for name, view in pending:
            self._follow(name, view, rows, database.check, connection.execute)

    def _follows(self, name: str, views: Mapping[str, LiveView]) -> bool:
        """Tell whether what is indexed is the beginning of the log that is live now."""
        entry, view = self._entries[name], views.get(name)
        return (
            view is not None and entry.session is view.session and entry.count <= len(view.events)
        )

    def _is_current(self, name: str, view: LiveView) -> bool:
        entry = self._entries.get(name)
        return entry is not None and entry.count == len(view.events)

    def _follow(
        self,
        name: str,
        view: LiveView,
        rows: SessionRows,
        check: Callable[[], None],
        execute: Callable[[str], object],
    ) -> None:
        entry = self._entries.get(name)
        if entry is None:
            entry = self._entries[name] = _Entry(view.session, self._next, self._tools)
            self._next += 1
        try:
            while entry.count < len(view.events):
                check()
                some = view.events[entry.count : min(entry.count + _SLICE, len(view.events))]
                execute("BEGIN")
                shadowed = [seq for event in some for seq in entry.folder.push(event)]
                rows.add(entry.number, documents_of(some, entry.calls, entry.folder))
                rows.shadow(entry.number, shadowed)
                execute("COMMIT")
                entry.count += len(some)
        except BaseException:
            # the fold has gone further than the rows: index the session anew next time
            self._entries.pop(name, None)
            self._garbage.add(entry.number)
            raise
