"""How late the event loop is while threads index and search (CANCEL-8)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import Session, Texts, write_session
from benchmarks.measure import Figure, run_job
from benchmarks.workshop import QUERIES, Workshop

__all__ = ["loop_latency"]

_LIMIT_MS = 20.0
_PARSE_MS = 15.0
_WORDS_PER_MB = 147_000
"""Words of prose in a megabyte."""

_RECORDS = ((1, 8), (8, 2))
"""Megabytes of a record, and how many of them there are."""


async def loop_latency(workshop: Workshop) -> Sequence[Figure]:
    """Watch the loop over a usual corpus, records of 1 MB, and records of 8 MB."""
    sessions = workshop.scale.sessions
    jobs = workshop.indexed(sessions)
    while len(jobs) < workshop.scale.index_rounds:
        workshop.index(sessions)
    control = 1000 * min(job["loop"]["control"]["worst"] for job in jobs)
    figures = [
        Figure("loop held while a thread does nothing but hash", control, None, "ms"),
        *_figures("usual records", jobs, _LIMIT_MS),
    ]
    for megabytes, count in _RECORDS:
        store = _large_records(workshop, megabytes, count)
        workshop.tell(f"indexing records of {megabytes} MB")
        database = str(workshop.folder / "records.db")
        runs = [
            run_job("index", store=str(store), database=database, queries=QUERIES)
            for _ in range(workshop.scale.index_rounds)
        ]
        limit = _LIMIT_MS if megabytes == 1 else _LIMIT_MS + _PARSE_MS * megabytes
        figures += _figures(f"records of {megabytes} MB", runs, limit)
    return figures


def _figures(what: str, jobs: Sequence[dict[str, Any]], limit: float) -> list[Figure]:
    """Return the worst time for which the loop was held, in the run that was disturbed least.

    What holds the loop does so in every run; other processes don't.
    """
    figures = []
    for stage in ("indexing", "searching"):
        held = 1000 * min(job["loop"][stage]["worst"] for job in jobs)
        details = {stage: [job["loop"][stage] for job in jobs] for stage in jobs[0]["loop"]}
        name = f"loop held while {stage} {what}"
        figures.append(Figure(name, held, limit, "ms", details=details))
    return figures


def _large_records(workshop: Workshop, megabytes: int, count: int) -> Path:
    """Write a store in which every session is one answer of that size."""
    root = workshop.folder / f"records-{megabytes}"
    shutil.rmtree(root, ignore_errors=True)
    texts = Texts(workshop.seed)
    rng = np.random.default_rng([workshop.seed, 3, megabytes])
    own = texts.own_words(rng)
    for number in range(count):
        header = {
            "type": "session",
            "version": 0,
            "id": f"large-{number}",
            "createdAt": number,
            "cwd": "/srv/large",
            "delegationDepth": 0,
        }
        session = Session(header)
        (text,) = texts.make(rng, "prose", [megabytes * _WORDS_PER_MB], own)
        message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        data = {"turn": 1, "step": 1, "message": message}
        line = {"type": "assistant/message", "seq": 0, "time": number, "data": data}
        session.lines.append(({**line, "surfaceOp": "append"}, 1))
        write_session(root, session)
    return root
