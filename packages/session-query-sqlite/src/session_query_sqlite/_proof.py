"""The proof that an index holds what its store holds, and nothing that is gone (INDEX-9, CLI-5)."""

from __future__ import annotations

import bisect
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from session_query import StoredSession, SurfaceFold, index_form, semantic_documents

from session_query_sqlite._checkup import left_aside, size_of
from session_query_sqlite._config import SqliteConfig
from session_query_sqlite._doctor import Comparison, Finding
from session_query_sqlite._free_pages import free_pages
from session_query_sqlite._schema import (
    PATIENCE_SECONDS,
    SURFACES,
    TYPES,
    decode_text,
    store_key,
    store_name,
)
from session_query_sqlite._segments import entries, separators

__all__ = ["Proof"]

_BATCH: Final = 4096
_SAMPLES: Final = 3
_UPDATE: Final = "session-query index brings the index up to date, and overwrites what is gone"
_REBUILD: Final = "session-query doctor --rebuild builds the index anew"


class Proof(Comparison):
    """Compares one state of an index with the logs of its store, as they are read.

    The order of calls: :meth:`open`, :meth:`compare` for each sound log, :meth:`listed` once,
    :meth:`conclude`, :meth:`close`. All but :meth:`stop` belong into worker threads.

    Args:
        config: where the index is, and what it was built with.
        identity: that of the store.
    """

    def __init__(self, config: SqliteConfig, identity: str) -> None:
        self._config = config
        self._identity = store_name(identity)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._descriptor: int | None = None
        self._connection: sqlite3.Connection | None = None
        self._sessions: dict[str, tuple[int, str]] = {}
        self._equal: list[str] = []
        self._behind: list[str] = []
        self._wrong: list[str] = []
        self._remaining: list[str] = []
        self._gone: list[str] = []

    def open(self) -> None:
        """Take hold of one state of the index.

        With an empty write-ahead log, this keeps other processes from changing the file itself.
        """
        path = self._config.path
        self._descriptor = os.open(path, os.O_RDONLY)
        # a private database on disk, for what is built to compare with
        connection = sqlite3.connect(
            "", uri=True, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection = connection
        # nothing is written, but only a writer takes its write-ahead log away when it closes
        connection.execute("ATTACH ? AS stored", (f"{Path(path).absolute().as_uri()}?mode=rw",))
        connection.execute(
            "CREATE VIRTUAL TABLE main.rebuilt USING fts5(text, content='', tokenize='ascii')"
        )
        for name, schema, table in (("found", "stored", "search"), ("wanted", "main", "rebuilt")):
            connection.execute(
                f"CREATE VIRTUAL TABLE temp.{name} USING fts5vocab({schema}, {table}, instance)"
            )
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, rebuilt, row)")
        connection.execute("BEGIN")
        self._sessions = {
            store_key(name): (number, store_key(revision))
            for number, name, revision in connection.execute(
                "SELECT number, session_id, revision FROM stored.sessions WHERE store ="
                " (SELECT id FROM stored.stores WHERE identity = ?)",
                (self._identity,),
            )
        }

    def close(self) -> None:
        """Let go of the index; the descriptor last, as closing it drops the locks."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def stop(self) -> None:
        """Make what runs end soon; from any thread."""
        self._stopped.set()
        connection = self._connection
        if connection is not None:
            connection.interrupt()

    def _check(self) -> None:
        if self._stopped.is_set():
            raise InterruptedError

    @property
    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            raise AssertionError("open() comes first")
        return self._connection

    # -- the logs -----------------------------------------------------------------------------

    def compare(self, stored: StoredSession, fold: SurfaceFold) -> None:
        """Compare what the index holds of one session with its log."""
        name = stored.header.id
        known = self._sessions.get(name)
        if known is None:
            self._behind.append(name)
            return
        number, revision = known
        tools = self._config.unsearchable_tools
        documents = semantic_documents(name, stored.events, tools, fold=fold)
        wanted = {
            document.seq: (
                document.text, len(document.text), document.time, document.type, document.surface
            )
            for document in documents
        }  # fmt: skip
        with self._lock:
            found = dict(self._rows(number))
            if revision == stored.revision:
                (self._equal if found == wanted else self._wrong).append(name)
            elif any(seq not in wanted or wanted[seq][0] != row[0] for seq, row in found.items()):
                self._remaining.append(name)
            else:
                self._behind.append(name)

    def _rows(self, number: int) -> Iterator[tuple[int, tuple[str | None, int, int, str, str]]]:
        for seq, length, time, type_, surface, text in self._open.execute(
            "SELECT d.seq, d.length, d.time, d.type, d.surface, t.text FROM stored.ranges r"
            " JOIN stored.documents d ON d.id BETWEEN r.first AND r.first + r.used - 1"
            " LEFT JOIN stored.texts t ON t.id = d.id WHERE r.session = ?",
            (number,),
        ):
            decoded = None if text is None else decode_text(text)
            yield seq, (decoded, length, time, TYPES[type_], SURFACES[surface])

    def listed(self, ids: Iterable[str]) -> None:
        """Take note of which sessions the store has."""
        self._gone = sorted(self._sessions.keys() - set(ids))

    # -- the index ----------------------------------------------------------------------------

    def conclude(self) -> list[Finding]:
        """Return what the comparison and the proof came to."""
        steps: list[Callable[[], Iterator[Finding]]] = [
            self._sessions_compared, self._rows_belong, self._terms_belong, self._nothing_else,
        ]  # fmt: skip
        return [finding for step in steps for finding in step()]

    def _sessions_compared(self) -> Iterator[Finding]:
        yield Finding(
            "verify.sessions", "ok", f"{len(self._equal):,} sessions are indexed as they are"
        )
        if self._behind:
            yield Finding(
                "verify.sessions", "note",
                f"{len(self._behind):,} sessions have new events that are not indexed yet:"
                f" {_some(self._behind)}", "the next search indexes them",
            )  # fmt: skip
        if self._wrong:
            yield Finding(
                "verify.sessions", "problem",
                f"{len(self._wrong):,} sessions are indexed otherwise than their logs say:"
                f" {_some(self._wrong)}", _REBUILD,
            )  # fmt: skip
        if self._remaining:
            yield Finding(
                "verify.gone", "problem",
                f"{len(self._remaining):,} sessions have text in the index that is gone from their"
                f" logs: {_some(self._remaining)}", _UPDATE,
            )  # fmt: skip
        if self._gone:
            yield Finding(
                "verify.gone", "problem",
                f"{len(self._gone):,} sessions are in the index that the store no longer has:"
                f" {_some(self._gone)}", _UPDATE,
            )  # fmt: skip

    def _rows_belong(self) -> Iterator[Finding]:
        """Prove that every row is of a present session."""
        documents, texts = "SELECT id FROM stored.documents", "SELECT id FROM stored.texts"
        sizes = "SELECT id FROM stored.search_docsize"
        owned = (
            "SELECT id FROM stored.documents d WHERE NOT EXISTS (SELECT 1 FROM stored.sessions s"
            " JOIN stored.ranges r ON r.session = s.number WHERE s.number = d.session"
            " AND s.failure IS NULL AND d.id BETWEEN r.first AND r.first + r.used - 1)"
        )
        counts = {
            "rows of no session": self._count(owned),
            "texts of no event": self._count(f"{texts} EXCEPT {documents}"),
            "events without their text": self._count(f"{documents} EXCEPT {texts}"),
            "entries of no text": self._count(f"{sizes} EXCEPT {texts}"),
            "texts without an entry": self._count(f"{texts} EXCEPT {sizes}"),
        }
        wrong = [f"{count:,} {what}" for what, count in counts.items() if count]
        if wrong:
            yield Finding("verify.rows", "problem", f"there are {', '.join(wrong)}", _REBUILD)
        else:
            yield Finding("verify.rows", "ok", "every row belongs to a session of the index")

    def _count(self, query: str) -> int:
        self._check()
        (count,) = self._open.execute(f"SELECT count(*) FROM ({query})").fetchone()
        return int(count)

    def _terms_belong(self) -> Iterator[Finding]:
        """Prove that the inverted index is that of the present texts, and holds nothing below."""
        self._rebuild()
        found, missing = self._differences()
        if found or missing:
            what = [f"{found:,} occurrences of words that no text has"] if found else []
            what += [f"no trace of {missing:,} occurrences that texts have"] if missing else []
            yield Finding(
                "verify.terms", "problem", f"the inverted index has {' and '.join(what)}", _REBUILD
            )
        else:
            yield Finding(
                "verify.terms", "ok", "the inverted index is exactly that of the present texts"
            )
        hidden = self._hidden()
        if hidden:
            yield Finding(
                "verify.hidden", "problem", f"the inverted index still has {hidden}", _UPDATE
            )

    def _rebuild(self) -> None:
        segmentation = self._config.segmentation
        connection = self._open
        rows = connection.execute("SELECT id, text FROM stored.texts ORDER BY id")
        while batch := rows.fetchmany(_BATCH):
            self._check()
            connection.executemany(
                "INSERT INTO main.rebuilt(rowid, text) VALUES (?, ?)",
                ((key, index_form(decode_text(text), segmentation)) for key, text in batch),
            )

    def _differences(self) -> tuple[int, int]:
        """Return how many occurrences stand in the index only, and how many in the texts only."""
        columns = "SELECT term, doc, offset FROM temp."
        both = [self._open.cursor().execute(columns + name) for name in ("found", "wanted")]
        while True:
            self._check()
            # equal indexes list the same occurrences in the same order
            found, wanted = (cursor.fetchmany(_BATCH) for cursor in both)
            if found != wanted:
                break
            if not found:
                return 0, 0
        return (
            self._count(f"{columns}found EXCEPT {columns}wanted"),
            self._count(f"{columns}wanted EXCEPT {columns}found"),
        )

    def _hidden(self) -> str:
        """Say what the segments hold beside the entries of the present texts."""
        (wanted,) = self._open.execute("SELECT total(doc) FROM temp.terms").fetchone()
        total = marks = 0
        for count, entry in enumerate(entries(self._open, "stored.search_data")):
            if not count % _BATCH:
                self._check()
            total += 1
            marks += entry.deleted
        if total != int(wanted):
            return (
                f"{total - marks - int(wanted):,} entries of deleted texts, and {marks:,} marks"
                " that hide them"
            )
        terms = [term.encode() for (term,) in self._open.execute("SELECT term FROM temp.terms")]
        stray = sum(
            1
            for beginning in separators(self._open, "stored.search_idx")
            if not _begins_one(beginning, terms)
        )
        return f"{stray:,} beginnings of words that no text has" if stray else ""

    def _nothing_else(self) -> Iterator[Finding]:
        """Prove that no text is left beside the tables."""
        path = self._config.path
        left = [name for name in ("-wal", "-journal") if size_of(path + name)]
        left_over = [f"{size_of(path + name):,} bytes in {path + name!r}" for name in left]
        left_over += [f"a damaged index, {str(aside)!r}" for aside in left_aside(path)]
        if self._descriptor is not None and not left:
            free = free_pages(self._descriptor)
            if free.dirty:
                left_over.append(f"{len(free.dirty):,} free pages that are not overwritten")
        if left_over:
            yield Finding(
                "verify.rest", "problem", f"deleted text may be left in {'; in '.join(left_over)}",
                f"end other processes that use the index; then {_UPDATE}",
            )  # fmt: skip
        else:
            yield Finding(
                "verify.rest", "ok",
                "no write-ahead log, no damaged file, no free page holds any text",
            )  # fmt: skip


def _some(ids: list[str]) -> str:
    shown = ", ".join(sorted(ids)[:_SAMPLES])
    return shown + (", …" if len(ids) > _SAMPLES else "")


def _begins_one(beginning: bytes, terms: list[bytes]) -> bool:
    place = bisect.bisect_left(terms, beginning)
    return place < len(terms) and terms[place].startswith(beginning)
