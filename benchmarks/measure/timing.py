"""Times that can be compared although the machine is busy: interleaved, and medians of several."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

__all__ = ["Job", "interleaved", "median_ratio", "timed"]

Job: TypeAlias = Callable[[int], Awaitable[object]]
"""Called with the number of the round, so that no round asks what an earlier one was asked."""


async def timed(job: Awaitable[object]) -> float:
    """Return the seconds that it takes."""
    start = time.perf_counter()
    await job
    return time.perf_counter() - start


async def interleaved(rounds: int, jobs: dict[str, Job], warm: int = 1) -> dict[str, list[float]]:
    """Run the jobs in turn, so that a busy moment hits all of them; return the seconds of each.

    Args:
        rounds: how often.
        jobs: what to run, by name; every other round runs them in reverse.
        warm: rounds before those that count.
    """
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    gc.collect()
    for number in range(-warm, rounds):
        order = list(jobs) if number % 2 else list(reversed(jobs))
        for name in order:
            took = await timed(jobs[name](number + warm))
            if number >= 0:
                seconds[name].append(took)
    return seconds


def median_ratio(seconds: Sequence[float], floor: Sequence[float]) -> float:
    """Return the median of the ratios of each round."""
    return statistics.median(one / least for one, least in zip(seconds, floor, strict=True))
