"""What the first page of a search costs, to the least that the inverted index can tell it for."""

from __future__ import annotations

import statistics
from collections.abc import Awaitable, Callable, Sequence

from benchmarks.measure import Figure, Opened, Reader, interleaved, median_ratio, opened
from benchmarks.workshop import Workshop

__all__ = ["any_words", "common_phrase", "common_word", "first_page", "selective"]

_ANY_WORDS = 6
_NOTHING = "!!!"
_SELECTIVE_MS = 2.0


def first_page(at: Opened, query: str, match: str = "phrase") -> Callable[[int], Awaitable[object]]:
    """Return a job that asks for the first page; no two rounds ask for the same.

    An order that was worked out is kept for following pages, so the page size differs each time.
    """

    def search(number: int) -> Awaitable[object]:
        request = {"query": query, "match": match, "limit": 20 + number}
        return at.engine.search_sessions(request)

    return search


def floor_job(count: Callable[[], int]) -> Callable[[int], Awaitable[object]]:
    """Return a job that counts on the thread that asks."""

    async def job(_number: int) -> object:
        return count()

    return job


async def common_word(workshop: Workshop) -> Sequence[Figure]:
    """Compare a very common word with its instances grouped by document."""
    sessions = workshop.scale.sessions
    word = workshop.words(sessions).commonest
    database = workshop.database(sessions)
    async with opened(workshop.store(sessions), database) as at:
        with Reader(database) as reader:
            workshop.tell(f"searching {word!r}, in {reader.matches(word)} documents")
            jobs = {
                "page": first_page(at, word),
                "floor": floor_job(lambda: reader.count(word)),
            }
            seconds = await interleaved(workshop.scale.rounds, jobs)
            details = {"word": word, "documents": reader.matches(word), **seconds}
    ratio = median_ratio(seconds["page"], seconds["floor"])
    return [
        Figure(
            "page 1 of the commonest word, to its instances by document",
            ratio,
            3.0,
            details=details,
        )
    ]


async def any_words(workshop: Workshop) -> Sequence[Figure]:
    """Compare `any` of common words with their instances grouped by document and block."""
    sessions = workshop.scale.sessions
    words = workshop.words(sessions).common[:_ANY_WORDS]
    database = workshop.database(sessions)
    async with opened(workshop.store(sessions), database) as at:
        with Reader(database) as reader:
            workshop.tell(f"searching any of {' '.join(words)}")
            jobs = {
                "page": first_page(at, " ".join(words), "any"),
                "floor": floor_job(lambda: reader.blocks(words)),
            }
            seconds = await interleaved(workshop.scale.rounds, jobs)
            details = {"words": words, "blocks": reader.blocks(words), **seconds}
    ratio = median_ratio(seconds["page"], seconds["floor"])
    name = f"page 1 of any of {len(words)} common words, to their instances by document and block"
    return [Figure(name, ratio, 3.0, details=details)]


async def common_phrase(workshop: Workshop) -> Sequence[Figure]:
    """Compare a phrase of two common words with marking it in every text that holds it."""
    sessions = workshop.scale.sessions
    phrase = workshop.words(sessions).phrase
    if not workshop.floor_database.exists():
        workshop.floor(sessions)
    async with opened(workshop.store(sessions), workshop.database(sessions)) as at:
        with Reader(workshop.floor_database, "texts") as reader:
            workshop.tell(f"searching {phrase!r}, in {reader.matches(phrase)} documents")
            jobs = {
                "page": first_page(at, phrase),
                "highlight": floor_job(lambda: reader.highlighted(phrase)),
            }
            seconds = await interleaved(workshop.scale.rounds, jobs)
            details = {"phrase": phrase, "documents": reader.matches(phrase), **seconds}
    ratio = median_ratio(seconds["highlight"], seconds["page"])
    name = "highlight() over a phrase of two common words, to page 1 of it"
    return [Figure(name, ratio, 2.0, at_least=True, details=details)]


async def selective(workshop: Workshop) -> Sequence[Figure]:
    """Measure words that are in few documents or none, beyond the look for changes.

    Every search is the first for its words.
    """
    sessions = workshop.scale.sessions
    words = workshop.words(sessions)
    queries = {
        "a rare word": words.rare,
        "an absent word": [f"qqxz{number}absent" for number in range(len(words.rare))],
        "a phrase of rare words": words.rare_phrases,
        "a word in 160 documents, a page of 20 hits": words.scarce,
    }
    async with opened(workshop.store(sessions), workshop.database(sessions)) as at:
        workshop.tell(f"searching {', '.join(repr(some[0]) for some in queries.values())} …")
        jobs = {name: _each(at, some) for name, some in queries.items()}
        # a query without a token looks for changes, and then for nothing
        jobs["check"] = first_page(at, _NOTHING)
        seconds = await interleaved(3 * workshop.scale.rounds, jobs, warm=2)
    figures = []
    for name, some in queries.items():
        beyond = [one - check for one, check in zip(seconds[name], seconds["check"], strict=True)]
        details = {"seconds": seconds[name], "check_seconds": seconds["check"]}
        took = 1000 * statistics.median(beyond)
        title = f"{name}, beyond the look for changes"
        # the page itself costs more where it is full
        limit = None if some is words.scarce else _SELECTIVE_MS
        figures.append(Figure(title, took, limit, "ms", details=details))
    return figures


def _each(at: Opened, queries: Sequence[str]) -> Callable[[int], Awaitable[object]]:
    """Return a job that searches another query in each round."""

    def search(number: int) -> Awaitable[object]:
        return at.engine.search_sessions({"query": queries[number % len(queries)]})

    return search
