"""What it costs to index a store from nothing, in time, memory and space."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.measure import Figure, Reader, median_ratio
from benchmarks.workshop import Workshop

__all__ = ["cold_index", "index_size"]


async def cold_index(workshop: Workshop) -> Sequence[Figure]:
    """Compare `refresh` of a new index with the bare parsing, extracting and inserting."""
    sessions = workshop.scale.sessions
    floors: list[dict[str, Any]] = []
    indexes: list[dict[str, Any]] = []
    for number in range(workshop.scale.index_rounds):
        jobs = [(floors, workshop.floor), (indexes, workshop.index)]
        for results, job in jobs if number % 2 else reversed(jobs):
            results.append(job(sessions))
    seconds = [job["seconds"] for job in indexes]
    bare = [job["seconds"] for job in floors]
    details = {
        "sessions": sessions,
        "events": sessions * workshop.scale.events,
        "documents": floors[0]["documents"],
        "text_bytes": floors[0]["text_bytes"],
        "seconds": seconds,
        "floor_seconds": bare,
        "floor_reading_seconds": [job["reading"] for job in floors],
        "cpu_seconds": [job["cpu"] for job in indexes],
        "floor_cpu_seconds": [job["cpu"] for job in floors],
    }
    name = f"cold index of {sessions:,} x {workshop.scale.events}, to parse + extract + bare insert"
    cpu = median_ratio(details["cpu_seconds"], details["floor_cpu_seconds"])
    return [
        Figure(name, median_ratio(seconds, bare), 1.6, details=details),
        Figure("  the same in CPU time of all threads", cpu, None),
        Figure("  the same in seconds", statistics.median(seconds), None, "s"),
    ]


async def index_size(workshop: Workshop) -> Sequence[Figure]:
    """Compare the index and its log with the text in it."""
    sessions = workshop.scale.sessions
    job = workshop.indexed(sessions)[-1]
    with Reader(workshop.database(sessions)) as reader:
        text = reader.text_bytes()
    details = {"bytes": job["bytes"], "text_bytes": text, "largest_log_bytes": job["largest_log"]}
    return [
        Figure(
            "index + WAL, to the indexed text in UTF-8", job["bytes"] / text, 1.75, details=details
        ),
        Figure("  largest WAL while indexing", job["largest_log"] / 1e6, None, "MB"),
    ]
