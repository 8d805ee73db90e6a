"""Hosts that mix up those who share them; each is made of a host that gets it right."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from session_query import AbortController, AbortSignal, SessionQueryEngine

from session_query_specs._subjects import ToolOutcome
from session_query_specs.mutants._mutant import host_mutant
from session_query_specs.mutants._spoiled_host import GivenCall, SpoiledHost

__all__: list[str] = []


class _Sharing(SpoiledHost):
    """Keeps something for as long as it is open.

    Attributes:
        kept: what it keeps.
    """

    kept: dict[Any, Any]

    async def open(self, engine: SessionQueryEngine) -> Any:
        self.kept = {}
        return await super().open(engine)


@host_mutant("AUTH-1/each-caller")
class RemembersFirstCaller(_Sharing):
    """Takes whoever called first for the caller of all that comes after."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        caller = self.kept.setdefault("caller", made.caller)
        return await super().answered(replace(made, caller=caller))


class _Caching(_Sharing):
    """Keeps each answer by what it takes to be all that it depends on."""

    def key(self, made: GivenCall) -> object:
        """Return that; a call of no agent is always answered anew."""
        raise NotImplementedError

    async def answered(self, made: GivenCall) -> ToolOutcome:
        asked = made.tool, repr(made.arguments), self.key(made)
        if made.caller is None or asked not in self.kept:
            told = await super().answered(made)
            self.kept.setdefault(asked, told)
            return told
        made.signal.raise_if_aborted()
        return self.kept[asked]  # type: ignore[no-any-return]


@host_mutant("AUTH-1/each-caller")
class CachesByArguments(_Caching):
    """Gives the answer that another agent got to the same arguments."""

    def key(self, made: GivenCall) -> object:
        del made
        return None


@host_mutant("AUTH-1/each-caller")
class FallsBackOnLastCaller(_Sharing):
    """Takes a call of no agent for one of the agent that called before."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        caller = made.caller or self.kept.get("caller")
        self.kept["caller"] = caller
        return await super().answered(replace(made, caller=caller))


@host_mutant("AUTH-1/each-caller")
class CachesByWorkspace(_Caching):
    """Gives the answer that another agent of the workspace got to the same arguments."""

    def key(self, made: GivenCall) -> object:
        return made.caller and made.caller.header.cwd


@host_mutant("AUTH-4/asked-again")
class CachesByCaller(_Caching):
    """Gives an agent the answer that it once got to the same arguments."""

    def key(self, made: GivenCall) -> object:
        return made.caller and made.caller.header.id


@host_mutant("SAN-1/one-of-several")
class OneAbortEndsAll(_Sharing):
    """Ends all calls that run once one of them is aborted."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        running: list[AbortController] = self.kept.setdefault("running", [])
        own = AbortController()
        running.append(own)

        async def passing_on() -> None:
            reason = await made.signal.wait()
            for one in running:
                one.abort(reason)

        waiting = asyncio.create_task(passing_on())
        try:
            either = AbortSignal.any(made.signal, own.signal)
            return await super().answered(replace(made, signal=either))
        finally:
            running.remove(own)
            waiting.cancel()


@host_mutant("AUTH-8/side-by-side")
class OneCallerAtATime(_Sharing):
    """Keeps who calls where the next call writes it over before it is looked at."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        self.kept["caller"] = made.caller
        await asyncio.sleep(0)
        return await super().answered(replace(made, caller=self.kept["caller"]))


@host_mutant("AUTH-8/side-by-side")
class SharesWhatRuns(_Sharing):
    """Lets a call wait for the answer to another agent's that asks for the same just then."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        asked = made.tool, repr(made.arguments)
        running = self.kept.get(asked)
        if made.caller is not None and running is not None:
            return await asyncio.shield(running)
        answering = asyncio.ensure_future(super().answered(made))
        self.kept[asked] = answering
        try:
            return await answering
        finally:
            self.kept.pop(asked, None)
