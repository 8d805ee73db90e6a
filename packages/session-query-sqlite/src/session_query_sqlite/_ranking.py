"""The order of matches, worked out as far as pages ask for it (SEARCH-8, SEARCH-9, SEARCH-13).

The first key of the order is known for every match; the others need a look-up. So matches are taken
level by level, strongest first, and a level is looked up and sorted only when a page reaches it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from session_query import EventBounds
from session_query.text import Matcher, ParsedQuery, Segmentation

from session_query_sqlite._database import DamagedIndexError
from session_query_sqlite._matches import Finder, Matches, Within
from session_query_sqlite._ranges import Directory, Integers
from session_query_sqlite._schema import LIVE_FROM, SURFACES, TYPES, Tables

__all__ = ["Corpus", "Found", "Ranking", "Source"]

_LOOKUP_BATCH = 2048
_NO_ROWS: Integers = np.empty((0, 7), np.int64)


class Found(NamedTuple):
    """One match in its place: what of it is stored, but for its text."""

    id: int
    session: int
    seq: int
    length: int
    time: int
    type: int
    surface: int


_LENGTH = Found._fields.index("length")


class Source(NamedTuple):
    """One set of tables to search, and how to find matches there."""

    tables: Tables
    finder: Finder
    directory: Directory


class Corpus(NamedTuple):
    """What a ranking reads from: valid for one job."""

    connection: sqlite3.Connection
    sources: Sequence[Source]
    segmentation: Segmentation
    check: Callable[[], None]

    def source_of(self, identifier: int) -> Source:
        """Return the tables that hold a document: live ones have the higher numbers."""
        return self.sources[identifier >= LIVE_FROM]


class Ranking:
    """All matches of one request, in order, one a session or all of them.

    Args:
        query: what is searched.
        bounds: which events take part.
        admitted: gives the id of a session by its number, None for one that takes no part.
        one_per_session: whether only the first match of each session counts.
    """

    def __init__(
        self,
        query: ParsedQuery,
        bounds: EventBounds,
        admitted: Callable[[int], str | None],
        *,
        one_per_session: bool,
    ) -> None:
        self.query = query
        self._bounds = bounds
        self._admit = admitted
        self._names: dict[int, str] = {}
        self._one_per_session = one_per_session
        self._seen: set[int] = set()
        self.collected = False
        self._matcher: Matcher | None = None
        self._ordered: list[Found] = []
        self._pending: list[Integers] = []
        """Ids of the levels that no page has reached yet, weakest first."""
        self._level: Integers = _NO_ROWS
        """The rest of the level that pages have reached, a row each, by length."""

    @property
    def size(self) -> int:
        """How many integers the ranking holds, for a bound on what is kept."""
        rows = len(self._level) + len(self._ordered)
        return sum(map(len, self._pending)) + len(Found._fields) * rows

    def collect(self, corpus: Corpus, within: Within | None) -> None:
        """Find all matches and part them into levels; O(occurrences)."""
        parts = []
        for source in corpus.sources:
            matches = source.finder.find(self.query, within)
            if within is None:
                matches = self._admitted(source, matches)
            parts.append(self._bounded(corpus, source, matches))
        ids = np.concatenate([part.ids for part in parts])
        strength = np.concatenate([part.strength for part in parts])
        by_strength = np.argsort(strength, kind="stable")
        ids, strength = ids[by_strength], strength[by_strength]
        cuts = np.flatnonzero(strength[1:] != strength[:-1]) + 1
        self._pending = np.split(ids, cuts) if len(ids) else []
        self.collected = True

    def name_of(self, match: Found) -> str:
        """Return the id of a match's session."""
        if match.session not in self._names:
            self._names[match.session] = self._admit(match.session) or ""
        return self._names[match.session]

    def page(self, corpus: Corpus, start: int, count: int) -> list[Found]:
        """Return matches ``start`` to ``start + count`` of the order; fewer at its end."""
        while len(self._ordered) < start + count:
            corpus.check()
            if not len(self._level):
                if not self._pending:
                    break
                self._level = self._looked_up(corpus, self._pending.pop())
                continue
            lengths = self._level[:, _LENGTH]
            ties = int(np.searchsorted(lengths, lengths[0], side="right"))
            some, self._level = self._level[:ties], self._level[ties:]
            self._ordered.extend(self._untied(corpus, [Found(*row) for row in some.tolist()]))
        return self._ordered[start : start + count]

    # -- what takes part ----------------------------------------------------------------------

    def _admitted(self, source: Source, matches: Matches) -> Matches:
        numbers = source.directory.sessions_of(matches.ids)
        unique = np.unique(numbers)
        admitted = []
        for number in unique.tolist():
            name = self._admit(number)
            if name is not None:
                self._names[number] = name
                admitted.append(number)
        if len(admitted) == len(unique):
            return matches
        kept = np.isin(numbers, np.array(admitted, np.int64))
        return Matches(matches.ids[kept], matches.strength[kept])

    def _bounded(self, corpus: Corpus, source: Source, matches: Matches) -> Matches:
        condition = _condition(self._bounds)
        if not condition:
            return matches
        kept = np.isin(matches.ids, _look_up(corpus, source.tables, matches.ids, condition)[:, 0])
        return Matches(matches.ids[kept], matches.strength[kept])

    # -- order --------------------------------------------------------------------------------

    def _looked_up(self, corpus: Corpus, ids: Integers) -> Integers:
        """Return the rows of one level by length, those of sessions already seen left out."""
        ids = np.sort(ids)
        split = int(np.searchsorted(ids, LIVE_FROM))
        parts = [_NO_ROWS]
        for source, part in zip(corpus.sources, (ids[:split], ids[split:]), strict=True):
            if self._one_per_session and self._seen:
                seen = np.fromiter(self._seen, np.int64, len(self._seen))
                part = part[~np.isin(source.directory.sessions_of(part), seen)]  # noqa: PLW2901
            found = _look_up(corpus, source.tables, part, "")
            self._check(source, part, found)
            parts.append(found)
        rows = np.concatenate(parts)
        return rows[np.argsort(rows[:, _LENGTH], kind="stable")]

    def _check(self, source: Source, ids: Integers, rows: Integers) -> None:
        """See that the tables agree on which documents there are, and whose they are."""
        if len(rows) != len(ids):
            raise DamagedIndexError("the inverted index names documents that are not there")
        owners = rows[:, Found._fields.index("session")]
        if self._one_per_session and not (owners == source.directory.sessions_of(ids)).all():
            raise DamagedIndexError("documents stand in ranges of other sessions")

    def _untied(self, corpus: Corpus, ties: list[Found]) -> Iterator[Found]:
        """Yield matches of equal strength and length by spans, time, session id and seq."""
        spans: dict[int, int] = {}
        if self._one_per_session:
            ties = [match for match in ties if match.session not in self._seen]
        if len(ties) > 1:
            if self.query.match != "phrase":
                matcher = self._matcher or Matcher(self.query, corpus.segmentation)
                self._matcher = matcher
                for match in ties:
                    rank = matcher.rank(text_of(corpus, match))
                    spans[match.id] = 0 if rank is None else rank.spans
            ties.sort(
                key=lambda match: (
                    -spans.get(match.id, 0),
                    -match.time,
                    self.name_of(match),
                    -match.seq,
                )
            )
        for match in ties:
            if not self._one_per_session:
                yield match
            elif match.session not in self._seen:
                self._seen.add(match.session)
                yield match


def text_of(corpus: Corpus, match: Found) -> str:
    """Return the text of one match."""
    for _, text in corpus.source_of(match.id).finder.texts([match.id]):
        return text
    raise DamagedIndexError(f"document {match.id} has no text")


def _look_up(corpus: Corpus, tables: Tables, ids: Integers, condition: str) -> Integers:
    """Return the rows of documents in the order of ``ids``, less those that fail ``condition``."""
    statement = (
        "SELECT d.id, d.session, d.seq, d.length, d.time, d.type, d.surface FROM json_each(?) j"
        f" CROSS JOIN {tables.schema}.{tables.documents} d ON d.id = j.value{condition}"
    )
    parts = [_NO_ROWS]
    for start in range(0, len(ids), _LOOKUP_BATCH):
        corpus.check()
        some = json.dumps(ids[start : start + _LOOKUP_BATCH].tolist())
        rows = corpus.connection.execute(statement, (some,)).fetchall()
        parts.append(np.array(rows, np.int64).reshape(-1, len(Found._fields)))
    return np.concatenate(parts)


def _condition(bounds: EventBounds) -> str:
    """Return the SQL for the bounds that need a look-up; it holds numbers only."""
    parts = [""]
    if bounds.seq_from is not None:
        parts.append(f"d.seq >= {bounds.seq_from}")
    if bounds.seq_to is not None:
        parts.append(f"d.seq <= {bounds.seq_to}")
    if bounds.time_from is not None:
        parts.append(f"d.time >= {bounds.time_from}")
    if bounds.time_to is not None:
        parts.append(f"d.time <= {bounds.time_to}")
    for column, names, asked in (
        ("type", TYPES, bounds.types),
        ("surface", SURFACES, bounds.surfaces),
    ):
        if asked is not None:
            numbers = ", ".join(str(n) for n, name in enumerate(names) if name in asked)
            parts.append(f"d.{column} IN ({numbers})")
    return " AND ".join(parts)
