"""Opening and closing, and what works without it."""

from __future__ import annotations

import asyncio

import pytest
from session_query.query import SessionQueryEngine

from ..corpus.engines import ExactEngine, engine_over
from ..corpus.logs import header


class CountedEngine(ExactEngine):
    """Counts how often it is opened and closed."""

    opened = closed = 0

    async def open(self) -> None:
        self.opened += 1

    async def close(self) -> None:
        self.closed += 1


@pytest.mark.requirement("CORPUS-1")
def test_a_with_block_opens_and_closes() -> None:
    """`async with` gives the engine itself, opened, and closes it whatever happens inside."""
    engine = CountedEngine(engine_over().sources)

    async def use() -> None:
        async with engine as entered:
            assert entered is engine
            assert (engine.opened, engine.closed) == (1, 0)
            raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(use())
    assert (engine.opened, engine.closed) == (1, 1)


@pytest.mark.requirement("CORPUS-1", "READ-1")
def test_exact_reads_need_no_open_engine() -> None:
    """An engine that was never opened, or is closed, still reads."""
    engine = engine_over(None, [(header("a"), [])])
    assert len(asyncio.run(engine.list_sessions())) == 1

    async def close() -> None:
        async with engine:
            pass
        assert len(await engine.list_sessions()) == 1

    asyncio.run(close())


@pytest.mark.requirement("SEARCH-1", "SEARCH-2")
def test_a_provider_owes_two_methods() -> None:
    """The searches are all that is abstract."""
    assert SessionQueryEngine.__abstractmethods__ == {"search_sessions", "search_events"}
