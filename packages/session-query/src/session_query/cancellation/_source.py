"""The event behind abort signals: it happens once, in any thread."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from session_query._diagnostics import escape_controls, logger
from session_query.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AbortSource"]

_arrivals = count()


class AbortSource:
    """One abort that will happen or not, and whom to tell.

    There is no lock, since a handler of operating system signals may abort while its own thread
    is in the middle of any method here. Every step that must not be split is one operation on a
    dict: `setdefault` decides which abort was first, `pop` who calls a callback.
    """

    __slots__ = ("_abort", "_callbacks")

    def __init__(self) -> None:
        self._abort: dict[None, tuple[int, BaseException]] = {}
        self._callbacks: dict[object, Callable[[], None]] = {}

    @property
    def reason(self) -> BaseException | None:
        """The reason of the abort, or None before it."""
        abort = self._abort.get(None)
        return None if abort is None else abort[1]

    @property
    def order(self) -> int:
        """The place of this abort among those of the process; only an aborted source has one."""
        return self._abort[None][0]

    def abort(self, reason: BaseException) -> None:
        """Let it happen and call the callbacks in the order they came, unless it happened."""
        abort = (next(_arrivals), reason)
        if self._abort.setdefault(None, abort) is abort:
            for key in list(self._callbacks):
                self._call(key)

    def add(self, key: object, callback: Callable[[], None]) -> None:
        """Have `callback` called once, at the abort or, where that has been, at once."""
        self._callbacks[key] = callback
        if self._abort:
            self._call(key)

    def remove(self, key: object) -> None:
        """Forget the callback of that key, if it is still to be called."""
        self._callbacks.pop(key, None)

    def _call(self, key: object) -> None:
        callback = self._callbacks.pop(key, None)
        if callback is None:
            return
        try:
            callback()
        except Exception as error:  # noqa: BLE001 - the others must hear of the abort too
            logger.warning(
                "a callback of an abort signal failed: %s",
                escape_controls(repr(error)),
                extra={"session_id": None, "code": ErrorCode.ABORTED.value},
            )
