"""Jobs that run in a process of their own: `python -m benchmarks.jobs NAME ARGUMENTS`."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import Ticker, index_floor, opened, peak_bytes

__all__ = ["main"]

_HASHED_BYTES = 64 << 20
_HASHES = 32


def floor(store: str, database: str) -> dict[str, Any]:
    """Do the bare work of a cold index."""
    Path(database).unlink(missing_ok=True)
    cpu = _cpu_seconds()
    times = index_floor(Path(store), Path(database))
    return {**times._asdict(), "cpu": _cpu_seconds() - cpu, "peak": peak_bytes()}


def index(store: str, database: str, queries: list[list[str]]) -> dict[str, Any]:
    """Index a store from nothing, then search it; tell how late the loop was meanwhile."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)
    return asyncio.run(_index(Path(store), Path(database), queries))


async def _index(store: Path, database: Path, queries: list[list[str]]) -> dict[str, Any]:
    async with Ticker() as control:
        await asyncio.get_running_loop().run_in_executor(None, _hash)
    async with opened(store, database) as (engine, _, _):
        cpu = _cpu_seconds()
        async with Ticker() as indexing, _largest_log(database) as log_sizes:
            start = time.perf_counter()
            report = await engine.refresh()
            seconds = time.perf_counter() - start
        cpu = _cpu_seconds() - cpu
        size = sum(map(_size, (database, Path(f"{database}-wal"))))
        peak = peak_bytes()
        async with Ticker() as searching:
            for query, match in queries:
                await engine.search_sessions({"query": query, "match": match})
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak": peak,
        "indexed": report.indexed,
        "skipped": len(report.skipped),
        "bytes": size,
        "largest_log": max(log_sizes, default=0),
        "loop": {
            "control": control.to_json(),
            "indexing": indexing.to_json(),
            "searching": searching.to_json(),
        },
    }


def _hash() -> None:
    """Keep a processor busy without ever holding the loop."""
    data = bytes(_HASHED_BYTES)
    for _ in range(_HASHES):
        hashlib.sha256(data).digest()


@contextlib.asynccontextmanager
async def _largest_log(database: Path) -> AsyncIterator[list[int]]:
    """Collect sizes of the write-ahead log while the context lasts."""
    sizes: list[int] = []
    log = Path(f"{database}-wal")

    async def watch() -> None:
        while True:
            sizes.append(_size(log))
            await asyncio.sleep(0.05)

    task = asyncio.create_task(watch())
    yield sizes
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - it runs while the loop is being measured
    except FileNotFoundError:
        return 0


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


_JOBS: dict[str, Callable[..., dict[str, Any]]] = {"floor": floor, "index": index}


def main() -> None:
    """Run the named job and print its result as one line of JSON."""
    name, arguments = sys.argv[1:]
    print(json.dumps(_JOBS[name](**json.loads(arguments))))


if __name__ == "__main__":
    main()
