"""The command `session-query-conformance` (CONF-1, CONF-16)."""

from session_query_specs.cli._main import main

__all__ = ["main"]
