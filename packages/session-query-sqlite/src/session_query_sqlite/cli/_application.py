"""What one invocation works with: the engine, the output, and Ctrl-C (CLI-1, CLI-2)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from session_query import (
    AbortSignal,
    ErrorCode,
    JsonlPersistence,
    SessionQueryError,
    SessionSources,
    SessionStore,
)

from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine
from session_query_sqlite._config import OpenAt
from session_query_sqlite.cli._interrupt import Interruption
from session_query_sqlite.cli._output import Output
from session_query_sqlite.cli._settings import ROOT_VARIABLE, Settings

__all__ = ["Application", "Job"]

T = TypeVar("T")

_WINDOW_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Job:
    """What an operation is given: an open engine, the signal of Ctrl-C, output and options."""

    engine: SqliteSessionQueryEngine
    signal: AbortSignal
    output: Output
    settings: Settings


Operation: TypeAlias = Callable[[Job], Coroutine[Any, Any, T]]


class Application:
    """One invocation of the command.

    Args:
        settings: what its options say.
        interruption: tells when Ctrl-C was pressed.
    """

    def __init__(self, settings: Settings, interruption: Interruption) -> None:
        self.settings = settings
        self.interruption = interruption

    @cached_property
    def output(self) -> Output:
        """Where to print; made when all options are known."""
        return Output(self.settings, self.interruption)

    def config(self, open_at: OpenAt = "startup", page: int = 0) -> SqliteConfig:
        """Return the settings of the engine; `page` is the largest that is wanted."""
        return SqliteConfig(
            self.settings.index_path,
            open_at=open_at,
            max_limit=max(500, page),
            read_window_max=_WINDOW_MAX,
        )

    def store(self) -> JsonlPersistence:
        """Return the store of sessions.

        Raises:
            SessionQueryError: `SESSION_QUERY_PERSISTENCE_FAILED` where there is none: a mistyped
                path must not look like a store without sessions.
        """
        root = self.settings.store
        if not Path(root).is_dir():
            what = "is not a directory" if Path(root).exists() else "does not exist"
            raise SessionQueryError(
                f"the store {root!r} {what}; name its directory with --root or {ROOT_VARIABLE}",
                ErrorCode.PERSISTENCE_FAILED,
            )
        return JsonlPersistence(root)

    def read(self, operation: Operation[T]) -> T:
        """Run an operation that only reads logs; the index is not touched."""
        return self._run(operation, self.config("never"))

    def search(self, operation: Operation[T], page: int = 0) -> T:
        """Run an operation that uses the index."""
        return self._run(operation, self.config("startup", page))

    def _run(self, operation: Operation[T], config: SqliteConfig) -> T:
        sources = SessionSources(SessionStore(), self.store())

        async def run(signal: AbortSignal) -> T:
            async with SqliteSessionQueryEngine(sources, config) as engine:
                return await operation(Job(engine, signal, self.output, self.settings))

        return self.interruption.run(run)
