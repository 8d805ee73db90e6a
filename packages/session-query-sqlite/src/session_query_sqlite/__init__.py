"""session-query-sqlite."""

__all__: list[str] = []
