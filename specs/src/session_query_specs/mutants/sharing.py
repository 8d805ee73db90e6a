"""Hosts that mix up those who share them; each is made of a host that gets it right."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from session_query import AbortController, AbortSignal, LiveSession, SessionQueryEngine

from session_query_specs._subjects import ToolOutcome
from session_query_specs.mutants._mutant import host_mutant
from session_query_specs.mutants._spoiled_host import SpoiledHost

__all__: list[str] = []

Arguments = Mapping[str, Any]


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

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        caller = self.kept.setdefault("caller", caller)
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


@host_mutant("AUTH-1/each-caller")
class CachesByArguments(_Sharing):
    """Gives the answer that another agent got to the same arguments."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        asked = tool, repr(arguments)
        if caller is None or asked not in self.kept:
            told = await super().call(host, tool, arguments, caller=caller, signal=signal)
            self.kept.setdefault(asked, told)
        signal.raise_if_aborted()
        return self.kept[asked]  # type: ignore[no-any-return]


@host_mutant("AUTH-1/each-caller")
class FallsBackOnLastCaller(_Sharing):
    """Takes a call of no agent for one of the agent that called before."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        if caller is None:
            caller = self.kept.get("caller")
        self.kept["caller"] = caller
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


@host_mutant("AUTH-1/each-caller")
class CachesByWorkspace(_Sharing):
    """Gives the answer that another agent of the workspace got to the same arguments."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        if caller is None:
            return await super().call(host, tool, arguments, caller=caller, signal=signal)
        asked = tool, repr(arguments), caller.header.cwd
        if asked not in self.kept:
            told = await super().call(host, tool, arguments, caller=caller, signal=signal)
            self.kept[asked] = told
        signal.raise_if_aborted()
        return self.kept[asked]  # type: ignore[no-any-return]


@host_mutant("AUTH-4/asked-again")
class CachesByCaller(_Sharing):
    """Gives an agent the answer that it once got to the same arguments."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        asked = tool, repr(arguments), None if caller is None else caller.header.id
        if asked not in self.kept:
            told = await super().call(host, tool, arguments, caller=caller, signal=signal)
            self.kept[asked] = told
        signal.raise_if_aborted()
        return self.kept[asked]  # type: ignore[no-any-return]


@host_mutant("SAN-1/one-of-several")
class OneAbortEndsAll(_Sharing):
    """Ends all calls that run once one of them is aborted."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        running: list[AbortController] = self.kept.setdefault("running", [])
        own = AbortController()
        running.append(own)

        async def passing_on() -> None:
            reason = await signal.wait()
            for one in running:
                one.abort(reason)

        waiting = asyncio.create_task(passing_on())
        try:
            either = AbortSignal.any(signal, own.signal)
            return await super().call(host, tool, arguments, caller=caller, signal=either)
        finally:
            running.remove(own)
            waiting.cancel()


@host_mutant("AUTH-8/side-by-side")
class OneCallerAtATime(_Sharing):
    """Keeps who calls where the next call writes it over before it is looked at."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        self.kept["caller"] = caller
        await asyncio.sleep(0)
        caller = self.kept["caller"]
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


@host_mutant("AUTH-8/side-by-side")
class SharesWhatRuns(_Sharing):
    """Lets a call wait for the answer to another agent's that asks for the same just then."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        asked = tool, repr(arguments)
        running = self.kept.get(asked)
        if caller is not None and running is not None:
            return await asyncio.shield(running)
        answering = asyncio.ensure_future(
            super().call(host, tool, arguments, caller=caller, signal=signal)
        )
        self.kept[asked] = answering
        try:
            return await answering
        finally:
            self.kept.pop(asked, None)
