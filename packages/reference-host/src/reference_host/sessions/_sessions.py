"""The sessions of a host: made, loaded, forked, listed and renamed (HOST-3, ACP-1)."""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_right
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from session_query import (
    CwdFilter,
    ErrorCode,
    LiveSession,
    SessionLog,
    SessionQueryEngine,
    SessionQueryError,
    SessionRecord,
    SessionStore,
    SessionStoreError,
    SessionStoreErrorCode,
    WritableSessionPersistence,
    interrupted_turn_closers,
    trim,
    turn_is_open,
)

from reference_host.errors import SessionError
from reference_host.sessions._journal import Journal

__all__ = ["HostSession", "SessionSummary", "Sessions", "busy", "closed"]

_READ_FAILURES: Final = {
    ErrorCode.SESSION_NOT_FOUND: "SESSION_NOT_FOUND",
    ErrorCode.CORRUPT_SESSION: "SESSION_CORRUPT",
    ErrorCode.INVALID_SURFACE: "SESSION_CORRUPT",
    ErrorCode.SOURCE_CONFLICT: "SESSION_CORRUPT",
}


@dataclass(slots=True, eq=False)
class HostSession:
    """A live session and what this host knows of it.

    Attributes:
        live: the session.
        journal: what brings its events into the store.
        busy: whether a turn is running, or the session is being shown to a client.
        resumed: whether it was loaded and no request was made since.
    """

    live: LiveSession
    journal: Journal
    busy: bool = False
    resumed: bool = False

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.live.id


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session in a listing; `title` is None where it has none, or none that can be read."""

    record: SessionRecord
    title: str | None


class Sessions:
    """The sessions of one host.

    Args:
        store: the live ones.
        persistence: where all of them are kept.
        engine: exact reads over both.
        new_id: gives ids to sessions.
        release_log: lets other processes write to the log of a session; None where the store has
            no way to.
    """

    def __init__(
        self,
        store: SessionStore,
        persistence: WritableSessionPersistence,
        engine: SessionQueryEngine,
        *,
        new_id: Callable[[], str],
        release_log: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        self._store = store
        self._persistence = persistence
        self._engine = engine
        self._new_id = new_id
        self._release_log = release_log
        self._open: dict[str, HostSession] = {}

    def get(self, session_id: str) -> HostSession:
        """Return an open session.

        Raises:
            SessionError: `SESSION_NOT_FOUND`; it was not made, loaded or forked by this host.
        """
        session = self._open.get(session_id)
        if session is None:
            problem = f"no session {session_id!r} is open here; load it first"
            raise SessionError(problem, "SESSION_NOT_FOUND")
        return session

    def opened(self) -> tuple[HostSession, ...]:
        """Return the sessions that are open here."""
        return tuple(self._open.values())

    def create(self, cwd: str) -> HostSession:
        """Make a session; its log is created by the first turn.

        Raises:
            SessionError: `SESSION_INVALID_CWD`; the directory is no absolute path.
        """
        _check_cwd(cwd)
        live = self._store.create(self._new_id(), cwd=cwd)
        return self._opened(live, written=0)

    async def load(self, session_id: str, cwd: str | None) -> HostSession:
        """Take a stored session up again; one that is open already is returned as it is.

        The closers of a turn that a crash left open are written first (LOG-25).

        Args:
            session_id: the session.
            cwd: the directory it must have; None for whichever it has.

        Raises:
            SessionError: `SESSION_NOT_FOUND`, `SESSION_CWD_MISMATCH`, `SESSION_CORRUPT`,
                `SESSION_UNREADABLE`, `SESSION_OWNED_ELSEWHERE`, `SESSION_WRITE_FAILED`, or
                `SESSION_CLOSED` if another call let go of it meanwhile.
        """
        if (session := self._open.get(session_id)) is not None:
            # another call that is loading it may not have written its closers yet
            _check_same(session.live, cwd)
            await self.flush(session)
        else:
            session = await self._load(session_id, cwd)
            _check_same(session.live, cwd)
            await self._written(session, session.journal.claim)
        if not session.live.is_live:
            raise closed(session_id)
        return session

    async def fork(self, session_id: str, cwd: str | None) -> HostSession:
        """Make a session that inherits all events of another (LOG-15); its log is written at once.

        The other may be another process's, as long as no turn is running in it.

        Raises:
            SessionError: what `load` raises, and `SESSION_BUSY` while a turn is running.
        """
        live = await self._fork_of_stored(session_id, cwd)
        if live is None:
            parent = await self.load(session_id, cwd)
            try:
                live = self._store.fork(parent.live, id=self._new_id())
            except SessionStoreError as error:
                if error.code is SessionStoreErrorCode.OPEN_TURN:
                    raise busy(session_id) from error
                raise
        session = self._opened(live, written=0)
        await self.flush(session)
        return session

    async def list(
        self, cwd: str | None, *, after: tuple[int, str] | None = None, limit: int = 100
    ) -> tuple[list[SessionSummary], bool]:
        """Return sessions, newest first, and whether there are more after them.

        O(sessions), and the logs of those that are returned are read for their titles.

        Args:
            cwd: exactly this directory; None for every session that has one.
            after: time of creation and id of the last session of the page before.
            limit: at most so many.
        """
        records = await self._engine.filter_sessions([] if cwd is None else [CwdFilter([cwd])])
        places = [(-record.header.created_at, record.header.id) for record in records]
        start = 0 if after is None else bisect_right(places, (-after[0], after[1]))
        shown = [record for record in records[start:] if record.header.cwd is not None]
        page = shown[:limit]
        titles = await self._engine.read_titles([record.header.id for record in page])
        found: list[SessionSummary] = []
        for record, result in zip(page, titles, strict=True):
            title = None if result.value is None else result.value.title
            found.append(SessionSummary(record, None if title is None else title.title))
        return found, len(shown) > limit

    async def rename(self, session_id: str, title: str) -> None:
        """Give a session a title of the user's own (HOST-7).

        Raises:
            SessionError: what `load` raises; `SESSION_BUSY` while a turn is running;
                `SESSION_INVALID_TITLE` for a blank one.
        """
        if not (title := trim(title)):
            raise SessionError("a title can't be blank", "SESSION_INVALID_TITLE")
        session = await self.load(session_id, None)
        if session.busy:
            raise busy(session_id)
        source = {"kind": "user"}
        session.live.append("session/title", {"title": title, "messageSeqs": [], "source": source})
        await self.flush(session)

    async def flush(self, session: HostSession) -> None:
        """Make durable what a session has gained.

        A session that can't be written is closed: it has events that its log lacks.

        Raises:
            SessionError: `SESSION_OWNED_ELSEWHERE` or `SESSION_WRITE_FAILED`.
        """
        await self._written(session, session.journal.flush)

    async def release(self, session_id: str) -> None:
        """Write what a session has gained, and let go of it; other processes can have it then.

        Raises:
            SessionError: `SESSION_NOT_FOUND`; `SESSION_BUSY` while a turn is running; what `flush`
                raises.
        """
        session = self.get(session_id)
        if session.busy:
            raise busy(session_id)
        session.busy = True  # no turn begins any more
        try:
            await self.flush(session)
        finally:
            session.busy = False
        self._forget(session)
        if self._release_log is not None:
            await self._release_log(session_id)

    async def close(self) -> None:
        """Write what is not written yet, and let go of every session, whatever happens meanwhile.

        Raises:
            ExceptionGroup: of the `SessionError` of each session that could not be written.
        """
        failures: list[Exception] = []
        cancelled: asyncio.CancelledError | None = None
        for session in [*self._open.values()]:
            for _ in range(2):  # a cancellation can come before the batch has begun
                try:
                    await session.journal.flush()
                except SessionError as error:
                    failures.append(error)
                except asyncio.CancelledError as error:
                    cancelled = error
                    continue
                break
            self._forget(session)
        if cancelled is not None:
            raise cancelled
        if failures:
            raise ExceptionGroup("sessions that could not be written", failures)

    async def _written(self, session: HostSession, write: Callable[[], Awaitable[None]]) -> None:
        try:
            await write()
        except SessionError:
            self._forget(session)
            raise

    async def _fork_of_stored(self, session_id: str, cwd: str | None) -> LiveSession | None:
        """Fork a log without taking it; None for one that is open here, or has a turn to close."""
        if session_id in self._open:
            return None
        log = await self._read(session_id)
        if session_id in self._open or turn_is_open(log.events):
            return None
        if cwd is not None and log.header.cwd != cwd:
            raise _mismatch(session_id)
        return self._store.create(
            self._new_id(), cwd=log.header.cwd, parent_session=session_id, seed=log.events
        )

    async def _read(self, session_id: str) -> SessionLog:
        try:
            return await self._engine.read_session(session_id)
        except SessionQueryError as error:
            code = _READ_FAILURES.get(error.code, "SESSION_UNREADABLE")
            raise SessionError(error.message, code) from error

    async def _load(self, session_id: str, cwd: str | None) -> HostSession:
        log = await self._read(session_id)
        if (opened := self._open.get(session_id)) is not None:
            return opened  # another call has loaded it meanwhile
        if cwd is not None and log.header.cwd != cwd:
            raise _mismatch(session_id)
        live = self._store.attach(log.header, log.events)
        session = self._opened(live, written=len(log.events))
        session.resumed = True
        for closer in interrupted_turn_closers(log.events):
            live.append(
                closer.type, closer.data, closer.surface_op, closer.source_event_seqs, closer.time
            )
        return session

    def _opened(self, live: LiveSession, *, written: int) -> HostSession:
        session = HostSession(live, Journal(self._persistence, live, written))
        self._open[live.id] = session
        return session

    def _forget(self, session: HostSession) -> None:
        if self._open.pop(session.id, None) is not None:
            self._store.detach(session.id)


def _check_cwd(cwd: str) -> None:
    if not os.path.isabs(cwd) or "\0" in cwd:  # noqa: PTH117 - the string is what counts
        problem = f"the working directory {cwd!r} is no absolute path"
        raise SessionError(problem, "SESSION_INVALID_CWD")


def _check_same(live: LiveSession, cwd: str | None) -> None:
    if cwd is not None and live.header.cwd != cwd:
        raise _mismatch(live.id)


def _mismatch(session_id: str) -> SessionError:
    problem = f"session {session_id!r} belongs to another working directory"
    return SessionError(problem, "SESSION_CWD_MISMATCH")


def busy(session_id: str) -> SessionError:
    """Return what is raised while a turn of a session is running."""
    problem = f"a turn of session {session_id!r} is running; wait for it, or cancel it"
    return SessionError(problem, "SESSION_BUSY")


def closed(session_id: str) -> SessionError:
    """Return what is raised for a session that was let go of."""
    problem = f"session {session_id!r} was closed here; load it again"
    return SessionError(problem, "SESSION_CLOSED")
