"""One call of a store, and what its answer must be (CANCEL-3, CANCEL-5, ERR-2)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from session_query.cancellation import AbortSignal, settle
from session_query.corpus._failures import translate_store_error
from session_query.live import EventSnapshot
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence import PersistedSnapshot, StoredSession

__all__ = ["ask_store", "checked_session", "checked_snapshots"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Failure:
    error: BaseException


async def ask_store(
    call: Callable[[AbortSignal], Awaitable[object]],
    check: Callable[[object], T],
    signal: AbortSignal | None,
    listed: SessionHeader | None,
) -> T:
    """Make one call of a store, wait for its end, and check the answer.

    Args:
        call: makes the call with the signal that it is given (CANCEL-5).
        check: returns the answer, or raises for one that is against the seam.
        signal: the signal of the caller.
        listed: the listed header of the session that is asked for, if one is.

    Raises:
        SessionQueryError: what the failure of the store means for the caller (ERR-2).
    """

    async def attempt(seen: AbortSignal) -> T | _Failure:
        # A failure travels as a value: what `settle` raises is then the caller's own doing.
        try:
            return check(await call(seen))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a store may raise anything
            return _Failure(error)

    answer = await settle(attempt, signal)
    if isinstance(answer, _Failure):
        raise translate_store_error(answer.error, listed, after_listing=listed is not None)
    return answer


def checked_snapshots(answer: object) -> Sequence[PersistedSnapshot]:
    """Return a copy of what a store listed; raise `TypeError` for what is no listing."""
    if not isinstance(answer, Iterable):
        raise TypeError(f"the store listed no snapshots but a {type(answer).__name__}")
    snapshots = tuple(answer)
    _expect(PersistedSnapshot, snapshots, "listed")
    _expect(SessionHeader, [snapshot.header for snapshot in snapshots], "listed")
    return snapshots


def checked_session(answer: object) -> StoredSession:
    """Return a detached copy of what a store inspected; raise `TypeError` for what is no log."""
    _expect(StoredSession, [answer], "inspected")
    assert isinstance(answer, StoredSession)  # noqa: S101 - just checked
    _expect(SessionHeader, [answer.header], "inspected")
    # the store may keep its own list, and go on with it
    events = list(answer.events)
    _expect(SessionEvent, events, "inspected")
    return StoredSession(answer.header, EventSnapshot(events, len(events)), answer.revision)


def _expect(kind: type, answers: Sequence[object], verb: str) -> None:
    for found in set(map(type, answers)):
        if not issubclass(found, kind):
            raise TypeError(f"the store {verb} a {found.__name__}, not a {kind.__name__}")
