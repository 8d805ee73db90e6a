"""Ranges of document ids: dense, so that the inverted index stays small (INDEX-6, INDEX-8)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from session_query_sqlite._schema import Tables

__all__ = ["Directory", "IdRanges", "Integers", "contained", "distinct_values"]

Integers: TypeAlias = npt.NDArray[np.int64]

_MOST_SPARE = 4096


class IdRanges:
    """Which ids belong to which session; its methods are parts of a transaction.

    A session begins with a range of just its documents. One that grows gets ranges with as much
    room to spare as it has documents, so that it ends up with few.
    """

    def __init__(self, connection: sqlite3.Connection, tables: Tables) -> None:
        self._execute = connection.execute
        self._table = f"{tables.schema}.{tables.ranges}"
        self._first_id = tables.first_id

    def of_session(self, number: int) -> list[tuple[int, int]]:
        """Return the first and the last id of each range of a session, in ascending order."""
        return [
            (first, first + used - 1)
            for first, used in self._execute(
                f"SELECT first, used FROM {self._table} WHERE session = ? ORDER BY first", (number,)
            ).fetchall()
            if used
        ]

    def allocate(self, number: int, count: int) -> list[int]:
        """Take so many new ids for a session, in ascending order."""
        (end,) = self._execute(
            f"SELECT first + size FROM {self._table} ORDER BY first DESC LIMIT 1"
        ).fetchone() or (self._first_id,)
        known = self._execute(
            f"SELECT first, size, used FROM {self._table} WHERE session = ? ORDER BY first",
            (number,),
        ).fetchall()
        ids: list[int] = []
        spare = min(sum(used for _, _, used in known), _MOST_SPARE)
        if known:
            first, size, used = known[-1]
            if first + size == end:
                # nothing stands behind it: it grows where it is
                size = max(size, used + count)
            taken = min(count, size - used)
            ids += range(first + used, first + used + taken)
            self._execute(
                f"UPDATE {self._table} SET size = ?, used = ? WHERE first = ?",
                (size, used + taken, first),
            )
        rest = count - len(ids)
        if rest:
            ids += range(end, end + rest)
            self._execute(
                f"INSERT INTO {self._table} VALUES (?, ?, ?, ?)",
                (end, rest + spare, rest, number),
            )
        return ids

    def release(self, number: int) -> None:
        """Give up the ranges of a session whose documents are gone."""
        self._execute(f"DELETE FROM {self._table} WHERE session = ?", (number,))


class Directory:
    """Tells the session of a document by its id, for many at once."""

    def __init__(self, ranges: Sequence[tuple[int, int, int]]) -> None:
        """Take first id, size and session number of each range, in ascending order."""
        table = np.array(ranges, np.int64).reshape(-1, 3)
        self._firsts = table[:, 0]
        self._ends = table[:, 0] + table[:, 1]
        self._sessions = table[:, 2]

    @classmethod
    def read(cls, connection: sqlite3.Connection, tables: Tables) -> Directory:
        """Read all ranges; O(sessions)."""
        return cls(
            connection.execute(
                f"SELECT first, size, session FROM {tables.schema}.{tables.ranges} ORDER BY first"
            ).fetchall()
        )

    def sessions_of(self, ids: Integers) -> Integers:
        """Return the session's number for each id, 0 for an id in no known range."""
        if not len(self._firsts) or not len(ids):
            return np.zeros(len(ids), np.int64)
        places = np.searchsorted(self._firsts, ids, side="right") - 1
        known = (places >= 0) & (ids < self._ends[places])
        return np.where(known, self._sessions[places], 0)


# What numpy has for these two, `unique` and `isin`, imports its masked arrays when it is first
# called: in the middle of a search, for 40 ms.


def distinct_values(numbers: Integers) -> Integers:
    """Return the different numbers, in ascending order."""
    ordered = np.sort(numbers)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def contained(numbers: Integers, ascending: Integers) -> npt.NDArray[np.bool_]:
    """Tell for each number whether it is among those in ascending order."""
    if not len(ascending):
        return np.zeros(len(numbers), np.bool_)
    places = np.searchsorted(ascending, numbers)
    found: npt.NDArray[np.bool_] = ascending[np.minimum(places, len(ascending) - 1)] == numbers
    return found
