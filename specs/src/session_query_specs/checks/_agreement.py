"""Comparing what a provider answers to what the oracle does (CONF-6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from session_query import ErrorCode, SessionQueryEngine

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.corpora import Call, CallsOn, Outcome, opened
from session_query_specs.oracle import Oracle

__all__ = [
    "agree_in_order",
    "agree_on_hits",
    "differing",
    "expect_code",
    "expect_hits",
    "expected_of",
    "hits_of",
    "in_terms",
    "items_of",
    "places",
    "store_calls",
]

ORACLE: Final = Oracle()

Json = dict[str, Any]


async def expected_of(example: CallsOn) -> list[Outcome]:
    """Return what the oracle answers; it keeps nothing in a directory, so it is given none."""
    sources, _, _ = example.corpus.open()
    async with opened(ORACLE, sources, example.settings, Path()) as engine:
        return [await call.on(engine) for call in example.calls]


def items_of(outcome: Outcome) -> list[Json]:
    """Return the hits of a page.

    Raises:
        Violation: it is an error, or no page.
    """
    if outcome.code is not None:
        raise Violation("a page of hits", outcome.code)
    if not isinstance(outcome.answer, Mapping) or "items" not in outcome.answer:
        raise Violation("a page of hits", str(outcome))
    return list(outcome.answer["items"])


def event_of(hit: Json) -> Json:
    """Return the event of a hit: its own, or the best of its session."""
    return dict(hit.get("bestMatch", hit))


def places(hits: Sequence[Json]) -> list[tuple[str, int]]:
    """Return session id and seq of each hit, in order."""
    return [(event["sessionId"], event["seq"]) for event in map(event_of, hits)]


def in_terms(hits: Sequence[Json]) -> str:
    """Return hits as a person reads them."""
    if not hits:
        return "no hits"
    return "; ".join(
        f"{event['sessionId']}#{event['seq']}"
        + (f" {event['snippet']!r}" if event.get("snippet") is not None else "")
        + (f" matched {event['matched']}" if "matched" in event else "")
        for event in map(event_of, hits)
    )


def store_calls(reads: Sequence[str]) -> str:
    """Return calls of a store as they are written in a program."""
    calls = ("list()" if name == "list" else f"inspect({name!r})" for name in reads)
    return ", ".join(calls) or "no store call"


def differing(hit: Json, other: Json) -> str:
    """Return a hit as a person reads it, with only those facts that are not so in another one."""
    mine, others = _facts(hit), _facts(other)
    told = [f"{name} {value!r}" for name, value in mine.items() if others.get(name) != value]
    told += [f"no {name}" for name in others if name not in mine]
    event = event_of(hit)
    return f"{event['sessionId']}#{event['seq']} with {', '.join(told) or 'nothing else'}"


def _facts(value: Json, prefix: str = "") -> Json:
    """Return what is in nested objects, by dotted names."""
    facts: Json = {}
    for name, inner in value.items():
        if isinstance(inner, dict):
            facts |= _facts(inner, f"{prefix}{name}.")
        else:
            facts[f"{prefix}{name}"] = inner
    return facts


async def hits_of(engine: SessionQueryEngine, method: str, request: Json) -> list[Json]:
    """Make a search and return its hits."""
    return items_of(await Call(method, (request,)).on(engine))


def expect_hits(outcome: Outcome, wanted: Sequence[tuple[str, int]]) -> None:
    """Raise a violation unless exactly these events are found, in whatever order."""
    got = items_of(outcome)
    if sorted(places(got)) != sorted(wanted):
        told = ", ".join(f"{name}#{seq}" for name, seq in wanted) or "no hits"
        raise Violation(told, in_terms(got))


def expect_code(outcome: Outcome, code: ErrorCode) -> None:
    """Raise a violation unless a call failed with this code."""
    if outcome.code is None:
        raise Violation(code.value, f"an answer: {in_terms(items_of(outcome))}")
    if outcome.code != code.value:
        raise Violation(code.value, outcome.code)


def _same(wanted: Sequence[Json], got: Sequence[Json]) -> None:
    if wanted == got:
        return
    if places(wanted) != places(got) or in_terms(wanted) != in_terms(got):
        raise Violation(in_terms(wanted), in_terms(got))
    for want, have in zip(wanted, got, strict=True):
        if want != have:
            raise Violation(differing(want, have), differing(have, want))


@contextmanager
def _of(call: Call, example: CallsOn) -> Iterator[None]:
    """Let a violation say which of several calls it is of."""
    try:
        yield
    except Violation as found:
        if len(example.calls) == 1:
            raise
        raise Violation(f"{found.expected}, from {call.method}", found.got) from None


async def agree_in_order(provider: ProviderUnderTest, example: CallsOn) -> list[list[Json]]:
    """Expect the oracle's hits in the oracle's order; return them."""
    answers = []
    outcomes = await example.outcomes(provider)
    for call, want, have in zip(example.calls, await expected_of(example), outcomes, strict=True):
        wanted = items_of(want)
        with _of(call, example):
            _same(wanted, items_of(have))
        answers.append(wanted)
    return answers


async def agree_on_hits(
    provider: ProviderUnderTest,
    example: CallsOn,
    compared: Callable[[Json], Json] = dict,
) -> list[list[Json]]:
    """Expect the oracle's hits in whatever order; return them.

    The best match of a session may be any of its matches: which one it is, is a matter of order.
    `compared` gives the part of an event hit that is compared.
    """
    answers = []
    outcomes = await example.outcomes(provider)
    for call, want, have in zip(example.calls, await expected_of(example), outcomes, strict=True):
        wanted, got = _sorted(items_of(want)), _sorted(items_of(have))
        answers.append(wanted)
        with _of(call, example):
            if call.method == "search_events":
                _same([*map(compared, wanted)], [*map(compared, got)])
                continue
            records = [[_record(hit) for hit in hits] for hits in (wanted, got)]
            if records[0] != records[1]:
                raise Violation(_sessions(records[0]), _sessions(records[1]))
        await _best_is_a_match(example, call, [hit["bestMatch"] for hit in got], compared)
    for hits in answers:
        reached("hits" if hits else "no hits")
    return answers


async def _best_is_a_match(
    example: CallsOn, call: Call, best: Sequence[Json], compared: Callable[[Json], Json]
) -> None:
    request = call.arguments[0]
    calls = [
        Call(
            "search_events",
            (
                {
                    "sessionId": one["sessionId"],
                    "query": request["query"],
                    "match": request.get("match", "phrase"),
                    "filters": request.get("eventFilters", []),
                    "limit": 500,
                },
            ),
        )
        for one in best
    ]
    for one, found in zip(
        best, await expected_of(CallsOn(example.corpus, calls, example.settings)), strict=True
    ):
        matching = [compared(hit) for hit in items_of(found)]
        if compared(one) not in matching:
            raise Violation(f"one of: {in_terms(matching)}", in_terms([one]))


def _sorted(hits: Sequence[Json]) -> list[Json]:
    return sorted(hits, key=lambda hit: places([hit]))


def _record(hit: Json) -> Json:
    return {key: value for key, value in hit.items() if key != "bestMatch"}


def _sessions(records: Sequence[Json]) -> str:
    return (
        "; ".join(
            f"{record['header']['id']}"
            f" ({', '.join(name for name in ('live', 'persisted') if record[name]) or 'nowhere'})"
            for record in records
        )
        or "no hits"
    )
