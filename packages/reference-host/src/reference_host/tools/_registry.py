"""The tools that a host offers (HOST-2)."""

from __future__ import annotations

import inspect
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
            TypeError: it is no `Tool`, and says what it lacks.
        """
        name = tool.name
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"a tool can't be called {name!r}: letters, digits, _ and -, at most 64"
            )
        if name in self._tools:
            raise ValueError(f"there is a tool {name!r} already")
        _check(tool)
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


def _check(tool: Tool) -> None:
    """See now what would end a turn later."""
    given: Any = tool
    problem = None
    if not isinstance(getattr(given, "description", None), str):
        problem = "description is no text"
    elif not isinstance(getattr(given, "parameters", None), dict):
        problem = "parameters is no JSON Schema, a dict"
    elif not _is_limit(getattr(given, "timeout_ms", "nothing")):
        problem = "timeout_ms is no number of milliseconds from 1 on, and not None"
    elif not _is_concurrency(getattr(given, "concurrency", None)):
        problem = "concurrency is neither 'exclusive' nor 'parallel', nor decides it when called"
    elif not inspect.iscoroutinefunction(getattr(given, "execute", None)):
        problem = "execute is no async method"
    elif not callable(getattr(given, "present_call", None)):
        problem = "present_call is no method"
    if problem is not None:
        raise TypeError(f"tool {given.name!r}: {problem}")


def _is_limit(given: object) -> bool:
    is_number = isinstance(given, int) and not isinstance(given, bool)
    return given is None or (is_number and given > 0)  # type: ignore[operator]


def _is_concurrency(given: object) -> bool:
    return callable(given) or given in ("exclusive", "parallel")
