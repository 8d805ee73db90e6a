"""How soon a caller who aborts gets the exception (CANCEL-7)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from session_query import AbortController, AbortSignal, SessionQueryError

from benchmarks.corpus.words import FUNCTION_WORDS
from benchmarks.measure import Figure, Opened, Ticker, opened, timed
from benchmarks.workshop import Workshop

__all__ = ["aborts"]

_LIMIT_MS = 100.0
_SECONDS = 12
_PAIRS = (24, 72, 144, 288, 500)
"""Up to as many as a query may hold."""

Operation = Callable[[AbortSignal], Awaitable[object]]


async def aborts(workshop: Workshop) -> Sequence[Figure]:
    """Abort a long query, and a cold index, at several instants."""
    return [*await _queries(workshop), *await _indexing(workshop)]


async def _queries(workshop: Workshop) -> list[Figure]:
    # the largest corpus that there is anyway
    sessions = workshop.largest
    words = [workshop.words(sessions).commonest, *workshop.words(sessions).common]
    async with opened(workshop.store(sessions), workshop.database(sessions)) as at:
        await at.engine.search_sessions({"query": "!!!"})
        query, runs_for = await _long_query(workshop, at, words)
        delays = {}
        async with Ticker() as ticker:
            for number in range(workshop.scale.aborts):
                instant = 0.9 * runs_for * (0.5 + number) / workshop.scale.aborts
                request = {"query": query, "match": "any", "limit": 21 + number}
                delay = await _delay(partial(at.engine.search_sessions, request), instant)
                if delay is not None:
                    delays[round(instant, 2)] = 1000 * delay
                await at.engine.search_sessions({"query": "!!!"})
    details = {"pairs": len(query.split()), "sessions": sessions, "delays_ms": delays}
    worst = max(delays.values(), default=0.0)
    return [
        Figure(
            "the query that is aborted runs",
            runs_for,
            workshop.scale.abort_seconds,
            "s",
            at_least=True,
        ),
        Figure("  from abort to exception at worst", worst, _LIMIT_MS, "ms", details=details),
        Figure("  loop held meanwhile, at worst", 1000 * ticker.worst, None, "ms"),
    ]


async def _long_query(workshop: Workshop, at: Opened, words: Sequence[str]) -> tuple[str, float]:
    """Return a query that runs long enough, and how long that is.

    Its words are pairs of common ones, which cost more than single words.
    """
    pairs = [f"{first}-{second}" for first in FUNCTION_WORDS for second in words[:_SECONDS]]
    query, took = "", 0.0
    for count in _PAIRS:
        query = " ".join(pairs[:count])
        workshop.tell(f"searching any of {count} pairs of common words")
        took = await timed(at.engine.search_sessions({"query": query, "match": "any"}))
        if took > workshop.scale.abort_seconds:
            break
    return query, took


async def _indexing(workshop: Workshop) -> list[Figure]:
    sessions = workshop.scale.sessions
    runs_for = min(job["seconds"] for job in workshop.indexed(sessions))
    delays = {}
    workshop.tell("aborting a cold index")
    for number in range(workshop.scale.aborts // 2):
        instant = runs_for * (0.5 + number) / workshop.scale.aborts
        database = workshop.folder / "aborted.db"
        _remove(database)
        async with opened(workshop.store(sessions), database) as at:
            delay = await _delay(at.engine.refresh, instant)
            if delay is not None:
                delays[round(instant, 2)] = 1000 * delay
    worst = max(delays.values(), default=0.0)
    details = {"delays_ms": delays}
    return [
        Figure(
            "from abort to exception while indexing, at worst",
            worst,
            _LIMIT_MS,
            "ms",
            details=details,
        )
    ]


async def _delay(operation: Operation, instant: float) -> float | None:
    """Return how long after an abort the exception came; None if it ended before the abort."""
    controller = AbortController()
    task = asyncio.ensure_future(operation(controller.signal))
    await asyncio.wait([task], timeout=instant)
    if task.done():
        await task
        return None
    start = time.perf_counter()
    controller.abort()
    try:
        await task
    except SessionQueryError:
        return time.perf_counter() - start
    return None


def _remove(database: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)
