"""The SDK's client holds a whole conversation with a real agent process (ACP-1, ACP-3)."""

from __future__ import annotations

import asyncio
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from session_query import SessionHeader

from ..scripts import (
    FIXTURES,
    WAIT,
    call,
    sound_log,
    store_session,
    text,
    thought,
    titled,
    write_composition,
    write_script,
)
from .agents import CWD
from .talking import refused, talking

PLAN: Final = [
    {"content": "Search", "status": "completed"},
    {"content": "Read", "status": "in_progress"},
]
ONE_MORE: Final = (SessionHeader(0, "one-more", 0, CWD), titled("New"))
SPILL: Final = "[policies.spill]\nmax_inline_bytes = 1500"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The directory of a host that has seen the recorded sessions."""
    shutil.copytree(FIXTURES, tmp_path / "state" / "sessions")
    return tmp_path / "state"


def results(updates: list[Any]) -> dict[str, Any]:
    """The last update of each call."""
    return {update.tool_call_id: update for update in updates}


def result_text(update: Any) -> str:
    """What a finished call answered."""
    return "".join(one.content.text for one in update.content)


@pytest.mark.requirement("ACP-1", "ACP-3")
def test_a_whole_conversation(tmp_path: Path, state: Path) -> None:
    """The client sees thoughts, text, calls and plan, and in another process the same again.

    What was spilled is read back there, and the forked session goes on without its parent.
    """
    write_script(
        tmp_path / "script.json",
        [
            thought("Who knew?"),
            text("I look. "),
            call("c1", "session_search", {"query": "flaky login test"}),
        ],
        [
            call("c1", "session_trace", {"session_id": "rate-limiter-41f0.1.1"}, 2),
            call("c2", "session_event_read", {"session_id": "flaky-login-7c1e", "seq": 5}, 3),
            call("c3", "read", {"path": "no-such-file"}, 4),
            call("c4", "todo", {"todos": PLAN}, 5),
        ],
        [text("The clock is read twice.")],
    )
    composition = write_composition(tmp_path / "composition.toml", SPILL)

    async def first() -> tuple[str, str, list[Any]]:
        async with talking(composition, state) as talk:
            session_id = await talk.new()
            assert await talk.prompt(session_id, "Why does the login test fail?") == "end_turn"
            client = talk.client
            assert client.text(session_id, "agent_thought_chunk") == "Who knew?"
            assert client.text(session_id) == "I look. The clock is read twice."
            cards = client.of(session_id, "tool_call")
            assert [(card.tool_call_id, card.kind, card.title) for card in cards] == [
                ("1.1.c1", "search", "Search earlier sessions: flaky login test"),
                ("1.2.c1", "read", "Trace session rate-limiter-41f0.1.1"),
                ("1.2.c2", "read", "Read event 5 of session flaky-login-7c1e"),
                ("1.2.c3", "read", "Read no-such-file"),
                ("1.2.c4", "think", "Update the plan"),
            ]
            (plan,) = client.of(session_id, "plan")
            assert [(entry.content, entry.status) for entry in plan.entries] == [
                ("Search", "completed"),
                ("Read", "in_progress"),
            ]
            done = results(client.of(session_id, "tool_call_update"))
            assert {name: one.status for name, one in done.items()} == {
                "1.1.c1": "completed",
                "1.2.c1": "completed",
                "1.2.c2": "completed",
                "1.2.c3": "failed",
                "1.2.c4": "completed",
            }
            assert '"rate-limiter-41f0"' in result_text(done["1.2.c1"])
            found = re.search(r"spill:[^\s\"]+[\w]", result_text(done["1.1.c1"]))
            assert found is not None, result_text(done["1.1.c1"])
            return session_id, found.group(), client.of(session_id)

    session_id, locator, live = asyncio.run(first())
    log = sound_log(state, session_id)
    assert [event.type for event in log.events][-1] == "turn/end"
    write_script(
        tmp_path / "script.json",
        [call("c1", "read", {"path": locator})],
        [text("Read.")],
        [call("c1", "read", {"path": locator})],
        [text("Read again.")],
    )

    async def second() -> str:
        async with talking(composition, state) as talk:
            await talk.agent.load_session(session_id=session_id, cwd=CWD)
            assert spoken(talk.client.of(session_id)) == [
                ("user_message_chunk", "Why does the login test fail?"),
                *spoken(live),
            ]
            talk.client.shown.clear()
            assert await talk.prompt(session_id, "Read the rest.") == "end_turn"
            done = results(talk.client.of(session_id, "tool_call_update"))
            assert "launch-window-c0d5" in result_text(done["2.1.c1"])
            fork = await talk.agent.fork_session(session_id=session_id, cwd=CWD)
            assert await talk.prompt(fork.session_id, "Once more.") == "end_turn"
            done = results(talk.client.of(fork.session_id, "tool_call_update"))
            assert "launch-window-c0d5" in result_text(done["3.1.c1"])
            return fork.session_id

    fork_id = asyncio.run(second())
    fork = sound_log(state, fork_id)
    assert fork.header.parent_session == session_id
    assert len(sound_log(state, session_id).events) < len(fork.events)


def is_said(said: str) -> Callable[[Any], bool]:
    """What waits for a piece of an answer."""
    return lambda one: one.session_update == "agent_message_chunk" and one.content.text == said


def spoken(updates: list[Any]) -> list[tuple[str, str]]:
    """What updates amount to, however a text is cut."""
    found: list[tuple[str, str]] = []
    for update in sorted(updates, key=lambda one: one.session_update == "session_info_update"):
        kind = update.session_update
        said = update.model_dump_json(exclude={"session_update", "content"})
        if kind.endswith("_chunk"):
            said = update.content.text
        elif kind == "tool_call_update" and update.content is not None:
            said += result_text(update)
        if found and kind.endswith("_chunk") and found[-1][0] == kind:
            said = found.pop()[1] + said
        found.append((kind, said))
    return found


@pytest.mark.requirement("ACP-1", "ACP-3")
def test_a_search_is_cancelled(tmp_path: Path, state: Path) -> None:
    """A cancelled turn ends while its search waits, a second prompt meanwhile is refused.

    The session goes on after it. Closing a session cancels too.
    """
    search = call("c1", "session_search", {"query": "flaky"})
    write_script(
        tmp_path / "script.json",
        [search],
        [text("Indexed.")],
        [search],
        [text("Searched.")],
        [text("Hold on."), WAIT],
    )
    composition = write_composition(tmp_path / "composition.toml")

    async def main() -> str:
        async with talking(composition, state) as talk:
            session_id = await talk.new()
            assert await talk.prompt(session_id) == "end_turn"
            # The index has one more log to take in, and cannot: the search waits.
            await store_session(state, *ONE_MORE)
            with closing(sqlite3.connect(state / "index.sqlite")) as lock:
                lock.execute("BEGIN EXCLUSIVE")
                turn = asyncio.create_task(talk.prompt(session_id))
                await talk.client.until(
                    lambda one: (
                        getattr(one, "tool_call_id", "") == "2.1.c1" and one.status == "in_progress"
                    )
                )
                code, message, data = await refused(talk.prompt(session_id))
                assert (code, data) == (-32600, {"code": "SESSION_BUSY"})
                assert "is running" in message
                code, _, data = await refused(
                    talk.agent.fork_session(session_id=session_id, cwd=CWD)
                )
                assert data == {"code": "SESSION_BUSY"}
                await talk.agent.cancel(session_id=session_id)
                assert await turn == "cancelled"
                lock.rollback()
            done = results(talk.client.of(session_id, "tool_call_update"))
            assert done["2.1.c1"].status == "failed"
            assert "ABORTED" in result_text(done["2.1.c1"])
            assert await talk.prompt(session_id) == "end_turn"
            turn = asyncio.create_task(talk.prompt(session_id))
            await talk.client.until(is_said("Hold on."))
            await talk.agent.close_session(session_id=session_id)
            assert await turn == "cancelled"
            assert (await refused(talk.prompt(session_id)))[2] == {"code": "SESSION_NOT_FOUND"}
            return session_id

    session_id = asyncio.run(main())
    log = sound_log(state, session_id)
    ends = [event.data["reason"]["kind"] for event in log.events if event.type == "turn/end"]
    assert ends == ["completed", "aborted", "completed", "aborted"]
