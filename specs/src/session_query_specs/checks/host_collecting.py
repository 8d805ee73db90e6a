"""How hits are collected over pages, and their titles (TITLE-1 to TITLE-3)."""

from __future__ import annotations

import re
from typing import Final

from hypothesis import strategies as st
from session_query import (
    CwdFilter,
    ErrorCode,
    EventSearchRequest,
    MatchMode,
    SessionQueryEngine,
    SessionSearchRequest,
)

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    TARGET_ASKS,
    UNAUTHORIZED,
    answered,
    coded,
    host_check,
    kept_to_workspace,
    same,
    searching,
    shows,
    targeting,
)
from session_query_specs.checks.host_boundary import ends_at_each_step
from session_query_specs.corpora import CREATED, Corpus, Place, Session
from session_query_specs.hosts import (
    CALLER,
    CANARY,
    HERE,
    Change,
    Failure,
    Heard,
    HostCall,
    hidden,
    log,
    own,
    visible,
)
from session_query_specs.hosts._calls import opened
from session_query_specs.loop import ACTIONS, RefusedError

__all__: list[str] = []

_PLACES: Final[st.SearchStrategy[Place]] = st.sampled_from(["stored", "live"])
_CAP: Final = 100
"""How many hits a search shows by default (TOOL-1)."""


def _many(count: int, others: int, size: int) -> HostCall:
    sessions = [visible(f"v{at:02}", "rocket", created_at=CREATED + at) for at in range(count)]
    hidden_ones = [hidden(f"h{at}", "rocket", created_at=CREATED + 2 * at) for at in range(others)]
    return searching(*sessions, *hidden_ones).but(page_size=size)


@host_check(
    "TITLE-1/all-pages",
    st.builds(_many, st.integers(1, 12), st.integers(0, 4), st.integers(1, 7)),
)
async def _all_pages(host: HostUnderTest, example: HostCall) -> None:
    """A search shows all hits of the workspace, in as many pages as there are."""
    count = sum(one.header.id.startswith("v") for one in example.corpus.sessions)
    heard = await answered(host, example, *(f"v{at:02}" for at in range(count)))
    if heard.leaks or not kept_to_workspace(heard, HERE):
        raise Violation("hits of the workspace alone", f"{heard}")
    for call in (example, example.asking(match="auto"), example.asking(match="any")):
        paged, whole = await call.heard(host), await call.but(page_size=None).heard(host)
        same(whole, paged, "it doesn't matter in how many pages hits come")
    reached(f"{heard.methods.count('search_sessions')} pages")


def _capped(extra: int) -> HostCall:
    """Return a search with so many hits more than are shown, the last being the weakest."""
    sessions = [visible(f"v{at:03}", "rocket", created_at=CREATED - at) for at in range(_CAP)]
    more = [
        visible(f"w{at}", "rocket and more words than that", created_at=1) for at in range(extra)
    ]
    return searching(*sessions, *more)


@host_check("TITLE-1/cap", st.just(_capped(1)), weight=0.04)
async def _cap(host: HostUnderTest, example: HostCall) -> None:
    """A hundred hits are shown, from one page, and that there are more only if there are."""
    ids = [f"v{at:03}" for at in range(_CAP)]
    full = await answered(host, _capped(0), *ids)
    for heard in (full, over := await answered(host, example, *ids)):
        pages = heard.methods.count("search_sessions")
        if pages > 1:
            raise Violation("one page, large enough for all that is shown", f"{pages} pages")
    if re.search(r"\bw0\b", over.text):
        raise Violation(f"at most {_CAP} hits", f"{_CAP + 1}")
    if over.text == full.text:
        raise Violation("an answer that tells that there are more hits", "the same as without")
    for mode in ("auto", "phrase", "any"):
        heard = await answered(host, _capped(0).asking(match=mode), *ids)
        modes = [one.arguments[0].match for one in heard.calls if one.method == "search_sessions"]
        if len(modes) > len(set(modes)):
            raise Violation("one page in each mode, large enough for all that is shown", f"{modes}")
    sessions = (*_capped(0).corpus.sessions, hidden("x", "rocket", created_at=1))
    same(full, await _capped(0).but(corpus=Corpus(sessions)).heard(host), "hidden hits don't count")


_MODES: Final[dict[str, list[MatchMode]]] = {
    "auto": ["phrase", "any"],
    "phrase": ["phrase"],
    "all": ["all"],
    "any": ["any"],
}
_QUERY: Final = "rocket launched"


@st.composite
def _ordered(draw: st.DrawFn) -> HostCall:
    """Draw a search for hits of each kind, each of which has a mark, in pages of some size."""
    kinds = st.sampled_from([_QUERY, "launched rocket", "a rocket", "it launched", "fuel"])
    texts = [f"{text} m{at}m" for at, text in enumerate(draw(st.lists(kinds, max_size=7)))]
    asked = {"query": _QUERY, "match": draw(st.sampled_from([*_MODES]))}
    size = draw(st.sampled_from([None, 1, 2, 3]))
    if draw(st.booleans()):
        session = visible("v0", *texts, "nothing")
        asked["session_id"] = "v0"
        return HostCall(Corpus((own(), session)), "session_event_search", asked, page_size=size)
    sessions = [visible(text.split()[-1], text) for text in texts]
    sessions += [hidden(f"h{at}", text) for at, text in enumerate(texts)]
    return searching(*sessions).but(arguments=asked, page_size=size)


async def _best_first(engine: SessionQueryEngine, call: HostCall) -> list[str]:
    """Return the marks of all hits in the order of the engine, one match mode after the other."""
    found: list[str] = []
    for mode in _MODES[call.arguments["match"]]:
        if call.tool == "session_search":
            request = SessionSearchRequest(_QUERY, [CwdFilter([HERE])], limit=100, match=mode)
            page = await engine.search_sessions(request)
            found += (hit.id for hit in page.items if hit.id != CALLER)
        else:
            events = EventSearchRequest("v0", _QUERY, limit=100, match=mode)
            hits = (await engine.search_events(events)).items
            found += (f"m{hit.seq}m" for hit in hits)
    return [*dict.fromkeys(found)]


@host_check("INPUT-6/order", _ordered(), weight=3, after=("INPUT-6/match",))
async def _order(host: HostUnderTest, example: HostCall) -> None:
    """Hits come in the order of the service, each once; in auto those of the phrase come first."""
    async with opened(example, host) as world:
        expected = await _best_first(world.engine.inner, example)
        heard = await world.heard()
    reached(f"{len(expected)} hits")
    shows(heard, *expected)
    marks = re.findall(r"m\dm", heard.text)
    if [*dict.fromkeys(marks)] != expected:
        raise Violation(f"hits in the order {expected}", f"{heard}")
    if len({marks.count(mark) for mark in expected}) > 1:
        raise Violation("each hit once", f"{heard}")


@st.composite
def _titled(draw: st.DrawFn) -> HostCall:
    """Draw a search for sessions that have titles or none."""
    titles = draw(st.lists(st.sampled_from([None, "plain", "two words"]), min_size=1, max_size=6))
    return searching(
        *(
            visible(f"v{at}", "rocket", title=title and f"{title} {at}")
            for at, title in enumerate(titles)
        )
    )


def _title_of(session: Session) -> str | None:
    last = session.events[-1].to_json()["data"] if session.events else {}
    return str(last["title"]) if isinstance(last, dict) and "title" in last else None


@host_check("TITLE-2/one-batch", _titled())
async def _one_batch(host: HostUnderTest, example: HostCall) -> None:
    """All titles of an answer come from one batch, and are shown."""
    titles = [_title_of(one) for one in example.corpus.sessions[1:]]
    heard = await answered(host, example, *(title for title in titles if title))
    batches = [call.arguments for call in heard.calls if call.method == "read_titles"]
    ids = {one.header.id for one in example.corpus.sessions[1:]}
    if len(batches) != 1 or set(batches[0]) != ids:
        raise Violation(f"one batch of titles, of {sorted(ids)}", f"{batches}")


@host_check("TITLE-2/untitled", _titled())
async def _untitled(host: HostUnderTest, example: HostCall) -> None:
    """A session without a title is `untitled`, and no other is."""
    untitled = [one for one in example.corpus.sessions[1:] if _title_of(one) is None]
    heard = await answered(host, example, "v0")
    if heard.text.count("untitled") != len(untitled):
        told = f"{heard.text.count('untitled')} times in {heard}"
        raise Violation(f"`untitled` {len(untitled)} times", told)


def _two(tool: str) -> HostCall:
    """Return a call whose answer has two titles."""
    first = visible("v0", "rocket", title="first")
    second = visible("v1", "rocket", title="second", parent_session="v0")
    return (
        targeting(tool, second, target=first) if tool in TARGET_ASKS else searching(first, second)
    )


_TITLED: Final = st.sampled_from(["session_search", "session_trace"])


@host_check(
    "TITLE-2/failed",
    st.builds(lambda tool, fails: _two(tool).but(unreadable=fails), _TITLED, st.booleans()),
    weight=0.16,
)
async def _failed(host: HostUnderTest, example: HostCall) -> None:
    """A title that can't be read is `untitled` with its code, and spoils no other."""
    plain = await answered(host, example, "first", "second")
    at = _batch_of(plain)
    again = Change(("before", at), "v1", example.corpus.sessions[-1])
    heard = await example.but(damage=((at, "v1"),), changes=(again,)).heard(host)
    code = ErrorCode.PERSISTENCE_FAILED if example.unreadable else ErrorCode.CORRUPT_SESSION
    shows(heard, "v0", "first", "v1", "untitled", code.value)
    if heard.leaks:
        raise Violation("the code of a title that can't be read, and no more", f"{heard}")


def _batch_of(heard: Heard) -> int:
    """Return which call was that of the titles."""
    if "read_titles" not in heard.methods:
        raise Violation("a batch of titles", f"{heard.methods}")
    return heard.methods.index("read_titles")


_FAULTS: Final = ("none", "damaged", "unreadable")


def _leaving(tool: str, place: Place | None, fault: str) -> HostCall:
    header = visible("v1", cwd=f"/srv/{CANARY}").header
    moved = place and Session(header, log(f"rocket {CANARY}", title=CANARY), place)
    damage = () if fault == "none" else ((1, "v1"),)
    call = _two(tool).but(changes=(Change(("before", 1), "v1", moved),), damage=damage)
    return call.but(unreadable=fault == "unreadable")


@host_check(
    "TITLE-2/mismatch",
    st.builds(_leaving, _TITLED, st.one_of(st.none(), _PLACES), st.sampled_from(_FAULTS)),
)
async def _mismatch(host: HostUnderTest, example: HostCall) -> None:
    """A session that left the workspace, or ended, before its title was read fails the call."""
    plain = await answered(host, example.but(changes=(), damage=()), "first", "second")
    at = _batch_of(plain)
    [change] = example.changes
    moved = Change(("before", at), change.session_id, change.session)
    damage = tuple((at, name) for _, name in example.damage)
    heard = await example.but(changes=(moved,), damage=damage).heard(host)
    coded(heard, UNAUTHORIZED, why="one of the sessions is not of the workspace any more")


@host_check("TITLE-2/batch-fails", _titled(), weight=0.4)
async def _batch_fails(host: HostUnderTest, example: HostCall) -> None:
    """A batch of titles that fails as a whole fails the call with its safe code."""
    await answered(host, example, "v0")
    code = ErrorCode.PERSISTENCE_FAILED.value
    heard = await example.but(failures=(Failure("read_titles", code),)).heard(host)
    coded(heard, code, why="the titles can't be read now")


@host_check(
    "TITLE-3/each-step",
    st.builds(
        lambda count, passes: searching(
            *(visible(f"v{at}", "rocket", title="x") for at in range(count))
        ).but(passes=passes),
        st.integers(2, 5),
        st.integers(0, 1),
    ),
    weight=0.2,
)
def _each_step(host: HostUnderTest, example: HostCall) -> None:
    """Aborted at any step of its titles, a search raises the reason and leaves nothing running."""
    for action in ACTIONS:
        try:
            if not ends_at_each_step(host, example, action):
                raise Violation(f"at least one step at which {action} lands", "none")
        except RefusedError:
            reached("the host uses threads: not swept")
            return
