"""Hits over as many pages and match modes as it takes (TITLE-1, INPUT-6, SAN-5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from session_query import AbortSignal, MatchMode, SessionQueryEngine

from tool_session_query._service_boundary import Service, repeated_cursor

__all__ = ["Asking", "Collection", "Page", "modes_of"]

H = TypeVar("H")
H_co = TypeVar("H_co", covariant=True)

_MODES: Final[dict[str, tuple[MatchMode, ...]]] = {
    "auto": ("phrase", "any"),
    "phrase": ("phrase",),
    "all": ("all",),
    "any": ("any",),
}


def modes_of(match: str) -> tuple[MatchMode, ...]:
    """Return the searches that a match mode of the tools stands for."""
    return _MODES[match]


class Page(Protocol[H_co]):
    """What a provider answers with."""

    @property
    def items(self) -> tuple[H_co, ...]:
        """The hits."""

    @property
    def next_cursor(self) -> str | None:
        """The cursor of the next page, None on the last one."""


Asking: TypeAlias = Callable[[SessionQueryEngine, AbortSignal, int, str | None], Awaitable[Page[H]]]
"""Asks for one page, by its size and cursor."""


class Collection(Generic[H]):
    """Authorized hits, the best first, each thing once.

    Args:
        most: how many are wanted.
        key_of: what a hit is of; None for one that may not be shown.
    """

    def __init__(self, most: int, key_of: Callable[[H], Hashable | None]) -> None:
        self._most = most
        self._key_of = key_of
        self._found: dict[Hashable, H] = {}

    @property
    def hits(self) -> list[H]:
        """The hits, at most as many as are wanted."""
        return list(self._found.values())[: self._most]

    @property
    def capped(self) -> bool:
        """Whether there is one more than is wanted (TITLE-1)."""
        return len(self._found) > self._most

    async def add(
        self,
        service: Service,
        ask: Asking[H],
        *,
        spare: int = 0,
        check: Callable[[Any], None] = lambda _: None,
    ) -> None:
        """Follow one search until there is one hit too many, or to its end.

        A page is large enough for all that is wanted: while it is looked at, others go on, and the
        next one would be of another history.

        Args:
            service: what to ask.
            ask: asks for one page of the search.
            spare: how many hits may turn out not to be wanted.
            check: raises for a page that may not be shown.
        """
        size = self._most + 1 + spare + len(self._found)
        cursors: set[str] = set()
        cursor: str | None = None
        while not self.capped:
            page = await service.ask(
                lambda engine, signal, cursor=cursor: ask(  # type: ignore[misc]
                    engine, signal, min(size, engine.max_limit), cursor
                )
            )
            check(page)
            for hit in page.items:
                key = self._key_of(hit)
                if key is not None:
                    self._found.setdefault(key, hit)
            cursor = page.next_cursor
            if cursor is None:
                return
            if cursor in cursors:
                raise repeated_cursor()
            cursors.add(cursor)
