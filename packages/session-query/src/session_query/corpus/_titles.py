"""Titles of many sessions, holding few logs at a time (READ-3, READ-4)."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from session_query.cancellation import AbortSignal, map_bounded
from session_query.corpus._logical import LogicalCorpus, SessionObservation
from session_query.corpus._offload import Watched, offload
from session_query.errors import SessionQueryError
from session_query.log import JsonValue, SessionHeader, SessionTitle, fold_title
from session_query.persistence import PersistedSnapshot

__all__ = ["TitleObservation", "TitleResult", "read_titles"]


@dataclass(frozen=True, slots=True)
class TitleObservation:
    """A session's header, and its title if its log sets one (READ-3)."""

    header: SessionHeader
    title: SessionTitle | None

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{session, title?}` (JSON-1)."""
        title = {} if self.title is None else {"title": self.title.to_json()}
        return {"session": self.header.to_json(), **title}


@dataclass(frozen=True, slots=True)
class TitleResult:
    """What one id of a batch came to: either a `value`, or the `reason` why not (READ-3)."""

    session_id: str
    value: TitleObservation | None = None
    reason: SessionQueryError | None = None

    @property
    def status(self) -> Literal["fulfilled", "rejected"]:
        """Whether there is a value or a reason."""
        return "fulfilled" if self.reason is None else "rejected"

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{sessionId, status, value}` or `{sessionId, status, reason}` (JSON-1)."""
        form: dict[str, JsonValue] = {"sessionId": self.session_id, "status": self.status}
        if self.reason is not None:
            form["reason"] = self.reason.to_json()
        elif self.value is not None:
            form["value"] = self.value.to_json()
        return form


async def read_titles(
    corpus: LogicalCorpus, ids: Iterable[str], concurrency: int, signal: AbortSignal | None
) -> list[TitleResult]:
    """Return one result for each unique id, in order of first occurrence (READ-3).

    Live sessions are taken as they are when this is called. The others share one listing; at most
    `concurrency` of their logs are in memory at once.

    Raises:
        BaseException: the reason of an abort, for the whole batch, once all that was started has
            settled (READ-4). A failure of one session is that session's result.
    """
    if signal is not None:
        signal.raise_if_aborted()
    batch = _Batch(corpus, signal)
    unique = list(dict.fromkeys(ids))
    live = {session_id: found for session_id in unique if (found := corpus.live(session_id))}
    results = {session_id: await batch.fold(session_id, live[session_id]) for session_id in live}
    stored = [session_id for session_id in unique if session_id not in live]
    if stored:
        await batch.list(stored)
        for result in await map_bounded(stored, batch.read, concurrency, signal):
            results[result.session_id] = result
    return [results[session_id] for session_id in unique]


class _Batch:
    """What the ids of one batch share: the store, its one listing, and the signal."""

    def __init__(self, corpus: LogicalCorpus, signal: AbortSignal | None) -> None:
        self._corpus = corpus
        self._signal = signal
        self._binding = corpus.sources.binding
        self._named: dict[str, list[PersistedSnapshot]] = {}
        self._failure: SessionQueryError | None = None

    async def list(self, ids: Iterable[str]) -> None:
        """Take the one listing; if that fails, each id that is not live fails with it."""
        self._named = {session_id: [] for session_id in ids}
        try:
            snapshots = await self._corpus.list_snapshots(self._binding, self._signal)
        except SessionQueryError as error:
            self._failure = _without_logs(error)
            return
        for snapshot in snapshots:
            if (named := self._named.get(snapshot.header.id)) is not None:
                named.append(snapshot)

    async def read(self, session_id: str) -> TitleResult:
        """Read one listed session, keeping nothing of its log."""
        try:
            observation = await self._observe(session_id)
        except SessionQueryError as error:
            return TitleResult(session_id, reason=_without_logs(error))
        return await self.fold(session_id, observation)

    async def _observe(self, session_id: str) -> SessionObservation:
        if self._failure is None:
            return await self._corpus.resolve(
                session_id, self._named[session_id], self._binding, self._signal
            )
        if (live := self._corpus.live(session_id)) is not None:
            return live
        raise self._failure

    async def fold(self, session_id: str, observation: SessionObservation) -> TitleResult:
        """Fold a log to its header and title."""
        header, events = observation.header, observation.events

        def fold(watched: Watched) -> TitleResult:
            try:
                title = fold_title(watched.each(events))
            except SessionQueryError as error:
                error.header = header
                # its frames lead back to this one, which goes on holding the log
                return TitleResult(session_id, reason=error.with_traceback(None))
            return TitleResult(session_id, TitleObservation(header, title))

        return await offload(fold, len(events), self._signal)


def _without_logs(error: SessionQueryError) -> SessionQueryError:
    """Let go of the logs that the frames of a kept error still refer to (READ-3)."""
    pending: list[BaseException | None] = [error]
    seen = set()
    while pending:
        found = pending.pop()
        if found is not None and id(found) not in seen:
            seen.add(id(found))
            traceback.clear_frames(found.__traceback__)
            pending += [found.__cause__, found.__context__]
    return error
