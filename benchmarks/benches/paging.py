"""What following pages cost (CURSOR-4)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.measure import Figure, Opened, opened, timed
from benchmarks.workshop import Workshop

__all__ = ["page_times", "pages"]

_PAGES = 12
_USUAL_LIMIT = 20
_ANY_WORDS = 6


async def page_times(at: Opened, query: str, match: str, limit: int, pages: int) -> list[float]:
    """Return the seconds of each page, at most so many."""
    request: dict[str, Any] = {"query": query, "match": match, "limit": limit}
    seconds = []
    for _ in range(pages):
        found: list[str | None] = []

        async def page(into: list[str | None] = found) -> None:
            into.append((await at.engine.search_sessions(request)).next_cursor)

        seconds.append(await timed(page()))
        if found[0] is None:
            break
        request["cursor"] = found[0]
    return seconds


async def pages(workshop: Workshop) -> Sequence[Figure]:
    """Compare the pages after the first with the first."""
    sessions = workshop.scale.sessions
    words = workshop.words(sessions)
    queries = [
        ("the commonest word", words.commonest, "phrase"),
        ("any of 6 common words", " ".join(words.common[:_ANY_WORDS]), "any"),
    ]
    limit = max(1, min(_USUAL_LIMIT, sessions // _PAGES))
    figures = []
    async with opened(workshop.store(sessions), workshop.database(sessions)) as at:
        for name, query, match in queries:
            workshop.tell(f"paging through {name}")
            runs = [
                await page_times(at, query, match, limit + number, _PAGES)
                for number in range(workshop.scale.rounds)
            ]
            usual = statistics.median(
                statistics.median(following) / first for first, *following in runs
            )
            worst = statistics.median(max(following) / first for first, *following in runs)
            details = {"query": query, "seconds": runs}
            title = f"pages after the first of {name}, to page 1"
            figures += [
                Figure(title, usual, 0.2, details=details),
                Figure("  the slowest of them", worst, None),
            ]
    return figures
