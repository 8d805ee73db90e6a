"""The toolset: what it offers, and its settings (TOOL-1, TOOL-2, TOOL-3, TOOL-6)."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import re
from typing import Any

import pytest
from session_query import (
    AbortController,
    EventHit,
    EventSearchPage,
    SessionHit,
    SessionQueryError,
    SessionSearchPage,
)
from tool_session_query import (
    SessionQueryToolError,
    ToolAgent,
    ToolErrorCode,
    ToolRun,
    ToolSessionQueryConfig,
    session_query_toolset,
)

from .scripted import TOOLS, ScriptedEngine, header, own_session, tool_of


@pytest.mark.requirement("TOOL-1")
@pytest.mark.parametrize("name", ["max_search_results", "search_timeout_ms"])
@pytest.mark.parametrize(
    "wrong",
    [0, -1, True, 1.0, 0.5, "5", None, [1], float("nan"), -(10**6000)],
    ids=lambda one: (
        type(one).__name__ + repr(one)[:5] if not isinstance(one, int) or one > -9 else "huge"
    ),
)
def test_a_setting_that_is_none_is_refused_by_name(name: str, wrong: Any) -> None:
    """A wrong setting fails before there is a toolset, with its name and nothing else."""
    with pytest.raises(SessionQueryError) as caught:
        ToolSessionQueryConfig(**{name: wrong})
    assert caught.value.code == "SESSION_QUERY_INVALID_CONFIG"
    assert caught.value.message.startswith(f"{name}: ")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.requirement("TOOL-1")
def test_a_setting_that_nobody_knows_is_refused_by_name() -> None:
    """A setting that is misspelt is not taken for the default."""
    with pytest.raises(SessionQueryError, match="max_results") as caught:
        ToolSessionQueryConfig(max_results=5)  # type: ignore[call-arg]
    assert caught.value.code == "SESSION_QUERY_INVALID_CONFIG"


@pytest.mark.requirement("TOOL-1")
@pytest.mark.parametrize(
    "wrong", [{}, {"max_search_results": 5}, 5, "config", ToolSessionQueryConfig]
)
def test_a_toolset_takes_its_own_settings_alone(wrong: Any) -> None:
    """Settings of another kind fail at once."""
    with pytest.raises(SessionQueryError, match=r"^config: ") as caught:
        session_query_toolset(ScriptedEngine(), wrong)
    assert caught.value.code == "SESSION_QUERY_INVALID_CONFIG"


@pytest.mark.requirement("TOOL-1")
@pytest.mark.parametrize(
    "wrong", [None, object(), ScriptedEngine, "engine"], ids=lambda one: type(one).__name__
)
def test_a_toolset_needs_a_service(wrong: Any) -> None:
    """What is no service fails at once."""
    with pytest.raises(SessionQueryError, match=r"^engine: ") as caught:
        session_query_toolset(wrong)
    assert caught.value.code == "SESSION_QUERY_INVALID_CONFIG"


@pytest.mark.requirement("TOOL-1")
def test_settings_have_their_defaults_and_stay() -> None:
    """By default a search shows 100 hits in 30 seconds; settings can't be changed afterwards."""
    config: Any = ToolSessionQueryConfig()
    assert (config.max_search_results, config.search_timeout_ms) == (100, 30_000)
    with pytest.raises(ValueError, match="frozen"):
        config.max_search_results = 5


@pytest.mark.requirement("TOOL-1", "TOOL-3")
def test_searches_are_exclusive_and_timed_and_the_rest_is_neither() -> None:
    """There are five tools; only the searches run alone, and only they have a time limit."""
    toolset = session_query_toolset(ScriptedEngine(), ToolSessionQueryConfig(search_timeout_ms=5))
    found = [(tool.name, tool.concurrency, tool.timeout_ms) for tool in toolset.tools]
    assert found == [
        ("session_search", "exclusive", 5),
        ("session_event_search", "exclusive", 5),
        ("session_trace", "parallel", None),
        ("session_event_trace", "parallel", None),
        ("session_event_read", "parallel", None),
    ]
    assert all(inspect.iscoroutinefunction(tool.execute) for tool in toolset.tools)
    assert all(tool.description.endswith(".") for tool in toolset.tools)


@pytest.mark.requirement("TOOL-2")
def test_the_prompt_section_is_short_and_always_the_same() -> None:
    """The section names the tools, the workspace and that there is no further page."""
    first, second = (
        session_query_toolset(ScriptedEngine(), config).prompt_section
        for config in (None, ToolSessionQueryConfig(max_search_results=3))
    )
    assert first == second
    assert all(tool in first for tool in TOOLS)
    assert "workspace" in first
    assert "no further page" in first
    assert len(re.findall(r"[.:](?:\s|$)", first)) <= 8
    assert len(first) < 900


@pytest.mark.requirement("TITLE-1", "TOOL-1")
@pytest.mark.parametrize("tool", ["session_search", "session_event_search"])
@pytest.mark.parametrize(("found", "most"), [(2, 3), (3, 3), (4, 3), (1, 1), (2, 1)])
def test_a_setting_caps_what_is_shown(tool: str, found: int, most: int) -> None:
    """As many hits are shown as the setting says, and that there are more only if there are."""
    hits = [EventHit("other", seq, "t", 0, "current", f"snippet {seq}") for seq in range(found)]
    of_sessions = [
        SessionHit(header(name), True, False, hit._replace(session_id=name))
        for name, hit in zip("abcd", hits, strict=False)
    ]
    engine = ScriptedEngine(
        search_events=EventSearchPage(header(), tuple(hits)),
        search_sessions=SessionSearchPage(tuple(of_sessions)),
    )
    config = ToolSessionQueryConfig(max_search_results=most)
    run = ToolRun(AbortController().signal, ToolAgent(own_session()))
    asked = {"query": "a"} if tool == "session_search" else {"query": "a", "session_id": "other"}
    text = asyncio.run(tool_of(engine, tool, config).execute(asked, run))
    shown = [hit.snippet for hit in hits if hit.snippet in text]
    assert shown == [hit.snippet for hit in hits[:most]]
    assert ("There are more matches" in text) == (found > most)


@pytest.mark.requirement("TOOL-6")
@pytest.mark.parametrize("code", ToolErrorCode)
def test_an_error_survives_being_sent(code: ToolErrorCode) -> None:
    """An error comes out of `pickle` with its message, its code and its argument."""
    error = SessionQueryToolError("why", code, argument="query")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - it was pickled right here
    assert (str(copy), copy.message, copy.code, copy.argument) == ("why", "why", code, "query")
    assert code.value.startswith("SESSION_QUERY_TOOL_")


@pytest.mark.requirement("TOOL-4")
def test_a_tool_tells_nothing_of_its_service() -> None:
    """What is printed of a tool holds neither the service nor a session."""
    assert "Engine" not in repr(tool_of(ScriptedEngine(), "session_search"))
