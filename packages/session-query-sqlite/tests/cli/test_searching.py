"""`search` finds what the engine finds, in every mode, and says how (CLI-4)."""

from __future__ import annotations

import asyncio
import re
import shlex
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text
from session_query import (
    EventHit,
    EventSearchRequest,
    JsonlPersistence,
    SessionEvent,
    SessionQueryEngine,
    SessionSearchRequest,
    SessionSources,
    SessionStore,
    tokenize,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine
from session_query_sqlite.cli._highlight import Highlighter
from session_query_sqlite.cli._neutral import visible

from ..corpora import CREATED, log, message
from .shells import Shell

Mode = Literal["phrase", "all", "any"]
Match = Literal["auto"] | Mode
WORDS = ["rocket", "launched", "at", "dawn", "the"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@pytest.mark.requirement("CLI-4")
@settings(max_examples=25)
@given(
    corpus=st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=8),
    query=TEXTS,
    limit=st.integers(1, 9),
    match=st.sampled_from(["auto", "phrase", "all", "any"]),
)
def test_search_gives_the_hits_of_the_engine_up_to_the_limit(
    tmp_path_factory: pytest.TempPathFactory,
    corpus: list[list[str]],
    query: str,
    limit: int,
    match: Match,
) -> None:
    """A mode has the hits of the engine, `auto` those of the phrase first; "more" is said if so."""
    shell = Shell(tmp_path_factory.mktemp("search"))
    for number, texts in enumerate(corpus):
        shell.say(f"s{number}", *texts)
    expected = asyncio.run(engine_hits(shell, query, match))
    found = shell.run("search", query, "--json", "--match", match, "--limit", str(limit))
    assert found.values == expected[:limit]
    assert ("more than" in found.err) == (len(expected) > limit)
    assert found.code == (0 if expected else 1)
    inside = asyncio.run(engine_hits(shell, query, match, "s0"))
    found = shell.run(
        "search", query, "--json", "--match", match, "--limit", str(limit), "--in", "s0"
    )
    assert found.values == inside[:limit]
    assert ("more than" in found.err) == (len(inside) > limit)


async def engine_hits(
    shell: Shell, query: str, match: Match, within: str | None = None
) -> list[Any]:
    """Return the JSON of all hits, by the definition of `auto` where that is wanted."""
    sources = SessionSources(SessionStore(), JsonlPersistence(shell.root))
    async with SqliteSessionQueryEngine(sources, SqliteConfig(":memory:")) as engine:
        hits: dict[Any, Any] = {}
        modes: tuple[Mode, ...] = ("phrase", "any") if match == "auto" else (match,)
        for mode in modes:
            for key, hit in await all_hits(engine, query, mode, within):
                hits.setdefault(key, hit)
        return [*hits.values()]


async def all_hits(
    engine: SessionQueryEngine, query: str, mode: Mode, within: str | None
) -> list[tuple[Any, Any]]:
    """Return the hits of one mode with what tells them apart."""
    if within is None:
        request = SessionSearchRequest(query, match=mode, limit=500)
        return [(hit.id, hit.to_json()) for hit in (await engine.search_sessions(request)).items]
    inside = EventSearchRequest(within, query, match=mode, limit=500)
    return [(hit.seq, hit.to_json()) for hit in (await engine.search_events(inside)).items]


@pytest.fixture
def launches(shell: Shell) -> Shell:
    """A store in which one log has the phrase, and another the words apart."""
    shell.say("apart", "launched was the rocket", "the launched rocket", cwd="/a", created_at=1000)
    events = [*log("the rocket launched"), SessionEvent("step/start", 1, CREATED, {})]
    replace = {"op": "replace", "start": 0, "end": 0}
    events.append(SessionEvent("user/message", 2, CREATED + 9, message("rocket"), replace, [0]))
    shell.write("phrase", events, created_at=2000)
    return shell


@pytest.mark.requirement("CLI-4")
def test_each_hit_says_how_it_matched(launches: Shell) -> None:
    """A hit of the phrase says so; one of single words names those that stand close together."""
    rows = launches.run("search", "rocket", "launched").rows
    assert [(row[0], row[2]) for row in rows] == [
        ("phrase", "phrase"), ("apart", "words: rocket, launched"),
    ]  # fmt: skip
    values = launches.run("search", "rocket launched", "--json").values
    assert [value["bestMatch"].get("matched") for value in values] == [None, ["rocket", "launched"]]


@pytest.mark.requirement("CLI-4")
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], ["phrase/2", "apart/1"]),
        (["--cwd", "/a"], ["apart/1"]),
        (["--no-cwd"], ["phrase/2"]),
        (["--id", "ap"], ["apart/1"]),
        (["--created-to", "1970-01-01T00:00:01Z"], ["apart/1"]),
        (["--created-from", "1970-01-01T00:00:02Z"], ["phrase/2"]),
        (["--parent", "nobody"], []),
        (["--no-parent"], ["phrase/2", "apart/1"]),
        (["--availability", "live"], []),
        (["--type", "tool/result"], []),
        (["--type", "tool/result", "--type", "user/message"], ["phrase/2", "apart/1"]),
        (["--surface", "shadowed"], ["phrase/0"]),
        (["--seq-to", "0"], ["phrase/0", "apart/0"]),
        (["--seq-from", "1"], ["phrase/2", "apart/1"]),
        (["--time-from", "2026-09-21T14:13:20.005Z"], ["phrase/2"]),
        (["--time-to", "2026-09-21T14:13:20.000Z"], ["phrase/0", "apart/0"]),
    ],
)
def test_search_takes_each_filter(launches: Shell, options: list[str], found: list[str]) -> None:
    """Each option narrows what is searched, before the best event of a session is chosen."""
    outcome = launches.run("search", "rocket", *options)
    assert sorted(f"{row[0]}/{row[1]}" for row in outcome.rows) == sorted(found)
    assert outcome.code == (0 if found else 1)


@pytest.mark.requirement("CLI-4")
@pytest.mark.parametrize(
    "query", ['"rocket', "rocket*", "-- rocket", "rocket AND", "^rocket:", "[rocket]"]
)
def test_no_character_of_a_query_is_an_operator(launches: Shell, query: str) -> None:
    """Quotes, stars, dashes, operators and brackets are data."""
    assert launches.run("search", "--match", "any", "--", query).code == 0


@pytest.mark.requirement("CLI-4")
@pytest.mark.parametrize("arguments", [[" "], ["x", "--seq-from", "2", "--seq-to", "1"]])
def test_what_cannot_be_meant_is_refused_before_the_index_is_made(
    launches: Shell, arguments: list[str]
) -> None:
    """A blank query and a reversed range are told at once."""
    assert launches.run("search", *arguments).code == 2
    assert not launches.index.parent.exists()


@pytest.mark.requirement("CLI-4")
def test_a_search_in_one_session_takes_no_filter_on_sessions(launches: Shell) -> None:
    """--in with an option on sessions is refused; the session must be there."""
    assert launches.run("search", "x", "--in", "apart", "--cwd", "/a").code == 2
    assert launches.run("search", "x", "--in", "nobody").code == 1


@pytest.mark.requirement("CLI-3", "CLI-4")
def test_a_terminal_shows_matches_in_a_style_and_a_pipe_does_not(launches: Shell) -> None:
    """On a terminal the matching words stand out; elsewhere no escape sequence is printed."""
    shown = launches.terminal("search", "rocket", "launched").out
    assert re.search(r"\x1b\[[0-9;]*mrocket launched\x1b\[0m", shown)
    assert "words: rocket, launched" in shown
    assert "\x1b" not in launches.run("search", "rocket", "launched").out


@pytest.mark.requirement("CLI-3")
@given(
    snippet=st.text(st.sampled_from("ab AB é权限\u202e\x1b[]«»…'-")),
    query=st.text(st.sampled_from("abé权限'- "), min_size=1),
    words=st.booleans(),
)
def test_highlights_are_where_the_tokens_are(snippet: str, query: str, words: bool) -> None:
    """A highlight covers tokens of the query and only those; the text stays as it is shown."""
    if not query.strip():
        return
    matched = ("",) if words else None
    hit = EventHit("s", 0, "user/message", 0, "current", snippet, matched)
    text: Text = Highlighter(query, "script").snippet(hit)
    assert text.plain == visible(snippet)
    wanted = {token.text for token in tokenize(query)}
    for span in text.spans:
        assert {token.text for token in tokenize(text.plain[span.start : span.end])} <= wanted


@pytest.mark.requirement("CLI-3", "CLI-4")
@pytest.mark.parametrize(
    ("matched", "marked"),
    [(None, ["rocket launched"]), (("rocket",), ["rocket", "rocket", "launched"])],
)
def test_a_highlight_is_what_the_hit_says(
    matched: tuple[str, ...] | None, marked: list[str]
) -> None:
    """In a hit of the phrase only the phrase stands out, in one of words each of them."""
    snippet = "a rocket; the rocket launched"
    hit = EventHit("s", 0, "user/message", 0, "current", snippet, matched)
    text = Highlighter("rocket launched", "script").snippet(hit)
    assert [text.plain[span.start : span.end] for span in text.spans] == marked


@pytest.mark.requirement("CLI-3")
def test_highlights_do_not_come_from_the_content(shell: Shell) -> None:
    """What looks like a marker, an escape sequence or markup is text and has no style."""
    shell.say("s", "[bold red]fake[/] \x1b[43mfake\x1b[0m needle **fake**")
    shown = shell.terminal("search", "needle").out
    assert "\x1b[43mfake" not in shown
    assert "[bold red]fake[/]" in shown
    assert "␛[43mfake␛[0m" in shown


@pytest.mark.requirement("CLI-4")
def test_search_indexes_first_and_shows_that_on_a_terminal(launches: Shell, tmp_path: Path) -> None:
    """A search on a cold index shows a bar while it indexes; a warm one shows none."""
    assert "Indexing" in launches.terminal("search", "rocket").out
    assert "Indexing" not in launches.terminal("search", "rocket").out
    assert (tmp_path / "cache" / "index.sqlite").exists()


@pytest.mark.requirement("CLI-4")
def test_the_hint_to_read_on_can_be_typed(launches: Shell) -> None:
    """What a terminal suggests after the hits shows the first of them, from the same store."""
    shown = launches.terminal("--no-color", "search", "rocket", "launched").out
    [hint] = re.findall(r"Read on: session-query (.*)", shown)
    typed = shlex.split(hint)
    assert typed[:5] == [*launches.options, "show"]
    assert launches.run(*typed[4:]).out.startswith("0\t")


@pytest.mark.requirement("CLI-4")
def test_one_hit_is_told_as_one(launches: Shell) -> None:
    """What says that there are more hits speaks of a single one as such."""
    last = launches.run("search", "rocket", "--limit", "1").lines[-1]
    assert last == "more than 1 hit; raise --limit to see more of them"


@pytest.mark.requirement("CLI-4")
def test_nothing_found_names_what_narrowed_the_search(launches: Shell) -> None:
    """A terminal shows the filters that were typed, so that a mistyped one is seen."""
    options = ["--type", "user/mesage", "--no-cwd", "--seq-from", "0"]
    shown = launches.terminal("--no-color", "search", "rocket", *options).out
    assert "Nothing found with --no-cwd, --type user/mesage, --seq-from." in shown
    assert "Nothing found." in launches.terminal("--no-color", "search", "absent").out
