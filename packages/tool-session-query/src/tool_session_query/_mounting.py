"""Putting the toolset into a host, whole or not at all (TOOL-1)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Final, Protocol

from tool_session_query._toolset import ToolDefinition, Toolset

__all__ = ["SECTION_NAME", "ToolHost", "mount"]

SECTION_NAME: Final = "session-query"
"""The name under which the section of the prompt is added."""


class ToolHost(Protocol):
    """What a host must be able to do: add something, and give back what removes it again."""

    def add_prompt_section(self, name: str, text: str) -> Callable[[], object]:
        """Add a named section to the system prompt; return what removes it."""

    def add_tool(self, tool: ToolDefinition) -> Callable[[], object]:
        """Offer a tool to the model; return what removes it."""


_mounted: Final[dict[object, ToolHost]] = {}
"""The hosts that have a toolset, each under the token of its mounting."""


def mount(toolset: Toolset, host: ToolHost) -> Callable[[], None]:
    """Add the section and all tools to a host, and return what removes all of it.

    If the host refuses one, those that it took are removed again and its exception is raised.
    Removing twice does nothing more.

    Raises:
        ValueError: the host has a toolset already.
        TypeError: the host gave back nothing that removes what it took.
    """
    if any(one is host for one in _mounted.values()):
        raise ValueError("the session-query tools are mounted in this host already")
    with contextlib.ExitStack() as added:
        added.callback(_remover(host.add_prompt_section(SECTION_NAME, toolset.prompt_section)))
        for tool in toolset.tools:
            added.callback(_remover(host.add_tool(tool)))
        kept = added.pop_all()
    token = object()
    _mounted[token] = host

    def dispose() -> None:
        # all of it is removed even if one removal fails; after that there is nothing left to do
        with kept.pop_all():
            _mounted.pop(token, None)

    return dispose


def _remover(given: object) -> Callable[[], object]:
    if not callable(given):
        raise TypeError(f"a host gives back what removes a tool or section, not {given!r:.80}")
    return given
