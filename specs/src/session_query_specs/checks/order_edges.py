"""Times, lengths, ids and counts by which an order is easily wrong (SEARCH-9)."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st
from session_query import SessionEvent, SessionHeader

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import agree_in_order
from session_query_specs.checks._check import check, reached
from session_query_specs.checks._searches import FINDS
from session_query_specs.corpora import Call, CallsOn, Corpus, Session, message

__all__: list[str] = []

_FAR: Final = 2**31 * 1000
_TIMES: Final = (0, -1, -1500, -2000, 1, 999, 1000, 1001, 2**31 - 1, 2**31, 2**32, _FAR, _FAR + 1)
_LENGTHS: Final = (
    ("alpha  x", "alpha xy", "alpha xyz", "alpha x"),
    ("alpha \U0001d7db", "alpha xx", "alpha x"),
    (f"alpha {'x' * 120}", f"alpha {'x' * 119}", f"alpha {'x' * 300}", f"alpha {'x' * 299}"),
    ("alpha\r\nx", "alpha xx", "alpha x"),
)
_COUNTS: Final = (1, 2, 3, 4, 5, 8, 9, 10, 16, 17)
_NAMES: Final = ("\uff00", "\U0001d7db", "\ue000", "s", "s0")
_CLOSE: Final = (
    [("alpha", time) for time in _TIMES],
    *([(text, 0) for text in some] for some in _LENGTHS),
    [(" ".join(["alpha"] * count), 0) for count in _COUNTS],
)
"""Texts and times of events between which one fact alone decides."""


def _of(session_id: str, *said: tuple[str, int]) -> Session:
    events = tuple(
        SessionEvent("user/message", seq, time, message(text), "append")
        for seq, (text, time) in enumerate(said)
    )
    return Session(SessionHeader(0, session_id, 0), events)


def _close() -> list[CallsOn]:
    in_all = Call("search_sessions", ({"query": "alpha"},))
    in_one = Call("search_events", ({"sessionId": "s", "query": "alpha"},))
    apart = [Corpus(tuple(_of(f"s{at}", one) for at, one in enumerate(some))) for some in _CLOSE]
    names = Corpus(tuple(_of(name, ("alpha", 0)) for name in _NAMES))
    return [
        *(CallsOn(Corpus((_of("s", *some),)), [in_one]) for some in _CLOSE),
        *(CallsOn(corpus, [in_all]) for corpus in [*apart, names]),
    ]


@check("SEARCH-9/close", st.sampled_from(_close()), needs=("ranking=contract",), after=FINDS)
async def _decides(provider: ProviderUnderTest, example: CallsOn) -> None:
    """What differs in one fact alone is ordered by it, however large, small or odd it is."""
    for hits in await agree_in_order(provider, example):
        if len(hits) > 1:
            reached("two hits")
