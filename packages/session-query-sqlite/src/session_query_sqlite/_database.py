"""One connection to the index file: opening, transactions, interruption, recovery.

All statements run in worker threads, one job at a time. A job that is told
to stop leaves the running statement within milliseconds, and between statements it leaves by
:meth:`Database.check`.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from session_query.cancellation import AbortSignal, OperationQueue, run_blocking
from session_query.errors import ErrorCode, SessionQueryError

from session_query_sqlite._config import MEMORY, SqliteConfig
from session_query_sqlite._recognition import recognise
from session_query_sqlite._schema import (
    DAMAGE,
    PAGE_SIZE,
    PATIENCE_SECONDS,
    SCHEMA_VERSION,
    create,
    create_live,
    drop_all,
    settings_of,
    unknown_tables,
)

__all__ = ["DamagedIndexError", "Database", "StoppedError", "index_failed"]

T = TypeVar("T")

_RETRY_SECONDS = 0.005
_STEPS_BETWEEN_CHECKS = 1000
"""Steps of SQLite's virtual machine after which a statement asks whether it is to stop."""

_CACHE_KIB = 32_768
_WAL_KEEP_BYTES = 1 << 20
_MERGE_PAGES = 500
"""Pages of 4 KB that one statement merges: it takes some 20 ms, and can't be stopped."""

_MERGE_STEPS = 8


class StoppedError(Exception):
    """Raised inside a job that was told to stop; whoever waits raises the reason instead."""


class DamagedIndexError(Exception):
    """Raised where SQLite finds the index file broken; the index is derived and can be rebuilt."""


class ReopenedError(Exception):
    """Raised where the file was replaced or rebuilt under us; what was known of it is void."""


_PLAIN = (SessionQueryError, StoppedError, DamagedIndexError, ReopenedError)
"""What jobs raise on purpose."""

_MISFITS = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH})
"""Results that our own statements can only have on tables that are not as we made them."""


def index_failed(message: str) -> SessionQueryError:
    """Return the typed error for an index that can't be used."""
    return SessionQueryError(message, ErrorCode.INDEX_FAILED)


class Database:
    """The index file as one engine sees it."""

    def __init__(self, config: SqliteConfig) -> None:
        self.path = config.path
        self._journal_mode = config.journal_mode
        self._settings = settings_of(config.segmentation, config.unsearchable_tools)
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._epoch = ""
        self._stop = threading.Event()
        self._jobs = OperationQueue(lambda: index_failed("the index is closed"))
        self._set_aside: list[Path] = []

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    @property
    def connection(self) -> sqlite3.Connection:
        """The open connection; for jobs only."""
        if self._connection is None:
            raise index_failed("the index is closed")
        return self._connection

    async def run(self, job: Callable[[], T], signal: AbortSignal | None) -> T:
        """Run ``job`` in a worker thread and translate what SQLite raises (CANCEL-7, ERR-2).

        Jobs take turns. On an abort or a cancellation the running statement is stopped.
        """

        def guarded() -> T:
            try:
                return job()
            except BaseException as error:
                _release_statements(error)
                self._roll_back()
                if isinstance(error, _PLAIN) or not isinstance(error, Exception):
                    raise
                raise self._translated(error) from error

        async with self._jobs.turn(signal):
            self._stop.clear()
            return await run_blocking(guarded, signal=signal, interrupt=self._stop.set)

    def check(self) -> None:
        """Leave the job if it was told to stop."""
        if self._stop.is_set():
            raise StoppedError

    def _translated(self, error: Exception) -> Exception:
        """Return what a failure inside a job means.

        Jobs run fixed statements on rows that were written here: a statement that doesn't fit the
        tables, and rows that don't read as what was written, both come from damage to the file.
        """
        if isinstance(error, (OSError, MemoryError)):
            return index_failed(f"the index {self.path!r} can't be used: {error}")
        if isinstance(error, sqlite3.Error):
            # what has no code is sqlite3's own: a text in the file that is none
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISMATCH) & 0xFF
            if code == sqlite3.SQLITE_INTERRUPT:
                return StoppedError()
            if code not in DAMAGE and code not in _MISFITS:
                return index_failed(f"the index {self.path!r} can't be used: {error}")
        return DamagedIndexError(f"{type(error).__name__}: {error}")

    def _roll_back(self) -> None:
        connection = self._connection
        if connection is not None and connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to report
                connection.execute("ROLLBACK")

    # -- opening ------------------------------------------------------------------------------

    def open(self) -> None:
        """Open, create or rebuild the index; a job (INDEX-3).

        Raises :class:`SessionQueryError` with ``SESSION_QUERY_INDEX_FAILED`` for a file that is
        something else, before any change to it, and :class:`DamagedIndexError`.
        """
        try:
            self._prepare_file()
        except UnicodeDecodeError:
            raise  # SQLite's own message holds bytes of a broken file
        except (OSError, ValueError) as error:
            raise index_failed(f"the index {self.path!r} can't be opened: {error}") from error
        try:
            connection = sqlite3.connect(
                self.path,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
        except (sqlite3.Error, OSError) as error:
            raise index_failed(f"the index {self.path!r} can't be opened: {error}") from error
        self._connection = connection
        try:
            self._file = self._identity()
            self._set_aside = self._left_aside()
            # Not interrupt(): SQLite holds on to that until all statements have ended, and FTS5
            # keeps some of its own open until the transaction ends, which could then not even be
            # rolled back.
            connection.set_progress_handler(self._stop.is_set, _STEPS_BETWEEN_CHECKS)
            self._configure()
            self._adopt(connection)
            create_live(connection)
        except BaseException:
            self.disconnect()
            raise

    def _prepare_file(self) -> None:
        if self.path == MEMORY:
            return
        found = recognise(self.path)
        if found.kind == "foreign":
            raise index_failed(
                f"{self.path!r} is not used as an index: {found.reason}. Name another path, or"
                " remove the file if it is no longer needed"
            )
        if found.kind == "damaged":
            raise DamagedIndexError(found.reason)
        if found.kind == "new":
            _make_directories(Path(self.path).absolute().parent)
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))

    def _configure(self) -> None:
        for pragma in (
            f"page_size = {PAGE_SIZE}",
            "secure_delete = ON",
            "synchronous = NORMAL",
            f"cache_size = -{_CACHE_KIB}",
            f"journal_size_limit = {_WAL_KEEP_BYTES}",
        ):
            self.patiently(f"PRAGMA {pragma}")

    def _adopt(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or rebuild them where another version or other settings made them."""
        if not self._is_current(connection):
            with self.transaction(check_epoch=False):
                # another process may have done it while this one waited
                if not self._is_current(connection):
                    foreign = unknown_tables(connection)
                    if foreign:
                        raise index_failed(
                            f"the index {self.path!r} holds the unknown table {min(foreign)!r}"
                        )
                    self._recreate(connection)
        if self.path != MEMORY:
            self.patiently(f"PRAGMA journal_mode = {self._journal_mode}")
        self._epoch = self._stored("epoch")

    def _is_current(self, connection: sqlite3.Connection) -> bool:
        (version,) = self.patiently("PRAGMA user_version").fetchone()
        if version != SCHEMA_VERSION or unknown_tables(connection):
            return False
        try:
            stored = dict(connection.execute("SELECT key, value FROM settings").fetchall())
            connection.execute(
                "SELECT 1 FROM sessions, stores, types, documents, texts, ranges LIMIT 0"
            )
        except sqlite3.OperationalError:
            return False
        return self._settings.items() <= stored.items()

    def _stored(self, key: str) -> str:
        row = self.connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def _identity(self) -> tuple[int, int] | None:
        if self.path == MEMORY:
            return None
        try:
            found = os.stat(self.path)  # noqa: PTH116 - once per search, no Path object
        except OSError:
            return None
        return (found.st_dev, found.st_ino)

    def _left_aside(self) -> list[Path]:
        """Return what was set aside here, also by a process that did not live to delete it."""
        if self.path == MEMORY:
            return []
        source = Path(self.path).absolute()
        mark = f"{source.name}.damaged-"
        try:
            beside = os.listdir(source.parent)  # noqa: PTH208 - names are enough
        except OSError:
            return []  # a folder that may be written and not read
        stems = {
            re.sub(r"-(wal|shm|journal)$", "", name) for name in beside if name.startswith(mark)
        }
        return [source.with_name(stem) for stem in sorted(stems)]

    def disconnect(self) -> None:
        """Close the connection; live rows vanish with it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    # -- transactions -------------------------------------------------------------------------

    def patiently(self, statement: str) -> sqlite3.Cursor:
        """Execute a statement, waiting for the lock of another process (INDEX-5, CANCEL-7)."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self.connection.execute(statement)
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (
                    sqlite3.SQLITE_BUSY,
                    sqlite3.SQLITE_LOCKED,
                ):
                    raise
                if time.monotonic() > deadline:
                    raise index_failed(
                        f"another process has held the index {self.path!r} for over"
                        f" {PATIENCE_SECONDS:.0f} s; end it, or use another index"
                    ) from error
            if self._stop.wait(_RETRY_SECONDS):
                raise StoppedError

    @contextlib.contextmanager
    def transaction(self, *, check_epoch: bool = True) -> Iterator[sqlite3.Connection]:
        """Hold the write lock; commit at the end, roll back on any exception."""
        self._reject_replaced_file()
        self.patiently("BEGIN IMMEDIATE")
        try:
            if check_epoch:
                self._check_epoch()
            yield self.connection
            self.check()
            self.patiently("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Hold one read transaction: all that is read inside is of one moment."""
        self._reject_replaced_file()
        self.patiently("BEGIN")
        try:
            self.patiently("SELECT 1 FROM main.sqlite_master LIMIT 1").fetchone()
            self._check_epoch()
            yield self.connection
        finally:
            self._roll_back()

    def _reject_replaced_file(self) -> None:
        if self._file is not None and self._identity() != self._file:
            raise ReopenedError

    def _check_epoch(self) -> None:
        if self._stored("epoch") == self._epoch:
            return
        stored = dict(self.connection.execute("SELECT key, value FROM settings").fetchall())
        for key, value in self._settings.items():
            if stored.get(key) != value:
                raise index_failed(
                    f"the index {self.path!r} was rebuilt by another process with other settings"
                    f" ({key} = {stored.get(key)!r}, here {value!r}); use one index per setting"
                )
        raise ReopenedError

    def reopen(self) -> None:
        """Open what now stands at the path; a job."""
        self.disconnect()
        self.open()

    def empty(self) -> None:
        """Drop and create all tables; a job.

        What was known of them is void: the next job of any engine finds another epoch.
        """
        with self.transaction(check_epoch=False) as connection:
            self._recreate(connection)

    def _recreate(self, connection: sqlite3.Connection) -> None:
        (tables,) = connection.execute("SELECT count(*) FROM main.sqlite_master").fetchone()
        drop_all(connection)
        create(connection, self._settings)
        if tables:
            # what they held may still stand in the file
            connection.execute("UPDATE settings SET value = '1' WHERE key = 'purge'")

    # -- recovery -----------------------------------------------------------------------------

    def set_aside(self) -> None:
        """Move a damaged file away and open a new one; a job (INDEX-4).

        The old file is kept until :meth:`discard_set_aside`. Where another process has already
        replaced it, that one is opened.
        """
        damaged = self._file
        self.disconnect()
        if self.path != MEMORY and (damaged is None or damaged == self._identity()):
            source = Path(self.path).absolute()
            aside = source.with_name(f"{source.name}.damaged-{os.getpid()}-{time.time_ns()}")
            for suffix in ("-wal", "-shm", "-journal", ""):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(f"{source}{suffix}", f"{aside}{suffix}")  # noqa: PTH105
        self.open()

    @property
    def has_set_aside(self) -> bool:
        """Whether a damaged file still waits to be deleted."""
        return bool(self._set_aside)

    def discard_set_aside(self) -> None:
        """Delete the files that were set aside: the rebuild has committed; a job."""
        while self._set_aside:
            aside = self._set_aside.pop()
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{aside}{suffix}").unlink(missing_ok=True)

    # -- forgetting ---------------------------------------------------------------------------

    def purge(self) -> None:
        """Remove every trace of deleted text from the file and its log; a job (INDEX-9).

        Costs the size of the index, and nothing where nothing was deleted since the last purge.
        """
        if self._stored("purge") == "0":
            self.truncate_log()
            return
        with self.transaction() as connection:
            connection.execute("INSERT INTO search(search) VALUES ('optimize')")
        self.patiently("VACUUM")
        if not self.truncate_log():
            raise index_failed(
                f"deleted text is still in the log of {self.path!r}: another process reads it;"
                " refresh again when that has ended"
            )
        with self.transaction() as connection:
            connection.execute("UPDATE settings SET value = '0' WHERE key = 'purge'")
        self.truncate_log()

    def merge_segments(self) -> bool:
        """Merge some of what was written in pieces; a job. Tell whether there is more to do.

        FTS5 merges sixteen segments of a size into one, so that all in all a text is merged
        O(log(size of the index)) times, to the base of 16.
        """
        with self.transaction() as connection:
            for _ in range(_MERGE_STEPS):
                self.check()
                before = connection.total_changes
                connection.execute(
                    "INSERT INTO search(search, rank) VALUES ('merge', ?)", (_MERGE_PAGES,)
                )
                # so FTS5 tells that there was nothing to do
                if connection.total_changes - before < 2:  # noqa: PLR2004
                    return False
        return True

    def truncate_log(self) -> bool:
        """Bring the write-ahead log into the file and empty it; False while others read it."""
        if self.path == MEMORY or self._journal_mode != "wal":
            return True
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            (busy, _, _) = self.patiently("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return True
            if time.monotonic() > deadline:
                return False
            if self._stop.wait(_RETRY_SECONDS):
                raise StoppedError


def _release_statements(error: BaseException) -> None:
    """Let go of the cursors in the frames that an exception has left.

    A statement that was begun and not finished keeps an interruption alive: it would hit whatever
    the connection runs next.
    """
    pending: list[BaseException | None] = [error]
    seen: set[int] = set()
    while pending:
        found = pending.pop()
        if found is not None and id(found) not in seen:
            seen.add(id(found))
            traceback.clear_frames(found.__traceback__)
            pending += [found.__cause__, found.__context__]


def _make_directories(directory: Path) -> None:
    """Create missing directories for this user alone; existing ones keep their mode."""
    missing = []
    while not directory.exists():
        missing.append(directory)
        directory = directory.parent
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
