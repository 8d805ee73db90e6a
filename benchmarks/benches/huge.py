"""What one huge event costs that matches in very many places (INDEX-7)."""

from __future__ import annotations

import statistics
from collections.abc import Awaitable, Sequence
from typing import Any

from benchmarks.measure import Figure, Opened, interleaved, opened
from benchmarks.workshop import Workshop

__all__ = ["huge_events"]

_UNIT = "needle in hay and straw; "
"""25 characters that hold each word once: 40,000 of them are 1 MB."""

_QUERIES = {
    "a word": ("needle", "phrase"),
    "a phrase": ("needle in", "phrase"),
    "any of 3 words": ("needle hay straw", "any"),
}


async def huge_events(workshop: Workshop) -> Sequence[Figure]:
    """Compare an event of 1 MB with one of a tenth of it: the cost is to be linear."""
    few, many = workshop.scale.occurrences
    figures = []
    async with (
        opened(None, workshop.folder / "tenth.db") as tenth,
        opened(None, workshop.folder / "huge.db") as huge,
    ):
        for at, count in ((tenth, few), (huge, many)):
            _append(at, _UNIT * count)
            await _search(at, "needle", "phrase", 1)
        for name, (query, match) in _QUERIES.items():
            workshop.tell(f"searching {many} matches of {name} in one event")
            jobs: dict[str, Any] = {
                "tenth": lambda number, q=query, m=match: _search(tenth, q, m, 2 + number),
                "huge": lambda number, q=query, m=match: _search(huge, q, m, 2 + number),
            }
            seconds = await interleaved(workshop.scale.rounds, jobs)
            medians = {key: statistics.median(took) for key, took in seconds.items()}
            ratio = medians["huge"] / medians["tenth"]
            size = f"{len(_UNIT) * many / 1e6:g} MB"
            figures += [
                Figure(
                    f"{many:,} matches of {name} in an event of {size}, to a tenth of it",
                    ratio,
                    10.0,
                    details=seconds,
                ),
                Figure("  the same in milliseconds", 1000 * medians["huge"], None, "ms"),
            ]
    return figures


def _append(at: Opened, text: str) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    session = at.live.create("live")
    session.append("assistant/message", {"turn": 1, "step": 1, "message": message}, "append")


def _search(at: Opened, query: str, match: str, limit: int) -> Awaitable[object]:
    request = {"sessionId": "live", "query": query, "match": match, "limit": limit}
    return at.engine.search_events(request)
