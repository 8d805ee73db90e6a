"""The end of a framework's run, or of a tool's time, ends the call, and nothing outlives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from .conversing import Call, Framework
from .frameworks import in_each_framework
from .on_pydantic_ai import OnPydanticAI
from .workspaces import World, worlds

SEARCH = Call.of("session_search", query="rocket")
TRACE = Call.of("session_trace")


@asynccontextmanager
async def held(folder: Path, *, timeout_ms: int = 30_000) -> AsyncIterator[World]:
    """A world whose searches stay until they are aborted and released."""
    async with worlds(folder, timeout_ms=timeout_ms) as world:
        world.engine.hold = True
        yield world


async def passes(count: int) -> None:
    """Give way to the loop `count` times."""
    for _ in range(count):
        await asyncio.sleep(0)


@in_each_framework
@pytest.mark.requirement("TOOL-4", "SAN-1")
def test_cancelling_a_run_aborts_its_calls(framework: Framework, tmp_path: Path) -> None:
    """The signal is aborted; once `settled()` returns, no call of the run is running."""

    async def main() -> None:
        async with held(tmp_path) as world:
            engine = world.engine
            run = asyncio.create_task(framework.answers(world.calls, world.here, [SEARCH, TRACE]))
            await engine.begun.wait()
            assert not engine.signals[0].aborted
            run.cancel()
            await passes(100)
            assert engine.signals[0].aborted
            assert engine.running == 1
            assert run.done() is not framework.waits
            settled = asyncio.create_task(world.calls.settled())
            await passes(100)
            assert not settled.done()
            engine.release.set()
            await settled
            assert engine.running == 0
            with pytest.raises(asyncio.CancelledError):
                await run
            assert len(engine.signals) == 1

    asyncio.run(main())


@in_each_framework
@pytest.mark.requirement("TOOL-3")
def test_a_call_that_waits_for_its_turn_never_starts(framework: Framework, tmp_path: Path) -> None:
    """Of two searches in one turn, only the first has begun when the run is cancelled."""

    async def main() -> None:
        async with held(tmp_path) as world:
            run = asyncio.create_task(framework.answers(world.calls, world.here, [SEARCH, SEARCH]))
            await world.engine.begun.wait()
            await passes(100)
            run.cancel()
            world.engine.release.set()
            await asyncio.wait([run])
            await world.calls.settled()
            assert run.cancelled()
            assert (len(world.engine.signals), world.engine.running) == (1, 0)

    asyncio.run(main())


@in_each_framework
@pytest.mark.requirement("TOOL-3")
def test_the_time_limit_of_a_tool_is_an_answer(framework: Framework, tmp_path: Path) -> None:
    """A search that takes too long is aborted; the model gets TOOL_TIMEOUT, and the run goes on."""

    async def main() -> list[str]:
        async with held(tmp_path, timeout_ms=20) as world:
            world.engine.release.set()
            answers = await framework.answers(world.calls, world.here, [SEARCH], [TRACE])
            assert world.engine.signals[0].aborted
            assert world.engine.running == 0
            return answers

    timeout, trace = asyncio.run(main())
    expected = "Error TOOL_TIMEOUT: session_search took longer than 0.02 s and was ended."
    assert timeout == expected
    assert "now-here" in trace


@pytest.mark.requirement("SAN-1")
def test_a_time_limit_of_the_framework_waits_for_the_call(tmp_path: Path) -> None:
    """Pydantic AI's limit cancels again and again: the call is aborted and awaited all the same."""

    async def main() -> None:
        async with held(tmp_path) as world:
            framework = OnPydanticAI(seconds=0.01)
            run = asyncio.create_task(framework.answers(world.calls, world.here, [SEARCH]))
            await world.engine.aborted.wait()
            await passes(100)
            assert world.engine.running == 1
            assert not run.done()
            world.engine.release.set()
            assert await run == ["Timed out after 0.01 seconds."]
            assert world.engine.running == 0

    asyncio.run(main())
