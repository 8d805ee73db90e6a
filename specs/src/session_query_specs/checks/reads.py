"""Exact reads over the logical corpus (CORPUS-2 to CORPUS-6, READ-1 to READ-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode, SessionEvent, SessionQueryError

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import store_calls
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.corpora import Call, CallsOn, Corpus, Session, opened, session

__all__: list[str] = []

_WORDS: Final = st.sampled_from(["word", "two words", "emoji 👩‍👩‍👧", "权限", ""])
_TITLES: Final = ("A title", "Another title")


@st.composite
def _sessions(draw: st.DrawFn, name: str) -> Session:
    texts = draw(st.lists(_WORDS, max_size=4))
    made = session(
        name,
        texts,
        place=draw(st.sampled_from(["stored", "live", "both"])),
        cwd=draw(st.sampled_from([None, "/w", "/v"])),
        created_at=draw(st.integers(0, 3)),
    )
    titles = [
        SessionEvent(
            "session/title",
            len(texts) + number,
            10,
            {"title": title, "messageSeqs": [0], "source": {"kind": "user"}},
        )
        for number, title in enumerate(draw(st.sampled_from([(), _TITLES[:1], _TITLES])))
    ]
    return Session(made.header, (*made.events, *titles), made.place)


@st.composite
def _corpora(draw: st.DrawFn) -> Corpus:
    names = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
    return Corpus(tuple(draw(_sessions(name)) for name in names))


def _cases(*calls: Call) -> st.SearchStrategy[CallsOn]:
    return st.builds(CallsOn, _corpora(), st.just(calls))


def _asked(
    calls: Callable[[Sequence[Session]], Sequence[Call]], told: str = ""
) -> st.SearchStrategy[CallsOn]:
    """Draw a corpus, with the calls that follow from its sessions."""
    notes = (told,) if told else ()
    return _corpora().map(lambda corpus: CallsOn(corpus, calls(corpus.sessions), told=notes))


def _each_read(sessions: Sequence[Session]) -> list[Call]:
    return [Call("read_session", (one.header.id,)) for one in sessions]


def _all_titles(sessions: Sequence[Session]) -> list[Call]:
    names = [one.header.id for one in sessions]
    return [Call("read_titles", ([*reversed(names), "nowhere", *names],))]


def _json(one: Session) -> dict[str, Any]:
    return {
        "header": one.header.to_json(),
        "live": one.place != "stored",
        "persisted": one.place != "live",
    }


def _in_terms(records: Sequence[dict[str, Any]]) -> str:
    """Return a list of sessions as a person reads it."""
    return (
        "; ".join(
            f"{one['header']['id']} ({'live' * one['live']}{' stored' * one['persisted']})"
            f" of {one['header']['createdAt']}".replace("( ", "(")
            for one in records
        )
        or "no sessions"
    )


@check("READ-1/reads", _asked(_each_read))
async def _reads(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A session is read exactly as it was put, wherever it is kept."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        for one in example.corpus.sessions:
            log = await engine.read_session(one.header.id)
            if log.header != one.header:
                raise Violation(f"the header {one.header.to_json()}", f"{log.header.to_json()}")
            expected = [event.to_json() for event in one.events]
            got = [event.to_json() for event in log.events]
            if len(got) != len(expected):
                raise Violation(f"{len(expected)} events of {one.header.id!r}", f"{len(got)}")
            for wanted, found in zip(expected, got, strict=True):
                if wanted != found:
                    raise Violation(f"the event {wanted}", f"{found}")


@check(
    "READ-1/unknown",
    _asked(lambda given: [*_each_read(given[:1]), Call("read_session", ("nowhere",))]),
)
async def _unknown(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An id that no source knows is told by its code, while one that is known is read."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources) as engine:
        await engine.read_session(example.corpus.sessions[0].header.id)
        answer = await Call("read_session", ("nowhere",)).on(engine)
        if answer.code != ErrorCode.SESSION_NOT_FOUND.value:
            raise Violation(ErrorCode.SESSION_NOT_FOUND.value, answer.code or "an answer")


@check("CORPUS-6/order", _cases(Call("list_sessions")), after=("READ-1/reads",))
async def _order(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Sessions are listed newest first, then by id, each once, without reading a log."""
    sources, _, persistence = example.corpus.open()
    ordered = sorted(
        example.corpus.sessions, key=lambda one: (-one.header.created_at, one.header.id)
    )
    if len({one.header.created_at for one in ordered}) < len(ordered):
        reached("two sessions of the same time")
    async with opened(provider, sources) as engine:
        persistence.reads.clear()
        listed = [record.to_json() for record in await engine.list_sessions()]
        expected = [_json(one) for one in ordered]
        if listed != expected:
            if _in_terms(listed) != _in_terms(expected):
                raise Violation(_in_terms(expected), _in_terms(listed))
            raise Violation(f"{expected}", f"{listed}")
        if set(persistence.reads) - {"list"}:
            raise Violation("no log to be read", store_calls(persistence.reads))


@check("CORPUS-4/live", _asked(_each_read, "the store fails at each call"), after=("READ-1/reads",))
async def _live(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A live session is read without a call of the store, and so beside a broken one."""
    sources, _, persistence = example.corpus.open()

    async def broken(what: str, _signal: object) -> None:
        raise OSError(f"the store is broken, and was asked for {what}")

    async with opened(provider, sources) as engine:
        persistence.before = broken
        for one in example.corpus.sessions:
            answer = await Call("read_session", (one.header.id,)).on(engine)
            if one.place == "stored":
                if answer.code != ErrorCode.PERSISTENCE_FAILED.value:
                    raise Violation(ErrorCode.PERSISTENCE_FAILED.value, answer.code or "an answer")
            elif answer.code is not None:
                raise Violation("the live session", answer.code)


@check(
    "CORPUS-3/conflict",
    _asked(
        lambda given: [Call("list_sessions"), Call("trace_session", (given[0].header.id,))],
        "the first session is live, and stored with another header",
    ),
    after=("READ-1/reads",),
)
async def _conflict(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An id whose live and stored headers differ is left out of lists and refused by its code."""
    first = example.corpus.sessions[0].header.id
    sources, store, persistence = example.corpus.open()
    if store.get(first) is None:
        store.attach(example.corpus.sessions[0].header, example.corpus.sessions[0].events)
    other = session(first, ["word"], cwd="/another", created_at=77)
    persistence.put(other.header, other.events)
    others = {one.header.id for one in example.corpus.sessions} - {first}
    async with opened(provider, sources) as engine:
        listed = {record.header.id for record in await engine.list_sessions()}
        if listed != others:
            raise Violation(f"the sessions {sorted(others)}", f"{sorted(listed)}")
        answer = await Call("trace_session", (first,)).on(engine)
        if answer.code != ErrorCode.SOURCE_CONFLICT.value:
            raise Violation(ErrorCode.SOURCE_CONFLICT.value, answer.code or "an answer")


@check(
    "READ-2/window",
    st.builds(
        CallsOn,
        st.integers(1, 6).map(lambda count: Corpus((session("a", ["word"] * count),))),
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)).map(
            lambda given: (Call("read_event", ("a", *given)),)
        ),
    ),
    weight=2,
)
async def _window(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An event comes with as many neighbours as were asked for, clipped to the log."""
    [answer] = await example.outcomes(provider)
    [only] = example.corpus.sessions
    _, seq, before, after = example.calls[0].arguments
    if seq >= len(only.events):
        reached("a seq beyond the log")
        if answer.code != ErrorCode.EVENT_NOT_FOUND.value:
            raise Violation(ErrorCode.EVENT_NOT_FOUND.value, answer.code or "an answer")
        return
    first, last = max(0, seq - before), min(len(only.events) - 1, seq + after)
    expected = [event.to_json() for event in only.events[first : last + 1]]
    got = answer.answer
    if got is None:
        raise Violation(f"events {first} to {last}", f"{answer.code}")
    if (got["startSeq"], got["endSeq"]) != (first, last) or len(got["events"]) != len(expected):
        found = [event["seq"] for event in got["events"]]
        told = f"events {found}, told to be {got['startSeq']} to {got['endSeq']}"
        raise Violation(f"events {first} to {last}", told)
    if got["events"] != expected:
        raise Violation(f"{expected}", f"{got['events']}")


@check(
    "READ-2/invalid-window",
    st.builds(
        CallsOn,
        st.just(Corpus((session("a", ["word"]),))),
        st.sampled_from([-1, 51, 10**30, 1.5, "1", True, None]).flatmap(
            lambda wrong: st.sampled_from(
                [(Call("read_event", ("a", 0, wrong)),), (Call("read_event", ("a", 0, 0, wrong)),)]
            )
        ),
    ),
)
async def _invalid_window(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A window that can't be is refused by its code, before a source is touched."""
    sources, _, persistence = example.corpus.open()
    async with opened(provider, sources) as engine:
        await engine.read_event("a", 0)
        persistence.reads.clear()
        answer = await example.calls[0].on(engine)
        if answer.code != ErrorCode.INVALID_WINDOW.value:
            raise Violation(ErrorCode.INVALID_WINDOW.value, answer.code or "an answer")
        if persistence.reads:
            raise Violation("no call of the store", store_calls(persistence.reads))


@check("READ-3/titles", _asked(_all_titles), weight=2)
async def _titles(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A batch of titles gives each id's last title once, in order, from one listing."""
    sources, _, persistence = example.corpus.open()
    names = [one.header.id for one in example.corpus.sessions]
    asked = [*reversed(names), "nowhere", *names]
    titles = {one.header.id: _title_of(one) for one in example.corpus.sessions}
    async with opened(provider, sources) as engine:
        persistence.reads.clear()
        results = await engine.read_titles(asked)
        got = [(result.session_id, _told(result)) for result in results]
        expected = [(name, titles[name]) for name in reversed(names)]
        expected.append(("nowhere", ErrorCode.SESSION_NOT_FOUND.value))
        if got != expected:
            raise Violation(f"{expected}", f"{got}")
        if persistence.reads.count("list") > 1:
            raise Violation("one listing", f"{persistence.reads.count('list')} of them")
        if len(persistence.reads) != len(set(persistence.reads)):
            raise Violation("each log to be read once", store_calls(persistence.reads))


def _title_of(one: Session) -> str | None:
    """Return the title that the last event of a log sets, if it sets one."""
    if not one.events or one.events[-1].type != "session/title":
        return None
    return str(one.events[-1].to_json()["data"]["title"])


def _told(result: Any) -> str | None:
    if result.value is None:
        return result.reason.code.value  # type: ignore[no-any-return]
    return None if result.value.title is None else str(result.value.title.title)


def _many(count: int) -> CallsOn:
    names = [f"s{number}" for number in range(count)]
    corpus = Corpus(tuple(session(name, ["word"]) for name in names))
    return CallsOn(corpus, [Call("read_titles", (names,))])


@check("READ-3/at-most", st.integers(5, 9).map(_many), after=("READ-3/titles",))
async def _at_most(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A batch of titles inspects at most four logs at once."""
    sources, _, persistence = example.corpus.open()
    running = most = 0

    async def busy(what: str, _signal: object) -> None:
        nonlocal running, most
        if what == "list":
            return
        running += 1
        most = max(most, running)
        for _ in range(3):
            await asyncio.sleep(0)
        running -= 1

    async with opened(provider, sources) as engine:
        persistence.before = busy
        names = [one.header.id for one in example.corpus.sessions]
        results = await engine.read_titles(names)
        if [result.session_id for result in results] != names:
            raise Violation(f"a result for each of {names}", f"{len(results)} results")
        if not 1 <= most <= 4:  # noqa: PLR2004 - the contract's own number
            raise Violation("at most 4 inspections at once", f"{most}")


@check(
    "ERR-4/header",
    _asked(
        lambda given: [Call("read_event", (given[0].header.id, len(given[0].events) + 5))],
        "its error is looked at",
    ),
    after=("READ-1/reads",),
)
async def _header(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An error about one session carries the header that was seen of it."""
    sources, _, _ = example.corpus.open()
    one = example.corpus.sessions[0]
    async with opened(provider, sources) as engine:
        await engine.read_session(one.header.id)
        try:
            await engine.read_event(one.header.id, len(one.events) + 5)
        except SessionQueryError as error:
            if error.header != one.header:
                raise Violation(f"the header of {one.header.id!r}", repr(error.header)) from None
        else:
            raise Violation("an error", "an answer")
