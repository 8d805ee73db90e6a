"""The SQLite provider as the conformance suite opens it.

The suite is a package of its own, ``session-query-specs``; nothing else here needs it. Run it with
``session-query-conformance session_query_sqlite.conformance:SqliteProvider``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from session_query import SessionQueryEngine, SessionSources

from session_query_sqlite._config import SqliteConfig
from session_query_sqlite._engine import SqliteSessionQueryEngine

try:
    from session_query_specs import ProviderUnderTest, SuiteConfig
except ImportError as error:  # pragma: no cover - the tests have it installed
    raise ImportError(
        "session_query_sqlite.conformance needs the conformance suite; install session-query-specs"
    ) from error

__all__ = ["SqliteProvider"]


class SqliteProvider(ProviderUnderTest):
    """The provider with an index file in the directory that the suite gives it."""

    name: ClassVar[str] = "sqlite"
    capabilities: ClassVar[Mapping[str, Any]] = {
        "ranking": "contract",
        "segmentation": ("script", "none"),
        "persistent_index": True,
        "interruptible": True,
        "multi_process": True,
        "forgets": True,
    }

    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        """Return an open engine whose index is in ``config.directory``."""
        settings = config.model_dump(exclude={"directory"})
        path = config.directory / "index.sqlite"
        engine = SqliteSessionQueryEngine(sources, SqliteConfig(path, **settings))
        await engine.open()
        return engine
