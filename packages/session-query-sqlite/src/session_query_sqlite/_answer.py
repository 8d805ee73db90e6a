"""Answering one page: from a checked request and an observation to hits (SEARCH-9, CURSOR-4)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from session_query import (
    EventHit,
    NormalizedEventSearch,
    NormalizedSessionSearch,
)
from session_query.text import Matcher, snippet

from session_query_sqlite._config import SqliteConfig
from session_query_sqlite._cursors import Position
from session_query_sqlite._database import Database
from session_query_sqlite._live import LiveIndex
from session_query_sqlite._matches import Finder
from session_query_sqlite._observation import Observation
from session_query_sqlite._ranges import Directory
from session_query_sqlite._ranking import Corpus, Found, Ranking, Source, text_of
from session_query_sqlite._schema import LIVE, LIVE_FROM, MAIN, SURFACES, TYPES
from session_query_sqlite._target import Target

__all__ = ["Answer", "SearchJob"]

_KEPT_RANKINGS = 16
_KEPT_INTEGERS = 8_000_000
"""Bounds on the rankings that are kept for following pages: how many, and 64 MB in all."""


class Answer(NamedTuple):
    """One page of hits; ``next_start`` is where the next one begins, None at the end."""

    hits: Sequence[EventHit]
    next_start: int | None


_NOTHING = Answer((), None)

_Key: TypeAlias = tuple[bytes, str, object]
"""Request, generation, and what the numbers in a ranking depend on."""


class _Page(NamedTuple):
    """Which part of which ranking is asked for, and under which key that is kept."""

    ranking: Ranking
    key: _Key
    start: int
    limit: int


class SearchJob:
    """Runs searches on an index that is up to date; its methods are jobs."""

    def __init__(self, database: Database, live: LiveIndex, config: SqliteConfig) -> None:
        self._database = database
        self._live = live
        self._config = config
        self._rankings: OrderedDict[_Key, Ranking] = OrderedDict()

    def forget(self) -> None:
        """Drop the kept rankings: the numbers in them have lost their meaning."""
        self._rankings.clear()

    def sessions(
        self,
        search: NormalizedSessionSearch,
        observation: Observation,
        generation: str,
        position: Position | None,
    ) -> Answer | None:
        """Return a page of hits, one a session; None if the index moved since it was observed."""
        self._live.sync(self._database, observation.live)
        state, listing = observation.state, observation.listing
        live_names = self._live.numbers()

        def admitted(number: int) -> str | None:
            if number >= LIVE_FROM:
                name = live_names.get(number)
                if name not in listing.live:
                    return None
            else:
                name = None if state is None else state.names.get(number)
                if name in listing.live:
                    return None
            if name is None:
                return None
            record = listing.record(name)
            return name if record is not None and search.session_filters.admits(record) else None

        def moved() -> bool:
            persistence = listing.binding.persistence
            if persistence is None or state is None:
                return False
            return observation.index_generation(self._database.connection) != state.generation

        bounds = search.event_filters.compiled
        if search.session_filters.nothing or bounds.nothing:
            return _NOTHING
        key = (search.digest, generation, None if state is None else state.generation)
        ranking = self._kept(key) or Ranking(search.query, bounds, admitted, one_per_session=True)
        directory = Directory(()) if state is None else state.directory
        start = 0 if position is None else position.start
        return self._page(_Page(ranking, key, start, search.limit), moved, directory)

    def events(
        self,
        search: NormalizedEventSearch,
        target: Target,
        generation: str,
        position: Position | None,
    ) -> Answer | None:
        """Return a page of one session's events; None if the index moved since."""
        if target.live is not None:
            views = {search.session_id: target.live}
            self._live.sync(self._database, views, only=(search.session_id,))
            number = self._live.number_of(search.session_id)
        else:
            number = target.number

        def moved() -> bool:
            return not target.still_indexed(self._database.connection)

        bounds = search.event_filters.compiled
        if bounds.nothing:
            return _NOTHING
        key = (search.digest, generation, number)
        ranking = self._kept(key) or Ranking(
            search.query, bounds, {number: search.session_id}.get, one_per_session=False
        )
        start = 0 if position is None else position.start
        within = self._live.within if target.live is not None else target.within
        return self._page(
            _Page(ranking, key, start, search.limit),
            moved,
            partial(within, self._database.connection, number),
        )

    def _page(
        self,
        page: _Page,
        moved: Callable[[], bool],
        scope: Directory | Callable[[], Sequence[tuple[int, int]]],
    ) -> Answer | None:
        """Answer a page inside one read transaction; None if the index has moved.

        ``scope`` tells the sessions of all documents, or gives the ids of one session's.
        """
        ranking, query = page.ranking, page.ranking.query
        with self._database.snapshot():
            if moved():
                return None
            if not query.units:
                return _NOTHING
            within = None if isinstance(scope, Directory) else scope()
            corpus = self._corpus(scope if isinstance(scope, Directory) else Directory(()))
            try:
                if not ranking.collected:
                    ranking.collect(corpus, within)
                found = ranking.page(corpus, page.start, page.limit + 1)
            except BaseException:
                self._rankings.pop(page.key, None)  # it may have stopped halfway
                raise
            matcher = Matcher(query, self._config.segmentation)
            hits = [self._hit(corpus, ranking, matcher, match) for match in found[: page.limit]]
        if len(found) <= page.limit:
            self._rankings.pop(page.key, None)
            return Answer(hits, None)
        self._keep(page.key, ranking)
        return Answer(hits, page.start + page.limit)

    def _corpus(self, directory: Directory) -> Corpus:
        connection, segmentation = self._database.connection, self._config.segmentation
        check = self._database.check
        live = self._live.directory(connection)
        sources = [
            Source(tables, Finder(connection, tables, segmentation, check), sessions)
            for tables, sessions in ((MAIN, directory), (LIVE, live))
        ]
        return Corpus(connection, sources, segmentation, check)

    def _hit(self, corpus: Corpus, ranking: Ranking, matcher: Matcher, match: Found) -> EventHit:
        text = text_of(corpus, match)
        measured = matcher.measure(text)
        first = None if measured is None else (measured.start, measured.end)
        return EventHit(
            ranking.name_of(match),
            match.seq,
            TYPES[match.type],
            match.time,
            SURFACES[match.surface],
            snippet(text, first, self._config.snippet_chars),
            None if ranking.query.match == "phrase" or measured is None else measured.matched,
        )

    def _kept(self, key: _Key) -> Ranking | None:
        ranking = self._rankings.get(key)
        if ranking is not None:
            self._rankings.move_to_end(key)
        return ranking

    def _keep(self, key: _Key, ranking: Ranking) -> None:
        self._rankings[key] = ranking
        self._rankings.move_to_end(key)
        while (
            len(self._rankings) > _KEPT_RANKINGS
            or sum(one.size for one in self._rankings.values()) > _KEPT_INTEGERS
        ) and len(self._rankings) > 1:
            self._rankings.popitem(last=False)
