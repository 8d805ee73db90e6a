"""Judging one check of searches on one engine."""

from __future__ import annotations

from typing import Any, Final

from session_query_specs.checks import CHECKS, Check
from session_query_specs.running import Profile, Status, judge

from .nulls import WrongProvider

WHERE: Final = "session_query_specs.oracle:Oracle"
FEW: Final = Profile("few", examples=8, steps=1, schedules=1)
QUICK: Final = Profile("quick", examples=25, steps=1, schedules=1)
NAMES: Final = [
    name
    for name, check in CHECKS.items()
    if check.judge.__module__.rpartition(".")[2].startswith(("search", "filters", "cursor"))
]


def verdict(check: Check[Any], engine: type[Any]) -> Status:
    """Return what a check says of an engine."""
    return judge(check, WrongProvider(engine), WHERE, QUICK, 0, shrink=False).status
