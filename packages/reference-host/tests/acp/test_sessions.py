"""Listing, loading, resuming, forking and closing, and what is refused of it (ACP-1)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from session_query import SessionHeader

from ..scripts import (
    call,
    sound_log,
    store_session,
    text,
    titled,
    turn_ends,
    write_composition,
    write_script,
)
from .agents import CWD, Agent, command, running
from .talking import refused, talking

MANY = 230
ODD = "a\ud800b"
"""Text with a lone surrogate, which a log may hold and UTF-8 may not."""


def store(state: Path, headers: list[SessionHeader]) -> None:
    """Store sessions that have a title."""

    async def main() -> None:
        for header in headers:
            await store_session(state, header, titled(f"Of {header.id}"))

    asyncio.run(main())


@pytest.mark.requirement("ACP-1", "ACP-3")
def test_pages_of_the_list(tmp_path: Path) -> None:
    """A list holds the sessions of exactly that directory, newest first, each once in some page.

    Without a directory it holds all that have one; a cursor that nobody gave is refused.
    """
    here = [SessionHeader(0, f"s{number:03}", number // 2, CWD) for number in range(MANY)]
    near = [f"{CWD}/", "/srv/orbit", f"{CWD}-2", "/SRV/orbit/launch-api"]
    others = [SessionHeader(0, f"o{number}", 7, cwd) for number, cwd in enumerate([*near, None])]
    store(tmp_path / "state", [*here, *others])
    script = write_script(tmp_path / "script.json")

    async def pages(talk: Any, cwd: str | None) -> list[list[Any]]:
        found: list[list[Any]] = []
        cursor = None
        while cursor is not None or not found:
            page = await talk.agent.list_sessions(cwd=cwd, cursor=cursor)
            found.append(page.sessions)
            cursor = page.next_cursor
        return found

    async def main() -> None:
        async with talking("acp", tmp_path / "state", "--replay", script) as talk:
            listed = await pages(talk, CWD)
            assert [len(page) for page in listed] == [100, 100, 30]
            expected = sorted(here, key=lambda header: (-header.created_at, header.id))
            together = [one for page in listed for one in page]
            assert [one.session_id for one in together] == [header.id for header in expected]
            assert {one.cwd for one in together} == {CWD}
            assert all(one.title == f"Of {one.session_id}" for one in together)
            everywhere = {one.session_id for page in await pages(talk, None) for one in page}
            assert everywhere == {header.id for header in [*here, *others[:-1]]}
            assert [len(page) for page in await pages(talk, "/nowhere")] == [0]
            for cursor in ("", "x", "w6Q=", "MTIz!", "é"):
                assert (await refused(talk.agent.list_sessions(cursor=cursor)))[0] == -32602

    asyncio.run(main())


@pytest.mark.requirement("ACP-1", "ACP-3")
def test_only_in_its_own_directory(tmp_path: Path) -> None:
    """A session is loaded, resumed and forked in its own directory, and in no other spelling of it.

    One that does not exist, or is not open, is refused too; a closed one can be loaded again.
    """
    state = tmp_path / "state"
    store(state, [SessionHeader(0, "mine", 0, CWD), SessionHeader(0, "nowhere", 0)])
    script = write_script(tmp_path / "script.json", [text("Hello.")], [text("Again.")])

    async def main() -> None:
        async with talking("acp", state, "--replay", script) as talk:
            agent = talk.agent
            ways: list[Any] = [agent.load_session, agent.resume_session, agent.fork_session]
            for opened in (False, True):
                for way in ways:
                    for cwd in (f"{CWD}/", "/srv", f"{CWD}/.", ".", ""):
                        code, _, data = await refused(way(session_id="mine", cwd=cwd))
                        assert (code, data) == (-32602, {"code": "SESSION_CWD_MISMATCH"})
                    code, _, data = await refused(way(session_id="nowhere", cwd=CWD))
                    assert data == {"code": "SESSION_CWD_MISMATCH"}
                    code, _, data = await refused(way(session_id="missing", cwd=CWD))
                    assert (code, data) == (-32002, {"code": "SESSION_NOT_FOUND"})
                if not opened:
                    assert (await refused(talk.prompt("mine")))[0] == -32002
                    assert (await refused(agent.close_session(session_id="mine")))[0] == -32002
                    await agent.resume_session(session_id="mine", cwd=CWD)
            assert not talk.client.shown
            assert await talk.prompt("mine") == "end_turn"
            await agent.close_session(session_id="mine")
            assert (await refused(talk.prompt("mine")))[0] == -32002
            await agent.load_session(session_id="mine", cwd=CWD)
            assert talk.client.text("mine") == "Hello.Hello."
            assert await talk.prompt("mine") == "end_turn"
            for cwd in ("relative", "", "/nul\0"):
                assert (await refused(talk.new(cwd)))[2] == {"code": "SESSION_INVALID_CWD"}

    asyncio.run(main())
    assert len([one for one in sound_log(state, "mine").events if one.type == "turn/end"]) == 2


@pytest.mark.requirement("ACP-1", "ACP-4")
def test_what_utf8_cannot_hold(tmp_path: Path) -> None:
    """Lone surrogates in a log or in what a model calls spoil no list, no update and no turn."""
    state = tmp_path / "state"
    arguments = '{"path": "\\ud800", "\\udfff": [{"deep": "\\ud800"}], "n": NaN}'
    message = {
        "id": ODD,
        "role": "assistant",
        "content": [
            {"type": "text", "text": ODD},
            {"type": "reasoning", "text": ODD},
            {"type": "tool-call", "id": ODD, "name": ODD, "arguments": arguments},
        ],
    }
    result = {"type": "tool-result", "toolCallId": ODD, "content": [{"type": "text", "text": ODD}]}
    asyncio.run(
        store_session(
            state,
            SessionHeader(0, "odd", 0, CWD),
            titled(ODD),
            ("todo/write", {"todos": [{"content": ODD, "status": ODD}, ODD]}),
            (
                "user/message",
                {"id": ODD, "role": "user", "content": [{"type": "text", "text": ODD}]},
            ),
            ("assistant/message", {"turn": ODD, "step": None, "message": message}),
            ("tool/call", {"callId": ODD, "name": ODD, "arguments": arguments}),
            ("tool/result", {"message": {"role": "user", "content": [result]}}),
        )
    )
    write_script(
        tmp_path / "script.json",
        [call("c1", "read", arguments), call("c2", "session_search", arguments, 3)],
        [call("c3", "todo", "[" * 300 + "]" * 300)],
        [text("On.")],
    )
    composition = write_composition(tmp_path / "composition.toml")
    with running(command(composition, state), tmp_path) as agent:
        (listed,) = agent.result("session/list", cwd=CWD)["sessions"]
        assert (listed["sessionId"], listed["title"]) == ("odd", "a\ufffdb")
        agent.result("session/load", sessionId="odd", cwd=CWD, mcpServers=[])
        loaded = [one["params"]["update"] for one in agent.updates]
        assert [one["sessionUpdate"] for one in loaded] == [
            "session_info_update",
            "plan",
            "user_message_chunk",
            "agent_message_chunk",
            "agent_thought_chunk",
            "tool_call",
            "tool_call_update",
            "tool_call_update",
        ]
        assert loaded[5]["title"] == "Call a\ufffdb"
        assert agent.prompt("odd") == "end_turn"
        shown = calls(agent)
        assert [shown[f"1.1.c{number}"][-1] for number in (1, 2)] == ["failed", "failed"]
        assert shown["1.2.c3"][-1] == "failed"
        agent.leave()
        assert "could not be sent" not in agent.stderr
    sound_log(state, "odd")


@pytest.mark.requirement("ACP-1")
def test_a_session_that_another_agent_writes(tmp_path: Path) -> None:
    """Only one of two agents opens a session; the other is told why it can't, and may fork it."""
    state = tmp_path / "state"
    store(state, [SessionHeader(0, "both", 0, CWD)])
    script = write_script(tmp_path / "script.json", [text("Mine.")], [text("Mine still.")])
    argv = command("acp", state, "--replay", script)
    with running(argv, tmp_path / "a") as one, running(argv, tmp_path / "b") as other:
        one.result("session/load", sessionId="both", cwd=CWD, mcpServers=[])
        assert one.prompt("both") == "end_turn"
        refusal = other.refusal("session/load", sessionId="both", cwd=CWD, mcpServers=[])
        assert refusal["data"] == {"code": "SESSION_OWNED_ELSEWHERE"}
        assert other.result("session/fork", sessionId="both", cwd=CWD, mcpServers=[])["sessionId"]
        assert one.prompt("both") == "end_turn"
        one.leave()
        other.result("session/load", sessionId="both", cwd=CWD, mcpServers=[])
        assert other.prompt("both") == "end_turn"
        other.leave()
    assert turn_ends(sound_log(state, "both")) == ["completed"] * 3


def calls(agent: Agent) -> dict[str, list[str]]:
    """The states that each call went through."""
    found: dict[str, list[str]] = {}
    for message in agent.updates:
        update = message["params"]["update"]
        if "toolCallId" in update:
            found.setdefault(update["toolCallId"], []).append(update["status"])
    return found
