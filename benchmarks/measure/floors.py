"""What the same work costs at least: the barest code that reads, extracts, inserts or counts."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from session_query import SessionEvent, extract_event_text

__all__ = ["FloorTimes", "Reader", "index_floor"]

_CACHE_KIB = 32_768
"""As much as the engine's own connection has."""


class FloorTimes(NamedTuple):
    """What the floor of a cold index costs, in seconds, and what it indexed."""

    seconds: float
    reading: float
    documents: int
    text_bytes: int


def index_floor(store: Path, database: Path) -> FloorTimes:
    """Parse every line, extract its text, and insert the texts into one bare FTS5 table.

    The table has the tokenizer of the index. One transaction, one pass, nothing kept.
    """
    start = time.perf_counter()
    reading = 0.0
    documents = text_bytes = 0

    def texts() -> Iterator[tuple[str]]:
        nonlocal reading, documents, text_bytes
        for path in sorted(store.glob("*/*/session.jsonl")):
            begin = time.perf_counter()
            some = list(_texts(path))
            reading += time.perf_counter() - begin
            documents += len(some)
            text_bytes += sum(len(text.encode("utf-8", "surrogatepass")) for (text,) in some)
            yield from some

    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='ascii')")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO texts VALUES (?)", texts())
    connection.execute("COMMIT")
    connection.close()
    return FloorTimes(time.perf_counter() - start, reading, documents, text_bytes)


def _texts(path: Path) -> Iterator[tuple[str]]:
    with path.open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            form = json.loads(line)
            if "seq0" in form:
                continue
            event = SessionEvent._adopt(form["type"], form["seq"], form["time"], form["data"])
            text = extract_event_text(event)
            if text:
                yield (text,)


class Reader:
    """Reads an index, or a bare FTS5 table, with nothing around the statements.

    Args:
        path: the database.
        table: its FTS5 table.
    """

    def __init__(self, path: Path, table: str = "search") -> None:
        self._connection = sqlite3.connect(path)
        self._table = table  # a constant of the benches, never a value
        execute = self._connection.execute
        execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        execute(f"CREATE VIRTUAL TABLE temp.instances USING fts5vocab(main, {table}, instance)")
        execute(f"CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, {table}, row)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def terms(self) -> list[tuple[str, int, int]]:
        """Return every token, the number of documents it is in and how often, commonest first."""
        return self._connection.execute(
            "SELECT term, doc, cnt FROM temp.terms ORDER BY cnt DESC, term"
        ).fetchall()

    def texts(self) -> Iterator[str]:
        """Yield the texts of an index that are ASCII, as far as they are wanted."""
        for (text,) in self._connection.execute("SELECT text FROM texts"):
            if isinstance(text, str) and text.isascii():
                yield text

    def text_bytes(self) -> int:
        """Return how much UTF-8 the texts of an index are."""
        statement = "SELECT sum(length(CAST(text AS BLOB))) FROM texts"
        return int(self._connection.execute(statement).fetchone()[0])

    def count(self, token: str) -> int:
        """Group the instances of a token by document, inside SQLite; return the documents."""
        return self._number("temp.instances WHERE term = ? GROUP BY doc", (token,))

    def blocks(self, tokens: Sequence[str]) -> int:
        """Group the instances of tokens by document and block of 64; return the groups."""
        each = "SELECT doc, offset / 64 AS block FROM temp.instances WHERE term = ?"
        union = " UNION ALL ".join([each] * len(tokens))
        return self._number(f"({union}) GROUP BY doc, block", tokens)

    def highlighted(self, phrase: str) -> int:
        """Mark a phrase in every text that holds it, inside SQLite; return their number."""
        marked = f"length(highlight({self._table}, 0, char(2), char(3)))"
        return self._number(
            f"{self._table} WHERE {self._table} MATCH ? AND {marked}", _quoted(phrase)
        )

    def matches(self, phrase: str) -> int:
        """Return the number of documents that hold a phrase."""
        return self._number(f"{self._table} WHERE {self._table} MATCH ?", _quoted(phrase))

    def _number(self, rows: str, values: Sequence[str]) -> int:
        """Return the number of rows; what they are made of comes from this module alone."""
        statement = f"SELECT count(*) FROM (SELECT 1 FROM {rows})"  # noqa: S608
        return int(self._connection.execute(statement, values).fetchone()[0])


def _quoted(phrase: str) -> tuple[str]:
    return (f'"{phrase}"',)
