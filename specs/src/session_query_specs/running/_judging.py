"""One check on many drawn examples, down to the smallest that fails (CONF-7, CONF-17)."""

from __future__ import annotations

import hashlib
import inspect
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import Flaky
from hypothesis.internal.cache import LRUCache
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from session_query_specs.checks import Check, Violation
from session_query_specs.checks._check import SITUATIONS
from session_query_specs.loop import PATIENCE, HungError, run_in_time
from session_query_specs.running._places import own_place, raised_at
from session_query_specs.running._profiles import Profile
from session_query_specs.running._results import CheckResult, Finding, Status
from session_query_specs.running._scripts import script_of
from session_query_specs.running._wrong_answers import noting

__all__ = ["judge", "violation_on"]

_ANSWER: Final = "an answer, or an error with one of the contract's codes"
_NO_EXAMPLE: Final = ("none: drawing one failed, which is a fault of the suite",)
_NO_SCRIPT: Final = "# there is no example to show\n"


def judge(  # noqa: PLR0913 - all that a verdict depends on
    check: Check[Any],
    subject: Any,
    where: str,
    profile: Profile,
    seed: int,
    *,
    shrink: bool = True,
) -> CheckResult:
    """Judge one check; the same seed gives the same examples and the same verdict.

    Args:
        check: the check.
        subject: an instance of the class under test.
        where: where that class is, as `package.module:Class`.
        profile: how much is tried.
        seed: any number.
        shrink: whether a failing example is made smaller.
    """
    judged, situations = 0, Counter[str]()
    failures: list[tuple[Any, BaseException]] = []

    def body(example: Any) -> None:
        nonlocal judged
        judged += 1
        token = SITUATIONS.set(situations)
        try:
            _judged(check, subject, example)
        except (Exception, HungError) as error:
            failures[:] = [(example, error)]
            raise
        finally:
            SITUATIONS.reset(token)

    most = max(1, round(profile.examples * check.weight))
    explicit = _settings(most, shrink=shrink)
    test = explicit(seeded(_seed_of(check, seed))(given(check.examples)(body)))
    status = Status.PASSED
    ended: BaseException | None = None
    patience = PATIENCE.set(profile.patience)
    try:
        with _no_constants_of_the_machine():
            test()
    except Flaky as error:
        status, ended = Status.FLAKY, error
    except HungError as error:  # it is not made smaller: that would be waiting on and on
        status, ended = Status.FAILED, error
    except Exception as error:  # noqa: BLE001 - a subject may raise anything; the last failure tells it
        status, ended = Status.FAILED, error
    finally:
        PATIENCE.reset(patience)
    finding = None
    if failures and ended is not None:
        finding = _finding(check, *failures[0], subject, where)
    elif ended is not None:
        finding = Finding(_NO_EXAMPLE, "an example to judge", _shown(ended), _NO_SCRIPT)
    return CheckResult(
        check.name,
        check.requirement,
        check.claim,
        status,
        judged,
        situations,
        seed=seed,
        finding=finding,
        hung=isinstance(ended, HungError),
    )


def _settings(most: int, *, shrink: bool) -> settings:
    """Return settings that leave nothing to whatever profile of Hypothesis is loaded (CONF-17)."""
    return settings(
        max_examples=most,
        derandomize=False,
        database=None,
        verbosity=Verbosity.normal,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        stateful_step_count=50,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        deadline=None,
        print_blob=False,
        backend="hypothesis",
    )


@contextmanager
def _no_constants_of_the_machine() -> Iterator[None]:
    """Let nothing be drawn that Hypothesis finds in the source files that are loaded.

    These are others on another machine, and with them all that is drawn from the same seed. There
    is no setting for it, and a version of Hypothesis without these names draws as it likes.
    """
    found, cache = "_get_local_constants", "CONSTANTS_CACHE"
    kept = {name: getattr(providers, name, None) for name in (found, cache)}
    if None in kept.values():
        yield
        return
    setattr(providers, found, Constants)
    setattr(providers, cache, LRUCache(1024))
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(providers, name, value)


def _judged(check: Check[Any], subject: Any, example: Any) -> None:
    """Judge one example, in a loop unless the check brings loops of its own."""

    async def awaited() -> None:
        with _ending_refused(subject):
            judging = check.judge(subject, example)
            if judging is not None:
                await judging

    with _ending_refused(subject):  # what a task of its own raises comes out of the loop itself
        if inspect.iscoroutinefunction(check.judge):
            run_in_time(awaited)
        else:
            _ = check.judge(subject, example)


@contextmanager
def _ending_refused(subject: Any) -> Iterator[None]:
    """Let what a subject raises to end the program fail the check alone, groups likewise.

    A person's interrupt ends the run, in a group too.
    """
    try:
        yield
    except (KeyboardInterrupt, HungError):
        raise
    except BaseExceptionGroup as group:
        interrupts, _ = group.split(KeyboardInterrupt)
        if interrupts is not None:
            raise KeyboardInterrupt from group
        raise Violation(_ANSWER, _told(group, subject)) from group
    except BaseException as error:
        if isinstance(error, Exception):
            raise
        raise Violation(_ANSWER, _told(error, subject)) from error


def _seed_of(check: Check[Any], seed: int) -> int:
    """Return a seed of the check's own, so that running it alone gives the same examples."""
    digest = hashlib.sha256(f"{seed} {check.name}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def violation_on(check: Check[Any], subject: Any, example: Any) -> Violation | None:
    """Judge one example alone; return what is wrong, or None."""
    try:
        _judged(check, subject, example)
    except (Exception, HungError) as error:  # noqa: BLE001 - a subject may raise anything
        return _violation(check, subject, example, error)
    return None


def _violation(check: Check[Any], subject: Any, example: Any, error: BaseException) -> Violation:
    """Return what is wrong, where a subject hangs or raises as well."""
    if isinstance(error, Violation):
        return error
    if isinstance(error, HungError):
        place = own_place(error.places, subject)
        got = f"{error.what}{place and f', waiting at {place}'}"
        return Violation(f"an end within {error.seconds:g} seconds", got)
    place = own_place(raised_at(error), subject)
    wrong = "" if place else _wrong_answer(check, subject, example)
    found = Violation(_ANSWER, wrong or _told(error, subject))
    found.__cause__ = error
    return found


def _wrong_answer(check: Check[Any], subject: Any, example: Any) -> str:
    """Return which method answers with something of the wrong kind, empty if none does."""
    try:
        other, notes = noting(subject)
    except Exception:  # noqa: BLE001 - as one who needs arguments
        return ""
    with suppress(Exception, HungError):
        _judged(check, other, example)
    return notes[0] if notes else ""


def _finding(
    check: Check[Any], example: Any, error: BaseException, subject: Any, where: str
) -> Finding:
    found = _violation(check, subject, example, error)
    told = example if found.example is None else found.example
    # the program's own calls have no limit, and those of a host end it where they raise
    raised = check.subject == "host" and not isinstance(error, Violation)
    script = script_of(check, told, where, alone=raised or isinstance(error, HungError))
    return Finding(told.described(), found.expected, found.got, script, found.schedule)


def _told(error: BaseException, subject: Any) -> str:
    """Return an error of a subject, with the place in its author's code."""
    place = own_place(raised_at(error), subject)
    return f"{_shown(error)}{place and f' (at {place})'}"


def _shown(error: BaseException) -> str:
    """Return an error as Python prints it, without the notes that Hypothesis adds."""
    shown = traceback.TracebackException.from_exception(error)
    shown.__notes__ = None
    return "".join(shown.format_exception_only()).strip()
