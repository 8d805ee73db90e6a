"""Which documents match a query, and how strongly (SEARCH-5, SEARCH-9, SEARCH-13, INDEX-7).

Every strategy is exact; which one runs is a matter of cost:

* one token: the inverted index counts its instances;
* a phrase: SQLite's own ``bm25()`` is a known function of the phrase's count, the document's length
  and three totals, so that the count follows from it without reading a text;
* several words: the instances of each, grouped by block, are put together;
* few matching documents of many instances, and phrases that overlap themselves: texts are measured.
"""

from __future__ import annotations

import itertools
import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from session_query.text import (
    BLOCK_TOKENS,
    Matcher,
    ParsedQuery,
    Segmentation,
    Unit,
    occurrences,
    token_texts,
)

from session_query_sqlite._ranges import Integers, contained
from session_query_sqlite._schema import Tables, decode_text

__all__ = ["Finder", "Matches", "Within", "match_expression"]

Within: TypeAlias = Sequence[tuple[int, int]]
"""First and last ids of the ranges to search, in ascending order."""

FEW = 300
"""So many texts are measured before each unit is looked for on its own."""

_BATCH = 4096
_TEXT_BATCH = 64
_BULK = 4_000_000
"""Tokens of more instances come out of SQLite as rows: their keys would be a text of over 60 MB."""

_PARSED_CHARACTERS = 262_144
_BLOCK_BITS = 24
_TEXT_COST = 400
"""What measuring a usual text costs, in instances of a token read from the inverted index."""

_K1, _B = 1.2, 0.75
"""The constants of FTS5's bm25()."""


class Matches(NamedTuple):
    """Matching document ids and, for each, the first key of the order.

    That is the number of spans for a phrase, and the number of different units in the best block
    for ``all`` and ``any``.
    """

    ids: Integers
    strength: Integers


_EMPTY: Integers = np.empty(0, np.int64)
_NONE = Matches(_EMPTY, _EMPTY)


def match_expression(query: ParsedQuery) -> str:
    """Return the FTS5 expression of a query; its tokens hold no character that FTS5 interprets."""
    phrases = ['"' + " ".join(unit.tokens) + '"' for unit in query.units]
    return (" OR " if query.match == "any" else " AND ").join(phrases)


class Finder:
    """Finds the matches of queries in one set of tables; all methods are parts of a job."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        tables: Tables,
        segmentation: Segmentation,
        check: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._segmentation = segmentation
        self._check = check
        self._search = f"{tables.schema}.{tables.search}"
        self._texts = f"{tables.schema}.{tables.texts}"

    def find(self, query: ParsedQuery, within: Within | None) -> Matches:
        """Return all matches, within some ranges of ids if they are given."""
        if not query.units:
            return _NONE
        if query.match == "phrase" and within is None:
            return self._phrase(query)
        return self._words(query, within)

    def _phrase(self, query: ParsedQuery) -> Matches:
        (unit,) = query.units
        if len(unit.tokens) == 1:
            return self._counted_instances(unit.tokens[0])
        if overlaps_itself(unit.tokens):
            return self._measured(query, self._rows(match_expression(query), None, None))
        return self._counted_by_rank(query)

    def _words(self, query: ParsedQuery, within: Within | None) -> Matches:
        """Find what several words match, or anything within one session: by text or by index."""
        expression, units = match_expression(query), query.units
        if any(len(unit.tokens) > 1 for unit in units) and (
            within is not None or len(self._rows(expression, None, FEW + 1)) <= FEW
        ):
            return self._measured(query, self._rows(expression, within, None))
        instances = sum(self._instances(token) for token in _tokens(units))
        affordable = instances // _TEXT_COST
        found = self._rows(expression, within, affordable + 1)
        if len(found) <= affordable:
            return self._measured(query, found)
        if query.match == "phrase":
            matches = self._counted_instances(units[0].tokens[0])
        else:
            matches = self._blocks(query)
        return matches if within is None else _restrict(matches, within)

    # -- reading the inverted index -----------------------------------------------------------

    def _rows(self, expression: str, within: Within | None, most: int | None) -> Integers:
        """Return matching ids in ascending order, at most ``most`` of them."""
        statement = f"SELECT rowid FROM {self._search} WHERE {self._tables.search} MATCH ?"
        limit = "" if most is None else f" LIMIT {most}"
        if within is None:
            return self._fetch(statement + limit, (expression,), 1)
        parts = [_EMPTY]
        for ends in within:
            bounded = f"{statement} AND rowid BETWEEN ? AND ?{limit}"
            parts.append(self._fetch(bounded, (expression, *ends), 1))
            if most is not None and sum(map(len, parts)) >= most:
                break
        return np.concatenate(parts)[:most]

    def _fetch(self, statement: str, values: Sequence[object], columns: int) -> Integers:
        """Run a statement that gives integers; the rows follow each other in one flat array."""
        cursor = self._connection.execute(statement, values)
        parts = []
        while rows := cursor.fetchmany(_BATCH):
            self._check()
            flat = itertools.chain.from_iterable(rows)
            parts.append(np.fromiter(flat, np.int64, len(rows) * columns))
        return np.concatenate(parts) if parts else _EMPTY

    def _keys(self, key: str, token: str) -> Integers:
        """Return a key of each instance of a token, in ascending order.

        The keys come out of SQLite as one text: that is several times faster than as rows. FTS5
        gives them in the order of documents and offsets; SQLite can't know, and would sort again.
        """
        (text,) = self._connection.execute(
            f"SELECT group_concat({key}) FROM {self._tables.instances} WHERE term = ?", (token,)
        ).fetchone()
        parts, start = [_EMPTY], 0
        text = text or ""
        while start < len(text):
            self._check()
            end = text.find(",", start + _PARSED_CHARACTERS)
            end = len(text) if end < 0 else end
            parts.append(np.fromstring(text[start:end], np.int64, sep=","))
            start = end + 1
        return np.concatenate(parts)

    def _instances(self, token: str) -> int:
        statement = f"SELECT cnt FROM {self._tables.terms} WHERE term = ?"
        row = self._connection.execute(statement, (token,)).fetchone()
        return 0 if row is None else int(row[0])

    # -- measuring texts ----------------------------------------------------------------------

    def texts(self, ids: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Yield the texts of documents, in the order of ``ids``."""
        statement = (
            f"SELECT t.id, t.text FROM json_each(?) j CROSS JOIN {self._texts} t"
            " ON t.id = j.value ORDER BY j.key"
        )
        remaining = iter(ids)
        while some := list(itertools.islice(remaining, _TEXT_BATCH)):
            for identifier, stored in self._connection.execute(statement, (json.dumps(some),)):
                self._check()
                yield identifier, decode_text(stored)

    def _measured(self, query: ParsedQuery, ids: Integers) -> Matches:
        kept, strengths = [], []
        matcher = Matcher(query, self._segmentation)
        for identifier, text in self.texts(ids.tolist()):
            strength = matcher.strength(text)
            if strength is not None:
                kept.append(identifier)
                strengths.append(strength)
        return Matches(np.array(kept, np.int64), np.array(strengths, np.int64))

    # -- phrases ------------------------------------------------------------------------------

    def _counted_instances(self, token: str) -> Matches:
        if self._instances(token) > _BULK:
            statement = (
                f"SELECT doc, count(*) FROM {self._tables.instances} WHERE term = ? GROUP BY doc"
            )
            pairs = self._fetch(statement, (token,), 2).reshape(-1, 2)
            return Matches(pairs[:, 0].copy(), pairs[:, 1].copy())
        return Matches(*_runs(self._keys("doc", token)))

    def _counted_by_rank(self, query: ParsedQuery) -> Matches:
        """Work out how often a phrase stands in each document from what bm25() says of it.

        With one phrase, ``rank = -idf · n (k1 + 1) / (n + k1 (1 - b + b · length / average))``.
        """
        name = self._tables.search
        cursor = self._connection.execute(
            f"SELECT f.rowid, bm25({name}), z.sz FROM {self._search} f"
            f" JOIN {self._search}_docsize z ON z.id = f.rowid WHERE {name} MATCH ?",
            (match_expression(query),),
        )
        ids, ranks, lengths = [], [], []
        while rows := cursor.fetchmany(_BATCH):
            self._check()
            keys, scores, sizes = zip(*rows, strict=True)
            ids.append(np.array(keys, np.int64))
            ranks.append(np.array(scores, np.float64))
            lengths.append(_varints(sizes))
        if not ids:
            return _NONE
        documents, total = self._totals()
        hits = sum(map(len, ids))
        weight = math.log((documents - hits + 0.5) / (hits + 0.5))
        weight = weight if weight > 0 else 1e-6
        norm = _K1 * (1 - _B + _B * np.concatenate(lengths) / (total / documents))
        share = -np.concatenate(ranks) / weight
        exact = share * norm / (_K1 + 1 - share)
        counts = np.rint(exact)
        matches = Matches(np.concatenate(ids), counts.astype(np.int64))
        # beyond what a float can tell apart, the text decides
        doubtful = ~(np.abs(exact - counts) < 1e-3) | (counts < 1)  # noqa: PLR2004
        if doubtful.any():
            measured = self._measured(query, matches.ids[doubtful])
            matches = _joined(
                [Matches(matches.ids[~doubtful], matches.strength[~doubtful]), measured]
            )
        return matches

    def _totals(self) -> tuple[int, int]:
        """Return how many documents and tokens the inverted index holds, by its own record."""
        statement = f"SELECT block FROM {self._search}_data WHERE id = 1"
        (block,) = self._connection.execute(statement).fetchone()
        documents, rest = _varint(block, 0)
        total, _ = _varint(block, rest)
        return documents, total

    # -- blocks -------------------------------------------------------------------------------

    def _blocks(self, query: ParsedQuery) -> Matches:
        """Count the different units that begin in each block of each document."""
        # each unit gives a block once, so that a block's units are its occurrences
        keys = np.concatenate([self._unit_blocks(unit) for unit in query.units])
        self._check()
        keys.sort(kind="stable")
        self._check()
        blocks, units = _runs(keys)
        ids = blocks >> _BLOCK_BITS
        firsts = _firsts(ids)
        matches = Matches(ids[firsts], np.maximum.reduceat(units, firsts))
        if query.match == "all":
            everywhere = self._rows(match_expression(query), None, None)
            kept = contained(matches.ids, everywhere)
            matches = Matches(matches.ids[kept], matches.strength[kept])
        return matches

    def _unit_blocks(self, unit: Unit) -> Integers:
        """Return the blocks in which a unit begins, once each: ids and blocks in one number."""
        if len(unit.tokens) == 1:
            (token,) = unit.tokens
            key = f"(doc << {_BLOCK_BITS}) + offset / {BLOCK_TOKENS}"
            if self._instances(token) > _BULK:
                statement = f"SELECT DISTINCT {key} FROM {self._tables.instances} WHERE term = ?"
                return self._fetch(statement, (token,), 1)
            keys = self._keys(key, token)
            return keys[_firsts(keys)]
        found = self._rows('"' + " ".join(unit.tokens) + '"', None, None)
        blocks = [
            (identifier << _BLOCK_BITS) + block
            for identifier, text in self.texts(found.tolist())
            for block in {
                start // BLOCK_TOKENS
                for start in occurrences(token_texts(text, self._segmentation), unit.tokens)
            }
        ]
        return np.array(blocks, np.int64)


def _firsts(keys: Integers) -> Integers:
    """Return where a new value begins in ascending keys."""
    if not len(keys):
        return _EMPTY
    return np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))


def _runs(keys: Integers) -> tuple[Integers, Integers]:
    """Return the different values of ascending keys, and how often each occurs."""
    firsts = _firsts(keys)
    return keys[firsts], np.diff(np.append(firsts, len(keys)))


def overlaps_itself(tokens: Sequence[str]) -> bool:
    """Tell whether two occurrences of a phrase can share a token."""
    return any(tokens[shift:] == tokens[:-shift] for shift in range(1, len(tokens)))


def _tokens(units: Iterable[Unit]) -> set[str]:
    return {token for unit in units for token in unit.tokens}


def _restrict(matches: Matches, within: Within) -> Matches:
    kept = np.zeros(len(matches.ids), bool)
    for first, last in within:
        kept |= (matches.ids >= first) & (matches.ids <= last)
    return Matches(matches.ids[kept], matches.strength[kept])


def _joined(parts: Sequence[Matches]) -> Matches:
    return Matches(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.strength for part in parts]),
    )


def _varint(block: bytes, position: int) -> tuple[int, int]:
    value = 0
    for count in range(9):
        byte = block[position + count]
        if count == 8:  # noqa: PLR2004 - the ninth byte of an SQLite varint is whole
            return (value << 8) | byte, position + 9
        value = (value << 7) | (byte & 0x7F)
        if not byte & 0x80:
            return value, position + count + 1
    raise AssertionError


def _varints(blobs: Sequence[bytes]) -> npt.NDArray[np.float64]:
    """Decode the lengths that FTS5 keeps, one varint each."""
    widths = np.fromiter(map(len, blobs), np.int64, len(blobs))
    if widths.max(initial=0) > 4:  # noqa: PLR2004 - over 268 million tokens in one document
        return np.array([_varint(blob, 0)[0] for blob in blobs], np.float64)
    raw = np.fromiter((int.from_bytes(blob, "big") for blob in blobs), np.int64, len(blobs))
    value = raw & 0x7F
    for place in range(1, 4):
        value |= ((raw >> (8 * place)) & 0x7F) << (7 * place)
    return value.astype(np.float64)
