"""What models and people read, pinned as files under `snapshots/`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest
from session_query import (
    ErrorCode,
    EventSearchPage,
    EventWindow,
    SessionQueryEngine,
    SessionQueryError,
    SessionSearchPage,
    SessionSources,
    SessionStore,
)
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from tool_session_query import (
    ToolCalls,
    ToolSessionQueryConfig,
    Toolset,
    session_query_toolset,
)

from .samples import ANSWERS, CALLER, running_caller, sample_engine

FOLDER = Path(__file__).parents[4] / "snapshots" / "tool-session-query" / Path(__file__).stem
TOOLS = (
    "session_search",
    "session_event_search",
    "session_trace",
    "session_event_trace",
    "session_event_read",
)


class _File(SingleFileSnapshotExtension):
    """One readable file for each snapshot, under the name that the test gives it."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:  # noqa: ARG003 - the signature is syrupy's
        return str(FOLDER)


@pytest.fixture
def pinned(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The text that is pinned for a test, in a file of its name."""
    return snapshot.use_extension(_File)


class _Silent(SessionQueryEngine):
    """A service that raises what it is told to, and knows nothing."""

    def __init__(self) -> None:
        super().__init__(SessionSources(SessionStore()))
        self.failure: BaseException = AssertionError()

    async def search_sessions(self, *_: Any) -> SessionSearchPage:
        raise self.failure

    async def search_events(self, *_: Any) -> EventSearchPage:
        raise self.failure

    async def read_event(self, *_: Any) -> EventWindow:
        raise self.failure


def _toolset(engine: SessionQueryEngine, most: int = 3) -> Toolset:
    return session_query_toolset(engine, ToolSessionQueryConfig(max_search_results=most))


@pytest.mark.requirement("TOOL-2")
def test_the_prompt_section(pinned: SnapshotAssertion) -> None:
    """The section of the prompt is a few sentences that don't change by accident."""
    assert _toolset(_Silent()).prompt_section == pinned


@pytest.mark.requirement("TOOL-3")
@pytest.mark.parametrize("name", TOOLS)
def test_what_a_model_is_told_of_a_tool(name: str, pinned: SnapshotAssertion) -> None:
    """Name, description and schema of a tool are what they were."""
    (tool,) = [tool for tool in _toolset(_Silent()).tools if tool.name == name]
    told = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    assert json.dumps(told, indent=2) == pinned


@pytest.mark.requirement("RENDER-1", "RENDER-2", "RENDER-3", "RENDER-4", "INPUT-6", "AUTH-6")
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer(name: str, pinned: SnapshotAssertion) -> None:
    """Each kind of answer reads as it did."""
    tool, arguments = ANSWERS[name]

    async def main() -> str:
        store = SessionStore()
        caller = running_caller(store)
        async with sample_engine(store) as engine:
            most = 2 if name == "search-auto" else 100
            result = await ToolCalls(_toolset(engine, most)).run(tool, arguments, caller)
            assert result.code is None
            return result.text

    assert asyncio.run(main()) == pinned


FAILURES: dict[str, dict[str, Any]] = {
    "INVALID_ARGUMENT": {"seq": -1},
    "UNKNOWN_ARGUMENT": {"seq": 1, "workspace": "/srv/elsewhere"},
    "UNAUTHORIZED": {"seq": 1, "session_id": "nowhere"},
}


@pytest.mark.requirement("TOOL-6", "AUTH-3", "SAN-2", "SAN-4")
def test_each_error(pinned: SnapshotAssertion) -> None:
    """What a model is told in each case that something fails, in one file."""

    async def main() -> str:
        store = SessionStore()
        caller, engine = running_caller(store), _Silent()
        calls = ToolCalls(_toolset(engine))
        lines = []

        async def say(name: str, answer: Awaitable[Any]) -> None:
            lines.append(f"{name}\n   {(await answer).text}")

        for name, arguments in FAILURES.items():
            await say(name, calls.run("session_event_read", arguments, caller))
        await say("MISSING_AGENT", calls.run("session_trace", {}, None))
        search = ("session_event_search", {"query": "x"})
        await say("NO_CURRENT_STEP", calls.run(*search, store.create("new", cwd="/srv/x")))
        homeless = store.create("homeless")
        await say("NO_WORKSPACE", calls.run("session_search", {"query": "x"}, homeless))
        for code in ErrorCode:
            engine.failure = SessionQueryError("secret", code, header=CALLER)
            await say(code.name, calls.run("session_event_read", {"seq": 0}, caller))
        engine.failure = OSError("secret")
        await say("ANY_OTHER", calls.run("session_event_read", {"seq": 0}, caller))
        return "\n".join(lines)

    assert asyncio.run(main()) == pinned


@pytest.mark.requirement("TOOL-3")
def test_the_cards(pinned: SnapshotAssertion) -> None:
    """What people see of calls reads as it did."""
    arguments = {"query": "flaky login", "session_id": "s-1", "seq": 12}
    cards = [tool.present_call(arguments) for tool in _toolset(_Silent()).tools]
    assert "\n".join(f"{card.kind}: {card.title}" for card in cards) == pinned


def test_no_file_is_left_over() -> None:
    """Each file in the folder is pinned by a test."""
    names = {
        "test_the_prompt_section",
        "test_each_error",
        "test_the_cards",
        *(f"test_what_a_model_is_told_of_a_tool[{name}]" for name in TOOLS),
        *(f"test_an_answer[{name}]" for name in ANSWERS),
    }
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in names}
