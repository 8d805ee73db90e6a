"""How operations end early (CANCEL-2 to CANCEL-6, READ-4)."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from hypothesis import strategies as st
from session_query import AbortController

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import expected_of, places, store_calls
from session_query_specs.checks._check import Violation, check
from session_query_specs.corpora import Call, CallsOn, Corpus, Outcome, opened, session
from session_query_specs.corpora._interruptions import REASONS, Ended, Interruption, abort_for

__all__: list[str] = []

_CORPUS: Final = Corpus(
    (
        session("stored", ["word", "another word"], cwd="/w"),
        session("forked", ["word"], cwd="/w", parent="stored"),
        session("live", ["word"], place="live", cwd="/w"),
    )
)
_CALLS: Final = (
    Call("search_sessions", ({"query": "word"},)),
    Call("search_events", ({"sessionId": "stored", "query": "word"},)),
    Call("list_sessions"),
    Call("filter_sessions", ([{"kind": "cwd", "values": ["/w"]}],)),
    Call("read_session", ("stored",)),
    Call("list_events", ("stored",)),
    Call("filter_events", ("stored", [{"kind": "text", "text": "word"}])),
    Call("read_surface", ("stored",)),
    Call("read_event", ("stored", 0)),
    Call("read_titles", (["stored", "forked", "live"],)),
    Call("trace_session", ("forked",)),
    Call("trace_event", ("stored", 1)),
)


def _interruptions(*how: str) -> st.SearchStrategy[Interruption]:
    return st.builds(
        Interruption,
        corpus=st.just(_CORPUS),
        call=st.sampled_from(_CALLS),
        at=st.integers(0, 3),
        how=st.sampled_from(how),
        reason=st.sampled_from(REASONS if "abort" in how else REASONS[:1]),
    )


async def _landed(provider: ProviderUnderTest, example: Interruption) -> Ended | None:
    """Interrupt a call; where the store isn't called so often, it must have answered."""
    ended = await example.ended(provider)
    [wanted] = await expected_of(CallsOn(example.corpus, [example.call], example.settings))
    if _whole(ended.again) != _whole(wanted):
        raise Violation(f"the same call to work afterwards: {wanted}", f"{ended.again}")
    if not ended.landed and ended.error is not None:
        raise Violation("an answer, since nothing interrupted it", repr(ended.error))
    return ended if ended.landed else None


def _whole(outcome: Outcome) -> object:
    """Return what an answer has in it, in whatever order hits are."""
    if isinstance(outcome.answer, dict) and "items" in outcome.answer:
        items = outcome.answer["items"]
        # which match is a session's best depends on the order, too
        return sorted(
            name if "bestMatch" in hit else (name, seq)
            for hit, (name, seq) in zip(items, places(items), strict=True)
        )
    return outcome


def _how(ended: Ended) -> str:
    return "an answer" if ended.error is None else repr(ended.error)


@check(
    "CANCEL-2/aborted",
    st.builds(
        CallsOn,
        st.just(_CORPUS),
        st.sampled_from(_CALLS).map(lambda call: [call]),
        told=st.just(("the same call again, with a signal that is aborted already",)),
    ),
)
async def _aborted_before(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A signal that is aborted already raises its very reason, and the store is not asked."""
    sources, _, persistence = example.corpus.open()
    async with opened(provider, sources, example.settings) as engine:
        [call] = example.calls
        answer = await call.on(engine)
        if answer.code is not None:
            raise Violation("an answer, without an abort", answer.code)
        method: Any = getattr(engine, call.method)
        for kind in REASONS:
            controller = AbortController()
            reason = abort_for(kind, controller)
            persistence.reads.clear()
            try:
                await method(*call.arguments, signal=controller.signal)
            except Exception as error:  # noqa: BLE001 - a reason may be any
                if error is not reason:
                    raise Violation(f"the very {kind} of the abort", repr(error)) from None
            else:
                raise Violation(f"the very {kind} of the abort", "an answer")
            if persistence.reads:
                raise Violation("no call of the store", store_calls(persistence.reads))


@check("CANCEL-3/quiescent", _interruptions("abort"), after=("CANCEL-2/aborted",), weight=3)
async def _quiescent(provider: ProviderUnderTest, example: Interruption) -> None:
    """An aborted operation raises the very reason once its store calls have ended."""
    ended = await _landed(provider, example)
    if ended is None:
        return
    if not ended.is_reason:
        raise Violation("the very reason of the abort", _how(ended))
    if ended.running:
        raise Violation(
            "every store call to have ended", f"{store_calls(ended.running)} still running"
        )
    if ended.late:
        raise Violation("no store call to begin after the abort", store_calls(ended.late))


@check("CANCEL-4/cancelled", _interruptions("cancel", "cancel twice"), weight=3)
async def _cancelled(provider: ProviderUnderTest, example: Interruption) -> None:
    """A cancelled operation raises CancelledError once its store calls have ended."""
    ended = await _landed(provider, example)
    if ended is None:
        return
    if not isinstance(ended.error, asyncio.CancelledError):
        raise Violation("CancelledError", _how(ended))
    if ended.running:
        raise Violation(
            "every store call to have ended", f"{store_calls(ended.running)} still running"
        )
    if ended.late:
        raise Violation("no store call to begin after it", store_calls(ended.late))


@check("CANCEL-5/own-signal", _interruptions("abort"), after=("CANCEL-2/aborted",))
async def _own_signal(provider: ProviderUnderTest, example: Interruption) -> None:
    """A store gets the very signal of the caller."""
    ended = await _landed(provider, example)
    if ended is not None and ended.foreign:
        raise Violation(
            "the caller's own signal in each store call",
            f"another one in {store_calls(ended.foreign)}",
        )


@check("CANCEL-5/cancellation", _interruptions("cancel"))
async def _told_of_cancellation(provider: ProviderUnderTest, example: Interruption) -> None:
    """Without a signal of the caller, a store gets one that cancellation of the task aborts."""
    ended = await _landed(provider, example)
    if ended is not None and ended.deaf:
        raise Violation(
            "a signal in each store call, aborted by the cancellation",
            f"none in {store_calls(ended.deaf)}",
        )


_TITLED: Final = tuple(f"s{number}" for number in range(8))
_BATCHES: Final = st.builds(
    Interruption,
    corpus=st.just(Corpus(tuple(session(name, ["word"]) for name in _TITLED))),
    call=st.just(Call("read_titles", ([*_TITLED],))),
    at=st.integers(0, 3),
    how=st.just("abort"),
    reason=st.sampled_from(REASONS),
)


@check("READ-4/no-more-inspections", _BATCHES, after=("CANCEL-3/quiescent",))
async def _no_more_inspections(provider: ProviderUnderTest, example: Interruption) -> None:
    """An aborted batch of titles begins no queued inspection and raises the reason for all."""
    ended = await _landed(provider, example)
    if ended is None:
        raise Violation("a listing and an inspection for each title", "fewer store calls")
    if not ended.is_reason or ended.late or ended.running:
        late, running = (f"{len(calls)} store calls" for calls in (ended.late, ended.running))
        got = f"{_how(ended)}; {late} began after the abort, {running} were still running"
        expected = "the very reason of the abort; no store call began after it or was still running"
        raise Violation(expected, got)
