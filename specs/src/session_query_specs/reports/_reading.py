"""A report as it is read: rows by subject, and one card for each cause (CONF-14, CONF-15)."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from session_query_specs.contract import REQUIREMENTS
from session_query_specs.running import CheckResult, Report, Status

__all__ = ["Card", "Row", "cards_of", "columns_of", "replay_command", "rows_of", "subject_of"]

_ALWAYS: Final = (
    Status.PASSED,
    Status.FAILED,
    Status.KNOWN_FAILURE,
    Status.NOT_CLAIMED,
    Status.NOT_TESTABLE,
)
_CARDS: Final = {Status.FAILED, Status.FLAKY, Status.STALE}


@dataclass(frozen=True, slots=True)
class Row:
    """How many checks of one subject came to what; those blocked are not in it."""

    subject: str
    counts: Mapping[Status, int]


@dataclass(frozen=True, slots=True)
class Card:
    """One cause of a run that failed.

    Attributes:
        result: the check.
        sentence: the requirement that it judges, as much of it as is read at once.
        followers: the checks that were not judged because of it.
        again: the command that judges this check again, on the same examples.
    """

    result: CheckResult
    sentence: str
    followers: Sequence[str]
    again: str


def subject_of(requirement: str) -> str:
    """Return the subject that a requirement belongs to."""
    known = REQUIREMENTS.get(requirement)
    return known.subject if known is not None else requirement.partition("-")[0]


def columns_of(report: Report) -> Sequence[Status]:
    """Return the statuses that a table has a column for: the usual ones, and others if met."""
    met = {result.status for result in report.results} - {Status.BLOCKED}
    return [status for status in Status if status in met or status in _ALWAYS]


def rows_of(report: Report) -> Sequence[Row]:
    """Return a row for each subject, in the order of the contract."""
    counts: dict[str, Counter[Status]] = {one.subject: Counter() for one in REQUIREMENTS.values()}
    for result in report.results:
        if result.status is not Status.BLOCKED:
            counts.setdefault(subject_of(result.requirement), Counter())[result.status] += 1
    return [Row(subject, found) for subject, found in counts.items() if found]


def cards_of(report: Report) -> Sequence[Card]:
    """Return a card for each cause, in the order in which the checks ran."""
    return [
        Card(
            result,
            known.text if (known := REQUIREMENTS.get(result.requirement)) else "",
            [one.name for one in report.results if one.blocked_by == result.name],
            replay_command(report, result),
        )
        for result in report.results
        if result.status in _CARDS
    ]


def replay_command(report: Report, result: CheckResult) -> str:
    """Return the command that judges one check again, on the same examples."""
    profile = "full" if report.profile == "soak" else report.profile
    seed = report.seed if result.seed is None else result.seed
    command = ["session-query-conformance", report.where, "--only", result.listed or result.name]
    listed = ["--known-failures", report.known] if result.listed and report.known else []
    return shlex.join([*command, "--profile", profile, "--seed", str(seed), *listed])
