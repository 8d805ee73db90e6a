"""Hosts that end, fail or log in a wrong way; each is made of a host that gets it right."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from session_query import (
    AbortController,
    AbortSignal,
    ErrorCode,
    SessionSearchPage,
    SessionSearchRequest,
)

from session_query_specs._subjects import ToolOutcome
from session_query_specs.hosts import ScriptedEngine
from session_query_specs.mutants._mutant import host_mutant
from session_query_specs.mutants._spoiled_host import GivenCall, OverEngine, SpoiledHost

__all__: list[str] = []

T = TypeVar("T")

_OWN = "SESSION_QUERY_TOOL_"


@host_mutant("SAN-1/abort", "SAN-1/each-step")
class AbortIsAFailure(SpoiledHost):
    """Tells an abort as a failure."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        try:
            return await super().answered(made)
        except Exception:
            if not made.signal.aborted:
                raise
            return ToolOutcome(code=f"{_OWN}FAILED", message="That failed.")


@host_mutant("SAN-1/abort", "SAN-1/each-step")
class AbortIsNothing(SpoiledHost):
    """Returns nothing where a call is aborted."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        try:
            return await super().answered(made)
        except Exception:
            if not made.signal.aborted:
                raise
            return None  # type: ignore[return-value]  # it is the fault


@host_mutant("SAN-1/signal")
class SignalOfNobody(SpoiledHost):
    """Hands on a signal that nobody aborts."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        made.signal.raise_if_aborted()
        own = AbortController().signal
        told = await super().answered(replace(made, signal=own))
        made.signal.raise_if_aborted()
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
class PassesTextOn(OverEngine):
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

    async def answered(self, made: GivenCall) -> ToolOutcome:
        before = logging.root.manager.disable
        logging.disable()
        try:
            return await super().answered(made)
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
class LogsNoCauses(OverEngine):
    """Logs a failure without what caused it."""

    through = _Causeless


@host_mutant("SAN-1/not-logged")
class LogsAborts(SpoiledHost):
    """Logs an abort as a failure."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        try:
            return await super().answered(made)
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
class SwallowsInterrupts(OverEngine):
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
class PrintsFailures(OverEngine):
    """Prints a failure for the model, and so does what the failure's text does."""

    through = _Printing

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return replace(outcome, message=outcome.message + self.engine.printed)


@host_mutant("SAN-4/precise")
class AsksBeforeItJudges(SpoiledHost):
    """Asks the service before it looks at the arguments."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        try:
            await self.engine.list_sessions(made.signal)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - whatever it is, the model is told the same
            made.signal.raise_if_aborted()
            return ToolOutcome(code=f"{_OWN}FAILED", message="That failed.")
        return await super().answered(made)


@host_mutant("SAN-1/aborted-before")
class JudgesBeforeTheAbort(SpoiledHost):
    """Tells what is wrong with arguments before it looks whether the call is aborted."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        if made.signal.aborted and "colour" in made.arguments:
            return ToolOutcome(code=f"{_OWN}INVALID_ARGUMENT", message="there is no colour")
        return await super().answered(made)


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
class GoesInCircles(OverEngine):
    """Doesn't know a cursor again."""

    through = _Numbering


@host_mutant("SAN-5/stale")
class SearchesAgain(SpoiledHost):
    """Searches again by itself when a cursor is stale."""

    async def answered(self, made: GivenCall) -> ToolOutcome:
        told = await super().answered(made)
        if told.code != ErrorCode.STALE_CURSOR.value:
            return told
        return await super().answered(made)
