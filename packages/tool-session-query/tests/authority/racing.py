"""Calls while sessions are created, replaced, moved and deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from typing import Any, NamedTuple

from .calling import Ask, Outcome, called
from .corpora import Corpus
from .drawing import Drawn
from .engines import watched

Moment = tuple[str, int]
"""`before` or `after` the call of that number, or at the `read` of that number of the store."""


class Change(NamedTuple):
    """What becomes of a session at some moment; None stands for its end."""

    moment: Moment
    session_id: str
    session: Drawn | None

    def apply(self, corpus: Corpus) -> None:
        """Make the change."""
        corpus.remove(self.session_id)
        if self.session is not None:
            self.session.put_into(corpus)


async def raced(
    engine: str,
    sessions: Iterable[Drawn],
    ask: Ask,
    changes: Iterable[Change],
    *,
    most: int = 100,
    **settings: Any,
) -> Outcome:
    """Make one call over these sessions, with the changes at their moments."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    for session in sessions:
        session.put_into(corpus)
    due: defaultdict[Moment, list[Change]] = defaultdict(list)
    for change in changes:
        due[change.moment].append(change)

    def reach(kind: str, number: int) -> None:
        for change in due.pop((kind, number), ()):
            change.apply(corpus)

    async with watched(corpus.sources, engine, **settings) as service:
        service.before = lambda number: reach("before", number)
        service.after = lambda number: reach("after", number)
        reads = count()
        corpus.persistence.before = lambda: reach("read", next(reads))
        outcome = await called(service, ask, caller, most=most)
        corpus.persistence.before = lambda: None
    return outcome
