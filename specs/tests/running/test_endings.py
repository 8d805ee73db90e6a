"""Whatever a subject raises fails its check and no more; a person's interrupt ends the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import pytest
from session_query import ErrorCode, SessionQueryError
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.nulls import NullProvider, Raises
from session_query_specs.running import PROFILES, CheckResult, Status, judge


class _Halt(BaseException):
    """No Exception, and nothing that asyncio or Hypothesis knows."""


ENDINGS: Final[list[Callable[[], BaseException]]] = [
    lambda: _Halt("stop"),
    lambda: SystemExit(3),
    lambda: GeneratorExit("gone"),
    lambda: asyncio.CancelledError("nobody cancelled it"),
    lambda: ExceptionGroup(
        "several", [OSError("one"), SessionQueryError("two", ErrorCode.ABORTED)]
    ),
    lambda: BaseExceptionGroup("several", [OSError("one"), _Halt("stop")]),
]


def judged(failure: Callable[[], BaseException]) -> CheckResult:
    """Judge a provider that raises this, whatever it's asked."""
    engine = type("Raising", (Raises,), {"failure": lambda _: failure()})
    provider = NullProvider("raising", engine)
    return judge(CHECKS["SEARCH-1/finds"], provider, "nulls:Null", PROFILES["quick"], 0)


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize("failure", ENDINGS, ids=lambda made: type(made()).__name__)
def test_what_a_subject_raises_fails_its_check(failure: Callable[[], BaseException]) -> None:
    """No exception of a subject, a group or one that is no Exception either, ends the run."""
    result = judged(failure)
    assert result.status is Status.FAILED
    assert result.finding is not None
    assert type(failure()).__name__ in result.finding.got


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize(
    "interrupt",
    [KeyboardInterrupt, lambda: BaseExceptionGroup("several", [KeyboardInterrupt()])],
    ids=["alone", "in a group"],
)
def test_an_interrupt_ends_the_run(interrupt: Callable[[], BaseException]) -> None:
    """Whoever interrupts a run isn't told that a check failed."""
    with pytest.raises(KeyboardInterrupt):
        judged(interrupt)
