"""Judging mutants by the checks that must kill them."""

from __future__ import annotations

from typing import Final

from session_query_specs.checks import CHECKS
from session_query_specs.mutants import MUTANTS
from session_query_specs.running import PROFILES, CheckResult, judge

PROVIDERS: Final = [one.name for one in MUTANTS.values() if one.kind != "host"]


def judged(name: str, check: str, *, shrink: bool) -> CheckResult:
    """Return what a check says of a mutant."""
    mutant = MUTANTS[name]
    return judge(CHECKS[check], mutant.make(), mutant.where, PROFILES["quick"], 0, shrink=shrink)
