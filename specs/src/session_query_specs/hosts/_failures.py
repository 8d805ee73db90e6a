"""What an engine may raise: known failures, unknown ones, and such as break who looks at them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from session_query import AbortError, ErrorCode, SessionHeader, SessionQueryError

from session_query_specs.corpora import CREATED
from session_query_specs.hosts._workspaces import CANARY, ELSEWHERE, HERE

__all__ = [
    "CAUSED",
    "CAUSES",
    "FAILURES",
    "HOSTILE",
    "INTERRUPTS",
    "NOBODYS_ABORT",
    "UNKNOWN",
    "Failure",
    "of_code",
]

_KNOWN: Final = ErrorCode.INDEX_FAILED
NOBODYS_ABORT: Final = "an abort of nobody"
"""Has the code of an abort, though there is none."""
_TEXT: Final = f"/home/{CANARY}/index.db: SELECT {CANARY}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A call of the engine that fails.

    Attributes:
        call: its number, or the method whose first call it is.
        kind: one of `FAILURES`.
        header: whose header the failure has: `none`, `here` for one of the caller's workspace,
            `elsewhere`.
        session_id: the id in that header.
        always: whether all later calls of the method fail as well.
    """

    call: int | str
    kind: str
    header: str = "none"
    session_id: str = "v0"
    always: bool = False

    def __str__(self) -> str:
        of = {"none": "", "here": f" of {self.session_id!r}", "elsewhere": " of a hidden session"}
        which = f"call {self.call}" if isinstance(self.call, int) else f"first {self.call}"
        return f"the engine's {which} fails: {self.kind}{of[self.header]}"

    def raised(self) -> BaseException:
        """Return a new exception."""
        made = FAILURES[self.kind]()
        if self.header != "none" and isinstance(made, SessionQueryError):
            cwd = HERE if self.header == "here" else ELSEWHERE
            made.header = SessionHeader(0, self.session_id, CREATED, cwd)
        return made


def of_code(code: ErrorCode) -> str:
    """Return the kind of a plain failure with a code."""
    return code.value


class _Touched(BaseException):
    """Raised by what should not be touched."""

    def __init__(self) -> None:
        super().__init__(_TEXT)


def _raising(error: Callable[[], BaseException]) -> Any:
    def raise_it(*_: object) -> NoReturn:
        raise error()

    return raise_it


def _odd(name: str, value: object) -> SessionQueryError:
    """Return a failure of the service of which one member is odd."""
    kind: Any = type(CANARY, (SessionQueryError,), {name: value})
    error: SessionQueryError = kind.__new__(kind, _TEXT)
    error.args = (_TEXT,)
    for member, plain in (("message", _TEXT), ("code", _KNOWN), ("header", None)):
        if member != name:
            setattr(error, member, plain)
    return error


def _caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def _cyclic() -> BaseException:
    error, cause = SessionQueryError(_TEXT, _KNOWN), ValueError(_TEXT)
    error.__cause__, cause.__cause__ = cause, error
    error.__context__, cause.__context__ = cause, error
    return error


def _long_chain() -> BaseException:
    error: BaseException = ValueError(_TEXT)
    for _ in range(3_000):
        error = _caused(ValueError(_TEXT), error)
    return _caused(SessionQueryError(_TEXT, _KNOWN), error)


def _deep_group() -> BaseException:
    group: BaseException = SessionQueryError(_TEXT, _KNOWN)
    for _ in range(2_000):
        group = BaseExceptionGroup(_TEXT, [group])
    return group


class _Unhashable:
    """Can't be compared, hashed or printed."""

    __hash__ = _raising(_Touched)
    __eq__ = _raising(_Touched)
    __str__ = _raising(_Touched)
    __repr__ = _raising(_Touched)


HOSTILE: Final[Mapping[str, Callable[[], BaseException]]] = {
    "its __str__ raises": lambda: _odd("__str__", _raising(_Touched)),
    "its __str__ cancels": lambda: _odd("__str__", _raising(asyncio.CancelledError)),
    "its __str__ is no text": lambda: _odd("__str__", lambda _: 5),
    "its __repr__ raises": lambda: _odd("__repr__", _raising(_Touched)),
    "its __cause__ raises": lambda: _odd("__cause__", property(_raising(_Touched))),
    "its __context__ raises": lambda: _odd("__context__", property(_raising(_Touched))),
    "its __traceback__ raises": lambda: _odd("__traceback__", property(_raising(_Touched))),
    "its args raise": lambda: _odd("args", property(_raising(_Touched), lambda *_: None)),
    "its message raises": lambda: _odd("message", property(_raising(_Touched))),
    "its cause can't be printed": lambda: _caused(
        SessionQueryError(_TEXT, _KNOWN), _odd("__str__", _raising(_Touched))
    ),
    "its causes are a cycle": _cyclic,
    "its causes are many": _long_chain,
    "its cause is a group": lambda: _caused(
        SessionQueryError(_TEXT, _KNOWN), ExceptionGroup(_TEXT, [ValueError(_TEXT)])
    ),
    "its cause is a number": lambda: _odd("__cause__", 5),
    "its text is huge": lambda: SessionQueryError(_TEXT * 5_000, _KNOWN),
    "its text has a lone surrogate": lambda: SessionQueryError("\ud800" + _TEXT, _KNOWN),
}
"""Failures with a code that a model may know, INDEX_FAILED, however odd the rest of them is."""

UNKNOWN: Final[Mapping[str, Callable[[], BaseException]]] = {
    "an exception": lambda: ValueError(_TEXT),
    "a base exception": _Touched,
    "an error of the system": lambda: OSError(2, _TEXT, _TEXT),
    "a time-out of its own": lambda: TimeoutError(_TEXT),
    "a cancellation of nobody": lambda: asyncio.CancelledError(_TEXT),
    "a group": lambda: ExceptionGroup(_TEXT, [SessionQueryError(_TEXT, _KNOWN)]),
    "a group with an interrupt": lambda: BaseExceptionGroup(_TEXT, [KeyboardInterrupt(_TEXT)]),
    "a deep group": _deep_group,
    "a lack of memory": lambda: MemoryError(_TEXT),
    "a recursion too deep": lambda: RecursionError(_TEXT),
    "its code raises": lambda: _odd("code", property(_raising(_Touched))),
    "its code is unknown": lambda: _odd("code", f"SESSION_QUERY_{CANARY}"),
    "its code is a number": lambda: _odd("code", 5),
    "its code is a list": lambda: _odd("code", []),
    "its code cancels": lambda: _odd("code", property(_raising(asyncio.CancelledError))),
    "its code is None": lambda: _odd("code", None),
    "its code can't be compared": lambda: _odd("code", _Unhashable()),
    "its header raises": lambda: _odd("header", property(_raising(_Touched))),
    "settings": lambda: SessionQueryError(_TEXT, ErrorCode.INVALID_CONFIG),
    "two logs of one session": lambda: SessionQueryError(_TEXT, ErrorCode.SOURCE_CONFLICT),
}
"""Failures of which a model may know nothing."""


def _with_causes() -> BaseException:
    outer, *inner = CAUSES
    error: BaseException = OSError(inner[-1])
    error = _caused(ValueError(inner[0]), error)
    return _caused(SessionQueryError(outer, _KNOWN), error)


CAUSES: Final = (_TEXT, f"what caused {CANARY}", f"what caused that of {CANARY}")
"""What stands in the texts of a failure and of its causes."""
CAUSED: Final = "a failure with causes"
"""Has two causes, one of the other; its code is INDEX_FAILED."""
INTERRUPTS: Final[Mapping[str, Callable[[], BaseException]]] = {
    "an interrupt": lambda: KeyboardInterrupt(_TEXT),
    "an exit": lambda: SystemExit(_TEXT),
}
"""What is meant for the process."""


def _coded(code: ErrorCode) -> Callable[[], BaseException]:
    return lambda: SessionQueryError(_TEXT, code)


FAILURES: Final[Mapping[str, Callable[[], BaseException]]] = {
    **{code.value: _coded(code) for code in ErrorCode},
    NOBODYS_ABORT: lambda: AbortError(_TEXT),
    **HOSTILE,
    **UNKNOWN,
    CAUSED: _with_causes,
    **INTERRUPTS,
}
"""All of them by their names; each has the canary in its text."""
