"""The sample store is whole, shows what a log can hold, and can be made again."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from session_query.log import (
    QUERY_TOOL_NAMES,
    SessionEvent,
    fold_surface,
    fold_title,
    semantic_documents,
    turn_is_open,
)
from session_query.persistence import JsonlPersistence, StoredSession

Sessions = dict[str, StoredSession]

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
HOST = re.compile(r"https?://([\w.-]+)")
HOME = re.compile(r"/home/|/Users/|\\Users\\", re.IGNORECASE)
INVENTED = re.compile(r"(.*[@.])?example\.(com|org|net)|localhost")


@pytest.fixture(scope="module")
def store(root: Path) -> Path:
    """The folder of the committed store."""
    return root / "fixtures" / "sessions"


@pytest.fixture(scope="module")
def sessions(store: Path) -> Sessions:
    """Every session of the committed store, read by its id."""

    async def read_all() -> Sessions:
        persistence = JsonlPersistence(store)
        return {
            header.id: await persistence.inspect(header.id) for header in await persistence.list()
        }

    return asyncio.run(read_all())


def files(store: Path) -> dict[str, Path]:
    """Every log of a store, by its path within."""
    return {str(path.relative_to(store)): path for path in sorted(store.rglob("session.jsonl*"))}


def frames(path: Path) -> Iterator[bytes]:
    """The content of each zstd frame of a file."""
    rest = path.read_bytes()
    while rest:
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        yield decompressor.decompress(rest)
        assert decompressor.eof
        rest = decompressor.unused_data


def content(path: Path) -> bytes:
    """The lines of a log, whichever way they are stored."""
    return b"".join(frames(path)) if path.suffix == ".zstd" else path.read_bytes()


def events(sessions: Sessions, kind: str) -> list[SessionEvent]:
    """All events of one type."""
    return [event for log in sessions.values() for event in log.events if event.type == kind]


def payloads(sessions: Sessions, kind: str) -> list[Any]:
    """What all events of one type carry."""
    return [event.data for event in events(sessions, kind)]


def texts(sessions: Sessions) -> dict[str, str]:
    """All that can be searched, by the session that says it."""
    return {
        id_: "\n".join(document.text for document in semantic_documents(id_, log.events))
        for id_, log in sessions.items()
    }


def test_every_session_is_whole(sessions: Sessions) -> None:
    """Each session can be read and folded, has a title, and ends outside a turn."""
    assert 12 <= len(sessions) <= 14
    for id_, log in sessions.items():
        assert fold_surface(log.events).nodes, id_
        assert fold_title(log.events) is not None, id_
        assert not turn_is_open(log.events), id_
        times = [event.time for event in log.events]
        assert times == sorted(times), id_
        assert log.header.parent_session is None or log.header.parent_session in sessions


@pytest.mark.requirement("LOG-17")
def test_the_layout_is_the_shared_one(sessions: Sessions, store: Path) -> None:
    """Folders are named after workspace and id, and raw and compressed logs stand side by side."""
    found = files(store)
    assert len(found) == len(sessions)
    assert found.keys() >= {
        "--srv-orbit-launch-api--/flaky-login-7c1e/session.jsonl",
        "--srv-orbit-launch-api--/migration-0042-b93d/session.jsonl.zstd",
        "--srv-orbit-console--/retry-after-zh-77b2/session.jsonl.zstd",
        "--srv-~5DE5~5177-~6743~9650~670D~52A1--/~6743~9650~8FB9~754C-5d2a/session.jsonl",
        "_no-cwd/scratch~003Alock-timeout/session.jsonl",
    }
    assert {path.parts[0] for path in map(Path, found)} == {
        "--srv-orbit-launch-api--",
        "--srv-orbit-console--",
        "--srv-~5DE5~5177-~6743~9650~670D~52A1--",
        "_no-cwd",
    }


@pytest.mark.requirement("LOG-18")
def test_streamed_answers_are_packed(sessions: Sessions, store: Path) -> None:
    """Each kind of packed row occurs, and unpacks into the deltas of one block."""
    lines = b"".join(content(path) for path in files(store).values()).decode()
    for kind in ("text-chunks", "reasoning-chunks", "tool-call-chunks"):
        assert f'{{"type":"{kind}","seq0":' in lines
    chunks = [data["chunk"]["type"] for data in payloads(sessions, "assistant/chunk")]
    assert {"text-delta", "reasoning-delta", "tool-call-delta"} < set(chunks)
    assert lines.count('"type":"assistant/chunk"') < len(chunks) / 2


@pytest.mark.requirement("LOG-19")
def test_compressed_logs_have_a_frame_for_each_batch(store: Path) -> None:
    """The header has a frame to itself, and more than one batch follows."""
    compressed = [path for path in files(store).values() if path.suffix == ".zstd"]
    assert compressed
    several = 0
    for path in compressed:
        header, *batches = frames(path)
        assert header.count(b"\n") == 1
        assert header.startswith(b'{"type":"session"')
        assert all(batch.endswith(b"\n") for batch in batches)
        several += len(batches) > 1
    assert several


def test_a_history_was_compacted_and_pruned(sessions: Sessions) -> None:
    """One log replaces its history by a summary, and a tool result by a shorter one."""
    log = sessions["migration-0042-b93d"]
    kinds = {event.type for event in log.events}
    assert kinds > {"compaction/start", "compaction/summary", "compaction/end", "compaction/prune"}
    pruned, compacted = fold_surface(log.events).replacements
    assert log.events[pruned.seq].type == "tool/result"
    assert [log.events[seq].type for seq in pruned.removed] == ["tool/result"]
    assert log.events[compacted.seq].type == "user/message"
    assert len(compacted.removed) > 10
    assert pruned.seq in compacted.removed


def test_a_fork_begins_with_its_parents_events(sessions: Sessions) -> None:
    """The fork copies whole turns of its parent, and marks where its own events begin."""
    (fork,) = [log for log in sessions.values() if log.header.seed_length is not None]
    parent = sessions[fork.header.parent_session or ""]
    length = fork.header.seed_length or 0
    assert 0 < length < len(parent.events)
    assert list(fork.events[:length]) == list(parent.events[:length])
    assert fork.events[length].type == "session/end-seed"


def test_sub_agents_work_while_their_parents_wait(sessions: Sessions) -> None:
    """A sub-agent of a sub-agent exists, and each works between the call and its result."""
    children = [log for log in sessions.values() if log.header.origin == "subagent"]
    assert sorted(log.header.delegation_depth or 0 for log in children) == [1, 2]
    for log in children:
        parent = sessions[log.header.parent_session or ""]
        assert (parent.header.delegation_depth or 0) + 1 == log.header.delegation_depth
        (call,) = [e for e in events({"": parent}, "tool/call") if e.data["name"] == "subagent"]
        (result,) = [
            event
            for event in events({"": parent}, "tool/result")
            if event.data["message"]["source"]["callId"] == call.data["callId"]
        ]
        assert call.time <= log.header.created_at
        assert log.events[-1].time <= result.time


def test_turns_end_in_every_way(sessions: Sessions) -> None:
    """Turns complete, are aborted, interrupted and cut short, and fail."""
    ends = {data["reason"]["kind"] for data in payloads(sessions, "turn/end")}
    assert ends == {"completed", "aborted", "interrupted", "error", "max-tokens"}
    interrupted = sessions["launch-window-c0d5"]
    kinds = [data["reason"]["kind"] for data in payloads({"": interrupted}, "turn/end")]
    assert {"aborted", "interrupted"} < set(kinds)
    assert any(data.get("interrupted") for data in payloads(sessions, "assistant/message"))


def test_tools_fail_by_name_and_code(sessions: Sessions) -> None:
    """Tool results carry errors, each with a name and a code."""
    errors = [data["error"] for data in payloads(sessions, "tool/result") if "error" in data]
    assert all(error.keys() == {"name", "code"} for error in errors)
    assert {error["code"] for error in errors} >= {
        "ABORTED",
        "FILE_NOT_FOUND",
        "OFFLINE",
        "OUTSIDE_WORKSPACE",
        "TOOL_OUTCOME_UNKNOWN",
    }


def test_titles_plans_and_headers_are_logged(sessions: Sessions) -> None:
    """Titles come from all three sources, plans are rewritten, and a request header is resumed."""
    titles = {data["source"]["kind"] for data in payloads(sessions, "session/title")}
    assert titles == {"fallback", "provider", "user"}
    reasons = {data["reason"] for data in payloads(sessions, "request/header")}
    assert reasons == {"initial", "resume"}
    plans = [data["todos"] for data in payloads(sessions, "todo/write")]
    assert {item["status"] for plan in plans for item in plan} == {
        "pending",
        "in_progress",
        "completed",
    }
    blocks = [
        block["type"]
        for data in payloads(sessions, "assistant/message")
        for block in data["message"]["content"]
    ]
    assert set(blocks) == {"reasoning", "text", "tool-call"}


@pytest.mark.requirement("LOG-24")
def test_an_earlier_search_is_not_found(sessions: Sessions) -> None:
    """What a query tool showed in one session is found only where it was said."""
    searching = sessions["flaky-login-again-18d4"]
    called = {data["name"] for data in payloads({"": searching}, "tool/call")}
    assert {"session_search", "session_event_search"} <= called & QUERY_TOOL_NAMES
    shown = str(payloads({"": searching}, "tool/result"))
    assert "one run in twenty" in shown
    saying = [id_ for id_, text in texts(sessions).items() if "one run in twenty" in text]
    assert saying == ["flaky-login-7c1e"]


@pytest.mark.parametrize(
    "phrase",
    [
        "工作区权限边界",
        "ＡＰＩ网关",
        "返回 429",
        "予約が多すぎます",
        "rocket launched",
        "launched rocket",
        "rate limiter",
        "flaky login test",
        "POL-358",
        "`src/launch_api/auth/refresh.py`",
        "Don't",
        "TODO: fix",
        "5%",
        "@oncall",
        "São José",
        "Tromsø",
        "👩🏽‍🚀",
        "🚀",
    ],
)
def test_words_that_are_hard_to_find_occur(sessions: Sessions, phrase: str) -> None:
    """Scripts, symbols, accents, paths and issue keys occur in what can be searched."""
    assert any(phrase in text for text in texts(sessions).values())


def test_the_generator_makes_the_same_store(root: Path, store: Path, tmp_path: Path) -> None:
    """Building the store anew gives what is committed: raw logs byte for byte."""
    script = root / "fixtures" / "build_sample_store.py"
    subprocess.run([sys.executable, script, "--into", tmp_path / "sessions"], check=True)
    committed, built = files(store), files(tmp_path / "sessions")
    assert built.keys() == committed.keys()
    stale = [name for name, path in built.items() if content(path) != content(committed[name])]
    assert not stale, "run `python fixtures/build_sample_store.py` and look at what changed"


def test_nobody_real_is_named(store: Path) -> None:
    """No log holds a mail address, a host or a home folder that could be somebody's."""
    for name, path in files(store).items():
        text = content(path).decode()
        named = ADDRESS.findall(text) + HOST.findall(text)
        assert [found for found in named if not INVENTED.fullmatch(found)] == [], name
        assert not HOME.search(text), name
