"""Appending to logs: one writer a session, whole batches, nothing rewritten (LOG-21)."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence

from session_query.errors import PersistenceConflictError, PersistenceWriteError
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence.jsonl._catalog import Catalog
from session_query.persistence.jsonl._creation import create_log, remove_leftovers
from session_query.persistence.jsonl._encoding import event_lines
from session_query.persistence.jsonl._entries import places_in, two_places
from session_query.persistence.jsonl._layout import Place, encode_id, project_name
from session_query.persistence.jsonl._locks import try_lock
from session_query.persistence.jsonl._owned import OwnedLog
from session_query.persistence.jsonl._reader import read_log

__all__ = ["OWNED_LIMIT", "Writer"]

OWNED_LIMIT = 128
"""How many sessions a store object keeps locked: each takes a file descriptor."""

_ATTEMPTS = 5
_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Writer:
    """The logs below `root` that this process writes.

    It may be used from several threads, but for one session by one at a time.
    """

    def __init__(self, root: str, catalog: Catalog, *, compressed: bool) -> None:
        self._root = root
        self._catalog = catalog
        self._compressed = compressed
        self._lock = threading.Lock()
        self._owned: OrderedDict[str, OwnedLog] = OrderedDict()

    def append(self, header: SessionHeader, events: Sequence[SessionEvent]) -> None:
        """Append a batch, or create the log with it; see `JsonlPersistence.append`."""
        _check_batch(header.id, events)
        try:
            lines = event_lines(events)
            log = self._take(header.id)
            owned = log is not None
            for attempt in range(_ATTEMPTS):
                # To look everywhere takes its time, and `create_log` does it too.
                if log is None and (attempt or not self._seems_new(header, events)):
                    log = self._open(header.id)
                if log is not None:
                    self._continue(log, header, events, lines, owned=owned)
                    return
                created = self._create(header, events, lines)
                if created is not None:
                    self._keep(created)
                    return
        except (OSError, ValueError) as error:
            raise PersistenceWriteError(header.id, f"can't write: {error}") from error
        raise PersistenceConflictError(header.id, "other writers create and remove it all the time")

    def release(self, session_id: str) -> None:
        """Let others write to a session."""
        with self._lock:
            log = self._owned.pop(session_id, None)
        if log is not None:
            log.close()

    def close(self) -> None:
        """Let others write to every session."""
        with self._lock:
            logs = [*self._owned.values()]
            self._owned.clear()
        for log in logs:
            log.close()

    def _continue(
        self,
        log: OwnedLog,
        header: SessionHeader,
        events: Sequence[SessionEvent],
        lines: bytes,
        *,
        owned: bool,
    ) -> None:
        """Append to an existing log; a writer that fails at once doesn't take the session."""
        try:
            log.check(header, events[0].seq if events else None)
            if events:
                log.append(lines, len(events))
        except BaseException:
            if owned and log.current:
                self._keep(log)
            else:
                log.close()
            raise
        self._keep(log)

    def _take(self, session_id: str) -> OwnedLog | None:
        """Take out a log that is locked already, unless something else has touched it."""
        with self._lock:
            log = self._owned.pop(session_id, None)
        if log is not None and not log.current:
            log.close()
            return None
        return log

    def _keep(self, log: OwnedLog) -> None:
        with self._lock:
            self._owned[log.session_id] = log
            idle = self._owned.popitem(last=False)[1] if len(self._owned) > OWNED_LIMIT else None
        if idle is not None:
            idle.close()

    def _seems_new(self, header: SessionHeader, events: Sequence[SessionEvent]) -> bool:
        """Tell whether a log begins here, as far as one directory tells."""
        project, directory = project_name(header.cwd), encode_id(header.id)
        first = events[0].seq if events else 0
        return first == 0 and not places_in(self._root, project, directory)

    def _open(self, session_id: str) -> OwnedLog | None:
        """Lock and read the log of a session; None if there is none, or not any more."""
        places = self._catalog.locate(session_id, anew=True)
        if not places:
            return None
        if len(places) > 1:
            raise two_places(places)
        place = places[0]
        try:
            descriptor = os.open(place.path, _FLAGS)
        except FileNotFoundError:
            return None
        try:
            log = _locked(descriptor, place)
        except BaseException:
            os.close(descriptor)
            raise
        if not log.current:
            # It was replaced or removed before it was locked.
            log.close()
            return None
        remove_leftovers(os.path.dirname(place.path))  # noqa: PTH120 - a string
        return log

    def _create(
        self, header: SessionHeader, events: Sequence[SessionEvent], lines: bytes
    ) -> OwnedLog | None:
        """Write a log that doesn't exist yet; None if another writer was quicker."""
        if events and events[0].seq != 0:
            raise PersistenceConflictError(
                header.id, f"the batch begins with seq {events[0].seq}, but nothing is stored"
            )

        def absent() -> bool:
            return not self._catalog.locate(header.id, anew=True)

        return create_log(
            self._root, header, lines, len(events), absent, compressed=self._compressed
        )


def _locked(descriptor: int, place: Place) -> OwnedLog:
    if not try_lock(descriptor):
        raise PersistenceConflictError(place.session_id, "another writer has it")
    size = os.fstat(descriptor).st_size
    content = read_log(descriptor, size, place, _go_on)
    if content.beyond:
        content = read_log(descriptor, size, place, _go_on, exactly=True)
    return OwnedLog(
        descriptor,
        place,
        content.header,
        content.count,
        end=content.position.offset,
        beyond=content.beyond,
    )


def _check_batch(session_id: str, events: Sequence[SessionEvent]) -> None:
    for seq, event in enumerate(events, events[0].seq if events else 0):
        if event.seq != seq:
            raise PersistenceConflictError(
                session_id, f"the batch has a gap: seq {event.seq} where {seq} is due"
            )


def _go_on() -> None:
    """Nothing ends the reading of a log that is to be written."""
