"""Sources that change or fail under a read (CORPUS-2, CORPUS-5, ERR-2, ERR-5, RECON-7)."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from hypothesis import strategies as st
from session_query import ErrorCode, SessionQueryError

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._controls import ABSENT, tells_absent
from session_query_specs.checks._held import Held, ended, in_time
from session_query_specs.corpora import Call, CallsOn, Corpus, opened, session

__all__: list[str] = []

_STORED: Final = session("a", ["word", "word again"], cwd="/w")
_CORPUS: Final = Corpus((_STORED, session("b", ["word"], cwd="/w")))

_READS: Final = (
    Call("read_session", ("a",)),
    Call("read_event", ("a", 1)),
    Call("list_events", ("a",)),
    Call("read_surface", ("a",)),
    Call("trace_event", ("a", 0)),
    Call("read_title", ("a",)),
)


def _cases(*calls: Call, told: str = "") -> st.SearchStrategy[CallsOn]:
    each = st.sampled_from(calls).map(lambda call: [call])
    notes = (told,) if told else ()
    return st.builds(CallsOn, st.just(_CORPUS), each, told=st.just(notes))


@check(
    "CORPUS-2/both",
    _cases(Call("list_sessions"), told="'a' is live as well, with one event more"),
    after=("READ-1/reads",),
)
async def _both(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A session that is live and stored is one, read from the live log, and told as both."""
    sources, store, _ = example.corpus.open()
    live = store.attach(_STORED.header, _STORED.events)
    live.append("step/start", {"turn": 1, "step": 1}, time=7)
    async with opened(provider, sources) as engine:
        listed = [
            (record.header.id, record.live, record.persisted)
            for record in await engine.list_sessions()
        ]
        if sorted(listed) != [("a", True, True), ("b", False, True)]:
            raise Violation("'a' live and persisted, 'b' persisted", f"{listed}")
        log = await engine.read_session("a")
        if len(log.events) != len(_STORED.events) + 1:
            raise Violation("the live log, with one event more", f"{len(log.events)} events")


@check(
    "CORPUS-5/replaced",
    _cases(*_READS, told="asked again, 'a' becomes another session once it is listed"),
    after=("READ-1/reads",),
)
async def _replaced(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A log that turns out to be another session's than the listed one is refused."""
    sources, _, persistence = example.corpus.open()
    [call] = example.calls
    other = session("a", ["secret"], cwd="/another", created_at=77)

    async def replace(what: str, _signal: object) -> None:
        if what == "a":
            persistence.put(other.header, other.events)

    async with opened(provider, sources) as engine:
        answer = await call.on(engine)
        if answer.code is not None:
            raise Violation("an answer", answer.code)
        persistence.before = replace
        answer = await call.on(engine)
        if answer.code != ErrorCode.SOURCE_CONFLICT.value:
            raise Violation(ErrorCode.SOURCE_CONFLICT.value, str(answer))


@check(
    "CORPUS-5/attached",
    _cases(*_READS, told="at the first call of the store, 'a' becomes live and the store breaks"),
    after=("CORPUS-5/replaced",),
)
async def _attached(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A session that a live owner takes up during a read is read from the live log."""
    sources, store, persistence = example.corpus.open()

    async def attach(what: str, _signal: object) -> None:
        if store.get("a") is None:
            reached(f"taken up during {what!r}")
            store.attach(_STORED.header, _STORED.events)
        raise OSError("the store broke just then")

    async with opened(provider, sources) as engine:
        persistence.before = attach
        answer = await example.calls[0].on(engine)
        if answer.code is not None:
            raise Violation("the live session", answer.code)


@check(
    "ERR-2/cause",
    _cases(*_READS, told="asked again, the store fails with an OSError"),
    after=("READ-1/reads",),
)
async def _cause(provider: ProviderUnderTest, example: CallsOn) -> None:
    """The failure of a store is the cause of what is raised."""
    sources, _, persistence = example.corpus.open()
    [call] = example.calls
    failure = OSError("the store is broken")

    async def fail(_what: str, _signal: object) -> None:
        raise failure

    async with opened(provider, sources) as engine:
        answer = await call.on(engine)
        if answer.code is not None:
            raise Violation("an answer", answer.code)
        absent = await Call(call.method, (ABSENT, *call.arguments[1:])).on(engine)
        if absent.code != ErrorCode.SESSION_NOT_FOUND.value:
            raise Violation(ErrorCode.SESSION_NOT_FOUND.value, str(absent))
        persistence.before = fail
        try:
            await getattr(engine, call.method)(*call.arguments)
        except SessionQueryError as error:
            causes: list[BaseException] = [error]
            while causes[-1].__cause__ is not None:
                causes.append(causes[-1].__cause__)
            if error.code != ErrorCode.PERSISTENCE_FAILED or failure not in causes:
                raise Violation(
                    "SESSION_QUERY_PERSISTENCE_FAILED, caused by the store's own exception",
                    f"{error.code.value}, caused by {causes[1:]!r}",
                ) from None
        else:
            raise Violation("an error", "an answer")


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@check(
    "ERR-5/one-record",
    _cases(
        Call("search_sessions", ({"query": "word"},)),
        told="twice; 'a' is live as well, with another header",
    ),
)
async def _one_record(provider: ProviderUnderTest, example: CallsOn) -> None:
    """What a search leaves out is told in one warning, with the session and the code."""
    sources, store, _ = example.corpus.open()
    other = session("a", ["word"], cwd="/another", created_at=77)
    store.attach(other.header, other.events)
    heard, logger = _Records(), logging.getLogger("session_query")
    level, propagates = logger.level, logger.propagate
    logger.addHandler(heard)
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    try:
        async with opened(provider, sources) as engine:
            for _ in range(2):
                answer = await example.calls[0].on(engine)
                ids = [hit["header"]["id"] for hit in (answer.answer or {"items": []})["items"]]
                if ids != ["b"]:
                    raise Violation("'b' to be found", str(answer))
            await tells_absent(engine)
    finally:
        logger.removeHandler(heard)
        logger.setLevel(level)
        logger.propagate = propagates
    told = [
        (record.levelname, vars(record).get("session_id"), str(vars(record).get("code")))
        for record in heard.records
    ]
    expected = [("WARNING", "a", ErrorCode.SOURCE_CONFLICT.value)]
    if told != expected:
        raise Violation(f"{expected}", f"{told}")


@check(
    "RECON-7/closing",
    _cases(
        Call("search_sessions", ({"query": "word"},)),
        told="it is closed while that search lists the store, and then asked again",
    ),
    after=("SEARCH-1/finds",),
)
async def _closing(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Closing waits for the search that was accepted, and refuses the ones after it."""
    sources, _, persistence = example.corpus.open()
    [call] = example.calls
    async with opened(provider, sources) as engine:
        await in_time(tells_absent(engine))
        held = Held(persistence)
        search = asyncio.ensure_future(call.on(engine))
        await held.reached_by(search)
        closing = asyncio.ensure_future(engine.close())
        for _ in range(5):
            await asyncio.sleep(0)
        waits = not closing.done()
        held.let_go()
        await ended(search, closing)
        if not waits:
            raise Violation("close() to wait for the search", "it returned")
        answer = search.result()
        if answer.answer is None or len(answer.answer["items"]) != len(example.corpus.sessions):
            raise Violation("the accepted search to be answered", str(answer))
        closing.result()
        late = await call.on(engine)
        if late.code != ErrorCode.INDEX_FAILED.value:
            raise Violation(ErrorCode.INDEX_FAILED.value, str(late))
