"""Hosts that show what their caller may not see; each is made of a host that gets it right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from session_query import (
    AbortSignal,
    EventSearchPage,
    EventSearchRequest,
    EventTrace,
    EventWindow,
    LineageTrace,
    SeqFilter,
    SessionEvent,
    SessionFilter,
    SessionHeader,
    SessionRecord,
    SessionStore,
)

from session_query_specs._subjects import ToolOutcome
from session_query_specs.hosts import HERE, ScriptedEngine
from session_query_specs.mutants._mutant import host_mutant
from session_query_specs.mutants._spoiled_host import GivenCall, OverEngine, SpoiledHost

__all__: list[str] = []


_OWN = "SESSION_QUERY_TOOL_"


@host_mutant("AUTH-1/no-agent")
class SomeAgent(SpoiledHost):
    """Takes a call of no agent for one of the first live session."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        caller = made.caller
        if caller is None:
            caller = next(iter(self.engine.sources.store.list()), None)
        return await super().answered(replace(made, caller=caller))


@host_mutant("AUTH-2/no-workspace")
class NoWorkspaceIsEmpty(SpoiledHost):
    """Answers a caller without a workspace as if its workspace were empty."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        told = await super().answered(made)
        homeless = made.caller is not None and made.caller.header.cwd is None
        if homeless and made.tool == "session_search" and told.code == f"{_OWN}UNAUTHORIZED":
            return ToolOutcome(text="Nothing found.")
        return told


class _Folding(ScriptedEngine):
    """Says of sessions that their working directory has no slash at its end."""

    async def filter_sessions(
        self,
        filters: Iterable[SessionFilter | Mapping[str, Any]],
        signal: AbortSignal | None = None,
    ) -> list[SessionRecord]:
        records = await super().filter_sessions(filters, signal)
        return [one._replace(header=_folded(one.header)) for one in records]

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        trace = await super().trace_event(session_id, seq, signal)
        return replace(trace, header=_folded(trace.header))

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        window = await super().read_event(session_id, seq, before, after, signal)
        return replace(window, header=_folded(window.header))


def _folded(header: SessionHeader) -> SessionHeader:
    folded = header.cwd is not None and header.cwd.rstrip("/")
    return replace(header, cwd=folded) if folded else header


@host_mutant("AUTH-2/same-cwd")
class FoldsSlashes(OverEngine):
    """Takes a working directory for the same with a slash at its end."""

    through = _Folding


@host_mutant("AUTH-3/hidden-is-missing")
class TellsHiddenFromMissing(SpoiledHost):
    """Refuses a hidden session with another message than one that isn't there."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        told = await super().answered(made)
        if told.code != f"{_OWN}UNAUTHORIZED" or "session_id" not in made.arguments:
            return told
        there = {record.id for record in await self.engine.list_sessions()}
        hidden = made.arguments["session_id"] in there
        return replace(told, message=f"{told.message} It is hidden.") if hidden else told


class _Believing(ScriptedEngine):
    """Whatever comes back, it says that it is of the workspace."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        window = await super().read_event(session_id, seq, before, after, signal)
        return replace(window, header=replace(window.header, cwd=HERE))

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        trace = await super().trace_event(session_id, seq, signal)
        return replace(trace, header=replace(trace.header, cwd=HERE))


@host_mutant("AUTH-4/replaced", "AUTH-4/schedules")
class ChecksOnlyBefore(OverEngine):
    """Authorizes a target before it is read, and doesn't look at what came back."""

    through = _Believing


@host_mutant("AUTH-5/own-workspace")
class ShowsOwnSession(SpoiledHost):
    """Doesn't know the caller's session from any other of the workspace."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        caller = made.caller
        if caller is not None:
            header = replace(caller.header, id="somebody else")
            caller = SessionStore().attach(header, caller.events)
        return await super().answered(replace(made, caller=caller))


class _AllAncestors(ScriptedEngine):
    """Says of all ancestors that they are of the workspace."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        trace = await super().trace_session(session_id, signal)
        return replace(trace, ancestors=tuple(map(_here, trace.ancestors)))


def _here(record: SessionRecord) -> SessionRecord:
    return record._replace(header=replace(record.header, cwd=HERE))


@host_mutant("AUTH-6/ancestors")
class ShowsHiddenAncestors(OverEngine):
    """Shows ancestors of other workspaces."""

    through = _AllAncestors


@host_mutant("AUTH-7/running-step")
class TakesItsStepForOver(SpoiledHost):
    """Takes the step from which it is asked for one that has ended."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        caller = made.caller
        steps = [one for one in caller.events if one.type == "step/start"] if caller else []
        if caller is not None and steps:
            last = caller.events[-1]
            step = SessionEvent("step/start", last.seq + 1, last.time, steps[-1].data)
            caller = SessionStore().attach(caller.header, [*caller.events, step])
        return await super().answered(replace(made, caller=caller))


class _EndsOneEarlier(ScriptedEngine):
    """Leaves out the last event of a range."""

    async def search_events(
        self, request: EventSearchRequest | Mapping[str, Any], signal: AbortSignal | None = None
    ) -> EventSearchPage:
        page = await super().search_events(request, signal)
        filters = [] if isinstance(request, Mapping) else request.filters
        ends = {one.to for one in filters if isinstance(one, SeqFilter)}
        return replace(page, items=tuple(hit for hit in page.items if hit.seq not in ends))


@host_mutant("AUTH-7/running-step")
class LosesWhatWasAsked(OverEngine):
    """Ends a search of the own session before what stands right before the running step."""

    through = _EndsOneEarlier


class _FirstHeader(ScriptedEngine):
    """Says of each page that it has the header of the first."""

    header: Any = None

    async def search_events(
        self, request: EventSearchRequest | Mapping[str, Any], signal: AbortSignal | None = None
    ) -> EventSearchPage:
        page = await super().search_events(request, signal)
        if isinstance(request, Mapping) or request.cursor is None:
            self.header = page.header
        return replace(page, header=self.header)


@host_mutant("AUTH-4/each-page")
class FirstPageChecked(OverEngine):
    """Looks at the header of the first page alone."""

    through = _FirstHeader


@host_mutant("AUTH-8/other-workspaces")
class CountsAllSessions(SpoiledHost):
    """Says how many sessions there are in all workspaces."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        told = await super().answered(made)
        count = len(await self.engine.inner.list_sessions())
        return told if told.text is None else replace(told, text=f"{told.text}\n{count} in all")
