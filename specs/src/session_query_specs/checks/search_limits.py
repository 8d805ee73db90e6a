"""How much may be asked for, and what can't be meant (SEARCH-5, SEARCH-11, SEARCH-12, ERR-1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import expect_code, expect_hits, items_of, places
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._searches import FINDS
from session_query_specs.corpora import Call, CallsOn, Corpus, Place, opened, program, session

__all__: list[str] = []

_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "stored", "both", "live")
_CORPUS: Final = Corpus(
    tuple(
        session(f"s{number}", ["alpha"] * 2, place=place, cwd=f"/w{number}")
        for number, place in enumerate(_PLACES)
    )
)
_METHODS: Final = ("search_sessions", "search_events")


def _request(method: str, **asked: Any) -> dict[str, Any]:
    ids = {"sessionId": "s0"} if method == "search_events" else {}
    return {**ids, "query": "alpha", **asked}


def _is_whole(limit: object) -> bool:
    return isinstance(limit, int) and not isinstance(limit, bool)


@st.composite
def _limits(draw: st.DrawFn) -> CallsOn:
    largest = draw(st.integers(1, 6))
    settings = {"default_limit": draw(st.integers(1, largest)), "max_limit": largest}
    limit = draw(
        st.one_of(
            st.none(),
            st.integers(1, largest),
            st.sampled_from((0, -1, largest + 1, 2**40, True, "2", 1.5)),
        )
    )
    calls = [Call("search_sessions", (_request("search_sessions"),))]
    calls += [Call(method, (_request(method, limit=limit),)) for method in _METHODS]
    return CallsOn(_CORPUS, calls, settings)


@check("SEARCH-11/limit", _limits(), after=FINDS, weight=2)
async def _limit(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A page has at most `limit` hits, by default `default_limit`; other limits are refused."""
    default, largest = example.settings["default_limit"], example.settings["max_limit"]
    first, *outcomes = await example.outcomes(provider)
    if len(items_of(first)) != min(default, 5):
        raise Violation(f"{min(default, 5)} hits", f"{len(items_of(first))} hits")
    limit = example.calls[1].arguments[0]["limit"]
    for outcome, total in zip(outcomes, (5, 2), strict=True):
        asked = default if limit is None else limit
        if not _is_whole(asked) or not 1 <= asked <= largest:
            expect_code(outcome, ErrorCode.INVALID_LIMIT)
            reached("a refused limit")
            continue
        got = len(items_of(outcome))
        if got != min(asked, total):
            raise Violation(f"{min(asked, total)} hits", f"{got} hits")
        goes_on = "nextCursor" in outcome.answer
        if goes_on != (asked < total):
            expected = "a next cursor" if asked < total else "no next cursor"
            raise Violation(expected, "one" if goes_on else "none")
        reached("a page that is not the last" if goes_on else "a last page")


@check("SEARCH-11/max-limit", _limits(), after=FINDS)
async def _max_limit(provider: ProviderUnderTest, example: CallsOn) -> None:
    """`max_limit` of the engine is the largest page that it gives."""
    sources, _, _ = example.corpus.open()
    async with opened(provider, sources, example.settings) as engine:
        largest = engine.max_limit
        if largest != example.settings["max_limit"]:
            raise Violation(f"max_limit {example.settings['max_limit']}, as set", f"{largest}")
        for limit in (largest, largest + 1):
            request = _request("search_sessions", limit=limit)
            outcome = await Call("search_sessions", (request,)).on(engine)
            if limit > largest:
                expect_code(outcome, ErrorCode.INVALID_LIMIT)
            elif len(items_of(outcome)) != min(largest, 5):
                raise Violation(f"{min(largest, 5)} hits", f"{len(items_of(outcome))} hits")


# -- large requests ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LargeRequest:
    """A request that is too large to be printed: it's told as the code that makes it.

    Attributes:
        method: the search.
        code: an expression for what is added to a request for `alpha`.
        wanted: what is found; None where it may be refused as well.
    """

    method: str
    code: str
    wanted: tuple[str, ...] | None

    @property
    def request(self) -> dict[str, Any]:
        """The request."""
        return _request(self.method, **eval(self.code, {}))  # noqa: S307 - one of our own, below

    def described(self) -> list[str]:
        """Return corpus and call in lines that a person reads."""
        return [*_CORPUS.described(), f"call {self.method}: 'alpha' with {self.code}"]

    def script(self, subject: str) -> str:
        """Return a program that makes the call; it needs the class and no check."""
        base = _request(self.method)
        line = f"print(await shown(engine.{self.method}({{**{base!r}, **{self.code}}})))"
        return program(subject, _CORPUS, {}, [line])


def _large(make: Callable[[int], str], wanted: tuple[str, ...]) -> st.SearchStrategy[LargeRequest]:
    return st.builds(
        lambda size: LargeRequest("search_sessions", make(size), wanted),
        st.sampled_from((125_000, 33_000)),
    )


_NAMES: Final = "[f'a{number}' for number in range(%d)]"
_MANY: Final = st.one_of(
    _large(
        lambda size: (
            "{'sessionFilters': [{'kind': 'id', 'values': %s + ['s1', 's3']}]}" % (_NAMES % size)
        ),
        ("s1", "s3"),
    ),
    _large(
        lambda size: (
            "{'sessionFilters': [{'kind': 'cwd', 'values': %s + ['/w2']}]}" % (_NAMES % size)
        ),
        ("s2",),
    ),
    _large(lambda size: "{'eventFilters': [{'kind': 'type', 'values': %s}]}" % (_NAMES % size), ()),
    st.just(
        LargeRequest(
            "search_sessions",
            "{'eventFilters': [{'kind': 'seq', 'from': 0}] * 50,"
            " 'sessionFilters': [{'kind': 'cwd', 'values': ['/w0', '/w4']}] * 50}",
            ("s0", "s4"),
        )
    ),
)


@check("SEARCH-12/many-values", _MANY, after=FINDS, weight=0.2)
async def _many_values(provider: ProviderUnderTest, example: LargeRequest) -> None:
    """125,000 filter values and 50 filter clauses work."""
    sources, _, _ = _CORPUS.open()
    async with opened(provider, sources) as engine:
        control = await Call("search_sessions", (_request("search_sessions"),)).on(engine)
        if sorted(name for name, _ in places(items_of(control))) != ["s0", "s1", "s2", "s3", "s4"]:
            raise Violation("s0 to s4 without filters", str(places(items_of(control))))
        got = await Call(example.method, (example.request,)).on(engine)
        names = sorted(name for name, _ in places(items_of(got)))
        if names != list(example.wanted or ()):
            raise Violation(str(list(example.wanted or ())), str(names))


_PIECES: Final = ("alpha ", "x", 'alpha* OR "', "权", "☀", "(", "e\u0301", "a.")


@check(
    "SEARCH-5/long",
    st.builds(
        lambda method, piece, match: LargeRequest(
            method, f"{{'query': ({piece!r} * 100_000)[:100_000], 'match': {match!r}}}", None
        ),
        st.sampled_from(_METHODS),
        st.sampled_from(_PIECES),
        st.sampled_from(("phrase", "all", "any")),
    ),
    after=FINDS,
    weight=0.3,
)
async def _long(provider: ProviderUnderTest, example: LargeRequest) -> None:
    """A query of 100,000 characters is answered, or refused with SESSION_QUERY_INVALID_QUERY."""
    sources, _, _ = _CORPUS.open()
    async with opened(provider, sources) as engine:
        control = await Call(example.method, (_request(example.method),)).on(engine)
        if len(items_of(control)) != (2 if example.method == "search_events" else 5):
            raise Violation("what holds alpha", str(places(items_of(control))))
        nothing = await Call(example.method, (_request(example.method, query="beta"),)).on(engine)
        expect_hits(nothing, [])
        got = await Call(example.method, (example.request,)).on(engine)
        if got.code is None:
            items_of(got)
            reached("an answer")
        else:
            expect_code(got, ErrorCode.INVALID_QUERY)
            reached("a refusal")


# -- what can't be meant ----------------------------------------------------------------------

_BAD: Final[tuple[tuple[dict[str, Any], ErrorCode], ...]] = (
    ({"query": 5}, ErrorCode.INVALID_QUERY),
    ({"query": None}, ErrorCode.INVALID_QUERY),
    ({"query": ["alpha"]}, ErrorCode.INVALID_QUERY),
    ({"match": "fuzzy"}, ErrorCode.INVALID_QUERY),
    ({"match": 1}, ErrorCode.INVALID_QUERY),
    ({"fuzzy": True}, ErrorCode.INVALID_QUERY),
    ({"cursor": 5}, ErrorCode.INVALID_CURSOR),
    ({"cursor": "no cursor"}, ErrorCode.INVALID_CURSOR),
    ({"cursor": ""}, ErrorCode.INVALID_CURSOR),
    ({"limit": 0}, ErrorCode.INVALID_LIMIT),
    ({"limit": "many"}, ErrorCode.INVALID_LIMIT),
)


@st.composite
def _bad_requests(draw: st.DrawFn) -> CallsOn:
    method = draw(st.sampled_from(_METHODS))
    wrong, _ = draw(st.sampled_from(_BAD))
    asked = [_request(method), _request(method, query="beta"), _request(method, **wrong)]
    return CallsOn(_CORPUS, [Call(method, (one,)) for one in asked])


@check("ERR-1/requests", _bad_requests(), after=FINDS, weight=2)
async def _requests(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A request that can't be meant is refused with the code of what is wrong with it."""
    found, nothing, refused = await example.outcomes(provider)
    if len(items_of(found)) != (2 if example.calls[0].method == "search_events" else 5):
        raise Violation("what holds alpha", str(places(items_of(found))))
    expect_hits(nothing, [])
    plain, asked = example.calls[0].arguments[0], example.calls[2].arguments[0]
    wrong = {key: value for key, value in asked.items() if (key, value) not in plain.items()}
    expect_code(refused, next(code for bad, code in _BAD if bad == wrong))
