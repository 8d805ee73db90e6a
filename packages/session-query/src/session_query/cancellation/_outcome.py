"""How started work ended, kept as a value until its caller has been heard (CANCEL-3, CANCEL-4)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar, cast

if TYPE_CHECKING:
    from session_query.cancellation._signal import AbortSignal

__all__ = ["FATAL", "Outcome"]

T = TypeVar("T")

FATAL = (KeyboardInterrupt, SystemExit)
"""What is meant for the process: asyncio lets these through a task and out of the loop."""


class Outcome(Generic[T]):
    """The value or the failure of work.

    Tasks return one instead of raising, so that a failure nobody asks for any more isn't logged
    as an "exception that was never retrieved".
    """

    __slots__ = ("_error", "_value")

    def __init__(self, value: T | None = None, error: BaseException | None = None) -> None:
        self._value = value
        self._error = error

    @classmethod
    def of(cls, future: asyncio.Future[Outcome[T]]) -> Outcome[T]:
        """Return the outcome that `future`, which is done, has or stands for."""
        if future.cancelled():
            return cls(error=asyncio.CancelledError())
        error = future.exception()
        return future.result() if error is None else cls(error=error)

    def unwrap(self, signal: AbortSignal) -> T:
        """Answer the caller of work that has ended; to be called once.

        Raises:
            BaseException: the reason of `signal` if it is aborted, else the failure.
            RuntimeError: the work ended itself the way a cancelled task does. Raised as it is,
                that would look like a cancellation of the caller.
        """
        # A raised exception refers to this frame: don't refer back.
        error, self._error = self._error, None
        try:
            if not isinstance(error, FATAL):
                signal.raise_if_aborted()
            if error is None:
                return cast("T", self._value)
            if isinstance(error, (asyncio.CancelledError, GeneratorExit)):
                kind = type(error).__name__
                message = f"the work ended in {kind}, but was not cancelled"
                raise RuntimeError(message) from error  # noqa: TRY004 - it's not about a type
            raise error
        finally:
            del error
