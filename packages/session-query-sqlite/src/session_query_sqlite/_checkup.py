"""What is wrong with an index file, and what to do about it (CLI-5). Nothing here changes it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from session_query_sqlite._config import MEMORY, SqliteConfig
from session_query_sqlite._doctor import Finding
from session_query_sqlite._recognition import recognise
from session_query_sqlite._schema import (
    PATIENCE_SECONDS,
    SCHEMA_VERSION,
    settings_of,
    store_key,
    unknown_tables,
)

__all__ = ["IndexState", "examine_index", "left_aside", "size_of"]

_MUCH_FREE: Final = 0.25
_REBUILD: Final = "session-query doctor --rebuild builds it anew from the store"
_INDEX: Final = "session-query index brings it up to date"


@dataclass(slots=True)
class IndexState:
    """What was found out about an index file; with `usable`, its tables can be read."""

    findings: list[Finding]
    usable: bool = False


def examine_index(config: SqliteConfig, identity: str | None) -> IndexState:
    """Look at the index file as it is; it need not exist.

    Args:
        config: where it is, and what it should have been built with.
        identity: that of the store, to tell its sessions from those of others.
    """
    path = config.path
    state = IndexState([])
    if path == MEMORY:
        state.findings.append(Finding("index.file", "note", "the index is in memory only"))
        return state
    state.findings += _around(path)
    recognition = recognise(path)
    match recognition.kind:
        case "new":
            state.findings.append(
                Finding("index.file", "note", f"there is no index at {path!r} yet",
                        "session-query index builds it, and so does the first search")
            )  # fmt: skip
        case "foreign":
            state.findings.append(
                Finding("index.file", "problem", f"{path!r} is no index: {recognition.reason}",
                        "name another file with --index, or remove it if nothing needs it")
            )  # fmt: skip
        case "damaged":
            state.findings.append(
                Finding("index.file", "problem", f"the index is damaged: {recognition.reason}",
                        f"the next search sets it aside, or {_REBUILD}")
            )  # fmt: skip
        case "index":
            state.findings.append(
                Finding("index.file", "ok", f"the index is {path!r}, {size_of(path):,} bytes")
            )
            _examine_tables(config, identity, state)
    return state


def _around(path: str) -> Iterator[Finding]:
    """Look at the file from outside, and at what lies beside it."""
    waiting = size_of(f"{path}-wal")
    if waiting:
        yield Finding(
            "index.wal", "note", f"{waiting:,} bytes wait in the write-ahead log",
            f"another process has the index open, or one was killed; {_INDEX}",
        )  # fmt: skip
    for aside in left_aside(path):
        yield Finding(
            "index.aside", "problem", f"a damaged index was left behind: {str(aside)!r}",
            "session-query index deletes it; nothing else needs it",
        )  # fmt: skip
    try:
        mode = os.stat(path).st_mode & 0o777  # noqa: PTH116 - the path is a text
    except OSError:
        return
    if os.name == "posix" and mode & 0o077:
        yield Finding(
            "index.mode", "note", f"other users may read the texts in the index (mode {mode:04o})",
            f"chmod 600 {path!r}, unless that is wanted",
        )  # fmt: skip


def left_aside(path: str) -> list[Path]:
    """Return the damaged files that were set aside for an index and not deleted."""
    file = Path(path).absolute()
    try:
        return sorted(
            found
            for found in file.parent.iterdir()
            if found.name.startswith(f"{file.name}.damaged-")
        )
    except OSError:
        return []


def size_of(path: str) -> int:
    """Return the size of a file; 0 where there is none."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 - the path is a text
    except OSError:
        return 0


def _examine_tables(config: SqliteConfig, identity: str | None, state: IndexState) -> None:
    try:
        with closing(
            sqlite3.connect(config.path, timeout=PATIENCE_SECONDS, isolation_level=None)
        ) as connection:
            state.usable = _examine_schema(connection, config, state.findings)
            if state.usable and _examine_integrity(connection, state.findings):
                _examine_content(connection, identity, state.findings)
            else:
                state.usable = False
    except sqlite3.Error as error:
        state.usable = False
        state.findings.append(
            Finding("index.integrity", "problem", f"the index can't be read: {error}", _REBUILD)
        )


def _examine_schema(
    connection: sqlite3.Connection, config: SqliteConfig, findings: list[Finding]
) -> bool:
    """Tell whether the tables are those of this release, built with these settings."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    unknown = sorted(unknown_tables(connection))
    if unknown:
        findings.append(
            Finding("index.schema", "problem", f"the index holds the unknown table {unknown[0]!r}",
                    "name another file with --index, or remove it if nothing needs it")
        )  # fmt: skip
        return False
    if version != SCHEMA_VERSION:
        findings.append(
            Finding("index.schema", "note",
                    f"the index is of schema version {version}, and this release makes"
                    f" {SCHEMA_VERSION}", "the next search builds it anew")
        )  # fmt: skip
        return False
    stored = dict(connection.execute("SELECT key, value FROM settings").fetchall())
    wanted = settings_of(config.segmentation, config.unsearchable_tools)
    other = sorted(key for key, value in wanted.items() if stored.get(key) != value)
    if other:
        findings.append(
            Finding("index.schema", "note", f"the index was built with another {', '.join(other)}",
                    "the next search builds it anew")
        )  # fmt: skip
        return False
    findings.append(Finding("index.schema", "ok", f"schema version {version}, current settings"))
    if stored.get("purge", "0") != "0":
        findings.append(
            Finding("index.purge", "note", "deleted text still has to be overwritten",
                    "session-query index does it, and so does the end of the next search")
        )  # fmt: skip
    return True


def _examine_integrity(connection: sqlite3.Connection, findings: list[Finding]) -> bool:
    """Run SQLite's and FTS5's own checks."""
    errors = [row for (row,) in connection.execute("PRAGMA integrity_check(5)") if row != "ok"]
    if errors:
        findings.append(
            Finding("index.integrity", "problem", f"SQLite finds damage: {errors[0]}", _REBUILD)
        )
        return False
    try:
        # FTS5 wants a writer for its check, which changes nothing
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO search(search) VALUES ('integrity-check')")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY:
            findings.append(
                Finding("index.fulltext", "note", "the index is read-only; FTS5 was not checked")
            )
            return True
        findings.append(
            Finding("index.fulltext", "problem", f"FTS5 finds damage: {error}", _REBUILD)
        )
        return False
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    findings.append(Finding("index.integrity", "ok", "SQLite and FTS5 find no damage"))
    return True


def _examine_content(
    connection: sqlite3.Connection, identity: str | None, findings: list[Finding]
) -> None:
    """Count what is in the index."""
    # every command would wait for this import
    from sqlite_utils import Database  # noqa: PLC0415

    tables = Database(connection)
    counts = {name: tables.table(name).count for name in ("sessions", "documents", "stores")}
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    free = connection.execute("PRAGMA freelist_count").fetchone()[0]
    findings.append(
        Finding("index.content", "ok",
                f"{counts['sessions']:,} sessions with {counts['documents']:,} searchable events")
    )  # fmt: skip
    if free > pages * _MUCH_FREE:
        findings.append(
            Finding("index.space", "note", f"{free:,} of {pages:,} pages are free",
                    "they are used again as the index grows; session-query doctor --rebuild"
                    " gives them back")
        )  # fmt: skip
    others = _other_stores(connection, identity)
    if identity is not None and others:
        findings.append(
            Finding("index.stores", "note",
                    f"{sum(others.values()):,} sessions are of other stores:"
                    f" {', '.join(sorted(others))}",
                    "use one index per store, or session-query doctor --rebuild to drop them")
        )  # fmt: skip


def _other_stores(connection: sqlite3.Connection, identity: str | None) -> Mapping[str, int]:
    counted = connection.execute(
        "SELECT identity, count(*) FROM stores JOIN sessions ON store = id GROUP BY identity"
    )
    named = ((store_key(str(name)), int(count)) for name, count in counted)
    return {json.dumps(name): count for name, count in named if name != identity}
