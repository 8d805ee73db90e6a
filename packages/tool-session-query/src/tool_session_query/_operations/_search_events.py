"""`session_event_search`: one session, the own one up to its running step (AUTH-4, AUTH-7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from session_query import (
    AbortSignal,
    EventFilter,
    EventHit,
    EventSearchPage,
    EventSearchRequest,
    MatchMode,
    SessionEvent,
    SessionHeader,
    SessionQueryEngine,
)

from tool_session_query._errors import no_current_step, unauthorized
from tool_session_query._input import EventSearchArguments, Span, checked_span, milliseconds
from tool_session_query._operations._collecting import Asking, Collection, modes_of
from tool_session_query._operations._filters import event_filters
from tool_session_query._presentation import EventFindings, render_event_findings
from tool_session_query._service_boundary import Service
from tool_session_query._workspace_access import Caller, authorize

__all__ = ["search_events"]


async def search_events(
    service: Service, caller: Caller, arguments: EventSearchArguments, most: int
) -> str:
    """Return the events of one session that match.

    Raises:
        SessionQueryToolError: `UNAUTHORIZED`; `NO_CURRENT_STEP` for an own session without a step.
    """
    seqs = checked_span("seq", arguments.seq_from, arguments.seq_to)
    times = milliseconds("time", arguments.time_from, arguments.time_to)
    session_id = caller.id if arguments.session_id is None else arguments.session_id
    is_own = session_id == caller.id
    if is_own:
        seqs = _before_running_step(caller.events, seqs)
    else:
        await authorize(service, caller, session_id)
    findings = EventFindings(
        session_id, arguments.query, arguments.match, arguments.narrowing(), is_own
    )
    if seqs.nothing or times.nothing:
        return render_event_findings(findings)
    filters = event_filters(seqs, times, arguments.event_types, arguments.surfaces)
    target = _Target(caller, session_id, seqs)
    collection = Collection[EventHit](most, target.key_of)
    for mode in modes_of(arguments.match):
        await collection.add(
            service, target.asking(arguments.query, mode, filters), check=target.check
        )
    found = replace(findings, header=target.header, found=collection.hits, capped=collection.capped)
    return render_event_findings(found)


class _Target:
    """The session that is searched; each page shows anew whether it may be (AUTH-4)."""

    def __init__(self, caller: Caller, session_id: str, seqs: Span) -> None:
        self._caller = caller
        self._session_id = session_id
        self._seqs = seqs
        self.header: SessionHeader | None = None

    def key_of(self, hit: EventHit) -> int | None:
        """Return the seq of a hit that was asked for."""
        low, high = self._seqs
        asked = (low is None or hit.seq >= low) and (high is None or hit.seq <= high)
        return hit.seq if asked and hit.session_id == self._session_id else None

    def asking(
        self, query: str, mode: MatchMode, filters: Sequence[EventFilter]
    ) -> Asking[EventHit]:
        """Return what asks for a page, and refuses one of another session."""

        async def ask(
            engine: SessionQueryEngine, signal: AbortSignal, limit: int, cursor: str | None
        ) -> EventSearchPage:
            request = EventSearchRequest(self._session_id, query, filters, limit, cursor, mode)
            return await engine.search_events(request, signal)

        return ask

    def check(self, page: EventSearchPage) -> None:
        """See that a page may be shown.

        Raises:
            SessionQueryToolError: `UNAUTHORIZED`.
        """
        if page.header.id != self._session_id or not self._caller.may_see(page.header):
            raise unauthorized()
        self.header = page.header


def _before_running_step(events: Sequence[SessionEvent], seqs: Span) -> Span:
    """Return the part of a range that ends right before the last step began (AUTH-7)."""
    for event in reversed(events):
        if event.type == "step/start":
            last = event.seq - 1
            return Span(seqs.low or 0, last if seqs.high is None else min(seqs.high, last))
    raise no_current_step()
