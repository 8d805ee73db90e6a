"""The failure cards of mutants, as a run in the `quick` profile tells them."""

from __future__ import annotations

from functools import cache
from typing import Final

from session_query_specs import HostUnderTest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants import Mutant
from session_query_specs.reports import card_lines, cards_of
from session_query_specs.running import PROFILES, CheckResult, Report, judge

__all__ = ["MOST_COLUMNS", "RACES", "SEED", "card", "judged", "judged_again", "judged_host"]

SEED: Final = 0
MOST_COLUMNS: Final = 100
RACES: Final = {
    "AbandonsOnAbort": ("CANCEL-3/swept", "abort", "it left running"),
    "LeavesItsWorkers": ("CANCEL-3/swept", "abort", "still running: list()"),
    "BeginsAfterAbort": ("CANCEL-3/swept", "abort", "begun later"),
    "FinishesTheBatch": ("CANCEL-3/swept", "abort", "inspect('s4')"),
    "AbandonsOnCancel": ("CANCEL-4/swept", "cancel", "it left running"),
}
"""Races that are planted: the check that finds each, what is done, and what it says."""


@cache
def judged(mutant: Mutant, check: str) -> CheckResult:
    """Return what a check comes to on a mutant; the same each time."""
    return judged_again(mutant, check)


def judged_again(mutant: Mutant, check: str) -> CheckResult:
    """Judge a mutant by a check."""
    return judge(CHECKS[check], mutant.make(), mutant.where, PROFILES["quick"], SEED)


def judged_host(mutant: Mutant, check: str, host: HostUnderTest, where: str) -> CheckResult:
    """Judge a host that a mutant spoils."""
    assert mutant.kind == "host"
    return judge(CHECKS[check], host, where, PROFILES["quick"], SEED)


def card(mutant: Mutant, result: CheckResult) -> list[str]:
    """Return the lines of the one card of a report with this result."""
    report = Report(
        subject=mutant.name,
        kind="provider",
        where=mutant.where,
        profile="quick",
        seed=SEED,
        contract="1.0",
        suite="0",
        capabilities={},
        results=[result],
        seconds=0.0,
    )
    [only] = cards_of(report)
    return card_lines(only, MOST_COLUMNS, "report.html")
