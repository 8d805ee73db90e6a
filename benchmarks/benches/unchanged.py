"""What a search costs where nothing has changed since the last one (RECON-2, LOG-22)."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.benches.searching import first_page
from benchmarks.measure import Figure, interleaved, median_ratio, opened
from benchmarks.workshop import Workshop

__all__ = ["no_change"]

_DOMINATED = 2.0
"""The listing takes more than half of the time."""


class _LogOpens:
    """Counts the logs that are opened below a folder while it is told to watch."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._watching = False
        self.count = 0
        sys.addaudithook(self._hear)  # it stays until the process ends

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._watching and event == "open":
            path = str(arguments[0])
            self.count += path.startswith(self._root) and ".jsonl" in path

    def __enter__(self) -> None:
        self._watching = True

    def __exit__(self, *_: object) -> None:
        self._watching = False


async def no_change(workshop: Workshop) -> Sequence[Figure]:
    """Compare a search that finds nothing changed with the bare listing of the store."""
    sessions = workshop.scale.unchanged
    store = workshop.small_sessions(sessions)
    database = workshop.folder / "unchanged.db"
    database.unlink(missing_ok=True)
    opens = _LogOpens(store.resolve())
    async with opened(store, database) as at:
        workshop.tell(f"indexing {sessions} small sessions")
        await at.engine.refresh()
    # a second engine: unchanged corpora cost no inspection, also after a reopening
    async with opened(store, database) as at:
        persistence = at.persistence
        assert persistence is not None
        with opens:
            await at.engine.search_sessions({"query": "qqxzabsent"})
        reopened, opens.count = opens.count, 0

        async def listing(_number: int) -> object:
            return await persistence.list_snapshots()

        workshop.tell(f"searching among {sessions} sessions that did not change")
        with opens:
            jobs = {"search": first_page(at, "qqxzabsent"), "listing": listing}
            seconds = await interleaved(2 * workshop.scale.rounds, jobs)
    ratio = median_ratio(seconds["search"], seconds["listing"])
    took = 1000 * statistics.median(seconds["search"])
    return [
        Figure(
            f"search of {sessions:,} unchanged sessions, to list_snapshots()",
            ratio,
            _DOMINATED,
            details=seconds,
        ),
        Figure("  the same in milliseconds", took, None, "ms"),
        Figure("  logs opened by these searches", opens.count, 0, ""),
        Figure("  logs opened by the first search after reopening, headers", reopened, None, ""),
    ]
