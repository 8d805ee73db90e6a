"""What the benches share: sizes, stores, and what was measured on the way."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.corpus import copy_first, generate
from benchmarks.measure import Reader, run_job
from benchmarks.words import Words, choose

__all__ = ["FULL", "QUICK", "Scale", "Workshop"]

QUERIES = [
    ["the", "phrase"],
    ["of the", "phrase"],
    ["file test error code function return", "any"],
    ["file test", "all"],
]
"""What is searched for where only the loop is watched: words that are in every corpus."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured."""

    sessions: int
    """Sessions of the corpus that most figures are of."""

    events: int
    """Events in each of its sessions."""

    growth: tuple[int, ...]
    """Numbers of sessions whose costs are plotted; ``sessions`` and the largest are compared."""

    rounds: int
    index_rounds: int
    unchanged: int
    """Sessions that are listed where nothing has changed."""

    appended: tuple[int, int]
    """Events of the two live sessions that get one more."""

    occurrences: tuple[int, int]
    """How often the word is in the two huge events."""

    abort_seconds: float
    """How long a query has to run for an abort to be measured on it."""

    aborts: int


FULL = Scale(
    sessions=1_000,
    events=200,
    growth=(125, 250, 500, 1_000, 2_000, 5_000),
    rounds=7,
    index_rounds=3,
    unchanged=10_000,
    appended=(1_000, 20_000),
    occurrences=(4_000, 40_000),
    abort_seconds=10.0,
    aborts=8,
)
QUICK = Scale(
    sessions=100,
    events=100,
    growth=(25, 50, 100, 200),
    rounds=3,
    index_rounds=1,
    unchanged=1_000,
    appended=(500, 5_000),
    occurrences=(1_000, 10_000),
    abort_seconds=0.5,
    aborts=4,
)


@dataclass(slots=True)
class Workshop:
    """Makes what a bench needs, once, in one folder.

    Args:
        folder: where stores and indexes are put; those that are there already are used.
        scale: how much is measured.
        seed: that of the corpora.
        largest: the number of sessions that will be wanted of the main corpus at most.
    """

    folder: Path
    scale: Scale
    seed: int
    largest: int
    growth: list[dict[str, Any]] = field(default_factory=list)
    """Rows for the plot: costs by number of sessions."""

    _indexed: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    _words: dict[int, Words] = field(default_factory=dict)

    def tell(self, what: str) -> None:
        """Tell the user what is going on."""
        print(f"  {what}", file=sys.stderr, flush=True)

    def store(self, sessions: int) -> Path:
        """Return a store of the first sessions of the main corpus."""
        root = self._named(sessions, self.scale.events)
        if not _complete(root).exists():
            if sessions < self.largest:
                copy_first(self.store(self.largest), sessions, root)
            else:
                self._generate(root, sessions, self.scale.events)
            _complete(root).touch()
        return root

    def small_sessions(self, sessions: int) -> Path:
        """Return a store of many sessions with little in them."""
        events = 6
        root = self._named(sessions, events)
        if not _complete(root).exists():
            self._generate(root, sessions, events)
            _complete(root).touch()
        return root

    def _named(self, sessions: int, events: int) -> Path:
        return self.folder / f"store-{sessions}x{events}-{self.seed}"

    def _generate(self, root: Path, sessions: int, events: int) -> None:
        self.tell(f"making {sessions} sessions of {events} events")
        generate(root, sessions, events, self.seed)

    def database(self, sessions: int) -> Path:
        """Return where the index of a store is, whether or not it has been built."""
        return self.folder / f"index-{sessions}.db"

    @property
    def floor_database(self) -> Path:
        """The table that the floor of the cold index fills."""
        return self.folder / "floor.db"

    def index(self, sessions: int) -> dict[str, Any]:
        """Build the index of a store from nothing, in a process of its own; tell what it cost."""
        store = self.store(sessions)
        self.tell(f"indexing {sessions} sessions")
        job = run_job(
            "index", store=str(store), database=str(self.database(sessions)), queries=QUERIES
        )
        self._indexed.setdefault(sessions, []).append(job)
        self._note(sessions).write_text(json.dumps(job), "utf-8")
        return job

    def indexed(self, sessions: int) -> list[dict[str, Any]]:
        """Return what building the index cost each time; it's built if it was not yet."""
        if sessions not in self._indexed:
            note = self._note(sessions)
            if note.exists() and self.database(sessions).exists():
                self._indexed[sessions] = [json.loads(note.read_text("utf-8"))]
            else:
                self.index(sessions)
        return self._indexed[sessions]

    def _note(self, sessions: int) -> Path:
        """Return the file that tells what building an index in a kept folder has cost."""
        return self.database(sessions).with_suffix(".json")

    def floor(self, sessions: int) -> dict[str, Any]:
        """Do the bare work of indexing a store, in a process of its own; tell what it cost."""
        store = self.store(sessions)
        self.tell(f"the bare work for {sessions} sessions")
        return run_job("floor", store=str(store), database=str(self.floor_database))

    def words(self, sessions: int) -> Words:
        """Choose words of an indexed corpus by how often they occur."""
        self.indexed(sessions)
        if sessions not in self._words:
            with Reader(self.database(sessions)) as reader:
                self._words[sessions] = choose(reader.terms(), reader.texts())
        return self._words[sessions]


def _complete(root: Path) -> Path:
    """Return the file that tells that a store was written to its end."""
    return root.with_name(f"{root.name}.complete")
