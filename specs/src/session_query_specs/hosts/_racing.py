"""A call and the changes of a corpus as tasks, in an order that a schedule decides (CONF-10)."""

from __future__ import annotations

import asyncio
import pprint
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from session_query import AbortSignal

from session_query_specs._subjects import HostUnderTest
from session_query_specs.hosts._calls import HostCall, World, opened
from session_query_specs.hosts._heard import Change, Heard
from session_query_specs.loop import FIFO, RefusedError, Schedule, run, run_in_time

__all__ = ["Race", "operation"]


@dataclass(frozen=True, slots=True)
class Race:
    """One call, raced by its changes whose moment is that of a task.

    Attributes:
        call: the call.
        schedule: who is next. A host that uses threads has only the order of asyncio.
    """

    call: HostCall
    schedule: Schedule = FIFO

    def described(self) -> list[str]:
        """Return call and schedule in lines that a person reads."""
        return [*self.call.described(), *self.schedule.described()]

    def script(self, subject: str) -> str:
        """Return a program that runs the race again, by the same schedule."""
        module, _, name = subject.partition(":")
        return (
            "from session_query_specs.hosts import HostCall, Race\n"
            "from session_query_specs.loop import Schedule\n\n"
            f"from {module} import {name}\n\n"
            f"CALL = {pprint.pformat(self.call.to_json(), width=96, sort_dicts=False)}\n"
            f"race = Race(HostCall.from_json(CALL), {self.schedule!r})\n"
            f"heard, trace = race.heard({name}())\n"
            'print(*trace, heard, sep="\\n")\n'
        )

    def heard(self, host: HostUnderTest) -> tuple[Heard, list[str]]:
        """Run the race; return how the call ended, and what ran in which order."""

        async def main() -> Heard:
            async with opened(self.call, host) as world:
                changes = [
                    asyncio.create_task(_changing(world, change), name=f"change {number}")
                    for number, change in enumerate(self.call.changes)
                    if change.moment[0] == "task"
                ]
                called = asyncio.create_task(world.heard(), name="call")
                try:
                    return await called
                finally:
                    await asyncio.gather(*changes)

        try:
            ended = run(main, self.schedule)
        except RefusedError:
            return run_in_time(main), []
        return ended.result(), ended.trace


def operation(
    call: HostCall, host: HostUnderTest, seen: Callable[[World], object]
) -> Callable[[AbortSignal], Coroutine[Any, Any, Heard]]:
    """Return what a sweep runs: a call that gets the signal of the sweep.

    Args:
        call: the call.
        host: the host.
        seen: told of each world, before its call is made.
    """

    async def main(signal: AbortSignal) -> Heard:
        async with opened(call, host) as world:
            seen(world)
            heard = await world.heard(signal)
            world.too_late = not signal.aborted
            return heard

    return main


async def _changing(world: World, change: Change) -> None:
    for _ in range(change.moment[1]):
        await asyncio.sleep(0)
    world.change(change)
