"""A host as the tools see one: it adds, it refuses, and it removes."""

from __future__ import annotations

from collections.abc import Callable

from tool_session_query import ToolDefinition


class Refused(BaseException):
    """Why a host takes something not, or gives it not back."""


class Host:
    """Takes a number of things and refuses the next; `kept` are their names in order."""

    def __init__(
        self, takes: int = 100, keeps: str | None = None, forgets: str | None = None
    ) -> None:
        self.takes = takes
        self.keeps = keeps
        self.forgets = forgets
        self.kept: list[str] = []
        self.removed: list[str] = []

    def add_prompt_section(self, name: str, text: str) -> Callable[[], object]:
        assert text
        return self._add(name)

    def add_tool(self, tool: ToolDefinition) -> Callable[[], object]:
        return self._add(tool.name)

    def _add(self, name: str) -> Callable[[], object]:
        if len(self.kept) == self.takes:
            raise Refused(name)
        if name == self.forgets:
            return None  # type: ignore[return-value]
        self.kept.append(name)

        def remove() -> None:
            self.removed.append(name)
            if name == self.keeps:
                raise Refused(name)
            self.kept.remove(name)

        return remove
