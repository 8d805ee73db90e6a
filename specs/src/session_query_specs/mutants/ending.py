"""Providers whose operations end wrongly (CANCEL-2 to CANCEL-5, READ-4)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any

from session_query import (
    AbortController,
    AbortError,
    AbortSignal,
    Binding,
    ErrorCode,
    LogicalCorpus,
    PersistedSnapshot,
    SessionLog,
    SessionQueryError,
    SessionRecord,
    TitleResult,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import OracleEngine

__all__: list[str] = []


@provider_mutant("CANCEL-2/aborted")
class AbortedStillListens(OracleEngine):
    """Lists the store before it looks at the signal."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        await self._corpus.observe_listing(None)
        return await super().list_sessions(signal)


@provider_mutant("CANCEL-2/aborted")
class WrapsTheReason(OracleEngine):
    """Raises an error of its own for an abort, with the reason as its cause."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        if signal is not None and signal.aborted:
            raise LookupError("aborted") from signal.reason
        return await super().list_sessions(signal)


@provider_mutant("CANCEL-2/aborted")
class DeafToSignals(OracleEngine):
    """Answers although the signal is aborted."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        del signal
        return await super().read_session(session_id)


@provider_mutant("CANCEL-2/aborted")
class RaisesAnotherAbortError(OracleEngine):
    """Raises an AbortError of its own where the caller has no reason of its own."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        if signal is not None and signal.aborted and isinstance(signal.reason, SessionQueryError):
            raise AbortError from signal.reason
        return await super().list_sessions(signal)


@provider_mutant("CANCEL-3/quiescent")
class TakesAbortErrorForAnAnswer(OracleEngine):
    """Answers with nothing where an abort has no reason of the caller's own."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        if signal is not None:
            signal.raise_if_aborted()
        try:
            return await super().list_sessions(signal)
        except SessionQueryError as error:
            if error.code is not ErrorCode.ABORTED:
                raise
            return []


@provider_mutant("CANCEL-3/quiescent")
class AbandonsOnAbort(OracleEngine):
    """Raises the reason of an abort while its store call goes on."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        if signal is None:
            return await super().list_sessions()
        signal.raise_if_aborted()
        working = asyncio.ensure_future(super().list_sessions(signal))
        aborted = asyncio.ensure_future(signal.wait())
        await asyncio.wait({working, aborted}, return_when=asyncio.FIRST_COMPLETED)
        aborted.cancel()
        if not working.done():
            _let_go(working)
            signal.raise_if_aborted()
        return await working


@provider_mutant("CANCEL-3/quiescent")
class BeginsAfterAbort(OracleEngine):
    """Begins the next store call although the signal was aborted in the last one."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        if signal is not None:
            signal.raise_if_aborted()
        log = await super().read_session(session_id)
        if signal is not None:
            signal.raise_if_aborted()
        return log


class _AbandonsAtOnce(LogicalCorpus):
    """Leaves a listing of the store behind when it is cancelled."""

    async def list_snapshots(
        self, binding: Binding, signal: AbortSignal | None
    ) -> Sequence[PersistedSnapshot]:
        working = asyncio.ensure_future(super().list_snapshots(binding, signal))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            _let_go(working)
            raise


@provider_mutant("CANCEL-4/cancelled")
class AbandonsOnCancel(OracleEngine):
    """Ends at once when it is cancelled, while its store call goes on."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._corpus = _AbandonsAtOnce(sources, self._diagnostics)


class _AbandonsSoon(LogicalCorpus):
    """Leaves a listing of the store behind when it is cancelled for the second time."""

    async def list_snapshots(
        self, binding: Binding, signal: AbortSignal | None
    ) -> Sequence[PersistedSnapshot]:
        working = asyncio.ensure_future(super().list_snapshots(binding, signal))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            working.cancel()
            await asyncio.wait({working})
            raise
        finally:
            _let_go(working)


@provider_mutant("CANCEL-4/cancelled")
class AbandonsOnSecondCancel(OracleEngine):
    """Waits for its store call when it is cancelled once, and not when it is twice."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._corpus = _AbandonsSoon(sources, self._diagnostics)


@provider_mutant("CANCEL-4/cancelled")
class SwallowsCancellation(OracleEngine):
    """Answers a cancelled call with nothing."""

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        try:
            return await super().list_sessions(signal)
        except asyncio.CancelledError:
            return []


@provider_mutant("CANCEL-5/own-signal")
class HandsOnAnotherSignal(OracleEngine):
    """Hands the store a signal that follows the caller's, not the very one."""

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        followed = None if signal is None else AbortSignal.any(signal)
        return await super().read_session(session_id, followed)


@provider_mutant("CANCEL-5/cancellation")
class HidesCancellation(OracleEngine):
    """Hands the store a signal that nobody ever aborts."""

    def list_sessions(
        self, signal: AbortSignal | None = None
    ) -> Coroutine[Any, Any, list[SessionRecord]]:
        return super().list_sessions(AbortController().signal if signal is None else signal)


@provider_mutant("READ-4/no-more-inspections")
class FinishesTheBatch(OracleEngine):
    """Inspects all that is queued before it raises the reason of an abort."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        if signal is not None:
            signal.raise_if_aborted()
        results = await super().read_titles(ids)
        if signal is not None:
            signal.raise_if_aborted()
        return results


@provider_mutant("READ-4/no-more-inspections")
class AbortIsOneResult(OracleEngine):
    """Answers an aborted batch with no results."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        try:
            return await super().read_titles(ids, signal)
        except LookupError:
            return []


def _let_go(working: asyncio.Future[Any]) -> None:
    """Let a task go on, and nobody be told how it ends."""
    working.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
