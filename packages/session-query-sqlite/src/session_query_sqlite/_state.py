"""What the index holds of one store, as of a generation (RECON-2, RECON-4)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from session_query import ErrorCode, PersistedSnapshot, SessionHeader
from session_query.text import Segmentation

from session_query_sqlite._database import Database
from session_query_sqlite._ranges import Directory, IdRanges
from session_query_sqlite._rows import Document, PreparedSession, SessionRows
from session_query_sqlite._schema import MAIN, store_key, store_name

__all__ = ["IndexState", "IndexedSession", "StoreIndex"]


class IndexedSession(NamedTuple):
    """One persisted session as it is indexed; with a ``failure`` it has no documents."""

    number: int
    header: SessionHeader
    revision: str
    events: int
    hidden_calls: tuple[str, ...]
    failure: str | None
    reason: str | None

    def is_of(self, snapshot: PersistedSnapshot) -> bool:
        """Tell whether this is what a listing shows."""
        return self.revision == snapshot.revision and self.header == snapshot.header


class IndexState(NamedTuple):
    """All indexed sessions of a store, by id and by number."""

    generation: int
    sessions: dict[str, IndexedSession]
    names: dict[int, str]
    directory: Directory
    failed: dict[str, IndexedSession]
    """Those among the sessions that have no documents, for what is wrong with them."""


_COLUMNS = "number, session_id, revision, header, events, hidden_calls, failure, reason"


class StoreIndex:
    """The rows of one store; its methods are parts of jobs, each change a transaction.

    Args:
        database: the index.
        identity: that of the store; rows of others are neither seen nor touched.
        segmentation: how text is cut into tokens.
    """

    def __init__(self, database: Database, identity: str, segmentation: Segmentation) -> None:
        self._database = database
        self.identity = identity
        self._key = store_name(identity)
        self._segmentation = segmentation
        self.state = IndexState(-1, {}, {}, Directory(()), {})

    def generation(self, connection: sqlite3.Connection) -> int:
        """Return the generation that the file is at; 0 before anything was indexed."""
        row = connection.execute(
            "SELECT generation FROM stores WHERE identity = ?", (self._key,)
        ).fetchone()
        return 0 if row is None else int(row[0])

    def revision_of(
        self, connection: sqlite3.Connection, session_id: str
    ) -> tuple[int, str] | None:
        """Return number and revision of a session as the file has them now."""
        row = connection.execute(
            "SELECT number, revision FROM sessions WHERE session_id = ? AND store ="
            " (SELECT id FROM stores WHERE identity = ?)",
            (store_name(session_id), self._key),
        ).fetchone()
        return None if row is None else (int(row[0]), store_key(row[1]))

    def within(self, connection: sqlite3.Connection, number: int) -> list[tuple[int, int]]:
        """Return the ranges of one session's documents."""
        return IdRanges(connection, MAIN).of_session(number)

    def refresh(self) -> IndexState:
        """Read the state anew if any process has changed it since; O(sessions) then."""
        with self._database.snapshot() as connection:
            generation = self.generation(connection)
            if generation != self.state.generation:
                rows = connection.execute(
                    f"SELECT {_COLUMNS} FROM sessions WHERE store ="
                    " (SELECT id FROM stores WHERE identity = ?)",
                    (self._key,),
                ).fetchall()
                sessions = {store_key(row[1]): _indexed(row) for row in rows}
                names = {one.number: name for name, one in sessions.items()}
                directory = Directory.read(connection, MAIN)
                failed = {name: one for name, one in sessions.items() if one.failure}
                self.state = IndexState(generation, sessions, names, directory, failed)
        return self.state

    def store(self, prepared: Sequence[PreparedSession]) -> None:
        """Write sessions in one transaction."""
        with self._database.transaction() as connection:
            rows = SessionRows(connection, MAIN, self._segmentation)
            store = self._store_id(connection)
            removed = 0
            for session in prepared:
                self._database.check()
                removed += self._put(connection, rows, store, session)
            self._finish(connection, store, removed)

    def extend(
        self,
        snapshot: PersistedSnapshot,
        since: str,
        added: Sequence[Document],
        events: int,
        hidden_calls: Iterable[str],
    ) -> bool:
        """Add the tail of a session that is at revision ``since``; False if it no longer is."""
        with self._database.transaction() as connection:
            store = self._store_id(connection)
            row = self._row(connection, store, snapshot.header.id)
            if row is None or row[2] != store_name(since) or row[6] is not None:
                return False
            SessionRows(connection, MAIN, self._segmentation).add(row[0], added)
            connection.execute(
                "UPDATE sessions SET revision = ?, events = ?, hidden_calls = ? WHERE number = ?",
                (store_name(snapshot.revision), events, _calls(hidden_calls), row[0]),
            )
            self._finish(connection, store, 0)
        return True

    def remove(self, session_ids: Iterable[str]) -> None:
        """Delete sessions in one transaction."""
        with self._database.transaction() as connection:
            rows = SessionRows(connection, MAIN, self._segmentation)
            store = self._store_id(connection)
            removed = 0
            for session_id in session_ids:
                row = self._row(connection, store, session_id)
                if row is not None:
                    removed += rows.remove(row[0])
                    connection.execute("DELETE FROM sessions WHERE number = ?", (row[0],))
            self._finish(connection, store, removed)

    # -- parts of a transaction ---------------------------------------------------------------

    def _store_id(self, connection: sqlite3.Connection) -> int:
        connection.execute("INSERT OR IGNORE INTO stores (identity) VALUES (?)", (self._key,))
        (store,) = connection.execute(
            "SELECT id FROM stores WHERE identity = ?", (self._key,)
        ).fetchone()
        return int(store)

    def _row(
        self, connection: sqlite3.Connection, store: int, session_id: str
    ) -> Sequence[Any] | None:
        found: Sequence[Any] | None = connection.execute(
            f"SELECT {_COLUMNS} FROM sessions WHERE store = ? AND session_id = ?",
            (store, store_name(session_id)),
        ).fetchone()
        return found

    def _put(
        self,
        connection: sqlite3.Connection,
        rows: SessionRows,
        store: int,
        session: PreparedSession,
    ) -> int:
        values = (
            store_name(session.revision),
            json.dumps(session.header.to_json()),
            session.events,
            _calls(session.hidden_calls),
            session.failure,
            None if session.reason is None else store_name(session.reason),
        )
        row = self._row(connection, store, session.header.id)
        if row is None:
            cursor = connection.execute(
                "INSERT INTO sessions (revision, header, events, hidden_calls, failure, reason,"
                " store, session_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, store, store_name(session.header.id)),
            )
            rows.add(int(cursor.lastrowid or 0), session.documents)
            return 0
        number = int(row[0])
        connection.execute(
            "UPDATE sessions SET revision = ?, header = ?, events = ?, hidden_calls = ?,"
            " failure = ?, reason = ? WHERE number = ?",
            (*values, number),
        )
        return rows.replace(number, session.documents)

    def _finish(self, connection: sqlite3.Connection, store: int, removed: int) -> None:
        connection.execute("UPDATE stores SET generation = generation + 1 WHERE id = ?", (store,))
        if removed:
            connection.execute("UPDATE settings SET value = '1' WHERE key = 'purge'")


def _indexed(row: Sequence[str | int | None]) -> IndexedSession:
    number, _, revision, header, events, hidden_calls, failure, reason = row
    return IndexedSession(
        int(number or 0),
        SessionHeader.from_json(json.loads(str(header))),
        store_key(str(revision)),
        int(events or 0),
        tuple(json.loads(str(hidden_calls))),
        None if failure is None else ErrorCode(str(failure)),
        None if reason is None else store_key(str(reason)),
    )


def _calls(call_ids: Iterable[str]) -> str:
    return json.dumps(sorted(call_ids))
