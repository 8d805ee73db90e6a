"""Writing one session's documents into the tables (INDEX-1, INDEX-6, INDEX-8).

Rows that stay the same are left alone: a log that only grew deletes nothing, whoever indexed its
beginning.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from session_query.errors import ErrorCode
from session_query.log import (
    SURFACE_TYPES,
    HiddenCalls,
    SessionEvent,
    SessionHeader,
    Surface,
    SurfaceError,
    SurfaceFolder,
    document_texts,
    surfaces,
)
from session_query.persistence import PersistedSnapshot, StoredSession
from session_query.text import Segmentation, index_form

from session_query_sqlite._ranges import IdRanges
from session_query_sqlite._schema import (
    SURFACES,
    TYPES,
    Tables,
    decode_text,
    encode_text,
)

__all__ = [
    "Document",
    "PreparedSession",
    "SessionRows",
    "documents_of",
    "prepare",
    "prepare_tail",
]

_SURFACE_NUMBERS = {name: number for number, name in enumerate(SURFACES)}
_TYPE_NUMBERS = {name: number for number, name in enumerate(TYPES)}
_CHECK_EVERY = 256


class Document(NamedTuple):
    """One searchable event as it is stored."""

    seq: int
    length: int
    time: int
    type: int
    surface: int
    text: str


class PreparedSession(NamedTuple):
    """What a log contributes to the index; ``failure`` says why it contributes nothing."""

    header: SessionHeader
    revision: str
    events: int
    hidden_calls: tuple[str, ...]
    documents: Sequence[Document]
    failure: ErrorCode | None = None
    reason: str | None = None

    @classmethod
    def failed(cls, snapshot: PersistedSnapshot, code: ErrorCode, reason: str) -> PreparedSession:
        """Return what is remembered of a log that can't be indexed at this revision."""
        return cls(snapshot.header, snapshot.revision, 0, (), (), code, reason)

    @property
    def characters(self) -> int:
        """The amount of text, in code points."""
        return sum(document.length for document in self.documents)


def _documents(
    events: Iterable[SessionEvent], calls: HiddenCalls, places: Mapping[int, Surface]
) -> list[Document]:
    number_of = {seq: _SURFACE_NUMBERS[place] for seq, place in places.items()}
    log_only = _SURFACE_NUMBERS["log-only"]
    types = _TYPE_NUMBERS
    return [
        Document(
            event.seq,
            len(text),
            event.time,
            types[event.type],
            number_of.get(event.seq, log_only),
            text,
        )
        for event, text in document_texts(events, calls)
    ]


def prepare(
    stored: StoredSession, unsearchable_tools: Iterable[str], check: Callable[[], None]
) -> PreparedSession:
    """Fold a whole log into its documents; a log that breaks a surface rule has none (RECON-5).

    ``check`` is called every few hundred events, and leaves by raising.
    """
    header, events, revision = stored.header, stored.events, stored.revision
    folder = SurfaceFolder()
    push = folder.push
    try:
        for start in range(0, len(events), _CHECK_EVERY):
            check()
            for event in events[start : start + _CHECK_EVERY]:
                push(event)
    except SurfaceError as error:
        snapshot = PersistedSnapshot(header, revision)
        return PreparedSession.failed(snapshot, ErrorCode.INVALID_SURFACE, str(error))
    calls = HiddenCalls(frozenset(unsearchable_tools))
    documents = _documents(events, calls, surfaces(folder.fold()))
    return PreparedSession(header, revision, len(events), tuple(sorted(calls.call_ids)), documents)


def prepare_tail(events: Sequence[SessionEvent], calls: HiddenCalls) -> list[Document] | None:
    """Return the documents that a tail adds, None where the whole log has to be folded again.

    That is so for a replacement: which nodes it removes depends on all that came before.
    """
    places: dict[int, Surface] = {}
    for event in events:
        operation, sources = event.surface_op, event.source_event_seqs
        if operation is None and sources is None:
            if event.type in SURFACE_TYPES:
                return None
            continue
        if operation != "append" or sources is not None:
            return None
        if event.type not in SURFACE_TYPES:
            return None
        places[event.seq] = "current"
    return _documents(events, calls, places)


def documents_of(
    events: Iterable[SessionEvent], calls: HiddenCalls, folder: SurfaceFolder
) -> list[Document]:
    """Return the documents of events that were just pushed to ``folder``, as they stand now."""
    places: dict[int, Surface] = {
        event.seq: "current" if folder.is_current(event.seq) else "shadowed"
        for event in events
        if event.type in SURFACE_TYPES
    }
    return _documents(events, calls, places)


class SessionRows:
    """The documents of sessions in one set of tables; all methods are parts of a job."""

    def __init__(
        self, connection: sqlite3.Connection, tables: Tables, segmentation: Segmentation
    ) -> None:
        self._connection = connection
        self._segmentation = segmentation
        schema = tables.schema
        documents, texts = f"{schema}.{tables.documents}", f"{schema}.{tables.texts}"
        search = f"{schema}.{tables.search}"
        self._ranges = IdRanges(connection, tables)
        self._add_search = f"INSERT INTO {search}(rowid, text) VALUES (?, ?)"
        self._drop_search = (
            f"INSERT INTO {search}({tables.search}, rowid, text) VALUES ('delete', ?, ?)"
        )
        self._add_text = f"INSERT INTO {texts} VALUES (?, ?)"
        self._add_document = f"INSERT INTO {documents} VALUES (?, ?, ?, ?, ?, ?, ?)"
        self._move_document = f"UPDATE {documents} SET time = ?, type = ?, surface = ? WHERE id = ?"
        self._shadow = f"UPDATE {documents} SET surface = 1 WHERE session = ? AND seq = ?"
        self._drop_text = f"DELETE FROM {texts} WHERE id = ?"
        self._drop_document = f"DELETE FROM {documents} WHERE id = ?"
        self._read = (
            f"SELECT d.id, d.seq, d.length, d.time, d.type, d.surface, t.text FROM {documents} d"
            f" JOIN {texts} t ON t.id = d.id WHERE d.id BETWEEN ? AND ?"
        )

    def add(self, number: int, documents: Sequence[Document]) -> None:
        """Insert documents that are not there yet; O(their text)."""
        if not documents:
            return
        ids = self._ranges.allocate(number, len(documents))
        rows = list(zip(ids, documents, strict=True))
        form, segmentation = index_form, self._segmentation
        run = self._connection.executemany
        run(self._add_search, ((key, form(one.text, segmentation)) for key, one in rows))
        run(self._add_text, ((key, encode_text(one.text)) for key, one in rows))
        run(self._add_document, ((key, number, *one[:-1]) for key, one in rows))

    def replace(self, number: int, documents: Sequence[Document]) -> int:
        """Make the session's documents these; return how many old ones had to go.

        O(text of the session), and only the rows that differ are written.
        """
        wanted = {document.seq: document for document in documents}
        gone, kept = [], set()
        for identifier, seq, length, time, type_, surface, stored in self._rows(number):
            new = wanted.get(seq)
            text = decode_text(stored)
            if new is None or length != new.length or text != new.text:
                gone.append((identifier, text))
                continue
            kept.add(seq)
            if (time, type_, surface) != (new.time, new.type, new.surface):
                self._connection.execute(
                    self._move_document, (new.time, new.type, new.surface, identifier)
                )
        self._remove(gone)
        self.add(number, [document for document in documents if document.seq not in kept])
        return len(gone)

    def remove(self, number: int) -> int:
        """Delete all documents of a session; return how many there were (INDEX-8)."""
        gone = [(row[0], decode_text(row[-1])) for row in self._rows(number)]
        self._remove(gone)
        self._ranges.release(number)
        return len(gone)

    def shadow(self, number: int, seqs: Iterable[int]) -> None:
        """Record that live events were replaced on the surface; those without text have no row."""
        self._connection.executemany(self._shadow, ((number, seq) for seq in seqs))

    def _rows(self, number: int) -> list[Sequence[Any]]:
        return [
            row
            for first, last in self._ranges.of_session(number)
            for row in self._connection.execute(self._read, (first, last)).fetchall()
        ]

    def _remove(self, gone: Sequence[tuple[int, str]]) -> None:
        run = self._connection.executemany
        form, segmentation = index_form, self._segmentation
        run(self._drop_search, ((key, form(text, segmentation)) for key, text in gone))
        run(self._drop_text, ((key,) for key, _ in gone))
        run(self._drop_document, ((key,) for key, _ in gone))
