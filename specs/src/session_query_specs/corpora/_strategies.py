"""Strategies for corpora, filters, queries and requests.

The alphabets are small, so that matches and ties are frequent; what comes first is the simplest.
"""

# ruff: noqa: RUF001 - look-alikes are what a search must find, or tell apart

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionHeader

from session_query_specs.corpora._corpus import CREATED, Corpus, Place, Session
from session_query_specs.corpora._logs import STEPS, Step, log_of

__all__ = [
    "HOSTILE_WORDS",
    "PLAIN_WORDS",
    "corpora",
    "event_filters",
    "event_requests",
    "hostile_texts",
    "logs",
    "matches",
    "plain_texts",
    "queries",
    "session_filters",
    "session_requests",
    "sessions",
    "texts",
    "words_of",
]

PLAIN_WORDS: Final = ("alpha", "beta", "gamma", "AI", "braid", "the")

HOSTILE_WORDS: Final = (
    "POL-358",
    '"a* OR b"',
    "don't",
    "src/main.py",
    "50%",
    "#123",
    "a:b",
    "^alpha",
    "NEAR(alpha",
    "-beta",
    "NOT",
    "(alpha)",
    "ＦＴＳ５",
    "fts5",
    "e\u0301te\u0301",
    "été",
    "straße",
    "STRASSE",
    "权限",
    "工作区权限边界",
    "使用FTS5索引",
    "한국어",
    "각",
    "\u1100\u1161\u11a8",
    "ภาษาไทย",
    "ﾊﾟｽ",
    "👩\u200d👩\u200d👧",
    "☀️",
    "🇩🇪🇫🇷",
    "ế",
    "שָׁלוֹם",
    "㎏",
    "\ufeffbeta",
    "...",
    "\ud800",
)

_WORKSPACES: Final = ("/w", "/v", None)
_IDS: Final = ("s0", "s1", "S2", "s𝟛", "é4")
_SPACES: Final = (" ", "\n", "  ", "\t", "\u00a0", "\u3000")
_PLACES: Final[tuple[Place, ...]] = ("stored", "live", "both")
_MATCHES: Final = ("phrase", "all", "any")
_TIMES: Final = (0, 1, 2)

# Strategies are made once: each new one costs Hypothesis more than drawing from it.
_choice: Final = cache(st.sampled_from)
_number: Final = cache(st.integers)


@cache
def _joined(words: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    """Return words with one kind of white space between."""
    return st.builds(
        lambda space, some: space.join(some),
        st.sampled_from(_SPACES),
        st.lists(words, min_size=1, max_size=most),
    )


@cache
def plain_texts(most: int = 5) -> st.SearchStrategy[str]:
    """Draw texts of few different plain words."""
    return st.lists(st.sampled_from(PLAIN_WORDS[:4]), min_size=1, max_size=most).map(" ".join)


@cache
def hostile_texts(most: int = 4) -> st.SearchStrategy[str]:
    """Draw texts of words that break what takes them for anything but text."""
    return _joined(st.sampled_from(PLAIN_WORDS + HOSTILE_WORDS), most)


@cache
def texts() -> st.SearchStrategy[str]:
    """Draw texts of both kinds."""
    return st.one_of(plain_texts(), hostile_texts())


@cache
def logs(
    of: st.SearchStrategy[str], *, kinds: Sequence[str] = STEPS, most: int = 5
) -> st.SearchStrategy[tuple[Step, ...]]:
    """Draw what happens in a log."""
    # messages are half of what happens, and the simplest
    step = st.builds(
        Step,
        st.sampled_from(("say",) * len(kinds) + tuple(kinds)),
        of,
        st.sampled_from(_TIMES),
        st.integers(0, 3),
    )
    return st.lists(step, max_size=most).map(tuple)


@cache
@st.composite
def sessions(  # noqa: PLR0913 - all that may be wanted of one
    draw: st.DrawFn,
    session_id: str,
    of: st.SearchStrategy[str],
    *,
    kinds: Sequence[str] = STEPS,
    others: Sequence[str] = (),
    most: int = 5,
) -> Session:
    """Draw one session; its parent is one of `others`, or gone."""
    created_at = CREATED + draw(_choice(_TIMES))
    events = log_of(draw(logs(of, kinds=kinds, most=most)), created_at)
    parent = draw(_choice((None, *others, "gone")))
    header = SessionHeader(
        0,
        session_id,
        created_at,
        draw(_choice(_WORKSPACES)),
        parent,
        draw(_number(0, len(events))) if parent is not None else None,
    )
    place = draw(_choice(_PLACES))
    counts: list[int | None] = [None, None]
    if place == "both" and draw(_number(0, 1)):
        counts[draw(_number(0, 1))] = draw(_number(0, len(events)))
    return Session(header, events, place, *counts)


@cache
@st.composite
def corpora(  # noqa: PLR0913 - all that may be wanted of one
    draw: st.DrawFn,
    of: st.SearchStrategy[str] | None = None,
    *,
    kinds: Sequence[str] = STEPS,
    least: int = 1,
    most: int = 4,
    events: int = 5,
) -> Corpus:
    """Draw a corpus.

    Args:
        draw: given by Hypothesis.
        of: the texts in it.
        kinds: what happens in its logs.
        least: how many sessions there are at least.
        most: how many at most.
        events: how many steps a log has at most.
    """
    of = texts() if of is None else of
    ids = _IDS[: draw(_number(least, min(most, len(_IDS))))]
    return Corpus(
        tuple(
            draw(sessions(one, of, kinds=kinds, others=ids[:index], most=events))
            for index, one in enumerate(ids)
        )
    )


# -- what is asked ----------------------------------------------------------------------------


def words_of(corpus: Corpus) -> list[str]:
    """Return the words of the messages of a corpus, each once, in order."""
    return list(dict.fromkeys(word for text in _messages(corpus) for word in text.split()))


def _messages(corpus: Corpus) -> list[str]:
    return [
        content[0]["text"]
        for one in corpus.sessions
        for event in one.events
        if event.type == "user/message" and (content := event.to_json()["data"]["content"])
    ]


@st.composite
def queries(draw: st.DrawFn, corpus: Corpus) -> str:
    """Draw a query: mostly part of a text of the corpus, else other words or a question."""
    found = [words for text in _messages(corpus) if (words := text.split())]
    how = draw(_number(0, 5))
    if how <= 2 and found:  # noqa: PLR2004 - half of them
        words = found[draw(_number(0, len(found) - 1))]
        first = draw(_number(0, len(words) - 1))
        return " ".join(words[first : first + draw(_number(1, 3))])
    if how == 3:  # noqa: PLR2004
        return draw(_joined(_choice(PLAIN_WORDS), 3))
    if how == 4:  # noqa: PLR2004
        return f"where is the {draw(_choice(PLAIN_WORDS))}?"
    return draw(hostile_texts(3))


@cache
def _some(of: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(of, max_size=most)


@cache
def matches() -> st.SearchStrategy[str]:
    """Draw a mode."""
    return st.sampled_from(_MATCHES)


def _range(kind: str, values: Sequence[int]) -> st.SearchStrategy[dict[str, Any]]:
    def made(ends: tuple[int, int], which: int) -> dict[str, Any]:
        both = {"from": min(ends), "to": max(ends)}
        kept = (("from", "to"), ("from",), ("to",))[which]
        return {"kind": kind, **{key: both[key] for key in kept}}

    end = st.sampled_from(values)
    return st.builds(made, st.tuples(end, end), st.integers(0, 2))


def _values(kind: str, values: Sequence[str | None]) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3).map(
        lambda some: {"kind": kind, "values": some}
    )


@cache
def session_filters() -> st.SearchStrategy[dict[str, Any]]:
    """Draw a filter on sessions, as JSON."""
    return st.one_of(
        _values("cwd", _WORKSPACES),
        _values("id", (*_IDS, "nobody")),
        _values("parent", (None, *_IDS[:2], "gone")),
        _values("availability", ("live", "persisted")),
        _range("created-at", [CREATED + time for time in (*_TIMES, -1)]),
    )


@cache
def event_filters() -> st.SearchStrategy[dict[str, Any]]:
    """Draw a filter on events that searches take, as JSON."""
    return st.one_of(
        _values(
            "type",
            ("user/message", "assistant/message", "tool/result", "session/title", "host/note"),
        ),
        _values("surface", ("current", "shadowed", "log-only")),
        _range("seq", (0, 1, 2, 5)),
        _range("time", [CREATED + 1000 * time for time in _TIMES]),
    )


@st.composite
def session_requests(
    draw: st.DrawFn, corpus: Corpus, *, filters: int = 2, match: str | None = None
) -> dict[str, Any]:
    """Draw a search over the corpus, as JSON, with so many filters of each kind at most."""
    return {
        "query": draw(queries(corpus)),
        "match": draw(matches()) if match is None else match,
        "sessionFilters": draw(_some(session_filters(), filters)),
        "eventFilters": draw(_some(event_filters(), filters)),
    }


@st.composite
def event_requests(
    draw: st.DrawFn, corpus: Corpus, *, filters: int = 2, match: str | None = None
) -> dict[str, Any]:
    """Draw a search in one session of the corpus, as JSON, with so many filters at most."""
    target = corpus.sessions[draw(_number(0, len(corpus.sessions) - 1))]
    return {
        "sessionId": target.header.id,
        "query": draw(queries(Corpus((target,)))),
        "match": draw(matches()) if match is None else match,
        "filters": draw(_some(event_filters(), filters)),
    }
