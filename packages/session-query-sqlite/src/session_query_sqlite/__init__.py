"""Full-text search over session logs in one SQLite file."""

from session_query_sqlite._config import SqliteConfig
from session_query_sqlite._engine import SqliteSessionQueryEngine
from session_query_sqlite._observation import IndexReport

__all__ = ["IndexReport", "SqliteConfig", "SqliteSessionQueryEngine"]
