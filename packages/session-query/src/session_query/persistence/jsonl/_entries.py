"""One session directory, and what a listing remembers of it (LOG-20, LOG-22)."""

from __future__ import annotations

import os

from session_query.errors import PersistenceCorruptionError, PersistenceError
from session_query.persistence._seam import PersistedSnapshot
from session_query.persistence.jsonl._files import FileKey, file_key, opened, revision_of
from session_query.persistence.jsonl._layout import LOG_NAMES, Place
from session_query.persistence.jsonl._reader import read_header

__all__ = ["Entry", "places_in", "two_places"]

# This runs for each session in each search: a string is quicker than a Path, and a global than an
# attribute.
_stat, _access, _EXISTS = os.stat, os.access, os.F_OK

_ABSENT = (FileNotFoundError, NotADirectoryError)


def places_in(root: str, project: str, directory: str) -> list[Place]:
    """Return the logs that a session directory holds: one, as a rule."""
    places = [
        Place(project, directory, f"{root}/{project}/{directory}/{name}") for name in LOG_NAMES
    ]
    return [place for place in places if os.path.isfile(place.path)]  # noqa: PTH113 - a string


def two_places(places: list[Place]) -> PersistenceCorruptionError:
    """Return the error for a session that is stored more than once (LOG-20)."""
    names = " and ".join("/".join(place.path.rsplit("/", 3)[1:]) for place in places)
    return PersistenceCorruptionError(places[0].session_id, None, f"found in two places: {names}")


class Entry:
    """What is in one session directory."""

    __slots__ = ("_key", "_other", "_path", "_where", "failure", "places", "session_id", "snapshot")

    def __init__(self, root: str, project: str, directory: str, session_id: str) -> None:
        self.session_id = session_id
        self.places: list[Place] = []
        """The logs in it; more than one is corruption."""
        self.snapshot: PersistedSnapshot | None = None
        self.failure: PersistenceError | None = None
        """Why there is no snapshot, though there is a log."""
        self._where = (root, project, directory)
        self._path, self._other = (f"{root}/{project}/{directory}/{name}" for name in LOG_NAMES)
        self._key: FileKey | None = None

    @property
    def revision(self) -> str:
        """The revision of the log at the last look, where there is one."""
        return "" if self._key is None else revision_of(self._key)

    def look(self) -> list[Place]:
        """Return the logs that are there just now; this changes nothing that is remembered."""
        return places_in(*self._where)

    def refresh(self) -> bool:
        """Look again; return whether there is a log. A file that didn't change is not opened."""
        try:
            status = _stat(self._path)
            if _access(self._other, _EXISTS):
                self._renew()
            elif file_key(status) != self._key:
                self.places = [self._place()]
                self._load()
        except _ABSENT:
            self._renew()
        except OSError as error:
            self.places = [self._place()]
            self._fail(PersistenceError(str(error)), None)
        return self.places != []

    def _place(self) -> Place:
        return Place(*self._where[1:], self._path)

    def _renew(self) -> None:
        self.places = self.look()
        if not self.places:
            self.snapshot = self.failure = self._key = None
        elif len(self.places) > 1:
            self._fail(two_places(self.places), None)
        else:
            if self.places[0].path != self._path:
                self._path, self._other = self._other, self._path
            self._load()

    def _load(self) -> None:
        place = self.places[0]
        key: FileKey | None = None
        try:
            with opened(place.path) as descriptor:
                status = os.fstat(descriptor)
                key = file_key(status)
                # Even where the same file only grew, its header may be another: the check costs
                # two hundredths of a millisecond, and only logs that changed come here.
                header = read_header(descriptor, status.st_size, place)
        except _ABSENT:
            self.places = []
            self.snapshot = self.failure = self._key = None
        except PersistenceCorruptionError as error:
            self._fail(error, key)
        except OSError as error:
            self._fail(PersistenceError(str(error)), None)
        else:
            self._key = key
            self.failure = None
            self.snapshot = PersistedSnapshot(header, revision_of(file_key(status)))

    def _fail(self, error: PersistenceError, key: FileKey | None) -> None:
        self._key = key
        self.snapshot = None
        self.failure = error
