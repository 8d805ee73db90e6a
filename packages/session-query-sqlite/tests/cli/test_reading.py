"""`list`, `events`, `show` and `trace` tell what the engine reads (CLI-1)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from session_query import (
    JsonlPersistence,
    SessionEvent,
    SessionQueryEngine,
    SessionSources,
    SessionStore,
    TypeFilter,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine

from ..corpora import CREATED, log, message
from .shells import Shell


def asked(shell: Shell, ask: Callable[[SessionQueryEngine], Awaitable[Any]]) -> Any:
    """Return the JSON form of what an engine answers."""

    async def run() -> Any:
        sources = SessionSources(SessionStore(), JsonlPersistence(shell.root))
        config = SqliteConfig(str(shell.index), open_at="never")
        async with SqliteSessionQueryEngine(sources, config) as engine:
            answer = await ask(engine)
            return (
                [one.to_json() for one in answer] if isinstance(answer, list) else answer.to_json()
            )

    return asyncio.run(run())


def title(text: str, seq: int) -> SessionEvent:
    """Return an event that sets a title."""
    data = {"title": text, "messageSeqs": [], "source": {"kind": "user"}}
    return SessionEvent("session/title", seq, CREATED + seq, data)


@pytest.fixture
def family(shell: Shell) -> Shell:
    """A store with a session, its fork, a sub-agent of that, and a stranger without a cwd."""
    shell.write("first", [*log("one", "two"), title("The First", 2)], cwd="/a", created_at=1000)
    shell.write("second", log("one", "other"), cwd="/a", created_at=2000, parent_session="first")
    shell.say(
        "third", "deep", cwd="/a/", created_at=3000, parent_session="second", origin="subagent"
    )
    shell.say("stranger", "alone", created_at=4000)
    return shell


@pytest.mark.requirement("CLI-1")
def test_list_gives_all_sessions_newest_first(family: Shell) -> None:
    """Without options, the sessions of every workspace come, newest first, with their titles."""
    rows = family.run("list").rows
    assert [row[0] for row in rows] == ["stranger", "third", "second", "first"]
    assert rows[3][1:] == [
        *rows[3][1:2], "1970-01-01T00:00:01.000Z", "persisted", "", "", "/a", "The First",
    ]  # fmt: skip
    assert [row[4:6] for row in rows[1:3]] == [["sub-agent of", "second"], ["fork of", "first"]]
    assert rows[0][7] == "(no title)"


@pytest.mark.requirement("CLI-1")
@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--cwd", "/a"], ["second", "first"]),
        (["--cwd", "/a/"], ["third"]),
        (["--cwd", "/"], []),
        (["--no-cwd"], ["stranger"]),
        (["--no-cwd", "--cwd", "/a/"], ["stranger", "third"]),
        (["--parent", "first"], ["second"]),
        (["--parent", "sec", "--no-parent"], ["stranger", "third", "first"]),
        (["--id", "th", "--id", "first"], ["third", "first"]),
        (["--created-from", "1970-01-01T00:00:02Z", "--created-to", "1970-01-01T00:00:03Z"],
         ["third", "second"]),
        (["--availability", "persisted", "--cwd", "/a"], ["second", "first"]),
        (["--availability", "live"], []),
    ],
)  # fmt: skip
def test_list_takes_each_filter(family: Shell, options: list[str], found: list[str]) -> None:
    """Each option narrows the list; values of one are ORed, and a cwd is an exact string."""
    outcome = family.run("list", "--json", *options)
    assert [value["header"]["id"] for value in outcome.values] == found
    assert outcome.code == (0 if found else 1)


@pytest.mark.requirement("CLI-1", "CLI-3")
def test_each_command_prints_the_json_of_the_engine(family: Shell) -> None:
    """With --json, each reading command prints what the engine answers, one value a line."""
    assert family.run("list", "--json").values == asked(family, lambda e: e.list_sessions())
    assert family.run("list", "--json", "--titles").values == asked(
        family, lambda e: e.read_titles(["stranger", "third", "second", "first"])
    )
    assert family.run("events", "first", "--json").values == asked(
        family, lambda e: e.list_events("first")
    )
    filters = [TypeFilter(["session/title"])]
    assert family.run(
        "events", "first", "--with-text", "--type", "session/title", "--json"
    ).values == asked(family, lambda e: e.filter_events("first", filters))
    assert family.run("show", "first", "1", "-B", "1", "-A", "5", "--json").values == [
        asked(family, lambda e: e.read_event("first", 1, 1, 5))
    ]
    assert family.run("show", "first", "--json").values == [
        asked(family, lambda e: e.read_surface("first"))
    ]
    assert family.run("trace", "second", "--json").values == [
        asked(family, lambda e: e.trace_session("second"))
    ]
    assert family.run("trace", "first", "1", "--json").values == [
        asked(family, lambda e: e.trace_event("first", 1))
    ]


@pytest.mark.requirement("CLI-1")
def test_events_take_each_filter(shell: Shell) -> None:
    """Each option on events narrows them; --text also finds parts of words."""
    events = [*log("a BRAID here", "plain", "raid"), title("T", 3)]
    events.append(SessionEvent("step/start", 4, CREATED + 4, {"turn": 1, "step": 1}))
    shell.write("s", events)

    def seqs(*options: str) -> list[int]:
        return [value["seq"] for value in shell.run("events", "s", "--json", *options).values]

    assert seqs() == [0, 1, 2, 3, 4]
    assert seqs("--with-text") == [0, 1, 2, 3]
    assert seqs("--text", "RAID") == [0, 2]
    assert seqs("--type", "step/start", "--type", "session/title") == [3, 4]
    assert seqs("--surface", "log-only") == [3, 4]
    assert seqs("--seq-from", "1", "--seq-to", "2") == [1, 2]
    assert seqs("--time-from", "2026-09-21T14:13:20.002Z", "--surface", "current") == [2]


@pytest.mark.requirement("CLI-1")
def test_an_id_is_named_by_its_unique_beginning(family: Shell) -> None:
    """The beginning of one id is enough, a whole id always wins, and several are told apart."""
    family.say("thirdly", "x")
    assert family.run("show", "f", "0", "--json").values[0]["session"]["id"] == "first"
    assert family.run("show", "third", "0", "--json").values[0]["session"]["id"] == "third"
    ambiguous = family.run("show", "thi", "0")
    assert ambiguous.code == 2
    assert "third, thirdly" in ambiguous.err
    assert family.run("show", "", "0").code == 1


@pytest.mark.requirement("CLI-1")
def test_show_prints_what_was_said_and_done(shell: Shell) -> None:
    """Texts, reasoning, calls, results, todos and endings are laid out; the rest is JSON."""
    blocks = [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "first\n\tsecond"},
        {
            "type": "tool-call",
            "id": "c",
            "name": "edit",
            "arguments": '{"path": "p", "new": "a\\nb"}',
        },
        {"type": "image", "url": "x"},
    ]
    inner = {
        "type": "tool-result",
        "toolCallId": "c",
        "content": [{"type": "text", "text": "done"}],
    }
    shell.write("s", [
        SessionEvent("assistant/message", 0, 0,
                     {"message": {"role": "assistant", "content": blocks}}, "append"),
        SessionEvent("tool/result", 1, 0, {"message": {"content": [inner]},
                                           "error": {"name": "E", "code": "BAD"}}, "append"),
        SessionEvent("todo/write", 2, 0, {"todos": [{"content": "c", "status": "pending"}]}),
        SessionEvent("turn/end", 3, 0, {"reason": {"kind": "error", "error": {"message": "m"}}}),
        SessionEvent("tool/call", 4, 0, {"name": "ls", "arguments": "no json"}),
        SessionEvent("x/y", 5, 0, {"k": [1]}),
        SessionEvent("user/message", 6, 0, {"content": "odd"}, "append"),
    ])  # fmt: skip
    shown = shell.run("show", "s", "0", "-A", "9").out.split("\n")
    assert [line for line in shown if line.startswith("  ")] == [
        "  [reasoning]", "  hm", "  first", "      second", "  [calls edit]", "  path: p", "  new:",
        "    a", "    b", '  {"type":"image","url":"x"}', "  done", "  [error]", "  E BAD",
        "  [pending] c", "  error: m", "  [calls ls]", "  no json", '  {"k":[1]}',
        '  {"content":"odd"}',
    ]  # fmt: skip


@pytest.mark.requirement("CLI-1")
def test_trace_tells_relatives_and_ties(family: Shell) -> None:
    """A session's ancestors and descendants are told apart, and so are the ties of an event."""
    assert [row[:3] for row in family.run("trace", "second").rows] == [
        ["ancestor", "1", "first"], ["target", "0", "second"], ["descendant", "1", "third"],
    ]  # fmt: skip
    family.say("orphan", "x", parent_session="gone")
    assert family.run("trace", "orphan").rows[0] == ["missing", "1", "gone"]
    replace = SessionEvent(
        "user/message", 1, 0, message("new"), {"op": "replace", "start": 0, "end": 0}, [0]
    )
    family.write("tied", [*log("old"), replace])
    assert family.run("trace", "tied", "0").rows == [
        ["target", "0"], ["replaced by", "1"], ["cited by", "1"],
    ]  # fmt: skip
    assert family.run("trace", "tied", "1").rows == [
        ["target", "1"], ["replaces", "0"], ["cites", "0"],
    ]  # fmt: skip


@pytest.mark.requirement("CLI-1")
def test_reading_leaves_the_index_alone(family: Shell) -> None:
    """Only searching, indexing and the doctor touch the index."""
    for arguments in (["list"], ["events", "first"], ["show", "first"], ["trace", "first"]):
        assert family.run(*arguments).code == 0
    assert not family.index.parent.exists()


@pytest.mark.requirement("CLI-1")
def test_a_deep_and_wide_lineage_is_told(shell: Shell) -> None:
    """A chain of 60 generations is traced from its middle, drawn in part on a terminal."""
    for number in range(60):
        parent = {} if number == 0 else {"parent_session": f"s{number - 1:02}"}
        shell.say(f"s{number:02}", "x", created_at=number, **parent)
    rows = shell.run("trace", "s30").rows
    assert [row[0] for row in rows] == ["ancestor"] * 30 + ["target"] + ["descendant"] * 29
    drawn = shell.terminal("trace", "s30", "--depth", "3", environment={"NO_COLOR": "1"}).out
    assert "… 27 older" in drawn
    assert "… 26 more below" in drawn
    assert "s27" in drawn
    assert "s33" in drawn
    assert "s34" not in drawn


@pytest.mark.requirement("CLI-1")
def test_defaults_come_from_the_environment(
    family: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables name store and index, options beat them, and each store has its own index."""
    monkeypatch.setenv("SESSION_QUERY_ROOT", str(family.root))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(Shell, "options", property(lambda _: []))
    assert family.run("search", "alone", "--json").values[0]["header"]["id"] == "stranger"
    [index] = (tmp_path / "xdg" / "session-query").iterdir()
    assert index.stat().st_mode & 0o777 == 0o600
    other = Shell(Path(os.fspath(tmp_path / "xdg")))
    other.say("elsewhere", "x")
    for arguments in (["--root", str(other.root), "list"], ["list", "--root", str(other.root)]):
        assert [row[0] for row in family.run(*arguments).rows] == ["elsewhere"]
    monkeypatch.setenv("SESSION_QUERY_INDEX", str(tmp_path / "named"))
    assert family.run("index").code == 0
    assert (tmp_path / "named").exists()
    assert family.run("index", "--root", str(other.root), "--index", str(tmp_path / "3")).code == 0
    assert (tmp_path / "3").exists()


@pytest.mark.requirement("CLI-1")
def test_limits_say_how_many_more_there_are(family: Shell) -> None:
    """A limited listing says how many more there are: below it, or beside the JSON."""
    listed = family.run("list", "--limit", "3")
    assert [len(listed.lines), listed.lines[-1]] == [4, "1 more; raise --limit to see them"]
    assert "more" not in family.run("list", "--limit", "4").out
    events = family.run("events", "first", "--limit", "1", "--json")
    assert [len(events.values), events.err] == [1, "2 more; raise --limit to see them\n"]


@pytest.mark.requirement("CLI-1")
@pytest.mark.parametrize("command", [["list"], ["search", "alone"]])
@pytest.mark.parametrize("option", ["--id", "--parent"])
def test_a_filter_names_sessions_that_there_are(
    family: Shell, command: list[str], option: str
) -> None:
    """An id that is unknown is told as everywhere, also beside one that is known."""
    expected = family.run("show", "nope").err
    for arguments in ([option, "nope"], [option, "first", option, "nope"]):
        outcome = family.run(*command, *arguments)
        assert (outcome.code, outcome.out, outcome.err) == (1, "", expected)


@pytest.mark.requirement("CLI-1")
def test_a_parent_that_is_gone_still_names_its_children(family: Shell) -> None:
    """--parent takes an id of which there is no log any more, if a session descends from it."""
    family.log_of("second").unlink()
    assert [row[0] for row in family.run("list", "--parent", "second").rows] == ["third"]
