"""What becomes of a read that fails, and of a batch of which one does (ERR-2, ERR-4, READ-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from hypothesis import strategies as st
from session_query import (
    AbortController,
    ErrorCode,
    PersistenceCorruptionError,
    PersistenceNotFoundError,
    SessionEvent,
    SessionQueryError,
    StoredSession,
)

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._check import Violation, check
from session_query_specs.checks._exact import READS, answers, failed, refused, scene, scenes
from session_query_specs.corpora import Call, CallsOn, Corpus, Session, message, session

__all__: list[str] = []


class _UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


_FAILED: Final = ErrorCode.PERSISTENCE_FAILED
_FAILURES: Final[dict[str, tuple[Callable[[], BaseException], ErrorCode]]] = {
    "finds it damaged": (
        lambda: PersistenceCorruptionError("a", 3, "torn"),
        ErrorCode.CORRUPT_SESSION,
    ),
    "finds it gone": (lambda: PersistenceNotFoundError("a"), ErrorCode.SESSION_NOT_FOUND),
    "can't read it": (lambda: OSError("disk"), _FAILED),
    "is cancelled by nobody": (asyncio.CancelledError, _FAILED),
    "exits": (GeneratorExit, _FAILED),
    "stops": (StopAsyncIteration, _FAILED),
    "raises an error of the service": (
        lambda: SessionQueryError("x", ErrorCode.INVALID_QUERY),
        _FAILED,
    ),
    "raises what can't be printed": (_UnprintableError, _FAILED),
}


def _failing(ways: list[str]) -> st.SearchStrategy[CallsOn]:
    return st.sampled_from(ways).flatmap(lambda how: scenes(*READS, told=how))


@check("ERR-2/inspection", _failing(sorted(_FAILURES)), after=("ERR-2/cause",), weight=2)
async def _inspection(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Each failure of an inspection has its code, its cause, and the header that was listed."""
    await _translated(provider, example, "a")


@check(
    "ERR-2/listing",
    _failing(["can't read it", "finds it gone", "raises what can't be printed"]),
    after=("ERR-2/cause",),
    weight=2,
)
async def _listing(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Whatever a listing raises, the store has failed, and nothing is said of the session."""
    await _translated(provider, example, "list")


async def _translated(provider: ProviderUnderTest, example: CallsOn, step: str) -> None:
    [call] = example.calls
    make, code = _FAILURES[example.told[0]]
    cause = make()

    async def fail(what: str, _signal: object) -> None:
        if what == step:
            raise cause

    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        there.store.before = fail
        error = await failed(there.engine, call)
    if step == "list":
        code = _FAILED
    header = None if step == "list" else example.corpus.sessions[0].header
    if error.code is not code or error.__cause__ is not cause:
        raise Violation(f"{code.value}, caused by the store's own", f"{error.code.value}")
    if error.header != header:
        raise Violation(f"the header {header!r}", repr(error.header))
    _ = str(error)


_HEADER: Final = session("a").header
_WRONG: Final[dict[str, tuple[str, Any]]] = {
    "lists nothing": ("list", None),
    "lists a number": ("list", 5),
    "lists headers": ("list", [_HEADER]),
    "lists None": ("list", [None]),
    "inspects to nothing": ("a", None),
    "inspects to a header": ("a", _HEADER),
    "inspects to no header": ("a", StoredSession(None, [], "1")),  # type: ignore[arg-type]
    "inspects to no events": ("a", StoredSession(_HEADER, None, "1")),  # type: ignore[arg-type]
    "inspects to JSON": ("a", StoredSession(_HEADER, [{"type": "x"}], "1")),  # type: ignore[list-item]
}


@check(
    "ERR-2/wrong-kind",
    st.sampled_from(sorted(_WRONG)).flatmap(lambda how: scenes(READS[0], told=how)),
    after=("ERR-2/cause",),
)
async def _wrong_kind(provider: ProviderUnderTest, example: CallsOn) -> None:
    """What a store answers against its interface is a failure of the store."""
    [call] = example.calls
    step, answer = _WRONG[example.told[0]]
    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        there.store.answers[step] = answer
        error = await failed(there.engine, call)
    if error.code is not _FAILED or error.__cause__ is None:
        raise Violation(f"{_FAILED.value}, with its cause", f"{error!r} of {error.__cause__!r}")


@check("ERR-4/unknown", scenes(*READS, Call("trace_session", ("a",)), told="of what is no id"))
async def _unknown(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An id that no source knows has no header, as none was seen; so has what is no id."""
    [call] = example.calls
    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        for session_id in ("", "B", "a ", None, 5, 1.5):
            asked = Call(call.method, (session_id, *call.arguments[1:]))
            await refused(there.engine, asked, ErrorCode.SESSION_NOT_FOUND, None)


_BREAKS: Final = SessionEvent("user/message", 2, 1, message("no operation"))


@check("READ-1/surface", scenes(*READS, told="of a log that breaks a rule of the surface"))
async def _surface(provider: ProviderUnderTest, example: CallsOn) -> None:
    """All reads but windows and titles refuse a log that breaks a rule of the surface."""
    [call] = example.calls
    one = example.corpus.sessions[0]
    async with scene(provider, example.corpus) as there:
        plain = await answers(there, call)
        there.store.put(one.header, (*one.events, _BREAKS))
        if call.method in {"read_event", "read_title"}:
            if (got := await call.on(there.engine)).answer != plain:
                raise Violation("the same answer", str(got))
            return
        await refused(there.engine, call, ErrorCode.INVALID_SURFACE, one.header)
        if call.method == "trace_event":
            for seq, code in ((9, ErrorCode.EVENT_NOT_FOUND), (2, ErrorCode.INVALID_SURFACE)):
                await refused(there.engine, Call("trace_event", ("a", seq)), code, one.header)


@check(
    "READ-1/detached",
    scenes(READS[0], told="the sources go on afterwards")
    | scenes(READS[0], told="the sources go on afterwards", place="live"),
    after=("READ-1/reads",),
    weight=0.2,
)
async def _detached(provider: ProviderUnderTest, example: CallsOn) -> None:
    """What was returned stays as it is when its source goes on, live or stored."""
    one = example.corpus.sessions[0]
    async with scene(provider, example.corpus) as there:
        await answers(there, example.calls[0])
        kept = [*one.events]
        there.store.answers["a"] = StoredSession(one.header, kept, "1")
        log = await there.engine.read_session("a")
        kept.clear()
        live = there.live.get("a")
        if live is not None:
            live.append("turn/start", {"turn": 1})
        if [*log.events] != [*one.events]:
            raise Violation("the log as it was", f"{[*log.events]}")


def _titled(name: str, title: object = None) -> Session:
    data = {
        "title": name if title is None else title,
        "messageSeqs": [],
        "source": {"kind": "user"},
    }
    events = (SessionEvent("session/title", 0, 1, data),)
    return Session(session(name).header, events)


_BATCH: Final = Corpus(tuple(_titled(name) for name in "abcdefg"))
_ALL: Final = Call("read_titles", ([*"abcdefgh"],))


def _batch(told: str) -> st.SearchStrategy[CallsOn]:
    return st.permutations([*"abcdefgh"]).map(
        lambda names: CallsOn(_BATCH, [Call("read_titles", (names,))], told=(told,))
    )


@check(
    "READ-3/isolated",
    _batch("b is damaged, d unreadable, e badly titled, f replaced, g attached; h is live, bad"),
    after=("READ-3/titles",),
)
async def _isolated(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A session that is damaged, fails or conflicts spoils its own result alone."""
    names = example.calls[0].arguments[0]
    damage, failure = PersistenceCorruptionError("b", 2, "torn"), OSError("disk")
    bad, moved = _titled("e", 5), session("f", cwd="/other")
    async with scene(provider, _BATCH) as there:
        await answers(there, Call("read_titles", ([*"abc"],)))
        there.live.attach(session("h").header, _titled("h", 5).events)
        there.store.put(bad.header, bad.events)

        async def meanwhile(what: str, _signal: object) -> None:
            if what in {"b", "d"}:
                raise damage if what == "b" else failure
            if what == "f":
                there.store.put(moved.header, moved.events)
            if what == "g":
                there.live.attach(session("g").header, _titled("g", "live").events)

        there.store.before = meanwhile
        results = await there.engine.read_titles(names)
    expected = {
        "b": ErrorCode.CORRUPT_SESSION,
        "d": _FAILED,
        "e": ErrorCode.CORRUPT_SESSION,
        "f": ErrorCode.SOURCE_CONFLICT,
        "g": "live",
        "h": ErrorCode.CORRUPT_SESSION,
    }
    told = [(one.session_id, _told(one)) for one in results]
    if told != [(name, expected.get(name, name)) for name in names]:
        raise Violation(f"{expected}, and titles for the others", f"{told}")
    reasons = {one.session_id: one.reason for one in results if one.reason is not None}
    for name, reason in reasons.items():
        if reason.header != session(name).header:
            raise Violation(f"the header of {name!r} with its error", repr(reason.header))
    if reasons["b"].__cause__ is not damage or reasons["d"].__cause__ is not failure:
        raise Violation("the store's own failures as causes", f"{reasons['b'].__cause__!r}")


def _told(result: Any) -> object:
    if result.value is None:
        return result.reason.code
    return result.value.title and result.value.title.title


@check(
    "READ-3/listing-fails",
    _batch("the store can't be listed; b is live, and c becomes so meanwhile"),
    after=("READ-3/titles",),
)
async def _titles_without_listing(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A listing that fails is the result of each stored id; live ones are told all the same."""
    names = example.calls[0].arguments[0]
    async with scene(provider, _BATCH) as there:
        await answers(there, Call("read_titles", ([*"abc"],)))
        there.live.attach(session("b").header, _titled("b", "live").events)

        async def fail(_what: str, _signal: object) -> None:
            if there.live.get("c") is None:
                there.live.attach(session("c").header, _titled("c", "now live").events)
            raise OSError("disk")

        there.store.before = fail
        results = await there.engine.read_titles(names)
        told = {one.session_id: _told(one) for one in results}
        if there.store.reads != ["list"]:
            raise Violation("one listing and no inspection", f"{there.store.reads}")
    expected = {**dict.fromkeys(names, _FAILED), "b": "live", "c": "now live"}
    if told != expected:
        raise Violation(f"{expected}", f"{told}")


@check(
    "READ-3/one-title",
    scenes(Call("read_title", ("a",)), told="then with a title that is none"),
    after=("READ-3/titles",),
    weight=0.2,
)
async def _one_title(provider: ProviderUnderTest, example: CallsOn) -> None:
    """`read_title` returns what was observed of one id, or raises what went wrong with it."""
    [call] = example.calls
    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        there.store.put(session("a").header, _titled("a", "t").events)
        found = await there.engine.read_title("a")
        if found.title is None or found.title.title != "t":
            raise Violation("the title 't'", f"{found}")
        there.store.put(session("a").header, _titled("a", 5).events)
        await refused(there.engine, call, ErrorCode.CORRUPT_SESSION, session("a").header)


_NO_FILTERS: Final[list[Any]] = [5]
_WRONG_CALLS: Final = (
    *READS,
    Call("filter_sessions", (_NO_FILTERS,)),
    Call("read_session", ("nobody",)),
    Call("list_events", (5,)),
    Call("filter_events", ("a", _NO_FILTERS)),
    Call("read_event", ("a", -1, -1, -1)),
    Call("read_titles", ("a",)),
    Call("trace_session", ("nobody",)),
    Call("trace_event", ("a", -1)),
)


@check(
    "CANCEL-2/before-anything",
    scenes(*_WRONG_CALLS, told="with a signal that is aborted already")
    | scenes(*_WRONG_CALLS, told="with a signal that is aborted already", place="live"),
    after=("CANCEL-2/aborted",),
)
async def _before_anything(provider: ProviderUnderTest, example: CallsOn) -> None:
    """An aborted signal raises its reason before arguments are judged, and of live sessions too."""
    [call] = example.calls
    controller, reason = AbortController(), LookupError("the reason of this abort")
    controller.abort(reason)
    async with scene(provider, example.corpus) as there:
        await answers(there, READS[0])
        try:
            await getattr(there.engine, call.method)(*call.arguments, signal=controller.signal)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must be the reason
            if error is not reason:
                raise Violation("the very reason of the abort", repr(error)) from None
        else:
            raise Violation("the very reason of the abort", "an answer")
        if there.store.reads:
            raise Violation("no call of the store", f"{there.store.reads}")


@dataclass(frozen=True, slots=True)
class _Ending:
    """A read whose store fails, and how it is ended in the middle."""

    on: CallsOn
    step: str
    how: str

    @property
    def told(self) -> tuple[str, ...]:
        """What happens besides, in lines that a person reads."""
        return self.on.told

    def described(self) -> list[str]:
        """Return corpus, read and ending in lines that a person reads."""
        read = replace(self.on, told=()).described()
        return [*read, f"{self.how} during store call {self.step!r}, which fails", *self.told]

    def script(self, subject: str) -> str:
        """Return a program that makes the read."""
        return self.on.script(subject)


@check(
    "CANCEL-3/failing",
    st.builds(
        _Ending,
        scenes(READS[0], READS[6], Call("read_titles", (["a", "b"],)), told="ended meanwhile"),
        st.sampled_from(["list", "a"]),
        st.sampled_from(["abort", "cancel"]),
    ),
    after=("CANCEL-3/quiescent",),
)
async def _failing_meanwhile(provider: ProviderUnderTest, example: _Ending) -> None:
    """An abort or a cancellation that lands is what is raised, though the store has failed."""
    [call] = example.on.calls
    controller, reason = AbortController(), LookupError("the reason of this abort")
    async with scene(provider, example.on.corpus) as there:
        await answers(there, call)

        async def read() -> object:
            signal = controller.signal
            return await getattr(there.engine, call.method)(*call.arguments, signal=signal)

        task = asyncio.ensure_future(read())

        async def end(what: str, _signal: object) -> None:
            if what == example.step:
                controller.abort(reason) if example.how == "abort" else task.cancel()
                raise OSError("disk")

        there.store.before = end
        await asyncio.wait([task])
    if example.how == "cancel" and not task.cancelled():
        raise Violation("CancelledError", repr(task.exception() or "an answer"))
    if example.how == "abort" and (task.cancelled() or task.exception() is not reason):
        raise Violation("the very reason of the abort", "another end")
