"""Hosts that get one thing wrong; each is made of a host that gets it right."""

# ruff: noqa: ARG002 - what is wrong often looks at nothing

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from session_query import (
    AbortController,
    AbortSignal,
    ErrorCode,
    EventSearchPage,
    EventSearchRequest,
    EventTrace,
    EventWindow,
    LineageTrace,
    LiveSession,
    SeqFilter,
    SessionEvent,
    SessionFilter,
    SessionHeader,
    SessionQueryEngine,
    SessionQueryError,
    SessionRecord,
    SessionSearchPage,
    SessionSearchRequest,
    SessionStore,
    TitleResult,
)

from session_query_specs._subjects import ToolOutcome
from session_query_specs.hosts import HERE, ScriptedEngine
from session_query_specs.mutants._mutant import host_mutant
from session_query_specs.mutants._spoiled_host import SpoiledHost

__all__: list[str] = []

T = TypeVar("T")
Arguments = Mapping[str, Any]

_OWN = "SESSION_QUERY_TOOL_"


class _OverEngine(SpoiledHost):
    """Spoils what the other host asks the engine."""

    through: type[ScriptedEngine]

    def over(self, engine: SessionQueryEngine) -> SessionQueryEngine:
        return self.through(engine)


# -- arguments --------------------------------------------------------------------------------


@host_mutant("TOOL-4/no-such-argument")
class TakesALimit(SpoiledHost):
    """Takes a limit, and does nothing with it."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {key: given for key, given in arguments.items() if key != "limit"}


@host_mutant("TOOL-5/whole")
class CutsTexts(SpoiledHost):
    """Cuts a text off after 2,000 characters."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return replace(outcome, text=None if outcome.text is None else outcome.text[:2000])


@host_mutant("TOOL-6/codes")
class CodesOfItsOwn(SpoiledHost):
    """Tells failures with codes that there aren't."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return replace(outcome, code=outcome.code and outcome.code.removeprefix(_OWN))


@host_mutant("INPUT-1/target-alone")
class NeighboursByDefault(SpoiledHost):
    """Shows a neighbour where none was asked for."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {"before": 1, **arguments} if tool == "session_event_read" else arguments


@host_mutant("INPUT-2/wrong", "INPUT-2/unknown", "INPUT-2/missing")
class WrongWithoutName(SpoiledHost):
    """Doesn't say which argument is wrong."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        wrong = outcome.code == f"{_OWN}INVALID_ARGUMENT"
        return replace(outcome, message="That is wrong.") if wrong else outcome


@host_mutant("INPUT-2/wrong")
class NumbersAsText(SpoiledHost):
    """Takes a text of digits for a number."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: int(given)
            if key in {"seq", "before", "after", "from_seq", "to_seq"}
            and isinstance(given, str)
            and given.isdigit()
            else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-2/or-and", "INPUT-2/each-filter")
class LastValueOnly(SpoiledHost):
    """Looks at the last value of a list alone."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: given[-1:] if isinstance(given, list) and key != "surfaces" else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-3/no-time")
class AddsAnOffset(SpoiledHost):
    """Takes a time without an offset for one in UTC."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: f"{given}Z"
            if isinstance(given, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+", given)
            else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-3/ranges", "INPUT-3/exact")
class WholeSeconds(SpoiledHost):
    """Takes no notice of the part of a second in a time."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: re.sub(r"(:\d\d)\.\d+", r"\1", given) if key != "query" else given
            for key, given in arguments.items()
            if isinstance(given, str)
        } | {key: given for key, given in arguments.items() if not isinstance(given, str)}


@host_mutant("INPUT-3/calendar", "INPUT-3/no-time")
class LongMonths(SpoiledHost):
    """Takes a day after the end of a month for its last one."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: re.sub(r"^(\d{4}-\d\d)-(?:29|3\d)T", r"\1-28T", given)
            if key.endswith(("_from", "_to")) and isinstance(given, str)
            else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-2/seq-ranges")
class TurnsRanges(SpoiledHost):
    """Turns a range of seqs around that is the wrong way round."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        turned = dict(arguments)
        for name in ("seq", "event_seq"):
            ends = turned.get(f"{name}_from"), turned.get(f"{name}_to")
            if all(type(end) is int for end in ends):
                turned[f"{name}_from"], turned[f"{name}_to"] = sorted(ends)  # type: ignore[type-var]
        return turned


@host_mutant("INPUT-4/closed-sets")
class IgnoresUnknownPlaces(SpoiledHost):
    """Takes no notice of an availability or a surface that there isn't."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        known = {"live", "persisted", "current", "replaced", "log-only"}
        return {
            key: [one for one in given if one in known] or [*sorted(known & _PLACES[key])]
            if key in _PLACES and isinstance(given, list)
            else given
            for key, given in arguments.items()
        }


_PLACES: Mapping[str, set[str]] = {
    "availability": {"live", "persisted"},
    "surfaces": {"current", "replaced", "log-only"},
    "event_surfaces": {"current", "replaced", "log-only"},
}


@host_mutant("INPUT-5/parents")
class AnyParents(SpoiledHost):
    """Takes no notice of the parents that are asked for."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {key: given for key, given in arguments.items() if "parent" not in key}


@host_mutant("INPUT-6/match")
class AlwaysAuto(SpoiledHost):
    """Takes no notice of the match mode."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {key: given for key, given in arguments.items() if key != "match"}


# -- who may see what -------------------------------------------------------------------------


@host_mutant("AUTH-1/no-agent")
class SomeAgent(SpoiledHost):
    """Takes a call of no agent for one of the first live session."""

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
            caller = next(iter(self.engine.sources.store.list()), None)
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


@host_mutant("AUTH-2/no-workspace")
class NoWorkspaceIsEmpty(SpoiledHost):
    """Answers a caller without a workspace as if its workspace were empty."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        told = await super().call(host, tool, arguments, caller=caller, signal=signal)
        homeless = caller is not None and caller.header.cwd is None
        if homeless and tool == "session_search" and told.code == f"{_OWN}UNAUTHORIZED":
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
class FoldsSlashes(_OverEngine):
    """Takes a working directory for the same with a slash at its end."""

    through = _Folding


@host_mutant("AUTH-3/hidden-is-missing")
class TellsHiddenFromMissing(SpoiledHost):
    """Refuses a hidden session with another message than one that isn't there."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        told = await super().call(host, tool, arguments, caller=caller, signal=signal)
        if told.code != f"{_OWN}UNAUTHORIZED" or "session_id" not in arguments:
            return told
        there = {record.id for record in await self.engine.list_sessions()}
        hidden = arguments["session_id"] in there
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
class ChecksOnlyBefore(_OverEngine):
    """Authorizes a target before it is read, and doesn't look at what came back."""

    through = _Believing


@host_mutant("AUTH-5/own-workspace")
class ShowsOwnSession(SpoiledHost):
    """Doesn't know the caller's session from any other of the workspace."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        if caller is not None:
            header = replace(caller.header, id="somebody else")
            caller = SessionStore().attach(header, caller.events)
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


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
class ShowsHiddenAncestors(_OverEngine):
    """Shows ancestors of other workspaces."""

    through = _AllAncestors


@host_mutant("AUTH-7/running-step")
class TakesItsStepForOver(SpoiledHost):
    """Takes the step from which it is asked for one that has ended."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        steps = [one for one in caller.events if one.type == "step/start"] if caller else []
        if caller is not None and steps:
            last = caller.events[-1]
            step = SessionEvent("step/start", last.seq + 1, last.time, steps[-1].data)
            caller = SessionStore().attach(caller.header, [*caller.events, step])
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


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
class LosesWhatWasAsked(_OverEngine):
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
class FirstPageChecked(_OverEngine):
    """Looks at the header of the first page alone."""

    through = _FirstHeader


@host_mutant("AUTH-8/other-workspaces")
class CountsAllSessions(SpoiledHost):
    """Says how many sessions there are in all workspaces."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        told = await super().call(host, tool, arguments, caller=caller, signal=signal)
        count = len(await self.engine.inner.list_sessions())
        return told if told.text is None else replace(told, text=f"{told.text}\n{count} in all")


# -- failures and endings ---------------------------------------------------------------------


@host_mutant("SAN-1/abort", "SAN-1/each-step")
class AbortIsAFailure(SpoiledHost):
    """Tells an abort as a failure."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        try:
            return await super().call(host, tool, arguments, caller=caller, signal=signal)
        except Exception:
            if not signal.aborted:
                raise
            return ToolOutcome(code=f"{_OWN}FAILED", message="That failed.")


@host_mutant("SAN-1/abort", "SAN-1/each-step")
class AbortIsNothing(SpoiledHost):
    """Returns nothing where a call is aborted."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        try:
            return await super().call(host, tool, arguments, caller=caller, signal=signal)
        except Exception:
            if not signal.aborted:
                raise
            return None  # type: ignore[return-value]  # it is the fault


@host_mutant("SAN-1/signal")
class SignalOfNobody(SpoiledHost):
    """Hands on a signal that nobody aborts."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        signal.raise_if_aborted()
        own = AbortController().signal
        told = await super().call(host, tool, arguments, caller=caller, signal=own)
        signal.raise_if_aborted()
        return told


class _Remembering(ScriptedEngine):
    """Keeps the last failure."""

    last: BaseException | None = None

    async def _passed(
        self,
        method: str,
        given: tuple[Any, ...],
        signal: AbortSignal | None,
        answer: Callable[[], Awaitable[T]],
    ) -> T:
        try:
            return await super()._passed(method, given, signal, answer)
        except BaseException as error:
            self.last = error
            raise


@host_mutant("SAN-2/unknown", "SAN-2/known-codes")
class PassesTextOn(_OverEngine):
    """Adds the text of the original failure to the message for the model."""

    through = _Remembering

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        if outcome.code is None or self.engine.last is None:
            return outcome
        args = BaseException.__getattribute__(self.engine.last, "args")
        return replace(outcome, message=f"{outcome.message} ({args})")


@host_mutant("SAN-2/logged")
class LogsNothing(SpoiledHost):
    """Logs no failure."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        before = logging.root.manager.disable
        logging.disable()
        try:
            return await super().call(host, tool, arguments, caller=caller, signal=signal)
        finally:
            logging.disable(before)


class _Causeless(ScriptedEngine):
    """Fails without saying what caused it."""

    async def _passed(
        self,
        method: str,
        given: tuple[Any, ...],
        signal: AbortSignal | None,
        answer: Callable[[], Awaitable[T]],
    ) -> T:
        try:
            return await super()._passed(method, given, signal, answer)
        except Exception as error:
            error.__cause__ = error.__context__ = None
            raise


@host_mutant("SAN-2/logged")
class LogsNoCauses(_OverEngine):
    """Logs a failure without what caused it."""

    through = _Causeless


@host_mutant("SAN-1/not-logged")
class LogsAborts(SpoiledHost):
    """Logs an abort as a failure."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        try:
            return await super().call(host, tool, arguments, caller=caller, signal=signal)
        except Exception:
            logging.getLogger(__name__).exception("a call of a tool failed")
            raise


class _Catching(ScriptedEngine):
    """Takes what is meant for the process for a failure."""

    async def _passed(
        self,
        method: str,
        given: tuple[Any, ...],
        signal: AbortSignal | None,
        answer: Callable[[], Awaitable[T]],
    ) -> T:
        try:
            return await super()._passed(method, given, signal, answer)
        except (KeyboardInterrupt, SystemExit) as error:
            raise RuntimeError("interrupted") from error


@host_mutant("SAN-3/interrupts")
class SwallowsInterrupts(_OverEngine):
    """Tells a model of an interrupt as of any failure."""

    through = _Catching


class _Printing(_Remembering):
    """Prints each failure, whatever that does."""

    printed: str = ""

    async def _passed(
        self,
        method: str,
        given: tuple[Any, ...],
        signal: AbortSignal | None,
        answer: Callable[[], Awaitable[T]],
    ) -> T:
        try:
            return await super()._passed(method, given, signal, answer)
        finally:
            self.printed = "" if self.last is None else str(self.last)


@host_mutant("SAN-3/hostile")
class PrintsFailures(_OverEngine):
    """Prints a failure for the model, and so does what the failure's text does."""

    through = _Printing

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return replace(outcome, message=outcome.message + self.engine.printed)


@host_mutant("SAN-4/precise")
class AsksBeforeItJudges(SpoiledHost):
    """Asks the service before it looks at the arguments."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        try:
            await self.engine.list_sessions(signal)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - whatever it is, the model is told the same
            signal.raise_if_aborted()
            return ToolOutcome(code=f"{_OWN}FAILED", message="That failed.")
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


@host_mutant("SAN-1/aborted-before")
class JudgesBeforeTheAbort(SpoiledHost):
    """Tells what is wrong with arguments before it looks whether the call is aborted."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        if signal.aborted and "colour" in arguments:
            return ToolOutcome(code=f"{_OWN}INVALID_ARGUMENT", message="there is no colour")
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


class _Numbering(ScriptedEngine):
    """Gives each page a cursor that no page had, where the pages go in circles."""

    inner: Any

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        page = await super().search_sessions(request, signal)
        if page.next_cursor is None or not self.inner.cursors:
            return page
        return replace(page, next_cursor=f"{page.next_cursor} {len(self.calls)}")


@host_mutant("SAN-5/repeated")
class GoesInCircles(_OverEngine):
    """Doesn't know a cursor again."""

    through = _Numbering


@host_mutant("SAN-5/stale")
class SearchesAgain(SpoiledHost):
    """Searches again by itself when a cursor is stale."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Arguments,
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        told = await super().call(host, tool, arguments, caller=caller, signal=signal)
        if told.code != ErrorCode.STALE_CURSOR.value:
            return told
        return await super().call(host, tool, arguments, caller=caller, signal=signal)


# -- titles and texts -------------------------------------------------------------------------


class _OnePage(ScriptedEngine):
    """Has one page for each search."""

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        return replace(await super().search_sessions(request, signal), next_cursor=None)


@host_mutant("TITLE-1/all-pages")
class FirstPageOnly(_OverEngine):
    """Shows the hits of the first page alone."""

    through = _OnePage


class _SpoiledBatches(ScriptedEngine):
    """Fails for all titles where one can't be read."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        results = await super().read_titles(ids, signal)
        for result in results:
            if result.reason is not None:
                raise SessionQueryError("one title failed", ErrorCode.PERSISTENCE_FAILED)
        return results


@host_mutant("TITLE-2/failed")
class OneTitleSpoilsAll(_OverEngine):
    """Lets one title that can't be read fail the whole answer."""

    through = _SpoiledBatches


class _EachTitle(ScriptedEngine):
    """Reads each title by itself."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        results = []
        for name in ids:
            results += await super().read_titles([name], signal)
        return results


@host_mutant("TITLE-2/one-batch")
class TitlesOneByOne(_OverEngine):
    """Reads each title of an answer by itself."""

    through = _EachTitle


class _Forgetful(ScriptedEngine):
    """Goes on with titles in a task of its own when the call is aborted."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        working = asyncio.ensure_future(super().read_titles(ids))
        aborted = asyncio.ensure_future((signal or AbortController().signal).wait())
        await asyncio.wait({working, aborted}, return_when=asyncio.FIRST_COMPLETED)
        aborted.cancel()
        if signal is not None and not working.done():
            working.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            signal.raise_if_aborted()
        return await working


@host_mutant("TITLE-3/each-step")
class LeavesTitlesRunning(_OverEngine):
    """Ends at once when it is aborted, while titles are still being read."""

    through = _Forgetful


@host_mutant("RENDER-1/hits")
class HitsWithoutSeq(SpoiledHost):
    """Doesn't show the seq of a hit."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=None if text is None else re.sub(r"seq \d+", "an event", text))


def _without(outcome: ToolOutcome, pattern: str, instead: str = "") -> ToolOutcome:
    """Return an answer with something else in the place of what a pattern finds."""
    text = outcome.text
    return replace(outcome, text=text and re.sub(pattern, instead, text))


@host_mutant("RENDER-1/told-of-hits")
class TimesInSeconds(SpoiledHost):
    """Shows times without their milliseconds."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"\.\d{3}Z", ".000Z")


@host_mutant("RENDER-1/told-of-hits")
class HitsWithoutAvailability(SpoiledHost):
    """Doesn't say whether the session of a hit is live or stored."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +availability: .*\n")


@host_mutant("RENDER-1/told-of-hits")
class HitsWithoutCreated(SpoiledHost):
    """Doesn't say when the session of a hit was created."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +created: .*\n")


@host_mutant("RENDER-1/told-of-hits")
class InheritedUnmarked(SpoiledHost):
    """Doesn't tell a match that was inherited from others."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, ", inherited from its parent")


@host_mutant("RENDER-1/relations")
class ChainOfOne(SpoiledHost):
    """Shows the first of a chain of replacements alone."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(chain: \d+)(, \d+)+", r"\1")


@host_mutant("RENDER-1/relations")
class NotUsedBy(SpoiledHost):
    """Doesn't show what was made from an event."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^used by: .*\n?")


@host_mutant("RENDER-1/lineage")
class FlatDescendants(SpoiledHost):
    """Shows all descendants as if they were children."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +- ", "- ")


@host_mutant("INPUT-6/how")
class NotHowItMatched(SpoiledHost):
    """Doesn't say how a hit matched."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +matched.*\n")


@host_mutant("RENDER-4/left-out")
class OwnUnsaid(SpoiledHost):
    """Doesn't say that the own session isn't searched."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, ", except your own")


@host_mutant("RENDER-1/lineage")
class AncestorsFarthestFirst(SpoiledHost):
    """Shows ancestors from the root on."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        if outcome.text is None:
            return outcome
        lines = outcome.text.split("\n")
        ancestors = [at for at, line in enumerate(lines) if re.match(r'\d+\. "', line)]
        turned = dict(zip(ancestors, reversed(ancestors), strict=True))
        text = "\n".join(lines[turned.get(at, at)] for at in range(len(lines)))
        return replace(outcome, text=text)


@host_mutant("RENDER-2/readable")
class AsciiOnly(SpoiledHost):
    """Shows a question mark for each character beyond ASCII."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and text.encode("ascii", "replace").decode())


@host_mutant("RENDER-2/unseen")
class ShowsUnseen(SpoiledHost):
    """Puts characters that can't be seen into a text as they are."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(
            outcome,
            text=text
            and re.sub(r"<U\+([0-9A-F]{4,6})>", lambda found: chr(int(found[1], 16)), text),
        )


@host_mutant("RENDER-2/deterministic")
class CountsAnswers(SpoiledHost):
    """Numbers its answers."""

    answers: int = 0

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        type(self).answers += 1
        text = outcome.text
        return replace(outcome, text=text and f"{text}\nanswer {self.answers}")


@host_mutant("RENDER-2/forged-lines")
class NoBars(SpoiledHost):
    """Shows what sessions say without marks at the begin of lines."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and re.sub(r"(?m)^\s*\| ?", "", text))


@host_mutant("RENDER-2/forged-lines")
class BlanksAsBars(SpoiledHost):
    """Shows what the neighbours of an event say with nothing but blanks before it."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        exact, between, neighbours = (outcome.text or "").rpartition("\n```")
        if not between:
            return outcome
        return replace(outcome, text=exact + between + re.sub(r"(?m)^( *)\| ?", r"\1", neighbours))


@host_mutant("RENDER-2/unseen")
class KeysUnescaped(SpoiledHost):
    """Escapes the values of an event, but not the names in it."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and re.sub(r'(?m)^ +"[^"]*": ', _unescaped, text))


def _unescaped(found: re.Match[str]) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), found[0])


@host_mutant("RENDER-3/caution")
class NoCaution(SpoiledHost):
    """Doesn't say that what sessions say is data."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and re.sub("(?m)^.*not instructions.*\n", "", text))


@host_mutant("RENDER-4/nothing-found")
class NothingMore(SpoiledHost):
    """Doesn't say what was searched where nothing was found."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        short = text is not None and text.startswith("Nothing found")
        return replace(outcome, text="Nothing found.") if short else outcome
