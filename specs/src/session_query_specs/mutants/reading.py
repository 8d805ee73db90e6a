"""Providers whose exact reads and traces are wrong (CORPUS, READ, ERR-4, TRACE)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from session_query import (
    AbortSignal,
    CorpusListing,
    ErrorCode,
    EventTrace,
    EventWindow,
    LineageCycleError,
    LineageNode,
    LineageTrace,
    LogicalCorpus,
    SessionLog,
    SessionQueryError,
    SessionRecord,
    TitleObservation,
    TitleResult,
    fold_title,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import OracleEngine

__all__: list[str] = []


@provider_mutant("READ-1/reads")
class LosesTheLast(OracleEngine):
    """Reads a log without its last event."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        log = await super().read_session(session_id, signal)
        return SessionLog(log.header, log.events[:-1])


@provider_mutant("READ-1/unknown")
class UnknownIsCorrupt(OracleEngine):
    """Takes a session that isn't there for a damaged one."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        try:
            return await super().read_session(session_id, signal)
        except SessionQueryError as error:
            if error.code is not ErrorCode.SESSION_NOT_FOUND:
                raise
            raise SessionQueryError("no such log", ErrorCode.CORRUPT_SESSION) from error


@provider_mutant("CORPUS-6/order")
class OldestSessionFirst(OracleEngine):
    """Lists sessions with the oldest first."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        records = await super().list_sessions(signal)
        return sorted(records, key=lambda one: (one.header.created_at, one.id))


@provider_mutant("CORPUS-6/order")
class LastNameFirst(OracleEngine):
    """Lists sessions of the same time by their ids the wrong way round."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        records = sorted(await super().list_sessions(signal), key=lambda one: one.id, reverse=True)
        return sorted(records, key=lambda one: -one.header.created_at)


@provider_mutant("CORPUS-6/order")
class OneRecordForEachPlace(OracleEngine):
    """Lists a session twice that is live and stored."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        records = await super().list_sessions(signal)
        return [
            found
            for one in records
            for found in (
                [one._replace(persisted=False), one._replace(live=False)]
                if one.live and one.persisted
                else [one]
            )
        ]


@provider_mutant("CORPUS-6/order")
class ReadsToList(OracleEngine):
    """Reads every log for a list of the sessions."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        records = await super().list_sessions(signal)
        for record in records:
            await self.read_session(record.id, signal)
        return records


@provider_mutant("CORPUS-4/live")
class LiveThroughTheStore(OracleEngine):
    """Lists the store before it reads a live session."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        await self._corpus.observe_listing(signal)
        return await super().read_session(session_id, signal)


class _Unaware(LogicalCorpus):
    """Lets the live session win where headers conflict."""

    async def observe_listing(self, signal: AbortSignal | None = None) -> CorpusListing:
        listing = await super().observe_listing(signal)
        live = {one.header.id: one for one in self.sources.store.list()}
        return CorpusListing(listing.binding, live, listing.persisted, {})


@provider_mutant("CORPUS-3/conflict")
class NoConflicts(OracleEngine):
    """Takes a live and a stored session of one id for the same, whatever their headers say."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._corpus = _Unaware(sources, self._diagnostics)


@provider_mutant("CORPUS-3/conflict")
class ConflictIsMissing(OracleEngine):
    """Takes a session whose headers conflict for one that isn't there."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        try:
            return await super().trace_session(session_id, signal)
        except SessionQueryError as error:
            if error.code is not ErrorCode.SOURCE_CONFLICT:
                raise
            raise SessionQueryError("not found", ErrorCode.SESSION_NOT_FOUND) from error


@provider_mutant("READ-2/window")
class OneMoreAfter(OracleEngine):
    """Gives one neighbour after an event too many."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        self._check_window("after", after)
        return await super().read_event(session_id, seq, before, min(after + 1, 50), signal)


@provider_mutant("READ-2/window")
class OneLessBefore(OracleEngine):
    """Gives one neighbour before an event too few."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        self._check_window("before", before)
        return await super().read_event(session_id, seq, max(before - 1, 0), after, signal)


@provider_mutant("READ-2/window")
class LastForBeyond(OracleEngine):
    """Gives the last event for a seq beyond the log."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        log = await super().read_session(session_id, signal)
        return await super().read_event(
            session_id, min(seq, len(log.events) - 1), before, after, signal
        )


@provider_mutant("READ-2/invalid-window")
class ReadsBeforeItRefuses(OracleEngine):
    """Reads a log before it looks at the size of the window."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        await self._corpus.observe(session_id, signal)
        return await super().read_event(session_id, seq, before, after, signal)


@provider_mutant("READ-2/invalid-window")
class ClampsTheWindow(OracleEngine):
    """Takes a window that is too large, or below nothing, for the nearest that can be."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        clamped = [max(0, min(int(one), 50)) for one in (before, after)]
        before, after = clamped
        return await super().read_event(session_id, seq, before, after, signal)


@provider_mutant("READ-3/titles")
class FirstTitle(OracleEngine):
    """Takes the first title of a log, not the last."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        results = await super().read_titles(ids, signal)
        told = []
        for result in results:
            session = self.sources.store.get(result.session_id)
            if session is None or result.value is None:
                told.append(result)
                continue
            titles = [event for event in session.events if event.type == "session/title"]
            value = TitleObservation(session.header, fold_title(titles[:1]))
            told.append(TitleResult(result.session_id, value))
        return told


@provider_mutant("READ-3/titles")
class ResultForEachMention(OracleEngine):
    """Gives an id that is asked for twice two results."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        asked = list(ids)
        found = {one.session_id: one for one in await super().read_titles(asked, signal)}
        return [found[name] for name in asked]


@provider_mutant("READ-3/titles")
class TitlesByName(OracleEngine):
    """Gives results by the alphabet, not in the order that was asked for."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        return sorted(await super().read_titles(ids, signal), key=lambda one: one.session_id)


@provider_mutant("READ-3/titles")
class ListsForEachTitle(OracleEngine):
    """Lists the store anew for each title of a batch."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        results = []
        for name in dict.fromkeys(ids):
            results += await super().read_titles([name], signal)
        return results


@provider_mutant("READ-3/titles")
class ReadsTwiceForATitle(OracleEngine):
    """Reads each log of a batch of titles twice."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        results = await super().read_titles(ids, signal)
        binding = self.sources.binding
        for result in results:
            if result.value is not None and self.sources.store.get(result.session_id) is None:
                await self._corpus.inspect(result.value.header, binding, signal)
        return results


@provider_mutant("READ-3/at-most")
class FiveAtOnce(OracleEngine):
    """Inspects five logs at once for a batch of titles."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self.config = self.config.model_copy(update={"persisted_inspect_concurrency": 5})


@provider_mutant("READ-3/at-most")
class AllTitlesAtOnce(OracleEngine):
    """Reads all titles of a batch at once."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        read, names = super().read_titles, dict.fromkeys(ids)
        batches = await asyncio.gather(*(read([name], signal) for name in names))
        return [result for batch in batches for result in batch]


@provider_mutant("ERR-4/header")
class ErrorWithoutHeader(OracleEngine):
    """Leaves the header out of errors."""

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        try:
            return await super().read_event(session_id, seq, before, after, signal)
        except SessionQueryError as error:
            error.header = None
            raise


@provider_mutant("TRACE-1/lineage")
class AncestorsFromTheRoot(OracleEngine):
    """Names ancestors from the root down."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        trace = await super().trace_session(session_id, signal)
        return replace(trace, ancestors=trace.ancestors[::-1])


@provider_mutant("TRACE-1/lineage")
class ParentAlone(OracleEngine):
    """Names the parent, and no ancestor beyond."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        trace = await super().trace_session(session_id, signal)
        return replace(trace, ancestors=trace.ancestors[:1])


@provider_mutant("TRACE-1/lineage")
class MissingParentIsRoot(OracleEngine):
    """Takes a lineage that ends at a parent that isn't there for a complete one."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        trace = await super().trace_session(session_id, signal)
        root = (trace.target, *trace.ancestors)[-1]
        return replace(trace, complete=True, root=root, unresolved_parent_id=None)


@provider_mutant("TRACE-1/lineage")
class YoungestChildFirst(OracleEngine):
    """Names the youngest of some children first."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        trace = await super().trace_session(session_id, signal)
        return replace(trace, descendants=_backwards(trace.descendants))


def _backwards(nodes: Sequence[LineageNode]) -> tuple[LineageNode, ...]:
    return tuple(LineageNode(one.session, _backwards(one.descendants)) for one in reversed(nodes))


@provider_mutant("TRACE-1/lineage")
class ChildrenAlone(OracleEngine):
    """Names children, and no descendants of theirs."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        trace = await super().trace_session(session_id, signal)
        return replace(
            trace, descendants=tuple(LineageNode(one.session) for one in trace.descendants)
        )


@provider_mutant("TRACE-2/circle")
class NoCircles(OracleEngine):
    """Traces a lineage that goes round in a circle as far as it goes."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        try:
            return await super().trace_session(session_id, signal)
        except LineageCycleError as error:
            return error.trace


@provider_mutant("TRACE-2/circle")
class CircleOfTheTargetAlone(OracleEngine):
    """Sees a circle only if the target is part of it."""

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        try:
            return await super().trace_session(session_id, signal)
        except LineageCycleError as error:
            if error.trace.unresolved_parent_id == session_id:
                raise
            return error.trace


@provider_mutant("TRACE-3/relations")
class ReplacedByTheLast(OracleEngine):
    """Takes the last event of the chain for the one that replaced the target."""

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        trace = await super().trace_event(session_id, seq, signal)
        return replace(trace, replaced_by=(*trace.replacement_chain, None)[-2:][0])


@provider_mutant("TRACE-3/relations")
class ShortChain(OracleEngine):
    """Ends the chain of replacements after its first event."""

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        trace = await super().trace_event(session_id, seq, signal)
        return replace(trace, replacement_chain=trace.replacement_chain[:1])


@provider_mutant("TRACE-3/relations")
class NothingDerived(OracleEngine):
    """Doesn't tell which events cite the target."""

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        return replace(await super().trace_event(session_id, seq, signal), derived_event_seqs=())


@provider_mutant("TRACE-3/relations")
class FirstSourceOnly(OracleEngine):
    """Names the first of the events that the target cites alone."""

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        trace = await super().trace_event(session_id, seq, signal)
        return replace(trace, source_event_seqs=trace.source_event_seqs[:1])
