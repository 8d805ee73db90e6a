"""A session that moves to another workspace while its pages are read, and no cursor tells of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from session_query import (
    AbortSignal,
    EventSearchPage,
    EventSearchRequest,
    LiveSession,
    SessionQueryEngine,
)

from session_query_specs._subjects import HostUnderTest, ToolOutcome
from session_query_specs.hosts._calls import HostCall
from session_query_specs.hosts._heard import Heard
from session_query_specs.hosts._scripted import ScriptedEngine

__all__ = ["MovedPages", "OverMovedPages"]


class _Moving(ScriptedEngine):
    """Says of pages that their session has another working directory."""

    first: int = 0
    cwd: str | None = None
    pages: int = 0

    async def search_events(
        self,
        request: EventSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> EventSearchPage:
        """Search one session; from the page of a number on it is elsewhere."""
        page = await super().search_events(request, signal)
        self.pages += 1
        if self.pages <= self.first:
            return page
        return replace(page, header=replace(page.header, cwd=self.cwd))


class OverMovedPages(HostUnderTest):
    """The other host, over an engine whose pages of events are of elsewhere from one on.

    Args:
        inner: the other host.
        first: the number of the first page that is of elsewhere.
        cwd: the working directory in its header.
    """

    name: ClassVar[str] = "over moved pages"

    def __init__(self, inner: HostUnderTest, first: int, cwd: str | None) -> None:
        self._inner = inner
        self._first = first
        self._cwd = cwd

    async def open(self, engine: SessionQueryEngine) -> Any:
        """Open the other host."""
        moving = _Moving(engine)
        moving.first, moving.cwd = self._first, self._cwd
        return await self._inner.open(moving)

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        """Let the other host answer."""
        return await self._inner.call(host, tool, arguments, caller=caller, signal=signal)

    async def close(self, host: Any) -> None:
        """Close the other host."""
        await self._inner.close(host)


@dataclass(frozen=True, slots=True)
class MovedPages:
    """A search of one session, whose pages are of elsewhere from one on.

    Attributes:
        call: the search.
        first: the number of the first such page.
        cwd: the working directory in its header.
    """

    call: HostCall
    first: int
    cwd: str | None

    def described(self) -> list[str]:
        """Return the call and the move in lines that a person reads."""
        return [*self.call.described(), f"from page {self.first} on, its cwd is {self.cwd!r}"]

    def script(self, subject: str) -> str:
        """Return a program that makes the call."""
        name = subject.partition(":")[2]
        over = f"OverMovedPages({name}(), {self.first}, {self.cwd!r})"
        imported = "from session_query_specs.hosts import HostCall\n"
        more = "from session_query_specs.hosts._moved_pages import OverMovedPages\n"
        program = self.call.script(subject).replace(imported, f"{imported}{more}", 1)
        return program.replace(f".heard({name}())", f".heard({over})")

    async def heard(self, host: HostUnderTest) -> Heard:
        """Make the search on a new host, and tell how it ended."""
        return await self.call.heard(OverMovedPages(host, self.first, self.cwd))
