"""Who calls is taken from the run, first of all and once (TOOL-4, AUTH-1)."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from session_query import AbortController, AbortSignal
from tool_session_query import SessionQueryToolError, ToolAgent

from .scripted import LEAST, TOOLS, ScriptedEngine, own_session, tool_of


class Recorded:
    """A run that counts how often each of its attributes is read."""

    def __init__(self, agent: Any, signal: AbortSignal) -> None:
        self.given = {"agent": agent, "signal": signal}
        self.read: Counter[str] = Counter()

    @property
    def agent(self) -> Any:
        self.read["agent"] += 1
        return self.given["agent"]

    @property
    def signal(self) -> Any:
        self.read["signal"] += 1
        return self.given["signal"]


class Sessioned:
    """An agent that counts how often its session is read."""

    def __init__(self, session: Any) -> None:
        self.given = session
        self.read = 0

    @property
    def session(self) -> Any:
        self.read += 1
        return self.given


def _aborted() -> AbortSignal:
    controller = AbortController()
    controller.abort()
    return controller.signal


@pytest.mark.requirement("TOOL-6", "AUTH-1")
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("agent", [None, ToolAgent(None)], ids=["no agent", "no session"])  # type: ignore[arg-type]
def test_a_missing_agent_comes_before_anything_else(tool: str, agent: Any) -> None:
    """Without an agent even wrong arguments and an abort don't matter, and nothing is asked."""
    engine = ScriptedEngine()
    for arguments in (LEAST[tool], {}, {"nonsense": 1}, None):
        for signal in (AbortController().signal, _aborted()):
            with pytest.raises(SessionQueryToolError) as caught:
                asyncio.run(tool_of(engine, tool).execute(arguments, Recorded(agent, signal)))
            assert caught.value.code == "SESSION_QUERY_TOOL_MISSING_AGENT"
    assert not engine.asked


@pytest.mark.requirement("TOOL-4", "AUTH-1")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_run_is_read_once_at_entry(tool: str) -> None:
    """Agent, session and signal are read once; what the run holds afterwards has no effect."""
    signal = AbortController().signal
    agent = Sessioned(own_session())
    run = Recorded(agent, signal)

    def asked(engine: ScriptedEngine) -> tuple[str, list[Any]]:
        run.read.clear()
        agent.read = 0
        run.given, agent.given = {"agent": agent, "signal": signal}, own_session()
        arguments = LEAST[tool] if tool == "session_search" else {**LEAST[tool], "session_id": "x"}
        return asyncio.run(tool_of(engine, tool).execute(arguments, run)), engine.asked

    class Changing(ScriptedEngine):
        """Changes the run within each call."""

        async def _answer(self, *given: Any) -> Any:
            answer = await super()._answer(*given)
            run.given = {"agent": ToolAgent(own_session("spy", "/elsewhere")), "signal": _aborted()}
            agent.given = own_session("spy", "/elsewhere")
            return answer

    expected = asked(ScriptedEngine())
    engine = Changing()
    assert asked(engine) == expected
    assert run.read == {"agent": 1, "signal": 1}
    assert agent.read == 1
    assert all(each is signal for each in engine.signals)


@pytest.mark.requirement("TOOL-4")
@pytest.mark.parametrize("tool", TOOLS)
def test_a_run_that_fails_is_the_hosts_own_affair(tool: str) -> None:
    """A host whose run has no agent to read gets its own exception, before anything is asked."""

    class Broken:
        """A run without a value."""

        signal = AbortController().signal

        @property
        def agent(self) -> Any:
            raise LookupError("no run")

    engine = ScriptedEngine()
    with pytest.raises(LookupError, match="no run"):
        asyncio.run(tool_of(engine, tool).execute(LEAST[tool], Broken()))
    assert not engine.asked
