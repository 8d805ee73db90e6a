"""How much is tried (CONF-17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["PROFILES", "Profile"]


@dataclass(frozen=True, slots=True)
class Profile:
    """How much of everything is tried.

    Attributes:
        name: its name on the command line.
        examples: how many examples a check of weight 1 gets.
        steps: how long a run of the state machine may be.
        schedules: how many schedules a race gets.
        seconds: for how long new seeds are tried; None for one seed.
        only: the checks that run; None for all.
        patience: for how many seconds an example is waited for until it counts as hung; a right
            provider needs hundredths of one.
    """

    name: str
    examples: int
    steps: int
    schedules: int
    seconds: float | None = None
    only: frozenset[str] | None = None
    patience: float = 60.0


_FIRST: Final = frozenset({"SEARCH-1/finds", "SEARCH-2/finds", "READ-1/reads", "CANCEL-2/aborted"})

PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile("smoke", examples=2, steps=5, schedules=2, only=_FIRST, patience=10.0),
        Profile("quick", examples=25, steps=15, schedules=40),
        Profile("full", examples=200, steps=40, schedules=400),
        Profile("soak", examples=200, steps=60, schedules=400, seconds=1800.0),
    )
}
