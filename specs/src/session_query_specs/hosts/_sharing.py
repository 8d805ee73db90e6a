"""Calls of several agents on one open host, one after the other or at once (AUTH-1, AUTH-8)."""

from __future__ import annotations

import asyncio
import pprint
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from session_query_specs._subjects import HostUnderTest
from session_query_specs.corpora import Corpus
from session_query_specs.hosts._calls import HostCall, World, opened, texts_in
from session_query_specs.hosts._heard import AbortReason, Heard
from session_query_specs.loop import FIFO, RefusedError, Schedule, run, run_in_time

__all__ = ["AtOnce", "InTurn"]


@dataclass(frozen=True, slots=True)
class InTurn:
    """Calls that one host gets one after the other.

    Attributes:
        calls: the calls; before each, the sources come to hold its corpus.
    """

    calls: tuple[HostCall, ...]

    def described(self) -> list[str]:
        """Return the calls in lines that a person reads."""
        return [*_described(self.calls)]

    def script(self, subject: str) -> str:
        """Return a program that makes the same calls on one host."""
        return _script(
            subject,
            self.calls,
            "import asyncio\n\nfrom session_query_specs.hosts import HostCall, InTurn\n",
            "turns = InTurn(tuple(map(HostCall.from_json, CALLS)))\n"
            'print(*asyncio.run(turns.heard(HOST)), sep="\\n")\n',
        )

    async def heard(self, host: HostUnderTest) -> list[Heard]:
        """Make the calls on one new host; return how each ended."""
        heard = []
        async with opened(self.calls[0], host) as world:
            for call in self.calls:
                world = world.turned_to(call)  # noqa: PLW2901 - the host stays the same
                heard.append(await world.heard())
        return heard


@dataclass(frozen=True, slots=True)
class AtOnce:
    """Calls that one host gets while others run.

    Attributes:
        calls: the calls, over one corpus; one whose `abort` is that of a task is aborted then.
        schedule: who is next. A host that uses threads has only the order of asyncio.
    """

    calls: tuple[HostCall, ...]
    schedule: Schedule = FIFO

    def described(self) -> list[str]:
        """Return calls and schedule in lines that a person reads."""
        return [*_described(self.calls), "all at once", *self.schedule.described()]

    def script(self, subject: str) -> str:
        """Return a program that makes the same calls, by the same schedule."""
        return _script(
            subject,
            self.calls,
            "from session_query_specs.hosts import AtOnce, HostCall\n"
            "from session_query_specs.loop import Schedule\n",
            "calls = tuple(map(HostCall.from_json, CALLS))\n"
            f"heard, trace = AtOnce(calls, {self.schedule!r}).heard(HOST)\n"
            'print(*trace, *heard, sep="\\n")\n',
        )

    def heard(self, host: HostUnderTest) -> tuple[list[Heard], list[str]]:
        """Make the calls on one new host; return how each ended, and what ran in which order."""

        async def main() -> list[Heard]:
            async with opened(self.calls[0], host) as first:
                worlds = [first.turned_to(call) for call in self.calls]
                aborts = [
                    asyncio.create_task(_aborting(world), name=f"abort of call {number}")
                    for number, world in enumerate(worlds)
                    if world.call.abort is not None
                ]
                calls = [
                    asyncio.create_task(_ended(world), name=f"call {number}")
                    for number, world in enumerate(worlds)
                ]
                try:
                    return await asyncio.gather(*calls)
                finally:
                    await asyncio.wait({*calls, *aborts})

        try:
            ended = run(main, self.schedule)
        except RefusedError:
            return run_in_time(main), []
        return ended.result(), ended.trace


async def _ended(world: World) -> Heard:
    """Make a call while others run; what these ask of the engine is no part of it."""
    try:
        outcome = await world.outcome()
    except AbortReason:  # another call's
        outcome = None
    return Heard(outcome, (), asked=tuple(texts_in(world.call.arguments)))


async def _aborting(world: World) -> None:
    for _ in range(world.call.abort[1] if world.call.abort else 0):
        await asyncio.sleep(0)
    world.controller.abort(world.reason)


def _described(calls: Sequence[HostCall]) -> Iterator[str]:
    """Yield the lines of calls of one host, and of what sessions become in between."""
    corpus = calls[0].corpus
    yield from corpus.described()
    for number, call in enumerate(calls):
        for name, session in corpus.becoming(call.corpus):
            yield "then there is" if session else f"then session {name!r} is deleted"
            yield from Corpus((session,) if session else ()).described()
        corpus = call.corpus
        told = call.described()[len([*corpus.described()]) :]
        yield f"call {number}: {', '.join(told)}"


def _script(subject: str, calls: Sequence[HostCall], imports: str, end: str) -> str:
    module, _, name = subject.partition(":")
    forms = [call.to_json() for call in calls]
    return (
        f"{imports}\n"
        f"from {module} import {name}\n\n"
        f"CALLS = {pprint.pformat(forms, width=96, sort_dicts=False)}\n"
        f"{end.replace('HOST', f'{name}()')}"
    )
