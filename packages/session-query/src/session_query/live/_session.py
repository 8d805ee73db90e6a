"""A session that this process owns (LOG-14)."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from session_query._diagnostics import escape_controls, logger
from session_query.errors import SessionStoreError, SessionStoreErrorCode
from session_query.live._events import EventSnapshot
from session_query.log import (
    JsonValue,
    SessionEvent,
    SessionHeader,
    SurfaceError,
    SurfaceFold,
    SurfaceFolder,
)
from session_query.log._json import describe

__all__ = ["LiveSession", "Observer"]

Observer: TypeAlias = "Callable[[LiveSession, SessionEvent], object]"
"""What :meth:`LiveSession.subscribe` takes: called with the session and the event it gained."""


class LiveSession:
    """One live session: its header, its events so far, and the only way to add to them.

    Made by :class:`SessionStore`. It belongs to the thread of one event loop and takes no locks.
    """

    __slots__ = (
        "__weakref__",  # an index that follows a session must not keep it alive
        "_clock",
        "_events",
        "_folder",
        "_header",
        "_live",
        "_observers",
        "_snapshot",
        "_telling",
    )

    def __init__(
        self, header: SessionHeader, events: Iterable[SessionEvent], clock: Callable[[], int]
    ) -> None:
        self._header = header
        self._clock = clock
        self._events: list[SessionEvent] = []
        self._folder = SurfaceFolder()
        self._observers: dict[object, Observer] = {}
        self._telling = False
        self._live = True
        for event in events:
            if not isinstance(event, SessionEvent):
                kind = type(event).__name__
                raise _invalid(f"event {len(self._events)} is no SessionEvent but a {kind}")
            self._add(event)
        self._snapshot = EventSnapshot(self._events, len(self._events))

    @property
    def header(self) -> SessionHeader:
        """The immutable header."""
        return self._header

    @property
    def id(self) -> str:
        """The id in the header."""
        return self._header.id

    @property
    def is_live(self) -> bool:
        """Whether a store still holds the session; it takes no events after it was detached."""
        return self._live

    @property
    def events(self) -> Sequence[SessionEvent]:
        """An immutable snapshot of the log; O(1), and the same object until an event is added."""
        if len(self._snapshot) != len(self._events):
            self._snapshot = EventSnapshot(self._events, len(self._events))
        return self._snapshot

    def surface(self) -> SurfaceFold:
        """Return the fold of the events so far without folding them anew; O(nodes)."""
        return self._folder.fold()

    def append(
        self,
        type: str,  # noqa: A002 - the field's own name
        data: JsonValue,
        surface_op: JsonValue = None,
        source_event_seqs: JsonValue = None,
        time: int | None = None,
    ) -> SessionEvent:
        """Check an event, add it, tell the observers, and return it; O(its size) (LOG-14).

        ``surface_op`` is ``"append"`` or a replace object, ``source_event_seqs`` a list of seqs,
        ``time`` epoch milliseconds, by default now. The arguments are copied.

        Raises :class:`SessionStoreError` with ``INVALID_EVENT``, naming the type, for what is not
        lossless JSON or breaks a surface rule, and for an append from inside an observer of this
        session; with ``SESSION_NOT_LIVE`` after :meth:`SessionStore.detach`. Nothing is added then.
        """
        if not self._live:
            code = SessionStoreErrorCode.SESSION_NOT_LIVE
            raise SessionStoreError(f"session {self.id!r} was detached and takes no events", code)
        if self._telling:
            raise _invalid(
                f"event {describe(type)}: an observer may not append to the session it observes"
            )
        at = self._clock() if time is None else time
        try:
            event = SessionEvent(type, len(self._events), at, data, surface_op, source_event_seqs)
        except ValueError as error:
            raise _invalid(str(error)) from error
        self._add(event)
        if self._observers:
            self._tell(event)
        return event

    def subscribe(self, observer: Observer) -> Callable[[], None]:
        """Call ``observer(session, event)`` after each append; return what ends that.

        An observer is told of the events that are added after it subscribed, in order, and of none
        once it has unsubscribed, also if either happens while observers are being told. What it
        raises is logged and stops neither the append nor the other observers.
        """
        key = object()
        self._observers[key] = observer

        def unsubscribe() -> None:
            self._observers.pop(key, None)

        return unsubscribe

    def _add(self, event: SessionEvent) -> None:
        try:
            self._folder.push(event)
        except SurfaceError as error:
            raise _invalid(
                f"event {describe(event.type)}, seq {error.seq}: {error.reason}"
            ) from error
        self._events.append(event)

    def _tell(self, event: SessionEvent) -> None:
        self._telling = True
        try:
            for key in tuple(self._observers):
                observer = self._observers.get(key)
                if observer is None:
                    continue
                try:
                    observer(self, event)
                except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - LOG-14 contains it
                    self._report(event, error)
        finally:
            self._telling = False

    def _report(self, event: SessionEvent, error: BaseException) -> None:
        session_id = escape_controls(self.id)
        logger.warning(
            "session %s: an observer failed on event %d: %s",
            session_id,
            event.seq,
            escape_controls("".join(traceback.format_exception_only(error)).strip()),
            extra={"session_id": session_id, "code": "OBSERVER_FAILED"},
        )

    def __repr__(self) -> str:
        state = "" if self._live else ", detached"
        return f"<LiveSession {self.id!r}, {len(self._events)} events{state}>"


def _invalid(message: str) -> SessionStoreError:
    return SessionStoreError(message, SessionStoreErrorCode.INVALID_EVENT)
