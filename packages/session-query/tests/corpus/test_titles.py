"""What a batch of titles keeps in memory, and what it takes for ids."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Sequence
from functools import partial

import pytest
from session_query.corpus import TitleResult
from session_query.errors import ErrorCode
from session_query.log import SessionEvent
from session_query.query import EngineConfig

from .engines import engine_over
from .logs import header, titled
from .scripted_persistence import ScriptedPersistence


def titles(results: Sequence[TitleResult]) -> list[tuple[str, object]]:
    """Each id with its title, None, or the code of its error."""
    found: list[tuple[str, object]] = []
    for result in results:
        if result.value is None:
            assert result.reason is not None
            assert result.status == "rejected"
            found.append((result.session_id, result.reason.code))
        else:
            assert result.status == "fulfilled"
            title = result.value.title
            found.append((result.session_id, title and title.title))
    return found


class TrackedEvent(SessionEvent):
    """An event that can be watched while it goes away."""

    __slots__ = ("__weakref__",)


class MeasuredPersistence(ScriptedPersistence):
    """Counts how many of the logs that it handed out are still in memory."""

    def __init__(self, *, passes: int) -> None:
        super().__init__(passes=passes)
        self.alive: weakref.WeakSet[SessionEvent] = weakref.WeakSet()
        self.most_alive = 0
        self.wrap = self._tracked

    def _tracked(self, events: Sequence[SessionEvent]) -> Sequence[SessionEvent]:
        first = TrackedEvent.from_json(events[0].to_json())
        self.alive.add(first)
        # Those that wait for a worker to pick them up count too.
        self.most_alive = max(self.most_alive, len(self.alive))
        return [first, *events[1:]]


@pytest.mark.requirement("READ-3")
@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("length", [2, 3_000])
def test_memory_holds_no_more_logs_than_inspections(concurrency: int, length: int) -> None:
    """A worker has let go of its log before it takes the next id, however the log turns out."""
    persistence = MeasuredPersistence(passes=2)
    for number in range(20):
        name = f"s{number}"
        events = [titled(seq, name) for seq in range(length)]
        if number % 4 == 1:
            events[-1] = SessionEvent("session/title", length - 1, 1, {"title": None})
        persistence.put(header(name), events)
        if number % 4 == 2:
            persistence.at_start[f"inspect {name}"] = partial(
                persistence.put, header(name, cwd="/other"), events
            )
    engine = engine_over(persistence)
    engine.config = EngineConfig(persisted_inspect_concurrency=concurrency)

    async def measured() -> list[TitleResult]:
        gc.disable()
        try:
            return await engine.read_titles([f"s{number}" for number in range(20)])
        finally:
            gc.enable()

    results = asyncio.run(measured())
    assert persistence.most_alive == concurrency
    assert len(persistence.alive) == 0
    assert [result.status for result in results[:4]] == [
        "fulfilled",
        "rejected",
        "rejected",
        "fulfilled",
    ]


@pytest.mark.requirement("READ-3")
def test_a_single_text_is_no_list_of_ids() -> None:
    """What is no list of ids is an error of its caller's; what is no id has no session."""
    engine = engine_over(None, [(header("a"), [titled(0, "t")])])
    for wrong in ("abc", b"abc", None, 5, [["a"]]):
        with pytest.raises(TypeError):
            asyncio.run(engine.read_titles(wrong))  # type: ignore[arg-type]
    odd = asyncio.run(engine.read_titles([5, None, "a"]))  # type: ignore[list-item]
    missing = ErrorCode.SESSION_NOT_FOUND
    assert titles(odd) == [(5, missing), (None, missing), ("a", "t")]
