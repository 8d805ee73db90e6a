"""What is claimed beyond the contract of every provider (INDEX-5, INDEX-9, CANCEL-6)."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Final

from hypothesis import strategies as st
from session_query import AbortController

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, check
from session_query_specs.checks._controls import tells_absent
from session_query_specs.checks._held import Held, ended, in_time
from session_query_specs.corpora import Call, CallsOn, Corpus, opened, session

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


@check("CANCEL-6/waiting", _CASE, after=("CANCEL-3/quiescent", "RECON-7/closing"))
async def _waiting(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A search that waits for its turn leaves when it is aborted, while another one runs on."""
    sources, _, persistence = example.corpus.open()
    async with opened(provider, sources) as engine:
        await in_time(tells_absent(engine))
        held = Held(persistence)
        first = asyncio.ensure_future(_SEARCH.on(engine))
        await held.reached_by(first)
        calls = len(persistence.reads)
        controller, reason = AbortController(), LookupError("the reason of this abort")
        second = asyncio.ensure_future(engine.search_sessions({"query": "word"}, controller.signal))
        for _ in range(5):
            await asyncio.sleep(0)
        waits = len(persistence.reads) == calls
        if waits:
            controller.abort(reason)
            await asyncio.wait({second}, timeout=1)
        left = second.done() and not first.done()
        held.let_go()
        await ended(first, second)
        raised = None if second.cancelled() else second.exception()
        if waits and not left:
            raise Violation("the waiting search to leave at once", "it waited for the other one")
        if waits and raised is not reason:
            raise Violation("the very reason of the abort", repr(raised))
        answer = first.result()
        if answer.answer is None or len(answer.answer["items"]) != len(example.corpus.sessions):
            raise Violation("the first search to be answered", str(answer))
