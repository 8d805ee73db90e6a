"""Which source a read is answered from, whatever happens to both meanwhile (CORPUS-1 to -6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode, PersistedSnapshot, SessionHeader

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import store_calls
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._exact import (
    READS,
    Scene,
    answers,
    failed,
    refused,
    scene,
    scenes,
)
from session_query_specs.corpora import Call, CallsOn, Corpus, Session, session

__all__: list[str] = []

_LISTING: Final = Call("list_sessions")
_LISTINGS: Final = (_LISTING, Call("filter_sessions", ([],)), Call("trace_session", ("b",)))
_OTHER: Final = session("a", ["secret"], cwd="/other")
_NEWER: Final = session("a", ["new", "newer"])
_STEPS: Final = st.sampled_from(["list", "a"])


@dataclass(frozen=True, slots=True)
class _During:
    """A read, and the store call during which something happens."""

    calls_on: CallsOn
    step: str

    @property
    def told(self) -> tuple[str, ...]:
        """What happens, in lines that a person reads."""
        return self.calls_on.told

    def described(self) -> list[str]:
        """Return corpus, read and moment in lines that a person reads."""
        read = replace(self.calls_on, told=()).described()
        return [*read, f"during {store_calls([self.step])} of it", *self.told]

    def script(self, subject: str) -> str:
        """Return a program that makes the read."""
        return self.calls_on.script(subject)


def _during(told: str, *calls: Call) -> st.SearchStrategy[_During]:
    return st.builds(_During, scenes(*calls, told=told), _STEPS)


@check(
    "CORPUS-4/each-read",
    scenes(*READS, Call("read_titles", (["a"],)), told="while the store is broken", place="live"),
    after=("CORPUS-4/live",),
)
async def _needs_no_store(provider: ProviderUnderTest, example: CallsOn) -> None:
    """No read of a live session asks the store, broken and of another opinion as it may be."""
    [call] = example.calls

    async def broken(_what: str, _signal: object) -> None:
        raise OSError("disk")

    async with scene(provider, example.corpus) as there:
        plain = await answers(there, call)
        there.store.put(_OTHER.header, _OTHER.events)
        there.store.before = broken
        if (again := await call.on(there.engine)).answer != plain:
            raise Violation("the same answer", str(again))
        if there.store.reads:
            raise Violation("no call of the store", store_calls(there.store.reads))


@check("CORPUS-5/one-each", scenes(*READS, told="which of the store's calls it makes"))
async def _one_each(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A read of a stored session lists once, then inspects that session alone, once."""
    [call] = example.calls
    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        await call.on(there.engine)
        if there.store.reads != ["list", "a"]:
            raise Violation("one listing and one inspection", store_calls(there.store.reads))
        if None in there.store.signals:
            raise Violation("a signal in each call of the store", "none")


@check(
    "CORPUS-5/attached-log",
    st.tuples(_during("a live owner attaches", READS[0]), st.booleans()).map(
        lambda pair: replace(pair[0], step=f"{pair[0].step}{'!' * pair[1]}")
    ),
    after=("CORPUS-5/attached",),
)
async def _attached(provider: ProviderUnderTest, example: _During) -> None:
    """Where a live owner attaches during a read, its log is the answer; no more is asked."""
    [call] = example.calls_on.calls
    step = example.step.removesuffix("!")

    async with scene(provider, example.calls_on.corpus) as there:
        await answers(there, call)

        async def attach(what: str, _signal: object) -> None:
            if what == step:
                there.live.attach(_NEWER.header, _NEWER.events)
                if example.step != step:
                    raise OSError("disk")

        there.store.before = attach
        log = await there.engine.read_session("a")
        if [*log.events] != [*_NEWER.events]:
            raise Violation("the log of the live owner", f"{[*log.events]}")
        if there.store.reads != ["list", "a"][: 1 + (step == "a")]:
            raise Violation("no further call of the store", store_calls(there.store.reads))


@check("CORPUS-5/another-owner", _during("an owner of another session attaches", *READS))
async def _another_owner(provider: ProviderUnderTest, example: _During) -> None:
    """Where what attaches meanwhile can't be the listed session, the read is refused."""
    [call] = example.calls_on.calls
    async with scene(provider, example.calls_on.corpus) as there:
        await answers(there, call)

        def attach(what: str) -> None:
            if what == example.step:
                there.live.attach(_OTHER.header, _OTHER.events)

        there.store.after = attach
        await refused(there.engine, call, ErrorCode.SOURCE_CONFLICT, _OTHER.header)


@check("CORPUS-5/owner-goes", scenes(*READS, told="an owner attaches and leaves meanwhile"))
async def _owner_goes(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A session that is attached and detached again while it is read is read from the store."""
    [call] = example.calls
    async with scene(provider, example.corpus) as there:
        plain = await answers(there, call)

        async def come(what: str, _signal: object) -> None:
            if what == "list":
                there.live.attach(_NEWER.header, ())

        there.store.before = come
        there.store.after = lambda what: there.live.detach("a") if what == "list" else None
        if (got := await call.on(there.engine)).answer != plain:
            raise Violation("the answer from the store", str(got))


@check("CORPUS-5/changed", scenes(*READS, told="another session of that id is stored meanwhile"))
async def _changed(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A log whose header can't be that of the listing is refused, with the listed header."""
    [call] = example.calls
    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        same = SessionHeader(
            0, "a", _NEWER.header.created_at, None, None, agent_preset="p", origin="subagent"
        )
        there.store.after = lambda _what: there.store.put(same, example.corpus.sessions[0].events)
        outcome = await call.on(there.engine)
        if outcome.code is not None:
            raise Violation("an answer: preset and origin are no identity", outcome.code)
        there.store.put(*_stored(example))
        there.store.after = lambda _what: there.store.put(_OTHER.header, _OTHER.events)
        await refused(
            there.engine, call, ErrorCode.SOURCE_CONFLICT, example.corpus.sessions[0].header
        )


def _stored(example: CallsOn) -> tuple[SessionHeader, Any]:
    one = example.corpus.sessions[0]
    return one.header, one.events


@check(
    "CORPUS-1/one-store",
    st.tuples(
        _during("another store is mounted, or none", READS[0], *_LISTINGS[:2]), st.booleans()
    ).map(lambda pair: replace(pair[0], step=f"{pair[0].step}{'!' * pair[1]}")),
    after=("CORPUS-1/mounting",),
)
async def _one_store(provider: ProviderUnderTest, example: _During) -> None:
    """A read keeps to the store that was mounted when it began."""
    [call] = example.calls_on.calls
    step, emptied = example.step.removesuffix("!"), example.step.endswith("!")
    async with scene(provider, example.calls_on.corpus) as there:
        plain = await answers(there, call)
        other = type(there.store)()

        async def swap(what: str, _signal: object) -> None:
            if what == step:
                there.sources.unmount() if emptied else there.sources.mount(other)

        there.store.before = swap
        if (got := await call.on(there.engine)).answer != plain:
            raise Violation("the answer of the store that it began with", str(got))
        if other.reads:
            raise Violation("no call of the store mounted later", store_calls(other.reads))


@st.composite
def _headers(draw: st.DrawFn) -> SessionHeader:
    odd = ("a", "b", "B", "é", "\ud800", "\U00010000", "\uffff")
    return SessionHeader(
        0,
        draw(st.sampled_from(odd)),
        draw(st.integers(0, 3)),
        draw(st.sampled_from([None, "/w"])),
        origin=draw(st.sampled_from([None, "subagent"])),
        delegation_depth=draw(st.sampled_from([None, 0, 1])),
    )


@dataclass(frozen=True, slots=True)
class _Both:
    """What is live, and what is stored; the same id may differ."""

    live: tuple[SessionHeader, ...]
    stored: tuple[SessionHeader, ...]

    def described(self) -> list[str]:
        """Return both in lines that a person reads."""
        both = (("live", self.live), ("stored", self.stored))
        return [f"{where}: {one.to_json()}" for where, headers in both for one in headers]

    def script(self, subject: str) -> str:
        """Return a program that lists what is stored."""
        corpus = Corpus(tuple(Session(one, ()) for one in self.stored))
        return CallsOn(corpus, [_LISTING]).script(subject)


_UNIQUE: Final = st.lists(_headers(), max_size=6, unique_by=lambda one: one.id).map(tuple)


@check("CORPUS-2/union", st.builds(_Both, _UNIQUE, _UNIQUE), after=("CORPUS-6/order",), weight=3)
async def _union(provider: ProviderUnderTest, example: _Both) -> None:
    """A listing has each id on which both sources agree, once, with the live header."""
    live, stored = ({one.id: one for one in kept} for kept in (example.live, example.stored))
    known = Session(SessionHeader(0, "known", 9), ())
    expected = [{"header": known.header.to_json(), "live": False, "persisted": True}]
    agreed = []
    for name in live.keys() | stored.keys():
        one, other = live.get(name), stored.get(name)
        if one and other and not one.compatible_with(other):
            reached("a conflict")
            continue
        agreed.append((one or other, one is not None, other is not None))
    agreed.sort(key=lambda one: (-one[0].created_at, [*map(ord, one[0].id)]))  # type: ignore[union-attr]
    for header, is_live, is_stored in agreed:
        form = header.to_json()  # type: ignore[union-attr]
        expected.append({"header": form, "live": is_live, "persisted": is_stored})
    stored_ones = (Session(one, ()) for one in example.stored)
    async with scene(provider, Corpus((known, *stored_ones))) as there:
        for one in example.live:
            there.live.attach(one, ())
        got = await answers(there, _LISTING)
        if got != expected:
            raise Violation(f"{expected}", f"{got}")
        await _LISTING.on(there.engine)
        if there.store.reads != ["list"]:
            raise Violation("one listing", store_calls(there.store.reads))


@check(
    "CORPUS-3/twins",
    scenes(READS[0], READS[5], Call("trace_session", ("a",)), told="the store lists 'a' twice"),
    after=("CORPUS-3/conflict",),
)
async def _twins(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A store that lists an id with two headers that differ has no session of that id."""
    [call] = example.calls
    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        snapshots = [*await there.store.list_snapshots()]
        there.store.answers["list"] = [*snapshots, PersistedSnapshot(_OTHER.header, "1")]
        listed = [one.header.id for one in await there.engine.list_sessions()]
        if listed != ["b"]:
            raise Violation("the session 'b' alone", f"{listed}")
        answer = await call.on(there.engine)
        if answer.code != ErrorCode.SOURCE_CONFLICT.value:
            raise Violation(ErrorCode.SOURCE_CONFLICT.value, str(answer))


@check(
    "CORPUS-4/listing-fails",
    scenes(*_LISTINGS, told="while the store can't be listed", place="live"),
    after=("CORPUS-4/live",),
)
async def _listing_fails(provider: ProviderUnderTest, example: CallsOn) -> None:
    """While the store can't be listed, what is asked of the corpus fails, with that cause."""
    call = Call(
        example.calls[0].method,
        tuple("a" if one == "b" else one for one in example.calls[0].arguments),
    )
    failure = OSError("disk")

    async def fail(_what: str, _signal: object) -> None:
        raise failure

    async with scene(provider, example.corpus) as there:
        await answers(there, call)
        there.store.before = fail
        await _caused(there, call, failure)
        there.sources.unmount()
        if (got := await call.on(there.engine)).answer is None:
            raise Violation("an answer from the live sessions", str(got))


async def _caused(there: Scene, call: Call, failure: BaseException) -> None:
    error = await failed(there.engine, call)
    if error.code is not ErrorCode.PERSISTENCE_FAILED or error.__cause__ is not failure:
        expected = f"{ErrorCode.PERSISTENCE_FAILED.value} of {failure!r}"
        raise Violation(expected, f"{error!r} of {error.__cause__!r}")


@check(
    "CORPUS-2/handed-over",
    scenes(_LISTING, told="'a' moves into the store, and 'b' becomes live, while it is listed"),
    after=("CORPUS-2/both",),
)
async def _handed_over(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A session that its owner hands over while the store is listed is not lost."""
    first, second = example.corpus.sessions
    async with scene(provider, Corpus((replace(first, place="live"), second))) as there:
        await answers(there, _LISTING)

        def hand_over(_what: str) -> None:
            there.store.after = lambda _what: None
            there.store.put(first.header, first.events)
            there.live.detach("a")
            there.live.attach(second.header, second.events)

        there.store.after = hand_over
        got = [(one.id, one.live, one.persisted) for one in await there.engine.list_sessions()]
        if got != [("a", False, True), ("b", True, True)]:
            raise Violation("'a' as persisted, and 'b' as live and persisted", f"{got}")


_FAMILY: Final = Corpus(
    (
        session("root"),
        session("child", parent="torn"),
        session("torn", parent="root", cwd="/stored"),
        session("grandchild", parent="child", place="live"),
    )
)


@check(
    "TRACE-1/conflict",
    st.just(
        CallsOn(
            _FAMILY,
            [Call("trace_session", ("grandchild",))],
            told=("while 'torn' is live in another directory",),
        )
    ),
    after=("TRACE-1/lineage", "CORPUS-3/conflict"),
    weight=0.04,
)
async def _conflict(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A lineage is that of one listing: it ends before a session whose sources conflict."""
    [call] = example.calls
    torn = session("torn", parent="root", cwd="/live")
    async with scene(provider, example.corpus) as there:
        whole = dict(await answers(there, call))
        there.live.attach(torn.header, ())
        trace = dict(await answers(there, call))
        await call.on(there.engine)
        reads = [*there.store.reads]
        conflict = await Call("trace_session", ("torn",)).on(there.engine)
    for got, expected in ((whole, ["child", "torn", "root"]), (trace, ["child"])):
        names = [one["header"]["id"] for one in got["ancestors"]]
        if names != expected:
            raise Violation(f"the ancestors {expected}", f"{names}")
    if trace["complete"] or trace["unresolvedParentId"] != "torn":
        raise Violation("an end at 'torn', which isn't resolved", f"{trace}")
    if reads != ["list"]:
        raise Violation("one listing, and no log", store_calls(reads))
    if conflict.code != ErrorCode.SOURCE_CONFLICT.value:
        raise Violation(ErrorCode.SOURCE_CONFLICT.value, str(conflict))
