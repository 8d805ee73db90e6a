"""Which sessions there are; a look costs two system calls for each (LOG-22)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

from session_query._diagnostics import Diagnostics
from session_query.errors import ErrorCode, PersistenceCorruptionError, PersistenceError
from session_query.persistence._seam import PersistedSnapshot
from session_query.persistence.jsonl._entries import Entry, places_in, two_places
from session_query.persistence.jsonl._folders import Folder
from session_query.persistence.jsonl._generations import note_events
from session_query.persistence.jsonl._layout import (
    NAME_LIMIT,
    Place,
    decode_id,
    encode_id,
    is_project,
)

__all__ = ["Catalog"]

_BETWEEN_CHECKS = 256
_OBJECTS = 8
"""How many objects a session that is new in a listing comes to; they stay."""


class Catalog:
    """The sessions below a root; what didn't change since the last look is not read again.

    It may be used from several threads.
    """

    def __init__(self, root: str, diagnostics: Diagnostics) -> None:
        self._root = root
        self._diagnostics = diagnostics
        self._listing = threading.Lock()
        self._listed_root = Folder(root, is_project)
        self._projects: dict[str, _Project] = {}
        self._known: dict[str, Entry] = {}
        self._locating = threading.Lock()
        self._located_root = Folder(root, is_project)

    def snapshots(self, check: Callable[[], None]) -> list[PersistedSnapshot]:
        """Return header and revision of every session, as far as its header tells that it's sound.

        Each of the others leaves one log record.

        Args:
            check: called every now and then; what it raises ends the listing.

        Raises:
            OSError: the root can't be read. One that doesn't exist is an empty store.
        """
        with self._listing:
            entries: dict[str, Entry] = {}
            doubles: dict[str, list[Entry]] = {}
            for project in self._refreshed():
                for start in range(0, len(project.entries), _BETWEEN_CHECKS):
                    check()
                    for entry in project.entries[start : start + _BETWEEN_CHECKS]:
                        if entry.refresh():
                            other = entries.setdefault(entry.session_id, entry)
                            if other is not entry:
                                doubles.setdefault(entry.session_id, [other]).append(entry)
            for session_id, same in doubles.items():
                del entries[session_id]
                self._leave_out(session_id, two_places([p for e in same for p in e.places]))
            self._known = entries
            snapshots = []
            for session_id, entry in entries.items():
                if entry.failure is not None:
                    self._leave_out(session_id, entry.failure, entry.revision)
                elif entry.snapshot is not None:
                    snapshots.append(entry.snapshot)
            return snapshots

    def locate(self, session_id: str, *, anew: bool = False) -> list[Place]:
        """Return where the log of a session lies: nowhere, in one place or, damaged, in several.

        The last listing is believed, unless it doesn't know the session any more.

        Args:
            session_id: any text.
            anew: look into every project all the same. What can't be read counts as empty, or
                nobody could create a session beside it.

        Raises:
            OSError: the root can't be read; without `anew`, also another directory.
        """
        name = encode_id(session_id) if session_id else ""
        if not 0 < len(name) <= NAME_LIMIT:
            return []
        known = None if anew else self._known.get(session_id)
        if known is not None and len(places := known.look()) == 1:
            return places
        with self._locating:
            try:
                self._located_root.refresh()
            except FileNotFoundError:
                return []
            projects = self._located_root.names
        exists = os.access
        places = [
            place
            for project in projects
            if exists(f"{self._root}/{project}/{name}", os.F_OK)
            for place in places_in(self._root, project, name)
        ]
        if not places and not anew:
            self._explain(projects, name)
        return places

    def _explain(self, projects: list[str], name: str) -> None:
        """Raise the error behind a session that was not found, if there is one."""
        for project in projects:
            try:
                os.stat(f"{self._root}/{project}/{name}/.")  # noqa: PTH116 - no Path in a loop
            except (FileNotFoundError, NotADirectoryError):
                continue

    def _refreshed(self) -> Iterator[_Project]:
        try:
            changed = self._listed_root.refresh()
        except FileNotFoundError:
            self._projects = {}
            return
        if changed:
            self._projects = {
                name: self._projects.get(name) or _Project(self._root, name)
                for name in self._listed_root.names
            }
        for name, project in self._projects.items():
            try:
                project.refresh()
            except FileNotFoundError:
                continue
            except OSError as error:
                self._leave_out(f"{name}/*", PersistenceError(str(error)))
                continue
            yield project

    def _leave_out(self, session_id: str, failure: PersistenceError, revision: str = "") -> None:
        corrupt = isinstance(failure, PersistenceCorruptionError)
        code = ErrorCode.CORRUPT_SESSION if corrupt else ErrorCode.PERSISTENCE_FAILED
        self._diagnostics.record(session_id, code, str(failure), revision)


class _Project:
    """The session directories of one workspace."""

    def __init__(self, root: str, name: str) -> None:
        self.entries: list[Entry] = []
        self._root = root
        self._name = name
        self._folder = Folder(f"{root}/{name}", self._is_session)
        self._known: dict[str, Entry] = {}

    def refresh(self) -> None:
        if self._folder.refresh():
            new = sum(name not in self._known for name in self._folder.names)
            self._known = {name: self._entry(name) for name in self._folder.names}
            self.entries = [*self._known.values()]
            note_events(new * _OBJECTS)

    def _is_session(self, name: str) -> bool:
        return name in self._known or decode_id(name) is not None

    def _entry(self, name: str) -> Entry:
        known = self._known.get(name)
        return known or Entry(self._root, self._name, name, decode_id(name) or name)
