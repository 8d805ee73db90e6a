"""The store of logs in a directory tree (LOG-16 to LOG-22)."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, Self, TypeVar
from urllib.parse import quote_from_bytes
from weakref import WeakValueDictionary

from session_query._diagnostics import Diagnostics
from session_query.cancellation import AbortController, AbortSignal, OperationQueue, run_blocking
from session_query.errors import (
    PersistenceCorruptionError,
    PersistenceError,
    PersistenceNotFoundError,
)
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence._seam import (
    PersistedSnapshot,
    StoredSession,
    StoredTail,
    WritableSessionPersistence,
)
from session_query.persistence.jsonl._catalog import Catalog
from session_query.persistence.jsonl._entries import two_places
from session_query.persistence.jsonl._files import file_key, opened, revision_of
from session_query.persistence.jsonl._layout import Place
from session_query.persistence.jsonl._reader import LogContent, Position, read_log, read_tail
from session_query.persistence.jsonl._writer import Writer

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["JsonlPersistence"]

T = TypeVar("T")

_ATTEMPTS = 5
_REMEMBERED = 20_000


class JsonlPersistence(WritableSessionPersistence):
    """The default store: below `root`, one JSON Lines file a session.

    Logs of both encodings are read, and written on in their own. Reading takes no lock and changes
    nothing. Writing takes the session: from its first :meth:`append` on, no other store object, in
    this process or another, can write to it, until :meth:`release`, :meth:`close` or the end of the
    process. A store object keeps the 128 sessions that it wrote last: each takes a descriptor.

    Args:
        root: the directory; the first append creates it.
        compression: how new logs are written: `"zstd"`, or `"none"` for plain lines.

    Raises:
        ValueError: `compression` is neither.
    """

    def __init__(
        self, root: str | os.PathLike[str], compression: Literal["zstd", "none"] = "zstd"
    ) -> None:
        if compression not in ("zstd", "none"):
            raise ValueError(f"compression is 'zstd' or 'none', not {compression!r}")
        self._root = os.path.realpath(root)
        self._catalog = Catalog(self._root, Diagnostics())
        self._positions: OrderedDict[tuple[str, str], Position] = OrderedDict()
        self._queues: WeakValueDictionary[str, OperationQueue] = WeakValueDictionary()
        self._writer = Writer(self._root, self._catalog, compressed=compression == "zstd")

    @property
    def identity(self) -> str:
        """The resolved path of the root and, once it exists, its inode (LOG-16).

        So it's the same by way of a symbolic link, and another for a store that was put in the
        place of a removed one.
        """
        name = "jsonl:" + quote_from_bytes(os.fsencode(self._root))
        try:
            return f"{name}#{os.stat(self._root).st_ino}"  # noqa: PTH116 - a string
        except OSError:
            return name

    async def list(self, signal: AbortSignal | None = None) -> Sequence[SessionHeader]:
        """Return the headers of all sessions (LOG-22); see :meth:`list_snapshots`."""
        return await self._run(
            lambda check: [snapshot.header for snapshot in self._snapshots(check)], signal
        )

    async def list_snapshots(
        self, signal: AbortSignal | None = None
    ) -> Sequence[PersistedSnapshot]:
        """Return header and revision of all sessions, in no particular order (LOG-22).

        A session that can't be read, or that lies in two places, is left out with one log record.

        Raises:
            PersistenceError: the root can't be read; one that doesn't exist is an empty store.
        """
        return await self._run(self._snapshots, signal)

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        """Return one complete log and the revision of exactly what was read (LOG-20).

        Raises:
            PersistenceCorruptionError: the log is damaged, or found in two places.
            PersistenceNotFoundError: there is none.
            PersistenceError: the file can't be read.
        """
        content, revision = await self._run(partial(self._read, session_id), signal)
        self._remember(session_id, revision, content)
        return StoredSession(content.header, tuple(content.events), revision)

    async def inspect_tail(
        self, session_id: str, since_revision: str, signal: AbortSignal | None = None
    ) -> StoredTail | None:
        """Return what a log gained since a revision that this object handed out (LOG-16).

        The bytes from before are hashed again, so that a log that was written anew is not mistaken
        for one that grew. None for any doubt, also where the log is damaged or gone.
        """
        position = self._positions.get((session_id, since_revision))
        job = partial(self._read_tail, session_id, since_revision, position)
        found = await self._run(job, signal)
        if found is None:
            return None
        content, revision = found
        if content is None:
            return StoredTail((), revision)
        self._remember(session_id, revision, content)
        return StoredTail(tuple(content.events), revision)

    async def append(self, header: SessionHeader, events: Sequence[SessionEvent]) -> None:
        """Append a batch, creating the log if there is none; durable when it returns (LOG-21).

        A cancelled append has written either the whole batch or nothing.

        Raises:
            PersistenceConflictError: another writer has the session, the stored header is another,
                or the first seq is not the stored count.
            PersistenceCorruptionError: the stored log is damaged; it's left as it is.
            PersistenceWriteError: the batch could not be written; the log is as it was.
        """
        batch = tuple(events)
        jobs = [partial(self._writer.append, header, batch)]

        def once() -> None:
            # The loop holds on to this function for a while. What it refers to must go at once
            # when nobody uses the store any more, since the locks go with it.
            jobs.pop()()

        async with self._queue(header.id).turn():
            await run_blocking(once)

    async def flush(self) -> None:
        """Wait until every append accepted so far has ended."""
        for queue in [*self._queues.values()]:
            async with queue.turn():
                pass

    async def release(self, session_id: str) -> None:
        """Let other writers have a session, after the appends accepted so far."""
        async with self._queue(session_id).turn():
            await run_blocking(partial(self._writer.release, session_id))

    async def close(self) -> None:
        """Release every session; the store can still be used, and takes them again."""
        await self.flush()
        await run_blocking(self._writer.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _run(self, job: Callable[[Callable[[], None]], T], signal: AbortSignal | None) -> T:
        """Run a read in a worker thread; it ends soon after an abort or a cancellation."""
        stop = AbortController()
        check = stop.signal.raise_if_aborted
        return await run_blocking(partial(job, check), signal=signal, interrupt=stop.abort)

    def _queue(self, session_id: str) -> OperationQueue:
        queue = self._queues.get(session_id)
        if queue is None:
            queue = self._queues[session_id] = OperationQueue(RuntimeError)
        return queue

    def _snapshots(self, check: Callable[[], None]) -> Sequence[PersistedSnapshot]:
        try:
            return self._catalog.snapshots(check)
        except OSError as error:
            raise PersistenceError(f"the store can't be listed: {error}") from error

    def _place(self, session_id: str) -> Place:
        places = self._catalog.locate(session_id)
        if not places:
            raise PersistenceNotFoundError(session_id)
        if len(places) > 1:
            raise two_places(places)
        return places[0]

    def _read(self, session_id: str, check: Callable[[], None]) -> tuple[LogContent, str]:
        try:
            for _ in range(_ATTEMPTS):
                found = self._attempt(session_id, check)
                if found is not None:
                    return found
        except OSError as error:
            raise PersistenceError(f"session {session_id!r} can't be read: {error}") from error
        raise PersistenceError(f"session {session_id!r} changes all the time while it is read")

    def _attempt(self, session_id: str, check: Callable[[], None]) -> tuple[LogContent, str] | None:
        """Read a log; None if what was read is not one state of it."""
        place = self._place(session_id)
        try:
            with opened(place.path) as descriptor:
                before = file_key(os.fstat(descriptor))
                try:
                    content = read_log(descriptor, before[1], place, check)
                except PersistenceCorruptionError:
                    if file_key(os.fstat(descriptor)) != before:
                        return None
                    raise
                after = file_key(os.fstat(descriptor))
        except FileNotFoundError:
            return None
        # Writers only append, so what stood there before a log grew still does.
        if after != before and after[1] <= before[1]:
            return None
        return content, revision_of(before)

    def _read_tail(
        self,
        session_id: str,
        since_revision: str,
        position: Position | None,
        check: Callable[[], None],
    ) -> tuple[LogContent | None, str] | None:
        try:
            place = self._place(session_id)
            with opened(place.path) as descriptor:
                before = file_key(os.fstat(descriptor))
                revision = revision_of(before)
                if revision == since_revision:
                    return None, revision
                if position is None:
                    return None
                content = read_tail(descriptor, before[1], place, check, position)
                after = file_key(os.fstat(descriptor))
        except (OSError, PersistenceError):
            return None  # reading the whole log tells what is wrong
        if content is None or (after != before and after[1] <= before[1]):
            return None
        return content, revision

    def _remember(self, session_id: str, revision: str, content: LogContent) -> None:
        if content.beyond:
            return  # the events reach further than the position
        self._positions[session_id, revision] = content.position
        self._positions.move_to_end((session_id, revision))
        if len(self._positions) > _REMEMBERED:
            self._positions.popitem(last=False)
