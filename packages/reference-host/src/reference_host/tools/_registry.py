"""The tools that a host offers (HOST-2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from reference_host.tools._tool import Tool

__all__ = ["ToolRegistry"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ToolRegistry:
    """Tools by name; what is registered is offered to the model from the next request on."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def register(self, tool: Tool) -> Callable[[], None]:
        """Add a tool and return what removes it; removing twice does nothing more.

        Raises:
            ValueError: there is a tool of that name, or no model API takes such a name.
        """
        name = tool.name
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"a tool can't be called {name!r}: letters, digits, _ and -, at most 64"
            )
        if name in self._tools:
            raise ValueError(f"there is a tool {name!r} already")
        self._tools[name] = tool
        added = [name]

        def remove() -> None:
            if added:
                del self._tools[added.pop()]

        return remove

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name, or None."""
        return self._tools.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in the order of their schemas."""
        return tuple(sorted(self._tools))

    def schemas(self) -> list[Mapping[str, Any]]:
        """Return name, description and parameters of each tool, ordered by name."""
        return [
            {
                "name": name,
                "description": self._tools[name].description,
                "parameters": self._tools[name].parameters,
            }
            for name in self.names
        ]
