"""The benches by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from benchmarks.benches.aborting import aborts
from benchmarks.benches.appending import appends
from benchmarks.benches.growing import growth
from benchmarks.benches.huge import huge_events
from benchmarks.benches.indexing import cold_index, index_size
from benchmarks.benches.looping import loop_latency
from benchmarks.benches.paging import pages
from benchmarks.benches.searching import any_words, common_phrase, common_word, selective
from benchmarks.benches.tools import tools
from benchmarks.benches.unchanged import no_change
from benchmarks.measure import Figure
from benchmarks.workshop import Workshop

__all__ = ["BENCHES", "Bench"]

Bench = Callable[[Workshop], Coroutine[Any, Any, Sequence[Figure]]]

BENCHES: Mapping[str, Bench] = {
    "cold-index": cold_index,
    "size": index_size,
    "loop": loop_latency,
    "common-word": common_word,
    "any": any_words,
    "phrase": common_phrase,
    "selective": selective,
    "pages": pages,
    "no-change": no_change,
    "append": appends,
    "huge": huge_events,
    "abort": aborts,
    "tools": tools,
    "growth": growth,
}
