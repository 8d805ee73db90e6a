"""An agent whose model server fails: the turn ends, the log is sound, and the session goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import pytest

from ..models.servers import (
    DONE,
    Exchange,
    answering,
    finishing,
    said,
    serving,
    silent_amid_the_answer,
    silent_before_the_answer,
    streaming,
)
from ..scripts import sound_log, turn_ends
from .agents import command, running

COMPOSITION: Final = """
prompt = "Be brief."
[model]
kind = "openai-compatible"
base_url = "{url}"
model = "small"
api_key_env = "MODEL_KEY"
timeout_ms = {timeout_ms}
max_retries = 0
"""


async def _reset_amid_the_answer(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.send(said("one"))
    exchange.reset()


FAILURES: Final = {
    "stalls at once": (silent_before_the_answer, "MODEL_TIMEOUT"),
    "stalls amid the answer": (silent_amid_the_answer, "MODEL_TIMEOUT"),
    "resets": (_reset_amid_the_answer, "MODEL_UNAVAILABLE"),
    "sends garbage": (streaming(b"data: {\xff garbage\n\n", DONE), "MODEL_INVALID_ANSWER"),
    "breaks off": (streaming(said("one")), "MODEL_INVALID_ANSWER"),
    "refuses": (answering("401 Unauthorized"), "MODEL_REFUSED"),
    "is broken": (answering("500 Internal Server Error"), "MODEL_UNAVAILABLE"),
}
GOOD: Final = streaming(said("Hello"), finishing(), DONE)


def _composition(path: Path, url: str, timeout_ms: int) -> str:
    path.write_text(COMPOSITION.format(url=url, timeout_ms=timeout_ms), "utf-8")
    return str(path)


@pytest.mark.requirement("HOST-7", "ACP-1")
def test_the_session_goes_on_after_each_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client is told of each failure by its code, and the next prompt is answered."""
    monkeypatch.setenv("MODEL_KEY", "sk-of-the-test")

    def converse(url: str) -> str:
        composition = _composition(tmp_path / "composition.toml", url, 700)
        with running(command(composition, tmp_path / "state"), tmp_path) as agent:
            session_id = agent.new_session()
            for failure, (_, code) in FAILURES.items():
                error = agent.answer(agent.begin(session_id))["error"]
                assert error["data"]["code"] == code, failure
                assert agent.prompt(session_id) == "end_turn", failure
            agent.leave()
            assert "sk-of-the-test" not in agent.stderr
        return session_id

    async def main() -> str:
        scripts = [one for failing, _ in FAILURES.values() for one in (failing, GOOD)]
        async with serving(*scripts) as server:
            return await asyncio.to_thread(converse, server.url)

    session_id = asyncio.run(main())
    log = sound_log(tmp_path / "state", session_id)
    assert turn_ends(log) == ["error", "completed"] * len(FAILURES)


@pytest.mark.requirement("HOST-7", "HOST-5")
def test_a_server_that_stalls_holds_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user cancels, or the client leaves, while the server is silent for good."""
    monkeypatch.setenv("MODEL_KEY", "sk-of-the-test")

    def converse(url: str) -> str:
        composition = _composition(tmp_path / "composition.toml", url, 600_000)
        with running(command(composition, tmp_path / "state"), tmp_path) as agent:
            session_id = agent.new_session()
            request_id = agent.begin(session_id)
            agent.update("agent_message_chunk")
            agent.notify("session/cancel", {"sessionId": session_id})
            assert agent.answer(request_id)["result"]["stopReason"] == "cancelled"
            request_id = agent.begin(session_id)
            agent.update("agent_message_chunk")
            agent.close_stdin()
            assert agent.answer(request_id)["result"]["stopReason"] == "cancelled"
            assert agent.ended() == 0
        return session_id

    async def main() -> str:
        async with serving(silent_amid_the_answer, silent_amid_the_answer) as server:
            return await asyncio.to_thread(converse, server.url)

    session_id = asyncio.run(main())
    assert turn_ends(sound_log(tmp_path / "state", session_id)) == ["aborted", "aborted"]
