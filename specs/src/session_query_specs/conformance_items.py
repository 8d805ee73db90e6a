"""What `pytest --pyargs session_query_specs` collects; the plugin puts the checks here."""

__all__: list[str] = []
