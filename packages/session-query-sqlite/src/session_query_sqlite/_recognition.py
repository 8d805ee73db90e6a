"""Which files are an index, by what they say of themselves (INDEX-3)."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path
from typing import Literal, NamedTuple

from session_query_sqlite._schema import (
    APPLICATION_ID,
    DAMAGE,
    PATIENCE_SECONDS,
    SCHEMA_VERSION,
)

__all__ = ["Recognition", "recognise"]

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_APPLICATION_OFFSET = 68


class Recognition(NamedTuple):
    """What a file is: ``new``, an ``index``, a ``damaged`` index, or ``foreign`` with a reason."""

    kind: Literal["new", "index", "damaged", "foreign"]
    reason: str = ""


def recognise(path: str) -> Recognition:
    """Tell what a file is without changing it (INDEX-3).

    SQLite itself reads it: a file that this process has open elsewhere must not be opened and
    closed behind SQLite's back, which would drop the locks on it.
    """
    file = Path(path)
    if file.is_dir():
        return Recognition("foreign", "it is a directory")
    if not file.exists() or not file.stat().st_size:
        return Recognition("new")
    try:
        marks = _marks(file)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return _unreadable(file, error)
    return _judged(*marks)


def _marks(file: Path) -> tuple[int, int, set[str]]:
    """Return application id, schema version and table names."""
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=PATIENCE_SECONDS
    )
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    finally:
        connection.close()
    return application, version, names


def _judged(application: int, version: int, names: set[str]) -> Recognition:
    if application == APPLICATION_ID:
        if version > SCHEMA_VERSION:
            reason = f"it has schema version {version}, made by a newer release of this package"
            return Recognition("foreign", reason)
        return Recognition("index")
    if application:
        return Recognition("foreign", f"it belongs to another application ({application:#010x})")
    if names:
        return Recognition("foreign", f"it holds tables of something else ({min(names)!r})")
    return Recognition("new")


def _unreadable(file: Path, error: Exception) -> Recognition:
    """Tell a damaged index from anything else by the mark in its header."""
    # a message of SQLite that quotes a broken schema may not even be text
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code not in DAMAGE:
        return Recognition("foreign", f"it can't be read ({error})")
    with file.open("rb") as stream:
        head = stream.read(_HEADER_BYTES)
    if len(head) == _HEADER_BYTES and head.startswith(_MAGIC):
        (application,) = struct.unpack_from(">I", head, _APPLICATION_OFFSET)
        if application == APPLICATION_ID:
            return Recognition("damaged", str(error))
    return Recognition("foreign", "it is not an SQLite database")
