"""The checks of searches, and how much is tried."""

from __future__ import annotations

from typing import Final

from session_query_specs.checks import CHECKS
from session_query_specs.running import Profile

WHERE: Final = "session_query_specs.oracle:Oracle"
FEW: Final = Profile("few", examples=8, steps=1, schedules=1)
QUICK: Final = Profile("quick", examples=25, steps=1, schedules=1)
NAMES: Final = [
    name
    for name, check in CHECKS.items()
    if check.judge.__module__.rpartition(".")[2].startswith(("search", "filters", "cursor"))
]
