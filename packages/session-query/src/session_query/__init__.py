"""session-query."""

__all__: list[str] = []
