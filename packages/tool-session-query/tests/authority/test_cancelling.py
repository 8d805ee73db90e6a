"""Calls that are aborted or cancelled at every point at which they wait (SAN-1, TITLE-3)."""

from __future__ import annotations

import asyncio
import logging
from typing import Literal

import pytest
from session_query import AbortController, ErrorCode, SessionQueryError

from .calling import Ask, called
from .corpora import Corpus, header, log
from .engines import WatchedEngine, watched

ASKS = [
    Ask("session_search", {"query": "rocket", "parent_session_ids": ["v0", "gone"]}),
    Ask("session_event_search", {"query": "rocket", "session_id": "v0"}),
    Ask("session_trace", {"session_id": "v0"}),
    Ask("session_event_trace", {"session_id": "v0", "seq": 0}),
    Ask("session_event_read", {"session_id": "v0", "seq": 0}),
]
TOOLS = pytest.mark.parametrize("ask", ASKS, ids=[ask.tool for ask in ASKS])


class Reason(Exception):  # noqa: N818 - it's no error
    """Why a call is aborted."""


def corpus_of_rockets() -> Corpus:
    """Some sessions that match, with titles, read slowly."""
    corpus = Corpus()
    corpus.begin_caller()
    corpus.put(header("v0"), log("rocket", title="zero"))
    for number in range(1, 7):
        corpus.put(header(f"v{number}", parent_session="v0"), log("rocket", title="more"))
    corpus.persistence.passes = 2
    return corpus


async def ended_at(rounds: int, ask: Ask, action: Literal["abort", "cancel", "both"]) -> bool:
    """Abort or cancel a call after so many rounds of the loop; tell whether that was in time."""
    corpus = corpus_of_rockets()
    [caller] = corpus.store.list()
    controller, reason = AbortController(), Reason()
    async with watched(corpus.sources, "scripted") as service:
        service.passes = 2
        task = asyncio.ensure_future(called(service, ask, caller, controller.signal))
        for _ in range(rounds):
            await asyncio.sleep(0)
        if task.done():
            assert (await task).text is not None
            return False
        made = len(service.calls)
        if action != "cancel":
            controller.abort(reason)
        if action != "abort":
            task.cancel()
        await asyncio.wait([task])
        if task.cancelled():
            assert action != "abort"
        else:
            assert action != "cancel"
            assert task.exception() is reason
        assert len(service.calls) == made, "asked after the abort"
        assert not service.running
        assert not corpus.persistence.running
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert service.signals <= {controller.signal}
    return True


@TOOLS
@pytest.mark.requirement("SAN-1", "TITLE-3")
@pytest.mark.parametrize("action", ["abort", "cancel", "both"])
def test_an_abort_ends_a_call_wherever_it_waits(
    ask: Ask, action: Literal["abort", "cancel", "both"]
) -> None:
    """The very reason comes out, nothing is asked any more, and nothing runs at the end."""

    async def main() -> int:
        rounds = 0
        while await ended_at(rounds, ask, action):
            rounds += 1
        return rounds

    assert asyncio.run(main()) > 8


async def ended_around(
    service: WatchedEngine, corpus: Corpus, ask: Ask, when: str, number: int
) -> bool:
    """Abort a call of a tool around one call of the service; tell whether there was such a one."""
    [caller] = corpus.store.list()
    controller, reason = AbortController(), Reason()
    service.calls.clear()
    service.signals.clear()

    def act(reached: int) -> None:
        if reached == number:
            controller.abort(reason)
            if when == "failing":
                raise SessionQueryError("stale", ErrorCode.STALE_CURSOR)

    service.before = act if when == "before" else lambda _: None
    service.after = act if when != "before" else lambda _: None
    try:
        await called(service, ask, caller, controller.signal)
    except Reason as raised:
        ended = raised
    else:
        return False
    assert ended is reason
    assert len(service.calls) == number + 1
    assert not service.running
    assert service.signals == {controller.signal}
    return True


@TOOLS
@pytest.mark.requirement("SAN-1")
@pytest.mark.parametrize("when", ["before", "after", "failing"])
def test_an_abort_comes_before_an_answer_and_before_a_failure(
    ask: Ask, when: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An abort wins over the answer and the failure of the real engine, and is not logged."""
    corpus = corpus_of_rockets()

    async def main() -> int:
        async with watched(corpus.sources) as service:
            number = 0
            while await ended_around(service, corpus, ask, when, number):
                number += 1
            return number

    with caplog.at_level(logging.DEBUG, "tool_session_query"):
        calls = asyncio.run(main())
    assert calls == {"session_search": 5, "session_trace": 3, "session_event_search": 3}.get(
        ask.tool, 2
    )
    assert not [record for record in caplog.records if record.name == "tool_session_query"]


@TOOLS
@pytest.mark.requirement("SAN-1")
def test_an_abort_before_the_call_asks_nothing(ask: Ask) -> None:
    """A signal that is aborted already ends the call before anything is asked."""
    corpus = corpus_of_rockets()
    [caller] = corpus.store.list()
    controller, reason = AbortController(), Reason()
    controller.abort(reason)

    async def main() -> None:
        async with watched(corpus.sources) as service:
            with pytest.raises(Reason) as raised:
                await called(service, ask, caller, controller.signal)
            assert raised.value is reason
            assert service.names == []

    asyncio.run(main())
