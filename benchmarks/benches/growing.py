"""How costs grow with the corpus."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.benches.paging import page_times
from benchmarks.benches.searching import first_page
from benchmarks.measure import Figure, Reader, interleaved, opened
from benchmarks.workshop import Workshop

__all__ = ["growth"]

_LINEAR = 1.1
"""How much more than proportional the cold index of the larger corpus may be."""

_MEMORY = 1.25
"""Peak memory does not depend on the corpus, but for a record of each session."""

_ANY_WORDS = 6


async def growth(workshop: Workshop) -> Sequence[Figure]:
    """Measure several sizes for the plot, and compare the largest with the usual one."""
    for sessions in workshop.scale.growth:
        jobs = workshop.indexed(sessions)
        workshop.growth.append(
            {
                "sessions": sessions,
                "index": statistics.median(job["seconds"] for job in jobs),
                "cpu": statistics.median(job["cpu"] for job in jobs),
                "peak": statistics.median(job["peak"] for job in jobs),
                "bytes": jobs[-1]["bytes"],
                **await _searches(workshop, sessions),
            }
        )
    rows = {row["sessions"]: row for row in workshop.growth}
    usual, largest = rows[workshop.scale.sessions], rows[max(rows)]
    sizes = f"{largest['sessions']:,} sessions, to {usual['sessions']:,}"
    target = _LINEAR * largest["sessions"] / usual["sessions"]
    memory = {"peak_mb": {name: row["peak"] / 1e6 for name, row in rows.items()}}
    return [
        Figure(
            f"cold index of {sizes}",
            largest["index"] / usual["index"],
            target,
            details={"seconds": {name: row["index"] for name, row in rows.items()}},
        ),
        Figure("  the same in CPU time of all threads", largest["cpu"] / usual["cpu"], None),
        Figure(
            f"peak memory of indexing {sizes}",
            largest["peak"] / usual["peak"],
            _MEMORY,
            details=memory,
        ),
        Figure("  that of the larger", largest["peak"] / 1e6, None, "MB"),
    ]


async def _searches(workshop: Workshop, sessions: int) -> dict[str, Any]:
    """Return the median seconds of some searches."""
    words = workshop.words(sessions)
    any_words = " ".join(words.common[:_ANY_WORDS])
    workshop.tell(f"searching {sessions} sessions")
    async with opened(workshop.store(sessions), workshop.database(sessions)) as at:
        jobs = {
            "check": first_page(at, "!!!"),
            "rare": first_page(at, words.rare[0]),
            "common": first_page(at, words.commonest),
            "phrase": first_page(at, words.phrase),
            "any": first_page(at, any_words, "any"),
        }
        seconds = await interleaved(5, jobs)
        # page sizes of their own, so that no order is known beforehand
        runs = [await page_times(at, words.commonest, "phrase", 30 + n, 3) for n in range(3)]
    result = {name: statistics.median(took) for name, took in seconds.items()}
    following = [second for _, *rest in runs for second in rest]
    if following:
        result["following"] = statistics.median(following)
    with Reader(workshop.database(sessions)) as reader:
        result["documents"] = reader.matches(words.commonest)
    return result
