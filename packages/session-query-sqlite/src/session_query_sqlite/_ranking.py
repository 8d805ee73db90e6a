"""The order of matches, worked out as far as pages ask for it (SEARCH-8, SEARCH-9, SEARCH-13).

The first key of the order is known for every match; the others need a look-up. So matches are taken
level by level, strongest first, and a level is looked up and sorted only when a page reaches it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from session_query import EventBounds
from session_query.text import Matcher, ParsedQuery, Segmentation

from session_query_sqlite._database import DamagedIndexError
from session_query_sqlite._matches import Finder, Matches, Within
from session_query_sqlite._ranges import Directory, Integers, contained, distinct_values
from session_query_sqlite._schema import LIVE_FROM, SURFACES, TYPES, Tables

__all__ = ["Corpus", "Found", "Ranking", "Source"]

_LOOKUP_BATCH = 2048
_LEVEL_PART = 64
"""How many documents of a level are looked up as a whole at once; a page needs some twenty."""

_NO_ROWS: Integers = np.empty((0, 7), np.int64)
_NO_LENGTHS: Integers = np.empty((0, 2), np.int64)


class Found(NamedTuple):
    """One match in its place: what of it is stored, but for its text."""

    id: int
    session: int
    seq: int
    length: int
    time: int
    type: int
    surface: int


_COLUMNS = Found._fields
_LENGTH = _COLUMNS.index("length")
_OWNER = _COLUMNS.index("session")


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
        self._level: Integers = _NO_LENGTHS
        """The rest of the level that pages have reached: ids and lengths, by length."""
        self._rows: Integers = _NO_ROWS
        """What was looked up of that level and not taken yet."""

    @property
    def size(self) -> int:
        """How many integers the ranking holds, for a bound on what is kept."""
        rows = len(self._rows) + len(self._ordered)
        return sum(map(len, self._pending)) + self._level.size + len(_COLUMNS) * rows

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
            if len(self._rows):
                some, self._rows = _parted(self._rows, _LENGTH, 1)
                self._ordered.extend(self._untied(corpus, [Found(*row) for row in some.tolist()]))
            elif len(self._level):
                some, self._level = _parted(self._level, 1, _LEVEL_PART)
                self._rows = self._looked_up(corpus, some[:, 0])
            elif self._pending:
                self._level = self._by_length(corpus, self._pending.pop())
            else:
                break
        return self._ordered[start : start + count]

    # -- what takes part ----------------------------------------------------------------------

    def _admitted(self, source: Source, matches: Matches) -> Matches:
        numbers = source.directory.sessions_of(matches.ids)
        distinct = distinct_values(numbers)
        admitted = []
        for number in distinct.tolist():
            name = self._admit(number)
            if name is not None:
                self._names[number] = name
                admitted.append(number)
        if len(admitted) == len(distinct):
            return matches
        kept = contained(numbers, np.array(admitted, np.int64))
        return Matches(matches.ids[kept], matches.strength[kept])

    def _bounded(self, corpus: Corpus, source: Source, matches: Matches) -> Matches:
        condition = _condition(self._bounds)
        if not condition:
            return matches
        found = _look_up(corpus, source.tables, matches.ids, ("id",), condition)
        kept = contained(matches.ids, np.sort(found[:, 0]))
        return Matches(matches.ids[kept], matches.strength[kept])

    # -- order --------------------------------------------------------------------------------

    def _by_length(self, corpus: Corpus, ids: Integers) -> Integers:
        """Return ids and lengths of a level by length."""
        parts = [_NO_LENGTHS]
        for source, some, _ in self._fresh(corpus, ids):
            lengths = _lengths(corpus, source.tables, some)
            _check_all_there(some, lengths)
            parts.append(np.stack((some, lengths), axis=1))
        return _in_order_of(1, parts)

    def _looked_up(self, corpus: Corpus, ids: Integers) -> Integers:
        """Return the rows of documents by length."""
        parts = [_NO_ROWS]
        for source, some, owners in self._fresh(corpus, ids):
            found = _look_up(corpus, source.tables, some, _COLUMNS)
            _check_all_there(some, found)
            if owners is not None and not (found[:, _OWNER] == owners).all():
                raise DamagedIndexError("documents stand in ranges of other sessions")
            parts.append(found)
        return _in_order_of(_LENGTH, parts)

    def _fresh(
        self, corpus: Corpus, ids: Integers
    ) -> Iterator[tuple[Source, Integers, Integers | None]]:
        """Yield what of documents is in each source, but for sessions that are in the order.

        With one hit a session, their sessions come too.
        """
        ids = np.sort(ids)
        split = int(np.searchsorted(ids, LIVE_FROM))
        seen = np.array(sorted(self._seen), np.int64)
        for source, some in zip(corpus.sources, (ids[:split], ids[split:]), strict=True):
            if not self._one_per_session:
                yield source, some, None
                continue
            owners = source.directory.sessions_of(some)
            fresh = ~contained(owners, seen)
            yield source, some[fresh], owners[fresh]

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


def _parted(rows: Integers, column: int, least: int) -> tuple[Integers, Integers]:
    """Cut off the first rows, so many or a few more, where the value of a column changes."""
    values = rows[:, column]
    last = values[min(least, len(values)) - 1]
    end = int(np.searchsorted(values, last, side="right"))
    return rows[:end], rows[end:]


def _in_order_of(column: int, parts: Sequence[Integers]) -> Integers:
    rows = np.concatenate(parts)
    return rows[np.argsort(rows[:, column], kind="stable")]


def _check_all_there(ids: Integers, found: Integers) -> None:
    if len(found) != len(ids):
        raise DamagedIndexError("the inverted index names documents that are not there")


def _lengths(corpus: Corpus, tables: Tables, ids: Integers) -> Integers:
    """Return the lengths of documents in the order of ``ids``: as one text, as keys are."""
    statement = f"SELECT group_concat(d.length) FROM {_documents(tables)}"
    parts: list[Integers] = [np.empty(0, np.int64)]
    for some in _batches(corpus, ids):
        (text,) = corpus.connection.execute(statement, (some,)).fetchone()
        parts.append(np.fromstring(text or "", np.int64, sep=","))
    return np.concatenate(parts)


def _look_up(
    corpus: Corpus, tables: Tables, ids: Integers, columns: Sequence[str], condition: str = ""
) -> Integers:
    """Return rows of documents in the order of ``ids``, less those that fail ``condition``."""
    wanted = ", ".join(f"d.{column}" for column in columns)
    statement = f"SELECT {wanted} FROM {_documents(tables)}{condition}"
    parts = [np.empty((0, len(columns)), np.int64)]
    for some in _batches(corpus, ids):
        rows = corpus.connection.execute(statement, (some,)).fetchall()
        flat = chain.from_iterable(rows)
        found = np.fromiter(flat, np.int64, len(rows) * len(columns))
        parts.append(found.reshape(-1, len(columns)))
    return np.concatenate(parts)


def _documents(tables: Tables) -> str:
    """Return the tables of a statement that takes some ids as JSON."""
    return f"json_each(?) j CROSS JOIN {tables.schema}.{tables.documents} d ON d.id = j.value"


def _batches(corpus: Corpus, ids: Integers) -> Iterator[str]:
    for start in range(0, len(ids), _LOOKUP_BATCH):
        corpus.check()
        yield json.dumps(ids[start : start + _LOOKUP_BATCH].tolist())


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
