"""What the model is told of a failure: a fixed text for a code that it may know (SAN-2, SAN-3)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from session_query import AbortController, ErrorCode, SessionHeader, SessionQueryError
from tool_session_query import SessionQueryToolError, ToolAgent, ToolRun
from tool_session_query._service_boundary import contained

from ..toolset.scripted import (
    LEAST,
    ScriptedEngine,
    answer,
    failure,
    header,
    own_session,
    refusal,
    tool_of,
)
from .failures import CANARY, KNOWN, UNKNOWN, UNPRINTABLE

FAILED = "SESSION_QUERY_TOOL_FAILED"
UNAUTHORIZED = "SESSION_QUERY_TOOL_UNAUTHORIZED"
CALLS = {
    "session_search": ["search_sessions"],
    "session_event_search": ["search_events"],
    "session_trace": ["trace_session", "read_titles"],
    "session_event_trace": ["trace_event"],
    "session_event_read": ["read_event"],
}
PLACES = [(tool, call) for tool, calls in CALLS.items() for call in calls]
OF_A_TARGET = {
    ErrorCode.CORRUPT_SESSION,
    ErrorCode.EVENT_NOT_FOUND,
    ErrorCode.INVALID_LINEAGE,
    ErrorCode.INVALID_SURFACE,
}
NEVER_TOLD = {ErrorCode.INVALID_CONFIG, ErrorCode.SOURCE_CONFLICT}


def told(
    error: BaseException, tool: str = "session_event_read", call: str = "read_event"
) -> SessionQueryToolError:
    """What a tool makes of a failure of one of its calls."""
    return refusal(lambda: answer(ScriptedEngine(**{call: error}), tool, LEAST[tool]))


def is_clean(error: SessionQueryToolError) -> bool:
    """Whether an error holds nothing but a short fixed text and a code."""
    texts = " ".join(map(str, (error.message, error.code, *error.args, error.argument)))
    return CANARY not in texts and len(texts) < 700 and "/" not in texts and texts.isascii()


@pytest.mark.requirement("SAN-2")
def test_the_texts_tell_the_codes_apart() -> None:
    """Each code that the model may know has a text of its own, which is a sentence."""
    texts = [
        told(failure(code, header("own"))).message
        for code in ErrorCode
        if code not in NEVER_TOLD and code is not ErrorCode.SESSION_NOT_FOUND
    ]
    assert len(set(texts)) == len(texts)
    assert all(text.endswith(".") for text in texts)


@pytest.mark.requirement("SAN-3")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize(("tool", "call"), PLACES)
def test_what_is_meant_for_the_process_passes(
    tool: str, call: str, kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    """An interrupt, an exit and the end of a coroutine are no failures of the service."""
    error = kind()
    run = ToolRun(AbortController().signal, ToolAgent(own_session()))
    call_ = tool_of(ScriptedEngine(**{call: error}), tool).execute(LEAST[tool], run)
    with pytest.raises(kind) as caught:
        call_.send(None)  # a loop would end itself
    assert caught.value is error
    assert not caplog.records


@pytest.mark.requirement("SAN-2", "SAN-3")
@pytest.mark.parametrize(("tool", "call"), PLACES)
@pytest.mark.parametrize("garbage", [None, 5, "text", [None]], ids=repr)
def test_an_answer_that_is_none_is_a_failure(tool: str, call: str, garbage: Any) -> None:
    """A service that answers with something else fails the call, and nothing of it gets out."""
    engine = ScriptedEngine(**{call: garbage})
    error = refusal(lambda: answer(engine, tool, LEAST[tool]))
    assert error.code == FAILED
    assert is_clean(error)


class _Synchronous(ScriptedEngine):
    """Fails before there is anything to await."""

    def trace_session(self, *_: object) -> Any:
        raise SessionQueryError(CANARY, KNOWN)


@pytest.mark.requirement("SAN-2")
def test_a_service_that_fails_at_once_is_contained_too() -> None:
    """It makes no difference whether a call fails when it's made or when it's awaited."""
    assert refusal(lambda: answer(_Synchronous(), "session_trace", {})).code == KNOWN


class _Recording(logging.Handler):
    """Keeps the lines, or fails."""

    def __init__(self, error: BaseException | None = None) -> None:
        super().__init__()
        self.error = error
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        if self.error is not None:
            raise self.error


@contextmanager
def logging_to(error: BaseException | None = None) -> Iterator[list[str]]:
    """Log to a handler that keeps the lines, and fails if it's told to."""
    logger, handler = logging.getLogger("tool_session_query"), _Recording(error)
    logger.addHandler(handler)
    try:
        yield handler.lines
    finally:
        logger.removeHandler(handler)


@pytest.mark.requirement("SAN-2")
def test_a_failure_is_logged_once_with_all_its_causes() -> None:
    """Who runs the service reads the failure, its causes, contexts and members in one line."""
    error = failure(KNOWN, text="outermost")
    error.__cause__ = ExceptionGroup("group", [ValueError("member one"), OSError("member two")])
    error.__cause__.__context__ = RuntimeError("context")
    with logging_to() as lines:
        told(error)
    [line] = lines
    for text in ("outermost", "group", "member one", "member two", "context", "ValueError"):
        assert text in line


@pytest.mark.requirement("SAN-2", "SAN-3")
@pytest.mark.parametrize(
    "failing", [*UNPRINTABLE.values(), *UNKNOWN.values()], ids=[*UNPRINTABLE, *UNKNOWN]
)
def test_each_failure_is_logged_once_and_shortly(failing: Callable[[], BaseException]) -> None:
    """However odd it is, a failure is one line of bounded length, and the error holds no more."""
    with logging_to() as lines:
        error = told(failing())
    assert error.code == (KNOWN if failing in UNPRINTABLE.values() else FAILED)
    assert is_clean(error)
    [line] = lines
    assert len(line) < 25_000


OF_THE_CALL = {
    ErrorCode.EVENT_NOT_FOUND,
    ErrorCode.INVALID_QUERY,
    ErrorCode.INVALID_WINDOW,
    ErrorCode.SESSION_NOT_FOUND,
    ErrorCode.STALE_CURSOR,
}


@pytest.mark.requirement("SAN-2")
@pytest.mark.parametrize("code", ErrorCode)
@pytest.mark.parametrize(
    "session", [None, header("own"), header(cwd="/srv/places")], ids=["no header", "own", "hidden"]
)
def test_what_a_model_got_wrong_is_no_error_of_the_host(
    code: ErrorCode, session: SessionHeader | None, caplog: pytest.LogCaptureFixture
) -> None:
    """A failure of the call is information; one of the service is an error, whoever is told."""
    with caplog.at_level(logging.INFO, "tool_session_query"):
        told(failure(code, session))
    expected = logging.INFO if code in OF_THE_CALL else logging.ERROR
    assert [record.levelno for record in caplog.records] == [expected]


@pytest.mark.requirement("SAN-2")
def test_a_failure_without_a_code_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever the service raises that isn't its own, somebody has to look after."""
    for failing in UNKNOWN.values():
        told(failing())
    assert {record.levelno for record in caplog.records} == {logging.ERROR}


@pytest.mark.requirement("SAN-3")
def test_a_cycle_of_causes_is_logged_once() -> None:
    """Each failure of a cycle is in the line, and none twice."""
    with logging_to() as lines:
        told(UNPRINTABLE["a cycle"]())
    assert lines[0].count(CANARY) == 2


@pytest.mark.requirement("SAN-3")
def test_what_cannot_be_printed_is_a_placeholder() -> None:
    """An unprintable cause is a placeholder beside what can be printed."""
    with logging_to() as lines:
        told(UNPRINTABLE["an unprintable cause"]())
    assert CANARY in lines[0]
    assert "<can't be printed>" in lines[0]


@pytest.mark.requirement("SAN-3")
@pytest.mark.parametrize("kind", [RuntimeError, asyncio.CancelledError, BaseException, MemoryError])
def test_a_logger_that_fails_makes_the_failure_generic(kind: type[BaseException]) -> None:
    """Where logging itself fails, the model gets the generic failure and nothing of the logger."""
    with logging_to(kind(CANARY)):
        error = told(failure(KNOWN))
    assert error.code == FAILED
    assert is_clean(error)


@pytest.mark.requirement("SAN-4")
def test_errors_of_the_tools_own_are_not_logged() -> None:
    """Refusals and wrong arguments don't pass the boundary: they are precise and no failures."""
    with logging_to() as lines:
        engine = ScriptedEngine(filter_sessions=[])
        refused = refusal(lambda: answer(engine, "session_trace", {"session_id": "x"}))
        wrong = refusal(lambda: answer(engine, "session_trace", {"session_id": 5}))
    assert refused.code == UNAUTHORIZED
    assert wrong.argument == "session_id"
    assert not lines


@pytest.mark.requirement("SAN-2", "SAN-3")
def test_a_log_record_is_one_line_that_can_be_written(caplog: pytest.LogCaptureFixture) -> None:
    """What an exception says can neither forge a record nor break the handler that writes it."""
    contained(OSError("lost\nERROR:root:forged\x1b[31m\ud800"), lambda _: True)
    [record] = caplog.records
    assert record.getMessage().isprintable()
    assert "forged\\x1b" in record.getMessage()
