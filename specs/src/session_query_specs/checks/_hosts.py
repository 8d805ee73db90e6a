"""What the checks of hosts share: calls that every host answers, and what must come of them."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar

from hypothesis.strategies import SearchStrategy, sampled_from
from session_query import SessionEvent

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Check, Example, Violation, check
from session_query_specs.corpora import CREATED, Corpus, Session
from session_query_specs.hosts import Heard, HostCall, own, visible
from session_query_specs.loop import run_in_time

__all__ = [
    "ASKED_TOOLS",
    "ASKS",
    "BEACON",
    "FAILED",
    "INVALID_ARGUMENT",
    "METHODS",
    "MISSING_AGENT",
    "NO_CURRENT_STEP",
    "RETRYABLE",
    "SHOWN",
    "TARGET_ASKS",
    "UNAUTHORIZED",
    "answered",
    "asked_for",
    "asking",
    "coded",
    "finds",
    "host_check",
    "kept_to_workspace",
    "parts_of",
    "plain",
    "refused",
    "same",
    "searching",
    "shows",
    "targeting",
    "values_of",
]

E = TypeVar("E", bound=Example)

_OWN: Final = "SESSION_QUERY_TOOL_"
FAILED: Final = f"{_OWN}FAILED"
INVALID_ARGUMENT: Final = f"{_OWN}INVALID_ARGUMENT"
MISSING_AGENT: Final = f"{_OWN}MISSING_AGENT"
NO_CURRENT_STEP: Final = f"{_OWN}NO_CURRENT_STEP"
UNAUTHORIZED: Final = f"{_OWN}UNAUTHORIZED"
RETRYABLE: Final = frozenset(
    f"SESSION_QUERY_{name}" for name in ("STALE_CURSOR", "PERSISTENCE_FAILED", "INDEX_FAILED")
)
"""Failures that may come of what others do (AUTH-8)."""

BEACON: Final = "beacon"
"""Stands in the text of the session `v0`."""

TARGET_ASKS: Final[dict[str, dict[str, Any]]] = {
    "session_event_search": {"query": "rocket", "match": "all", "session_id": "v0"},
    "session_trace": {"session_id": "v0"},
    "session_event_trace": {"seq": 0, "session_id": "v0"},
    "session_event_read": {"seq": 0, "session_id": "v0"},
}
"""A plain call of each tool that has a target."""

SHOWN: Final = {
    "session_event_search": BEACON,
    "session_trace": "v0",
    "session_event_trace": "user/message",
    "session_event_read": BEACON,
}
"""What every answer to it shows."""

METHODS: Final = {
    "session_search": "search_sessions",
    "session_event_search": "search_events",
    "session_trace": "trace_session",
    "session_event_trace": "trace_event",
    "session_event_read": "read_event",
}
"""The method of the service that a tool's answer comes from."""

ASKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "session_search": {"query": "rocket", "match": "all"},
    "session_event_search": {"query": "rocket", "match": "all", "session_id": "v0"},
    "session_trace": {"session_id": "v0"},
    "session_event_trace": {"session_id": "v0", "seq": 0},
    "session_event_read": {"session_id": "v0", "seq": 0, "before": 0, "after": 3},
}
"""One call of each tool that shows something of `v0`."""
ASKED_TOOLS: Final = sampled_from(sorted(ASKS))


def parts_of(event: SessionEvent) -> list[Any]:
    """Return the blocks of a message."""
    data: Any = event.to_json()["data"]
    return list(data["content"])


def asking(tool: str, *sessions: Session) -> HostCall:
    """Return that call over the own session and these."""
    return HostCall(Corpus((own(), *sessions)), tool, ASKS[tool])


def targeting(tool: str, *others: Session, target: Session | None = None) -> HostCall:
    """Return a plain call whose target is `v0`, a session of the workspace."""
    session = target or visible("v0", f"rocket {BEACON}", title="first")
    return HostCall(Corpus((own(), session, *others)), tool, TARGET_ASKS[tool])


def searching(*sessions: Session, query: str = "rocket", **arguments: Any) -> HostCall:
    """Return a search of the workspace over the caller's session and these."""
    return HostCall(
        Corpus((own(), *sessions)), "session_search", {"query": query, "match": "all", **arguments}
    )


async def finds(host: HostUnderTest) -> None:
    """See that a host works at all: a search finds what matches, and nothing else."""
    found, other = visible("v0", f"rocket {BEACON}"), visible("v1", "buoy")
    heard = await searching(found, other).heard(host)
    if "v0" not in heard.text or BEACON not in heard.text or "buoy" in heard.text:
        raise Violation("a search of the workspace that finds the session 'v0' alone", f"{heard}")


def host_check(
    name: str, examples: SearchStrategy[E], *, after: tuple[str, ...] = (), weight: float = 1.0
) -> Callable[[Callable[[Any, E], Awaitable[None] | None]], Check[E]]:
    """Register a check of hosts; each example begins with a host that works at all."""
    register = check(name, examples, subject="host", after=after, weight=weight)

    def registered(judge: Callable[[Any, E], Awaitable[None] | None]) -> Check[E]:
        async def judged(host: HostUnderTest, example: E) -> None:
            await finds(host)
            judging = judge(host, example)
            if judging is not None:
                await judging

        def judged_outside_of_loops(host: HostUnderTest, example: E) -> None:
            run_in_time(lambda: finds(host))
            _ = judge(host, example)

        waits = inspect.iscoroutinefunction(judge)
        chosen = judged if waits else judged_outside_of_loops
        chosen.__doc__ = judge.__doc__
        return register(chosen)

    return registered


async def answered(host: HostUnderTest, call: HostCall, *parts: str) -> Heard:
    """Return an answer that shows these parts; anything else is a violation."""
    heard = await call.heard(host)
    shows(heard, *parts)
    return heard


def shows(heard: Heard, *parts: str) -> None:
    """See that an answer shows all of these."""
    if heard.outcome is None or heard.outcome.text is None:
        raise Violation("an answer", f"{heard}")
    for part in parts:
        if part not in heard.text:
            raise Violation(f"{part!r} in the answer", f"{heard}")


def coded(heard: Heard, *codes: str, why: str = "") -> None:
    """See that a call failed with one of these codes and a message, and told nothing besides."""
    expected = f"{' or '.join(codes)}{why and ', since '}{why}"
    outcome = heard.outcome
    if outcome is None or outcome.code not in codes or outcome.text is not None:
        raise Violation(expected, f"{heard}")
    if not outcome.message:
        raise Violation("a message for the model", f"none with {outcome.code}")
    if heard.leaks:
        raise Violation("a message without anything of a hidden session or failure", f"{heard}")


def same(first: Heard, second: Heard, why: str) -> None:
    """See that two calls ended alike."""
    if first.outcome != second.outcome:
        raise Violation(f"the same as {first}, since {why}", f"{second}")


def asked_for(heard: Heard) -> list[tuple[str, tuple[Any, ...]]]:
    """Return what a host asked of the engine."""
    return [(call.method, call.arguments) for call in heard.calls]


def kept_to_workspace(heard: Heard, cwd: str) -> bool:
    """Tell whether each search of the corpus carried the filter of the workspace."""
    return all(
        any(values_of("cwd", one) == (cwd,) for one in call.arguments[0].session_filters)
        for call in heard.calls
        if call.method == "search_sessions"
    )


def values_of(kind: str, given: Any) -> tuple[Any, ...] | None:
    """Return the values of a filter, in whatever form it was given; None if it's another one."""
    form = given if isinstance(given, Mapping) else given.to_json()
    return tuple(form["values"]) if form["kind"] == kind else None


def plain(tool: str) -> HostCall:
    """Return a call that is answered, over a corpus of two sessions besides the caller's."""
    other = visible("v1", "rocket launched", place="live", created_at=CREATED + 5)
    if tool == "session_search":
        return searching(visible("v0", f"rocket {BEACON}"), other)
    return targeting(tool, other)


async def refused(host: HostUnderTest, call: HostCall, name: str, why: str) -> None:
    """See that a call is refused for one argument, by its name, and before anything is asked."""
    heard = await call.heard(host)
    coded(heard, INVALID_ARGUMENT, why=why)
    if heard.outcome is None or name not in heard.outcome.message:
        raise Violation(f"a message that names the argument {name!r}", f"{heard}")
    if heard.calls:
        raise Violation("no call of the service for a wrong argument", f"{heard.methods}")
