"""What searches leave out, and what they say of it (RECON-5, ERR-2, ERR-4, ERR-5)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hypothesis import strategies as st
from session_query import (
    AbortSignal,
    ErrorCode,
    PersistenceCorruptionError,
    SessionEvent,
    SessionQueryError,
)

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import expect_hits, store_calls
from session_query_specs.checks._check import Violation, check
from session_query_specs.checks._exact import failed
from session_query_specs.checks._searches import FINDS
from session_query_specs.corpora import (
    Call,
    CallsWhile,
    Corpus,
    Session,
    message,
    opened,
    session,
)
from session_query_specs.stores import MemoryPersistence

__all__: list[str] = []

_GOOD: Final = session("a", ["word"], cwd="/w")
_HEADER: Final = session("b", ["word"], cwd="/b", parent="a").header
_UNPLACED: Final = SessionEvent("user/message", 0, 1, message("word"))
_CORPUS: Final = Corpus((_GOOD, Session(_HEADER, (_UNPLACED,))))
_ALL: Final = Call("search_sessions", ({"query": "word"},))
_ONE: Final = Call("search_events", ({"sessionId": "b", "query": "word"},))
_WAYS: Final = {
    "its log is damaged": ErrorCode.CORRUPT_SESSION,
    "it can't be read": ErrorCode.PERSISTENCE_FAILED,
    "a message of it has no place on the surface": ErrorCode.INVALID_SURFACE,
}


def _cases(call: Call, *ways: str) -> st.SearchStrategy[CallsWhile]:
    told = [f"of 'b': {way}" for way in ways or _WAYS]
    return st.sampled_from(told).map(lambda one: CallsWhile(_CORPUS, [call], told=(one,), what=one))


def _code_of(example: CallsWhile) -> ErrorCode:
    return _WAYS[example.what.partition(": ")[2]]


def _spoil(persistence: MemoryPersistence, code: ErrorCode, said: str = "torn") -> None:
    """Let the store fail for `b`, if that is where the fault is."""

    async def before(what: str, _signal: AbortSignal | None) -> None:
        if what == "b" and code is ErrorCode.CORRUPT_SESSION:
            raise PersistenceCorruptionError("b", 0, said)
        if what == "b" and code is ErrorCode.PERSISTENCE_FAILED:
            raise OSError(said)

    persistence.before = before


async def _failure(provider: ProviderUnderTest, example: CallsWhile) -> list[SessionQueryError]:
    """Return how the search in `b` fails at first, and after one over all."""
    sources, _, persistence = example.corpus.open()
    code = _code_of(example)
    _spoil(persistence, code)
    errors = []
    async with opened(provider, sources) as engine:
        for _ in range(2):
            errors.append(await failed(engine, _ONE))
            expect_hits(await _ALL.on(engine), [("a", 0)])
    if (found := [one.code for one in errors]) != [code] * 2:
        raise Violation(f"{code.value}, twice", ", ".join(one.value for one in found))
    return errors


@check("RECON-5/own-error", _cases(_ONE), after=FINDS)
async def _own_error(provider: ProviderUnderTest, example: CallsWhile) -> None:
    """A search in a session that is left out raises its own error, again and again."""
    await _failure(provider, example)


@check("ERR-4/searches", _cases(_ONE), after=("RECON-5/own-error",))
async def _with_header(provider: ProviderUnderTest, example: CallsWhile) -> None:
    """The error of a search in a session that can't be searched carries the listed header."""
    for error in await _failure(provider, example):
        if error.header != _HEADER:
            raise Violation(f"the header {_HEADER!r}", repr(error.header))


@check("ERR-2/searches", _cases(_ONE, *[*_WAYS][:2]), after=("RECON-5/own-error",))
async def _with_cause(provider: ProviderUnderTest, example: CallsWhile) -> None:
    """The error of a search that a store fails has what the store raised as its cause."""
    error = (await _failure(provider, example))[0]
    if not isinstance(error.__cause__, PersistenceCorruptionError | OSError):
        raise Violation("what the store raised as the cause", repr(error.__cause__))


@check("RECON-5/remembered", _cases(_ALL, *[*_WAYS][::2]), after=FINDS)
async def _remembered(provider: ProviderUnderTest, example: CallsWhile) -> None:
    """A revision that is damaged or breaks the surface is remembered, and not inspected again."""
    sources, _, persistence = example.corpus.open()
    _spoil(persistence, _code_of(example))
    async with opened(provider, sources) as engine:
        for _ in range(2):
            expect_hits(await _ALL.on(engine), [("a", 0)])
        persistence.reads.clear()
        expect_hits(await _ALL.on(engine), [("a", 0)])
        if set(persistence.reads) - {"list"}:
            told = store_calls(persistence.reads)
            raise Violation("no inspection at the third search", told)


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def _hearing() -> Iterator[list[logging.LogRecord]]:
    """Listen to what is logged under `session_query`, and let nobody else hear it."""
    logger, heard = logging.getLogger("session_query"), _Heard()
    level, propagates = logger.level, logger.propagate
    logger.addHandler(heard)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    try:
        yield heard.records
    finally:
        logger.removeHandler(heard)
        logger.setLevel(level)
        logger.propagate = propagates


@check("ERR-5/left-out", _cases(_ALL), after=("RECON-5/own-error",))
async def _said_once(provider: ProviderUnderTest, example: CallsWhile) -> None:
    """What is left out of searches is logged once: a warning, without control characters."""
    sources, _, persistence = example.corpus.open()
    code = _code_of(example)
    _spoil(persistence, code, "torn\n\x1b[31mred\x07")
    with _hearing() as records:
        async with opened(provider, sources) as engine:
            for _ in range(3):
                expect_hits(await _ALL.on(engine), [("a", 0)])
    told = [
        (one.levelname, vars(one).get("session_id"), str(vars(one).get("code")))
        for one in records
        if hasattr(one, "session_id")
    ]
    expected = [("WARNING", "b", code.value)]
    if told != expected:
        raise Violation(f"{expected}", f"{told}")
    for record in records:
        if not record.getMessage().isprintable():
            raise Violation("control characters to be escaped", ascii(record.getMessage()))
