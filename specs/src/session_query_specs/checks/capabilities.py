"""What is claimed beyond the contract of every provider (CONF-3, INDEX-5, INDEX-9, CANCEL-6)."""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hypothesis import strategies as st
from session_query import AbortController, AbortError, SessionQueryEngine

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._controls import tells_absent
from session_query_specs.checks._held import Held, ended, in_time
from session_query_specs.corpora import Call, CallsOn, Corpus, opened, session
from session_query_specs.corpora._interruptions import REASONS, Reason, abort_for
from session_query_specs.stores import MemoryPersistence

__all__: list[str] = []

_FOLDER: Final = "session-query-specs-"
_SEARCH: Final = Call("search_sessions", ({"query": "word"},))
_CASE: Final = st.just(CallsOn(Corpus((session("a", ["word"]), session("b", ["word"]))), [_SEARCH]))


@check("INDEX-5/shared", _CASE, needs=("multi_process",), after=("RECON-1/history",))
async def _shared(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Two engines that share a directory both answer for what is there now."""
    sources, _, persistence = example.corpus.open()
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as folder:
        async with (
            opened(provider, sources, directory=Path(folder)) as one,
            opened(provider, sources, directory=Path(folder)) as other,
        ):
            for change in (None, "c", "a"):
                if change == "c":
                    added = session("c", ["word"])
                    persistence.put(added.header, added.events)
                elif change == "a":
                    persistence.remove("a")
                expected = {None: ["a", "b"], "c": ["a", "b", "c"], "a": ["b", "c"]}[change]
                for engine in (one, other):
                    answer = await _SEARCH.on(engine)
                    items = (answer.answer or {"items": []})["items"]
                    found = sorted(hit["header"]["id"] for hit in items)
                    if found != expected:
                        raise Violation(f"{expected}", f"{found} {answer}")
                    await tells_absent(engine)


_SECRET: Final = "forgettable" * 3


@check(
    "INDEX-9/forgets",
    st.just(CallsOn(Corpus((session("a", [_SECRET]), session("b", ["word"]))), [_SEARCH])),
    needs=("forgets", "persistent_index"),
    after=("RECON-1/history",),
)
async def _forgets(provider: ProviderUnderTest, example: CallsOn) -> None:
    """After `close`, the directory holds no text of a session that is gone from the sources."""
    sources, _, persistence = example.corpus.open()
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as folder:
        async with opened(provider, sources, directory=Path(folder)) as engine:
            answer = await Call("search_sessions", ({"query": _SECRET},)).on(engine)
            if answer.answer is None or len(answer.answer["items"]) != 1:
                raise Violation("the session to be found", str(answer))
        if not _holds(Path(folder), _SECRET):
            raise Violation("an index in the directory, with the text", "none")
        persistence.remove("a")
        async with opened(provider, sources, directory=Path(folder)) as engine:
            await _SEARCH.on(engine)
        if _holds(Path(folder), _SECRET):
            raise Violation("no trace of the text in the directory", "it is still there")


def _holds(folder: Path, text: str) -> bool:
    wanted = text.encode()
    return any(wanted in path.read_bytes() for path in folder.rglob("*") if path.is_file())


_TWO_AT_ONCE: Final = (
    "the store is held while this search lists it",
    "a second one waits for its turn, and its signal is aborted",
    "the store is let go",
)


@check(
    "CANCEL-6/waiting",
    _CASE.map(lambda case: CallsOn(case.corpus, case.calls, told=_TWO_AT_ONCE)),
    after=("CANCEL-3/quiescent", "RECON-7/closing"),
)
async def _waiting(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search that waits for its turn leaves when it is aborted, while another one runs on."""
    sources, _, persistence = example.corpus.open()
    async with opened(provider, sources) as engine:
        await in_time(tells_absent(engine))
        for kind in REASONS:
            await _leaves(engine, persistence, kind, len(example.corpus.sessions))


async def _leaves(
    engine: SessionQueryEngine, persistence: MemoryPersistence, kind: Reason, expected: int
) -> None:
    held = Held(persistence)
    first = asyncio.ensure_future(_SEARCH.on(engine))
    await held.reached_by(first)
    calls = len(persistence.reads)
    controller = AbortController()
    second = asyncio.ensure_future(engine.search_sessions({"query": "word"}, controller.signal))
    for _ in range(5):
        await asyncio.sleep(0)
    waits = len(persistence.reads) == calls
    if waits:
        abort_for(kind, controller)
        await asyncio.wait({second}, timeout=1)
    left = second.done() and not first.done()
    held.let_go()
    await ended(first, second)
    raised = None if second.cancelled() else second.exception()
    if waits and not left:
        raise Violation("the waiting search to leave at once", "it waited for the other one")
    if waits and raised is not controller.signal.reason:
        raise Violation(f"the very {kind} of the abort", repr(raised))
    answer = first.result()
    if answer.answer is None or len(answer.answer["items"]) != expected:
        raise Violation("the first search to be answered", str(answer))


@dataclass(frozen=True, slots=True)
class Grown:
    """A corpus that grows until a search of it takes some time.

    Attributes:
        seconds: how long.
        indexed: whether it was searched before, so that nothing is left to be read.
    """

    seconds: float = 0.3
    indexed: bool = False

    def described(self) -> list[str]:
        """Return corpus, call and abort in lines that a person reads."""
        which = "a second" if self.indexed else "the first"
        told = f"call {self.asking(0)}"
        return [
            f"as many sessions as make {which} search take {self.seconds:g} seconds",
            told if len(told) < _SHORT else f"{told[:_SHORT]}… (all words of the texts)",
            "after a quarter of the time that it takes, the signal is aborted",
        ]

    def script(self, subject: str) -> str:
        """Return a program that only has the class; nothing shorter than the check shows this."""
        module, _, name = subject.partition(":")
        return f"from {module} import {name}\n"

    @staticmethod
    def corpus(size: int) -> Corpus:
        """Return a corpus of that many events: half of them in one log, the rest in small ones."""
        texts = [f"word number{at % 97} of many{at % 13} words" for at in range(size // 2)]
        small = [texts[at : at + 20] for at in range(0, len(texts), 20)]
        logs = (session(f"s{number}", log) for number, log in enumerate(small))
        return Corpus((session("long", texts), *logs))

    def asking(self, number: int) -> Call:
        """Return the search, in the form of a number: no two of a second search are the same."""
        if not self.indexed:
            return _ANY
        words = [
            f"{name}{at}" for name, count in (("number", 97), ("many", 13)) for at in range(count)
        ]
        query = " ".join(["word", "of", "words", *words, f"nowhere{number}"])
        return Call("search_sessions", ({"query": query, "match": "any"},))


_ANY: Final = Call("search_sessions", ({"query": "word", "match": "any"},))
_SHORT: Final = 75
_AT_ONCE: Final = 0.1
_TRIES: Final = 4
_LEAST, _MOST = 250, 64_000
_MOST_INDEXED: Final = 16_000
"""So many are indexed within seconds; who searches all of them sooner than asked is let be."""


@check(
    "CANCEL-6/interruptible",
    st.just(Grown()),
    needs=("interruptible",),
    after=("CANCEL-3/quiescent", "SEARCH-1/finds"),
)
async def _interruptible(provider: ProviderUnderTest, example: Grown) -> None:
    """An abort ends a search that is running within 100 ms."""
    await _positive(provider, example)
    corpus, took = await _growing(provider, example)
    # the clock is that of a machine that may stall: who is right is so once, who isn't never is
    for _ in range(_TRIES):
        sources, _, _ = corpus.open()
        async with opened(provider, sources) as engine:
            if await _late(engine, _ANY, took / 4) <= _AT_ONCE:
                return
    raise _too_late()


@check(
    "CANCEL-6/indexed",
    st.just(Grown(indexed=True)),
    needs=("interruptible",),
    after=("CANCEL-6/interruptible",),
)
async def _indexed(provider: ProviderUnderTest, example: Grown) -> None:
    """An abort ends a search that has nothing left to read within 100 ms, too."""
    await _positive(provider, example)
    size, took = _LEAST, 0.0
    while took < example.seconds:
        sources, _, _ = example.corpus(size).open()
        async with opened(provider, sources) as engine:
            await _timed(engine, _ANY)
            took = await _timed(engine, example.asking(0))
            if took >= example.seconds:  # which a machine that stalls can feign
                took = min(took, await _timed(engine, example.asking(1)))
            if took >= example.seconds:
                for number in range(_TRIES):
                    if await _late(engine, example.asking(2 + number), took / 4) <= _AT_ONCE:
                        return
                raise _too_late()
        if size >= _MOST_INDEXED:
            reached("a search of the largest corpus that ends too soon to be aborted")
            return
        size = min(_MOST_INDEXED, _larger(size, example.seconds / took))


async def _positive(provider: ProviderUnderTest, example: Grown) -> None:
    sources, _, _ = example.corpus(40).open()
    async with opened(provider, sources) as engine:
        await tells_absent(engine)


def _too_late() -> Violation:
    expected = f"an end within {_AT_ONCE * 1000:.0f} ms of the abort"
    return Violation(expected, f"a later one, in each of {_TRIES} tries")


def _larger(size: int, short: float) -> int:
    """Return a size for a search that is to take so many times as long as it did."""
    return int(size * min(8, max(1.5, 1.3 * short)))


async def _growing(provider: ProviderUnderTest, example: Grown) -> tuple[Corpus, float]:
    """Return a corpus, and for how many seconds the first search of it runs."""
    size = _LEAST
    while True:
        corpus = example.corpus(size)
        took = await _first(provider, corpus)
        if took >= example.seconds:  # which a machine that stalls can feign
            took = min(took, await _first(provider, corpus))
        if took >= example.seconds:
            return corpus, took
        if size >= _MOST:
            reached("a search of the largest corpus that ends too soon to be aborted")
            return corpus, took
        size = min(_MOST, _larger(size, example.seconds / took))


async def _first(provider: ProviderUnderTest, corpus: Corpus) -> float:
    """Return how long the first search of a corpus takes."""
    sources, _, _ = corpus.open()
    async with opened(provider, sources) as engine:
        return await _timed(engine, _ANY)


async def _timed(engine: SessionQueryEngine, call: Call) -> float:
    """Return how long a search takes, which must find something."""
    began = time.perf_counter()
    answer = await call.on(engine)
    took = time.perf_counter() - began
    if answer.answer is None or not answer.answer["items"]:
        raise Violation("hits for a word that is everywhere", str(answer))
    return took


async def _late(engine: SessionQueryEngine, call: Call, after: float) -> float:
    """Abort a search after some seconds; return for how many more it goes on."""
    controller = AbortController()
    began = time.perf_counter()
    asyncio.get_running_loop().call_later(after, controller.abort)
    with suppress(AbortError):
        await engine.search_sessions(call.arguments[0], controller.signal)
    return time.perf_counter() - began - after
