"""No line ends the agent, and none reaches another session than the one it names (ACP-4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ..scripts import WAIT, sound_log, text, turn_ends, write_script
from .agents import CWD, Agent, command, running

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600

UNREADABLE: Final = [
    b"nonsense",
    b'{"jsonrpc": "2.0", "id": 1, "method": ',
    b'{"jsonrpc": "2.0", "id": NaN, "method": "initialize"}',
    b'{"jsonrpc": "2.0", "id": 1e999, "method": "initialize"}',
    b'{"id": 1, "method": "session/new", "params": {"cwd": -Infinity}}',
    b'{"id": ' + b"9" * 5000 + b', "method": "initialize"}',
    b"\x00",
    b"\xff\xfe",
    b'{"method": "\xed\xa0\x80"}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"{} {}",
    b"'{}'",
]
NO_REQUESTS: Final = [
    b"[]",
    b"null",
    b"17",
    b'"initialize"',
    b"true",
    b'[{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}]',
    b'{"id": {}, "method": "initialize"}',
    b'{"id": [1], "method": "initialize"}',
    b'{"id": true, "method": "initialize"}',
    b'{"id": 1, "method": 5}',
    b'{"id": 1, "method": null}',
    b'{"id": 1, "method": ["initialize"]}',
    b'{"id": 1, "method": "initialize", "params": [1]}',
    b'{"id": 1, "method": "initialize", "params": "x"}',
    b'{"id": 1, "method": "initialize", "params": false}',
]
NOBODY_WAITS: Final = [
    b"",
    b"   \t\r",
    b"{}",
    b'{"id": 5}',
    b'{"id": 5, "result": {}}',
    b'{"id": "5", "result": {}}',
    b'{"id": [], "result": {}}',
    b'{"id": null, "error": {"code": 1, "message": "x"}}',
    b'{"id": 0, "error": []}',
    b'{"id": 0, "error": "x"}',
    b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "missing"}}',
    b'{"jsonrpc": "2.0", "method": "session/cancel"}',
    b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": 5}}',
    b'{"jsonrpc": "2.0", "method": "no/such/notification", "params": {}}',
    b'{"jsonrpc": "2.0", "method": "_of/somebody", "params": {"x": 1}}',
    b'{"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}',
]
ODD_IDS: Final = [0, -1, 2**70, 1.5, "", "a\ud800", "\0", "1", None, "x" * 10_000]


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    """An agent whose model answers twice, and then thinks for ever."""
    script = write_script(
        tmp_path / "script.json", [text("Hello.")], [text("Again.")], [text("Hm."), WAIT]
    )
    argv = command("acp", tmp_path / "state", "--replay", script)
    with running(argv, tmp_path) as started:
        yield started


@pytest.mark.requirement("ACP-4")
def test_lines_that_are_no_messages(tmp_path: Path, agent: Agent) -> None:
    """Each is answered with its own error, or skipped; the conversation goes on after all."""
    session_id = agent.new_session()
    for code, lines in ((PARSE_ERROR, UNREADABLE), (INVALID_REQUEST, NO_REQUESTS)):
        for line in lines:
            agent.send_line(line)
            answer = agent.receive()
            assert answer["error"]["code"] == code, line[:80]
            assert answer["id"] in {None, 1}
    for line in NOBODY_WAITS:
        agent.send_line(line)
    assert agent.prompt(session_id) == "end_turn"
    assert all(one["method"] == "session/update" for one in agent.updates)
    for request_id in ODD_IDS:
        agent.send({"jsonrpc": "2.0", "id": request_id, "method": "session/new", "params": {}})
        answer = agent.receive()
        assert (answer["id"], answer["error"]["code"]) == (request_id, -32602)
    for depth in (90, 300, 900, 950, 970, 980, 985, 990, 995, 2_000):
        deep = "[" * depth + "]" * depth
        agent.send_line(
            b'{"id": 1, "method": "session/new", "params": {"cwd": %b}}' % deep.encode()
        )
        assert agent.receive()["error"]["code"] in {-32602, -32603, PARSE_ERROR}
    assert agent.refusal("session/new", cwd="/\ud800")["code"] == -32602
    assert len(str(agent.refusal("session/new", cwd=["long" * 1000]))) < 1000
    assert agent.refusal("no/such/method")["code"] == -32601
    assert agent.refusal("_of/somebody")["code"] == -32601
    assert agent.refusal("\ud800")["code"] == -32601
    assert agent.prompt(session_id, "é" * 100_000) == "end_turn"
    json_lines(agent.leave())
    assert "no/such/notification" not in agent.stderr
    assert turn_ends(sound_log(tmp_path / "state", session_id)) == ["completed", "completed"]


@pytest.mark.requirement("ACP-4")
def test_a_line_that_is_too_long(agent: Agent) -> None:
    """A line of 70 MB is refused, and the next one is read."""
    megabyte = b"x" * (1 << 20)
    for _ in range(70):
        agent.stdin.write(megabyte)
    agent.send_line(b"")
    answer = agent.receive()
    assert (answer["id"], answer["error"]["code"]) == (None, INVALID_REQUEST)
    agent.new_session()
    agent.stdin.write(b'{"id": 77, "method": "session/list", "params": {}}')  # no end of line
    agent.close_stdin()
    assert agent.answer(77)["result"]["sessions"][0]["cwd"] == CWD
    assert agent.ended() == 0


@pytest.mark.requirement("ACP-4")
def test_a_request_reaches_the_session_it_names(tmp_path: Path, agent: Agent) -> None:
    """Extension data that names another session, under any name, changes no request."""
    mine, other = agent.new_session(), agent.new_session("/srv/other")
    assert agent.prompt(mine) == "end_turn"
    assert agent.prompt(other) == "end_turn"
    agent.updates.clear()
    odd = {
        "session_id": other,
        "sessionId": other,
        "cwd": "/srv/other",
        "prompt": [{"type": "text", "text": "Of somebody else"}],
        "cursor": "x",
        "protocol_version": 0,
        "mcp_servers": 5,
        "self": 1,
    }
    extensions: list[dict[str, Any]] = [
        {"_meta": odd},
        {"field_meta": odd},
        {"_meta": odd, "field_meta": odd, **{name: odd[name] for name in odd if "_" in name}},
        {"_meta": "x", "__class__": "x", "_": other},
    ]
    for extension in extensions:
        assert agent.ask("initialize", protocolVersion=1, **extension)["result"]
        listed = agent.result("session/list", cwd=CWD, **extension)["sessions"]
        assert {one["cwd"] for one in listed} == {CWD}
        agent.result("session/load", sessionId=mine, cwd=CWD, mcpServers=[], **extension)
        agent.result("session/resume", sessionId=mine, cwd=CWD, mcpServers=[], **extension)
        fork = agent.result("session/fork", sessionId=mine, cwd=CWD, mcpServers=[], **extension)
        assert sound_log(tmp_path / "state", fork["sessionId"]).header.parent_session == mine
        agent.result("session/close", sessionId=fork["sessionId"], **extension)
        made = agent.result("session/new", cwd=CWD, mcpServers=[], **extension)["sessionId"]
        agent.result("session/close", sessionId=made, **extension)
        refusal = agent.refusal("session/load", cwd=CWD, mcpServers=[], **extension)
        assert refusal["code"] == -32602, "sessionId may not come from elsewhere"
    assert {one["params"]["sessionId"] for one in agent.updates} == {mine}
    prompt = [{"type": "text", "text": "Mine", "_meta": odd}]
    request = {"sessionId": mine, "prompt": prompt, **extensions[2]}
    request_id = agent.start("session/prompt", request)
    agent.until(lambda one: "Hm." in json.dumps(one))
    # the cancellation names the other session, and only its extension this one
    agent.notify("session/cancel", {"sessionId": other, "_meta": {"session_id": mine}})
    assert agent.ask("session/close", sessionId=other)["result"] == {}
    agent.notify("session/cancel", {"sessionId": mine, "_meta": {"session_id": other}})
    assert agent.answer(request_id)["result"]["stopReason"] == "cancelled"
    agent.leave()
    state = tmp_path / "state"
    assert turn_ends(sound_log(state, mine)) == ["completed", "aborted"]
    assert turn_ends(sound_log(state, other)) == ["completed"]


def json_lines(raw: bytes) -> None:
    """See that there is nothing but lines of JSON-RPC; strictly, as any client may read them."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    assert raw.endswith(b"\n")
    for line in raw.decode("utf-8").splitlines():
        message = json.loads(line, parse_constant=refuse)
        assert message["jsonrpc"] == "2.0"
