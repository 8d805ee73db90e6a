"""Sessions of other workspaces change nothing (AUTH-8)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .calling import FAILED, RETRYABLE, Ask, Outcome, called
from .corpora import Corpus, header, log
from .drawing import HIDDEN, VISIBLE, Drawn, asks, some
from .engines import watched

VISIBLES = some(VISIBLE, hidden=False)
HIDDENS = some(HIDDEN, hidden=True)
ASKS = st.lists(asks(), min_size=1, max_size=3)


async def outcomes(
    engine: str, sessions: Iterable[Drawn], questions: Iterable[Ask], most: int, page: int
) -> list[Outcome]:
    """Ask all questions of a corpus of these sessions."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    for session in sessions:
        session.put_into(corpus)
    limits = {"default_limit": page, "max_limit": page}
    async with watched(corpus.sources, engine, **limits) as service:
        return [await called(service, ask, caller, most=most) for ask in questions]


def check(
    engine: str,
    visible: Sequence[Drawn],
    hidden: Sequence[Sequence[Drawn]],
    questions: Sequence[Ask],
    limits: tuple[int, int],
) -> None:
    """Ask the same of corpora that differ in hidden sessions only."""
    one, other = (
        asyncio.run(outcomes(engine, [*sessions, *visible], questions, *limits))
        for sessions in hidden
    )
    for first, second in zip(one, other, strict=True):
        assert first.code not in {FAILED, *RETRYABLE}
        assert first.within_workspace() == second.within_workspace()
        assert not first.has_canary
        assert not second.has_canary


LIMITS = st.sampled_from([(100, 500), (2, 500), (2, 1), (1, 2)])
HIDDEN_PAIRS = st.tuples(HIDDENS, HIDDENS)


@pytest.mark.requirement("AUTH-8", "AUTH-3", "AUTH-5", "AUTH-6")
@given(VISIBLES, HIDDEN_PAIRS, ASKS, LIMITS)
@settings(max_examples=200)
def test_hidden_sessions_change_no_answer_of_a_scripted_engine(
    visible: list[Drawn],
    hidden: tuple[list[Drawn], list[Drawn]],
    questions: list[Ask],
    limits: tuple[int, int],
) -> None:
    """Corpora that differ only in hidden sessions give the same texts, codes and messages."""
    check("scripted", visible, hidden, questions, limits)


@pytest.mark.requirement("AUTH-8", "AUTH-3", "AUTH-5", "AUTH-6")
@given(VISIBLES, HIDDEN_PAIRS, ASKS, LIMITS)
@settings(max_examples=60)
def test_hidden_sessions_change_no_answer_of_the_real_engine(
    visible: list[Drawn],
    hidden: tuple[list[Drawn], list[Drawn]],
    questions: list[Ask],
    limits: tuple[int, int],
) -> None:
    """Corpora that differ only in hidden sessions give the same texts, codes and messages."""
    check("sqlite", visible, hidden, questions, limits)


@pytest.mark.requirement("AUTH-8")
def test_drawn_calls_do_reach_sessions() -> None:
    """What is drawn is no empty test: hits, lineages and events of visible sessions are shown."""
    questions = [
        Ask("session_search", {"query": "rocket"}),
        Ask("session_event_search", {"query": "rocket", "session_id": "v0"}),
        Ask("session_trace", {"session_id": "v0"}),
        Ask("session_event_trace", {"session_id": "v0", "seq": 0}),
        Ask("session_event_read", {"session_id": "v0", "seq": 0}),
    ]
    sessions = [Drawn(header("v0"), log("rocket", title="about rockets"), "stored")]
    for engine in ("sqlite", "scripted"):
        shown = asyncio.run(outcomes(engine, sessions, questions, 100, 500))
        assert all(outcome.text is not None and '"v0"' in outcome.text for outcome in shown)
