"""Which texts a query finds, and what is shown of them (SEARCH-5 to SEARCH-7, SEARCH-10)."""

# ruff: noqa: RUF001 - look-alikes are what a search must find, or tell apart

from __future__ import annotations

from collections import Counter
from typing import Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.checks._agreement import (
    agree_on_hits,
    expect_code,
    expect_hits,
    in_terms,
    items_of,
    places,
)
from session_query_specs.checks._check import Violation, check, reached
from session_query_specs.checks._searches import FINDS, WORDS, both_ways, searches
from session_query_specs.corpora import (
    Call,
    CallsOn,
    Corpus,
    hostile_texts,
    session,
)

__all__: list[str] = []


@st.composite
def _phrases(draw: st.DrawFn) -> CallsOn:
    """Draw texts and phrases of the same two words, and one between them."""
    some = st.lists(st.sampled_from(("alpha", "beta", "o")), min_size=1, max_size=4).map(" ".join)
    corpus = Corpus(
        (
            session("s", draw(st.lists(some, min_size=1, max_size=4))),
            session("t", draw(st.lists(some, min_size=1, max_size=2)), place="live"),
        )
    )
    two = st.sampled_from(("alpha beta", "beta alpha", "alpha alpha", "alpha beta alpha"))
    return CallsOn(corpus, both_ways(corpus, draw(st.one_of(two, some))))


@check("SEARCH-5/phrase", _phrases(), after=FINDS, weight=2)
async def _phrase(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A phrase is found where its tokens are adjacent and in order, and nowhere else."""
    answers = await agree_on_hits(provider, example)
    for call, hits in zip(example.calls, answers, strict=True):
        if hits and " " in call.arguments[0]["query"]:
            reached("several words are found")


@check("SEARCH-5/literal", searches(hostile_texts(), match="phrase"), after=FINDS, weight=2)
async def _literal(provider: ProviderUnderTest, example: CallsOn) -> None:
    """No character of a query is an operator; white space folds to one space."""
    answers = await agree_on_hits(provider, example)
    for call, hits in zip(example.calls, answers, strict=True):
        if hits and not call.arguments[0]["query"].isalnum():
            reached("a found query with special characters")


@st.composite
def _queries_beside(draw: st.DrawFn, query: st.SearchStrategy[str]) -> CallsOn:
    """Draw a query, beside another one that finds something."""
    corpus = Corpus((session("here", [f"{draw(WORDS)} delta !!! …"]),))
    return CallsOn(corpus, both_ways(corpus, "delta") + both_ways(corpus, draw(query)))


_BLANK: Final = st.sampled_from(
    ("", " ", "\t\n", "\u00a0\u3000", "\ufeff", "\0", "delta\0", "\0 a")
)
_BARE: Final = st.sampled_from(("!!!", "…", '"', "*", "( )", "-- ''", "->", "^:+", "\u200b", "¿?"))


@check("SEARCH-5/blank", _queries_beside(_BLANK), after=FINDS)
async def _blank(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A blank query, or one with a NUL, raises SESSION_QUERY_INVALID_QUERY."""
    *controls, sessions, events = await example.outcomes(provider)
    for control in controls:
        expect_hits(control, [("here", 0)])
    expect_code(sessions, ErrorCode.INVALID_QUERY)
    expect_code(events, ErrorCode.INVALID_QUERY)


@check("SEARCH-5/no-token", _queries_beside(_BARE), after=FINDS)
async def _no_token(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A query without any token matches nothing, and is no error."""
    *controls, sessions, events = await example.outcomes(provider)
    for control in controls:
        expect_hits(control, [("here", 0)])
    expect_hits(sessions, [])
    expect_hits(events, [])


_SAME: Final = (
    ("ế", "e"),
    ("e\u0302\u0301", "ế"),
    ("ß", "ss"),
    ("STRASSE", "straße"),
    ("ＦＴＳ５", "fts5"),
    ("e\u0301te\u0301", "été"),
    ("ﾊﾟｽ", "パス"),
    ("AI", "ai"),
    ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
    ("Ёлка", "елка"),
    ("שָׁלוֹם", "שלום"),
    ("مُحَمَّد", "محمد"),
    ("ﬁle", "file"),
    ("①", "1"),
    ("👩\u200d👧", "👩 👧"),
    ("x☀y", "x ☀ y"),
    ("snake_case", "snake case"),
    ("don't", "don t"),
)
_DIFFERENT: Final = (
    ("braid", "AI"),
    ("alphabet", "alpha"),
    ("a1", "a 1"),
    ("कि", "क"),
    ("☀", "☁"),
    ("ab", "a b"),
)


@st.composite
def _token_pairs(draw: st.DrawFn) -> CallsOn:
    """Draw a text and a query for it, and the same the other way round where tokens are equal."""
    same, different = draw(st.sampled_from(_SAME)), draw(st.sampled_from(_DIFFERENT))
    corpus = Corpus(
        (session("same", [f"x {same[0]} x", f"x {same[1]} x"]), session("other", [different[0]]))
    )
    asked = (*same, different[1])
    return CallsOn(
        corpus,
        [
            Call("search_events", ({"sessionId": target, "query": query},))
            for query, target in zip(asked, ("same", "same", "other"), strict=True)
        ],
    )


@check("SEARCH-6/tokens", _token_pairs(), after=FINDS, weight=2)
async def _tokens(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Texts with equal tokens find each other, whatever their form; parts of tokens do not."""
    there, back, apart = await example.outcomes(provider)
    expect_hits(there, [("same", 0), ("same", 1)])
    expect_hits(back, [("same", 0), ("same", 1)])
    expect_hits(apart, [])


_LETTERS: Final = st.text(
    st.sampled_from("aA é e\u0301\u0302ßÉΣς.י\u05b0क\u093fｆ1①☀👩\u200d\ufe0f权한각ก่ー\u3099"),
    min_size=1,
    max_size=6,
)


@check("SEARCH-6/mixed", searches(_LETTERS, match="phrase"), after=FINDS, weight=2)
async def _mixed(provider: ProviderUnderTest, example: CallsOn) -> None:
    """Any text is found by the tokens that `session_query.tokenize` gives it, and by no others."""
    await agree_on_hits(provider, example)


_RUNS: Final = (
    "工作区权限边界",
    "使用索引",
    "カタカナとひらがな",
    "한국어문장",
    "ภาษาไทย",
    "ພາສາລາວ",
    "ភាសាខ្មែរ",
    "မြန်မာစာ",
)


@st.composite
def _parts(draw: st.DrawFn, segmentation: str) -> CallsOn:
    """Draw a run of a script without spaces and a part of it that isn't the whole."""
    run = draw(st.sampled_from(_RUNS))
    first = draw(st.integers(0, len(run) - 1))
    last = draw(st.integers(first + 1, min(len(run), first + 3)))
    if last - first == len(run):
        last -= 1
    corpus = Corpus((session("run", [f"FTS5{run}x", run]), session("other", ["alpha"])))
    asked = (run[first:last], "FTS5", run, "alpha")
    calls = [Call("search_sessions", ({"query": query},)) for query in asked]
    return CallsOn(corpus, calls, {"segmentation": segmentation})


@check("SEARCH-7/script", _parts("script"), needs=("segmentation=script",), after=FINDS)
async def _script(provider: ProviderUnderTest, example: CallsOn) -> None:
    """With segmentation `script`, any part of a text written without spaces is found."""
    found = [items_of(one) for one in await example.outcomes(provider)]
    for hits, wanted in zip(found, ("run", "run", "run", "other"), strict=True):
        if [name for name, _ in places(hits)] != [wanted]:
            raise Violation(f"one hit, on session {wanted!r}", in_terms(hits))


@check("SEARCH-7/none", _parts("none"), needs=("segmentation=none",), after=FINDS)
async def _none(provider: ProviderUnderTest, example: CallsOn) -> None:
    """With segmentation `none`, a text written without spaces is found as a whole only."""
    part, latin, whole, other = await example.outcomes(provider)
    expect_hits(whole, [("run", 1)])
    expect_hits(other, [("other", 0)])
    expect_hits(part, [])
    expect_hits(latin, [])


_PIECES: Final = st.sampled_from(
    (
        "alpha",
        "beta",
        "x",
        " ",
        "\n\n",
        "…",
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "🇩🇪",
        "각",
        "\ud800",
        "a" * 9,
    )
)


@st.composite
def _long_texts(draw: st.DrawFn) -> CallsOn:
    """Draw a text that is longer than its snippet, and a word in it."""
    size = draw(st.integers(8, 40))
    before = draw(st.lists(_PIECES, max_size=30))
    after = draw(st.lists(_PIECES, max_size=30))
    text = f"{' '.join(before)} needle {' '.join(after)}"
    calls = [
        Call("search_events", ({"sessionId": "s", "query": query, "match": match},))
        for query, match in (("needle", "phrase"), ("needle alpha", "any"))
    ]
    corpus = Corpus((session("s", [text, "needle"]),))
    return CallsOn(corpus, calls, {"snippet_chars": size})


@check("SEARCH-10/snippet", _long_texts(), after=FINDS, weight=2)
async def _snippet(provider: ProviderUnderTest, example: CallsOn) -> None:
    """A snippet has the text around the match, in the size and cut at the places that are told."""
    size = example.settings["snippet_chars"]
    outcomes = await example.outcomes(provider)
    for hit in (hit for outcome in outcomes for hit in items_of(outcome)):
        if len(hit["snippet"]) > size:
            raise Violation(f"a snippet of at most {size} code points", f"{hit['snippet']!r}")
        if "needle" not in hit["snippet"] and "alpha" not in hit["snippet"]:
            raise Violation("the match inside", f"{hit['snippet']!r}")
    ends = Counter[str]()
    for hits in await agree_on_hits(provider, example):
        for hit in hits:
            ends["cut before"] += hit["snippet"].startswith("…")
            ends["cut after"] += hit["snippet"].endswith("…")
    for end, count in ends.items():
        if count:
            reached(end)
