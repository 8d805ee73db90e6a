"""The tables of the index, and which file is one (INDEX-1, INDEX-3).

Documents are numbered densely, a session in one range of ids, or a few if it grew: its rows
are ranges of every table, the inverted index included, and the small list of ranges tells the
session of a hit without a look-up. The inverted index stores differences between ids: dense
ones are the smallest.

The text stands once, in ``texts``; the inverted index is contentless. What ranking needs stands
apart in the narrow ``documents``, so that a common word does not read the texts it matches.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from session_query.log import Surface
from session_query.text import TOKENIZER_VERSION

__all__ = [
    "APPLICATION_ID",
    "DAMAGE",
    "LIVE",
    "LIVE_FROM",
    "MAIN",
    "PAGE_SIZE",
    "PATIENCE_SECONDS",
    "SCHEMA_VERSION",
    "SURFACES",
    "TYPES",
    "Tables",
    "create",
    "create_live",
    "create_vocabulary",
    "decode_text",
    "drop_all",
    "encode_text",
    "settings_of",
    "store_key",
    "store_name",
    "unknown_tables",
]

APPLICATION_ID = 0x53515249
"""Marks an index of this provider in the header of the file."""

_FTS5_SETTINGS = {"hashsize": 4 << 20, "automerge": 0, "usermerge": 16, "crisismerge": 1024}
"""How FTS5 writes: it collects 4 MB of postings before it writes them as a segment, and merges
segments of one size when it is told to and there are sixteen. Left to itself it would merge all the
time, and most of what a bulk brings twice.
"""

SCHEMA_VERSION = 1
"""Raised with every change of the tables; an older index is rebuilt in place."""

SURFACES: tuple[Surface, ...] = ("current", "shadowed", "log-only")
"""Surfaces by their stored number."""

TYPES = (
    "assistant/message",
    "session/title",
    "todo/write",
    "tool/call",
    "tool/result",
    "turn/end",
    "user/message",
)
"""The event types that have searchable text, by their stored number."""

PATIENCE_SECONDS = 60.0
"""How long a lock of another process is waited for before that is an error."""

DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary result codes of SQLite that say that the file is broken."""

PAGE_SIZE = 16_384
"""Pages that hold some twenty texts of usual size waste little of themselves."""


class Tables(NamedTuple):
    """Where the rows of persisted or of live sessions stand."""

    schema: str
    search: str
    texts: str
    documents: str
    ranges: str
    instances: str
    terms: str
    first_id: int
    """Ids begin here; those of live documents are above all others."""


LIVE_FROM = 1 << 36
"""Ids of live documents and numbers of live sessions begin here; ids stay below twice that."""

MAIN = Tables("main", "search", "texts", "documents", "ranges", "temp.instances", "temp.terms", 1)
LIVE = Tables(
    "temp",
    "live_search",
    "live_texts",
    "live_documents",
    "live_ranges",
    "temp.live_instances",
    "temp.live_terms",
    LIVE_FROM,
)

_DOCUMENTS = """
CREATE TABLE {schema}.{texts} (id INTEGER PRIMARY KEY, text ANY) STRICT;
CREATE TABLE {schema}.{documents} (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    length INTEGER NOT NULL,
    time INTEGER NOT NULL,
    type INTEGER NOT NULL,
    surface INTEGER NOT NULL
) STRICT;
CREATE TABLE {schema}.{ranges} (
    first INTEGER PRIMARY KEY,
    size INTEGER NOT NULL,
    used INTEGER NOT NULL,
    session INTEGER NOT NULL
) STRICT;
CREATE INDEX {schema}.{ranges}_of_session ON {ranges} (session);
CREATE VIRTUAL TABLE {schema}.{search} USING fts5(text, content='', tokenize='ascii');
"""

_CORPUS = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE stores (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    generation INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE types (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    store INTEGER NOT NULL REFERENCES stores,
    session_id TEXT NOT NULL,
    revision TEXT NOT NULL,
    header TEXT NOT NULL,
    events INTEGER NOT NULL,
    hidden_calls TEXT NOT NULL,
    failure TEXT,
    reason TEXT,
    UNIQUE (store, session_id)
) STRICT;
"""

_VOCABULARY = """
CREATE VIRTUAL TABLE IF NOT EXISTS {instances} USING fts5vocab({schema}, {search}, instance);
CREATE VIRTUAL TABLE IF NOT EXISTS {terms} USING fts5vocab({schema}, {search}, row);
"""

_TABLES = frozenset(
    {"settings", "stores", "types", "sessions", "documents", "texts", "ranges", "search"}
)


def settings_of(segmentation: str, unsearchable_tools: Collection[str]) -> dict[str, str]:
    """Return what an index must have been built with in order to be used as it is."""
    return {
        "segmentation": segmentation,
        "tokenizer": str(TOKENIZER_VERSION),
        "unsearchable_tools": json.dumps(sorted(unsearchable_tools)),
    }


def create(connection: sqlite3.Connection, settings: dict[str, str]) -> None:
    """Create all persisted tables; the caller holds the transaction."""
    for statement in (_CORPUS + _DOCUMENTS.format(**MAIN._asdict())).split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.executemany(
        f"INSERT INTO {MAIN.search} ({MAIN.search}, rank) VALUES (?, ?)", _FTS5_SETTINGS.items()
    )
    connection.executemany("INSERT INTO types VALUES (?, ?)", enumerate(TYPES))
    rows = {**settings, "epoch": os.urandom(8).hex(), "purge": "0"}
    connection.executemany("INSERT INTO settings VALUES (?, ?)", rows.items())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def drop_all(connection: sqlite3.Connection) -> None:
    """Drop every table of an index, whatever version made it; the caller holds the transaction."""
    names = connection.execute(
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    for (name,) in names:
        connection.execute(f'DROP TABLE main."{name}"')
    names = connection.execute(
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    for (name,) in names:
        connection.execute(f'DROP TABLE main."{name}"')


def create_live(connection: sqlite3.Connection) -> None:
    """Create what lives with the connection: live rows and the vocabularies."""
    connection.executescript(_DOCUMENTS.format(**LIVE._asdict()))
    connection.execute("CREATE INDEX temp.live_documents_by_seq ON live_documents (session, seq)")
    create_vocabulary(connection)


def create_vocabulary(connection: sqlite3.Connection) -> None:
    """Create the views of both inverted indexes; they hold nothing of their own."""
    for tables in (MAIN, LIVE):
        connection.executescript(_VOCABULARY.format(**tables._asdict()))


def unknown_tables(connection: sqlite3.Connection) -> set[str]:
    """Return tables in a marked file that no version of this index has made."""
    names = {
        name
        for (name,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type='table'")
    }
    return {
        name
        for name in names
        if name not in _TABLES and not name.startswith(("sqlite_", "search_"))
    }


def store_name(text: str) -> str:
    """Write an id or a type as ASCII: lossless, surrogates and NUL included, and injective."""
    return json.dumps(text)[1:-1]


def store_key(name: str) -> str:
    """Read what :func:`store_name` wrote."""
    return str(json.loads(f'"{name}"'))


def encode_text(text: str) -> str | bytes:
    """Return what stands in ``texts``: the text, or bytes where SQLite can't hold it as text."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def decode_text(stored: str | bytes) -> str:
    """Read what :func:`encode_text` wrote."""
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")
