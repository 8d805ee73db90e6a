"""Configuration of the SQLite provider (ERR-3)."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import ConfigDict, field_validator
from session_query import SearchConfig

__all__ = ["MEMORY", "JournalMode", "OpenAt", "SqliteConfig"]

MEMORY = ":memory:"
"""The path of an index that lives and dies with its engine."""

OpenAt = Literal["startup", "first-search", "never"]
JournalMode = Literal["wal", "delete", "truncate"]


class SqliteConfig(SearchConfig):
    """What a :class:`SqliteSessionQueryEngine` is built with.

    Args:
        path: the index file, or ``":memory:"``. Missing directories are created.
        open_at: when the index is opened (INDEX-2).
        journal_mode: SQLite's; ``wal`` lets other processes read while one writes.
            Those that keep a journal are missing: what is deleted would stay in it (INDEX-9).

    Raises:
        SessionQueryError: ``SESSION_QUERY_INVALID_CONFIG`` naming the key.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    path: str
    open_at: OpenAt = "startup"
    journal_mode: JournalMode = "wal"

    def __init__(self, path: str | os.PathLike[str] = "", **settings: object) -> None:
        super().__init__(**{"path": path, **settings})  # type: ignore[arg-type]  # checked there

    @field_validator("path", mode="before")
    @classmethod
    def _check_path(cls, value: object) -> str:
        if not isinstance(value, (str, os.PathLike)):
            raise ValueError("expected a path")  # noqa: TRY004 - pydantic turns ValueErrors only
        path = os.fspath(value)
        if not isinstance(path, str) or not path or "\0" in path:
            raise ValueError("expected a non-empty path, or ':memory:'")
        return path
