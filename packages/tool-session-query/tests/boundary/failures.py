"""Failures that are made to spread what they hold, or to break who looks at them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn

from session_query import ErrorCode, SessionQueryError

from ..toolset.scripted import header

CANARY = "canary-/home/user/secret.db-SELECT"
KNOWN = ErrorCode.INDEX_FAILED


def _raising(error: Callable[[], BaseException]) -> Any:
    def raise_it(*_: object) -> NoReturn:
        raise error()

    return raise_it


class Canary(BaseException):
    """Raised by what should not be touched."""

    def __init__(self) -> None:
        super().__init__(CANARY)


def with_member(name: str, value: object, code: ErrorCode = KNOWN) -> SessionQueryError:
    """A failure of the service of which one member is odd."""
    kind: Any = type(CANARY, (SessionQueryError,), {name: value})
    error: SessionQueryError = kind.__new__(kind, CANARY)
    error.args = (CANARY,)
    for field, plain in (("message", CANARY), ("code", code), ("header", header("own"))):
        if field != name:
            setattr(error, field, plain)
    return error


class Ignoring(BaseException):
    """Takes itself for everything that it's asked to be."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise self


class Unhashable:
    """Can't be compared, hashed or printed."""

    __hash__ = _raising(Canary)
    __eq__ = _raising(Canary)
    __str__ = _raising(Canary)
    __repr__ = _raising(Canary)


def caused(error: BaseException, *causes: BaseException) -> BaseException:
    """A failure with a chain of causes."""
    inner = error
    for cause in causes:
        inner.__cause__ = cause
        inner = cause
    return error


def cyclic() -> BaseException:
    """A failure that is the cause of its own cause."""
    error, cause = SessionQueryError(CANARY, KNOWN), ValueError(CANARY)
    error.__cause__, cause.__cause__ = cause, error
    error.__context__, cause.__context__ = cause, error
    return error


def _long_chain() -> BaseException:
    causes = [ValueError(f"{CANARY}{number}" * 50) for number in range(5_000)]
    return caused(SessionQueryError(CANARY, KNOWN), *causes)


def _deep_group() -> BaseException:
    group: BaseException = SessionQueryError(CANARY, KNOWN)
    for _ in range(2_000):
        group = BaseExceptionGroup(CANARY, [group])
    return group


UNPRINTABLE: dict[str, Callable[[], BaseException]] = {
    "__str__ raises": lambda: with_member("__str__", _raising(Canary)),
    "__str__ raises a cancellation": lambda: with_member(
        "__str__", _raising(asyncio.CancelledError)
    ),
    "__str__ is no text": lambda: with_member("__str__", lambda _: 5),
    "__repr__ raises": lambda: with_member("__repr__", _raising(Canary)),
    "__cause__ raises": lambda: with_member("__cause__", property(_raising(Canary))),
    "__context__ raises": lambda: with_member("__context__", property(_raising(Canary))),
    "__traceback__ raises": lambda: with_member("__traceback__", property(_raising(Canary))),
    "__cause__ is odd": lambda: with_member("__cause__", 5),
    "args raise": lambda: with_member("args", property(_raising(Canary), lambda *_: None)),
    "message raises": lambda: with_member("message", property(_raising(Canary))),
    "an unprintable cause": lambda: caused(
        SessionQueryError(CANARY, KNOWN), with_member("__str__", _raising(Canary))
    ),
    "a cycle": cyclic,
    "a long chain": _long_chain,
    "a huge text": lambda: SessionQueryError(CANARY * 200_000, KNOWN),
    "lone surrogates": lambda: SessionQueryError("\ud800" + CANARY, KNOWN),
    "a cause that is a group": lambda: caused(
        SessionQueryError(CANARY, KNOWN), ExceptionGroup(CANARY, [ValueError(CANARY)])
    ),
}
"""Failures with a known code that a caller may know, however odd the rest of them is."""

UNKNOWN: dict[str, Callable[[], BaseException]] = {
    "an exception": lambda: ValueError(CANARY),
    "a base exception": Canary,
    "an error of the system": lambda: OSError(2, CANARY, CANARY),
    "a lack of memory": lambda: MemoryError(CANARY),
    "too deep": lambda: RecursionError(CANARY),
    "a time-out": lambda: TimeoutError(CANARY),
    "a cancellation of nobody": lambda: asyncio.CancelledError(CANARY),
    "a group": lambda: ExceptionGroup(CANARY, [SessionQueryError(CANARY, KNOWN)]),
    "a group with an interrupt": lambda: BaseExceptionGroup(CANARY, [KeyboardInterrupt(CANARY)]),
    "a deep group": _deep_group,
    "a code that raises": lambda: with_member("code", property(_raising(Canary))),
    "a code that cancels": lambda: with_member("code", property(_raising(asyncio.CancelledError))),
    "a code that is a text": lambda: with_member("code", KNOWN.value),
    "a code that nobody knows": lambda: with_member("code", "SESSION_QUERY_" + CANARY),
    "a code that is a number": lambda: with_member("code", 5),
    "a code that is a list": lambda: with_member("code", []),
    "a code that is None": lambda: with_member("code", None),
    "a code that can't be compared": lambda: with_member("code", Unhashable()),
    "a header that raises": lambda: with_member("header", property(_raising(Canary))),
    "a class that raises": Ignoring,
    "a settings error": lambda: SessionQueryError(CANARY, ErrorCode.INVALID_CONFIG),
    "two logs of one session": lambda: SessionQueryError(CANARY, ErrorCode.SOURCE_CONFLICT),
}
"""Failures of which a caller may know nothing."""
