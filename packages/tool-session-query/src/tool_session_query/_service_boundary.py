"""Every call of the service passes here: no failure of it leaves as it came (SAN-1 to SAN-5)."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from session_query import (
    AbortSignal,
    ErrorCode,
    SessionHeader,
    SessionQueryEngine,
    SessionQueryError,
)

from tool_session_query._errors import SessionQueryToolError, ToolErrorCode, unauthorized

__all__ = ["PASSING", "Service", "contained", "repeated_cursor"]

T = TypeVar("T")

logger = logging.getLogger("tool_session_query")

PASSING: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What is meant for the process, or for the coroutine itself (SAN-3)."""

_UNPRINTABLE: Final = "<can't be printed>"
_MOST_CAUSES: Final = 32
_MOST_CHARACTERS: Final = 20_000

_TEXTS: Final = {
    ErrorCode.ABORTED: "The call was ended before it had an answer.",
    ErrorCode.CORRUPT_SESSION: "The log of this session is damaged and can't be read.",
    ErrorCode.EVENT_NOT_FOUND: "This session has no event with that seq.",
    ErrorCode.INDEX_FAILED: "The search index can't be used now. Try again later.",
    ErrorCode.INVALID_CURSOR: "The search could not be followed to its end. Search again.",
    ErrorCode.INVALID_FILTER: "These filters can't be used together. Change or leave out some.",
    ErrorCode.INVALID_LIMIT: "The search is set up with a limit that can't be used.",
    ErrorCode.INVALID_LINEAGE: "The sessions' parents form a circle, so there is no lineage.",
    ErrorCode.INVALID_QUERY: "This query can't be searched for. Use fewer and plainer words.",
    ErrorCode.INVALID_SURFACE: (
        "The log of this session breaks the rules by which messages replace each other."
        " session_event_read still reads its events."
    ),
    ErrorCode.INVALID_WINDOW: "before or after is too large. Ask for fewer neighbours.",
    ErrorCode.PERSISTENCE_FAILED: "Stored sessions can't be read now. Try again later.",
    ErrorCode.SEARCH_DISABLED: "Search is switched off here. Traces and reads work.",
    ErrorCode.STALE_CURSOR: (
        "History changed while it was searched. Do the whole search again, from the start."
    ),
}
"""What the model is told for each code that it may know of (SAN-2)."""

_FAILED: Final = "This failed for a reason that is not yours. Try again, or go on without it."

_OF_A_TARGET: Final = frozenset(
    {
        ErrorCode.CORRUPT_SESSION,
        ErrorCode.EVENT_NOT_FOUND,
        ErrorCode.INVALID_LINEAGE,
        ErrorCode.INVALID_SURFACE,
    }
)
"""These tell that a session exists: whoever may not see it gets the refusal instead (AUTH-4)."""


_OF_THE_CALL: Final = frozenset(
    {
        ErrorCode.EVENT_NOT_FOUND,
        ErrorCode.INVALID_QUERY,
        ErrorCode.INVALID_WINDOW,
        ErrorCode.SESSION_NOT_FOUND,
        ErrorCode.STALE_CURSOR,
    }
)
"""A model got something wrong, or history went on: nobody has to look after that."""


class Service:
    """The service, as one call of one tool may use it.

    Args:
        engine: the service.
        signal: the signal of the call; the service gets this very one.
        may_see: whether the caller may see a session, by its header.
    """

    def __init__(
        self,
        engine: SessionQueryEngine,
        signal: AbortSignal,
        may_see: Callable[[SessionHeader], bool],
    ) -> None:
        self._engine = engine
        self._signal = signal
        self._may_see = may_see

    async def ask(self, question: Callable[[SessionQueryEngine, AbortSignal], Awaitable[T]]) -> T:
        """Make one call and return its answer.

        Raises:
            BaseException: the reason of the abort, before anything else (SAN-1).
            SessionQueryToolError: what the failure means for the model.
        """
        self._signal.raise_if_aborted()
        try:
            answer = await question(self._engine, self._signal)
        except PASSING:
            raise
        except asyncio.CancelledError as error:
            if _is_being_cancelled():
                raise
            failure: BaseException = error
        except BaseException as error:  # noqa: BLE001 - it's told below, whatever it is (SAN-2)
            failure = error
        else:
            self._signal.raise_if_aborted()
            return answer
        # outside of `except`: what is raised must not drag the original along
        raise self.explain(failure)

    def explain(
        self, failure: BaseException, headerless: ToolErrorCode = ToolErrorCode.UNAUTHORIZED
    ) -> SessionQueryToolError:
        """Log a failure and return what the model is told of it.

        Args:
            failure: what the service raised.
            headerless: what a failure of a session comes to that doesn't tell which session.

        Raises:
            BaseException: the reason of an abort, which comes before any failure (SAN-1).
        """
        self._signal.raise_if_aborted()
        return contained(failure, self._may_see, headerless)


def contained(
    failure: BaseException,
    may_see: Callable[[SessionHeader], bool],
    headerless: ToolErrorCode = ToolErrorCode.UNAUTHORIZED,
) -> SessionQueryToolError:
    """Log a failure and return what the model is told of it (SAN-2, SAN-3, AUTH-4)."""
    code, level = _judged(failure, may_see, headerless)
    if not _log(failure, level):
        code = ToolErrorCode.FAILED
    if code is ToolErrorCode.UNAUTHORIZED:
        return unauthorized()
    if isinstance(code, ToolErrorCode):
        return SessionQueryToolError(_FAILED, ToolErrorCode.FAILED)
    return SessionQueryToolError(_TEXTS[code], code)


def _judged(
    failure: BaseException, may_see: Callable[[SessionHeader], bool], headerless: ToolErrorCode
) -> tuple[ErrorCode | ToolErrorCode, int]:
    """Return the code that the caller may know, and the level at which a failure is logged."""
    try:
        if not isinstance(failure, SessionQueryError):
            return ToolErrorCode.FAILED, logging.ERROR
        code, header = failure.code, failure.header
        if not isinstance(code, ErrorCode):
            return ToolErrorCode.FAILED, logging.ERROR
        told = isinstance(header, SessionHeader)
        visible = isinstance(header, SessionHeader) and may_see(header)
    except PASSING:
        raise
    except BaseException:  # noqa: BLE001 - its properties may raise anything (SAN-3)
        return ToolErrorCode.FAILED, logging.ERROR
    level = logging.INFO if code in _OF_THE_CALL else logging.ERROR
    if code is ErrorCode.SESSION_NOT_FOUND:
        return ToolErrorCode.UNAUTHORIZED, level
    if code in _OF_A_TARGET and not visible:
        return ToolErrorCode.UNAUTHORIZED if told else headerless, level
    return code if code in _TEXTS else ToolErrorCode.FAILED, level


def repeated_cursor() -> SessionQueryToolError:
    """Return the error for a provider that never comes to an end (SAN-5)."""
    return SessionQueryToolError(_TEXTS[ErrorCode.INVALID_CURSOR], ErrorCode.INVALID_CURSOR)


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _log(failure: BaseException, level: int) -> bool:
    """Write the failure with all its causes to the log; tell whether that went well."""
    try:
        logger.log(level, "a call of the session service failed: %s", _chain(failure))
    except PASSING:
        raise
    except BaseException:  # noqa: BLE001 - a logger is somebody's code too (SAN-3)
        return False
    return True


def _chain(failure: BaseException) -> str:
    """Return a failure, what caused it, and so on; each once."""
    pending: list[BaseException | None] = [failure]
    seen: set[int] = set()
    parts: list[str] = []
    while pending and len(parts) < _MOST_CAUSES:
        error = pending.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        parts.append(_printed(error))
        pending += _causes(error)
    return _on_one_line(" <- ".join(parts)[:_MOST_CHARACTERS])


def _on_one_line(text: str) -> str:
    """Return a text that can't forge a log record, and that every handler can write."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def _causes(error: BaseException) -> list[BaseException | None]:
    try:
        inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
        known = [error.__context__, error.__cause__, *reversed(inner)]
        return [each for each in known if isinstance(each, BaseException)]
    except PASSING:
        raise
    except BaseException:  # noqa: BLE001 - attributes of an exception may be anything
        return []


def _printed(error: BaseException) -> str:
    try:
        name = type(error).__name__
        where = traceback.extract_tb(error.__traceback__, limit=-1)
        place = f" at {where[-1].filename}:{where[-1].lineno}" if where else ""
        return f"{name}: {str(error)[:_MOST_CHARACTERS]}{place}"
    except PASSING:
        raise
    except BaseException:  # noqa: BLE001 - an exception may not even be printable (SAN-3)
        return _UNPRINTABLE
