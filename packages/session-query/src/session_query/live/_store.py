"""The live sessions of one process (LOG-14, LOG-15)."""

from __future__ import annotations

import builtins
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from session_query.errors import SessionStoreError
from session_query.errors import SessionStoreErrorCode as Code
from session_query.live._session import LiveSession
from session_query.log import LOG_VERSION, SessionEvent, SessionHeader, turn_is_open
from session_query.log._json import describe, safe_integral

__all__ = ["SessionStore"]

_END_SEED = "session/end-seed"


def _now() -> int:
    return time.time_ns() // 1_000_000


class SessionStore:
    """Holds the live sessions of one process, at most one for each id (LOG-14).

    It belongs to the thread of one event loop and takes no locks. ``clock`` gives the time in epoch
    milliseconds for sessions and events that are not given one.
    """

    def __init__(self, *, clock: Callable[[], int] = _now) -> None:
        self._clock = clock
        self._sessions: dict[str, LiveSession] = {}

    def create(  # noqa: PLR0913 - the fields of a header
        self,
        id: str | None = None,  # noqa: A002 - the field's own name
        *,
        cwd: str | None = None,
        parent_session: str | None = None,
        created_at: int | None = None,
        seed: Iterable[SessionEvent] = (),
        origin: str | None = None,
        delegation_depth: int | None = None,
        agent_preset: str | None = None,
    ) -> LiveSession:
        """Make a new session; ``id`` is a UUID and ``created_at`` now unless given.

        ``seed`` are inherited events, numbered from 0. Their number becomes ``seed_length``, and
        ``session/end-seed`` is appended after them unless they end in one (LOG-15).

        Raises :class:`SessionStoreError` with ``SESSION_ALREADY_EXISTS``, or ``INVALID_EVENT`` for
        a seed that breaks a rule of the log and for a header value that is not allowed. Nothing is
        created then.
        """
        return self._begin(
            id,
            created_at,
            list(seed) or None,
            cwd=cwd,
            parent_session=parent_session,
            origin=origin,
            delegation_depth=delegation_depth,
            agent_preset=agent_preset,
        )

    def attach(self, header: SessionHeader, events: Iterable[SessionEvent] = ()) -> LiveSession:
        """Take up a session that exists already, such as a stored one, exactly as it is.

        Raises :class:`SessionStoreError` with ``SESSION_ALREADY_EXISTS``, or ``INVALID_EVENT`` for
        a log that breaks a rule.
        """
        session = LiveSession(header, events, self._clock)
        if header.id in self._sessions:
            raise _error(
                f"a session {header.id!r} is live already",
                Code.SESSION_ALREADY_EXISTS,
            )
        self._sessions[header.id] = session
        return session

    def get(self, id: str) -> LiveSession | None:  # noqa: A002 - the field's own name
        """Return the live session of that id, or None."""
        return self._sessions.get(id)

    def list(self) -> builtins.list[LiveSession]:
        """Return the live sessions in the order in which they came, in a list of the caller's."""
        return [*self._sessions.values()]

    def detach(self, id: str) -> LiveSession:  # noqa: A002 - the field's own name
        """Let go of a session and return it; it can still be read, but takes no more events.

        Raises :class:`SessionStoreError` with ``SESSION_NOT_FOUND``.
        """
        session = self._sessions.pop(id, None)
        if session is None:
            raise _error(f"no live session {describe(id)}", Code.SESSION_NOT_FOUND)
        session._live = False
        return session

    def fork(
        self,
        source: str | LiveSession,
        boundary: int | None = None,
        id: str | None = None,  # noqa: A002 - the field's own name
    ) -> LiveSession:
        """Make a session that inherits the events of ``source`` through seq ``boundary`` (LOG-15).

        The boundary is the last event unless given. The child has the same ``cwd``, names the
        source as ``parent_session``, and its own events begin with ``session/end-seed`` unless the
        inherited ones end in one.

        Raises :class:`SessionStoreError` with ``SESSION_NOT_FOUND`` for an unknown id,
        ``SESSION_NOT_LIVE`` for a session that this store does not hold, ``INVALID_BOUNDARY`` for
        what is no seq of the source, ``OPEN_TURN`` where the prefix leaves a turn open, and
        ``SESSION_ALREADY_EXISTS``. Nothing is created then.
        """
        parent = self._held(source)
        count = len(parent.events)
        last = count - 1 if boundary is None else safe_integral(boundary)
        if last is None or (boundary is not None and not 0 <= last < count):
            raise _error(
                f"boundary {describe(boundary)} is no seq of {parent.id!r}, of {count} events",
                Code.INVALID_BOUNDARY,
            )
        events = [*islice(parent.events, last + 1)]
        if turn_is_open(events):
            raise _error(
                f"session {parent.id!r} has an open turn at event {last}; fork after a turn/end",
                Code.OPEN_TURN,
            )
        return self._begin(id, None, events, cwd=parent.header.cwd, parent_session=parent.id)

    def _begin(
        self,
        session_id: str | None,
        created_at: int | None,
        seed: Sequence[SessionEvent] | None,
        **fields: Any,
    ) -> LiveSession:
        """Make a session of a new header; None for ``seed`` means that nothing is inherited."""
        now = self._clock()
        try:
            header = SessionHeader(
                version=LOG_VERSION,
                id=str(uuid.uuid4()) if session_id is None else session_id,
                created_at=now if created_at is None else created_at,
                seed_length=None if seed is None else len(seed),
                **fields,
            )
        except ValueError as error:
            raise _error(f"session header: {error}", Code.INVALID_EVENT) from error
        return self.attach(header, () if seed is None else _ended(seed, now))

    def _held(self, source: str | LiveSession) -> LiveSession:
        if isinstance(source, LiveSession):
            if self._sessions.get(source.id) is not source:
                raise _error(
                    f"session {source.id!r} is not live in this store",
                    Code.SESSION_NOT_LIVE,
                )
            return source
        session = self._sessions.get(source)
        if session is None:
            raise _error(f"no live session {describe(source)}", Code.SESSION_NOT_FOUND)
        return session


def _ended(events: Sequence[SessionEvent], now: int) -> Sequence[SessionEvent]:
    """Return inherited events with the mark of their end, unless they end in it already."""
    last = events[-1] if events else None
    if isinstance(last, SessionEvent) and last.type == _END_SEED:
        return events
    return [*events, SessionEvent(_END_SEED, len(events), now, {})]


def _error(message: str, code: Code) -> SessionStoreError:
    return SessionStoreError(message, code)
