"""The command `session-query`: read and search recorded sessions from a shell (CLI-1 to CLI-6)."""

from session_query_sqlite.cli._main import main

__all__ = ["main"]
