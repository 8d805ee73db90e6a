"""A model's calls reach the tools through each framework, and the answers reach the model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tool_session_query.adapters.pydantic_ai import function_tools

from .conversing import Call, Framework, Host, Script, session_of
from .frameworks import in_each_framework, in_each_that_takes_text
from .on_pydantic_ai import OnPydanticAI
from .workspaces import World, worlds

MISSING_AGENT = "Error SESSION_QUERY_TOOL_MISSING_AGENT: "
INVALID_ARGUMENT = "Error SESSION_QUERY_TOOL_INVALID_ARGUMENT: "
UNAUTHORIZED = "Error SESSION_QUERY_TOOL_UNAUTHORIZED: "

SEARCH = Call.of("session_search", query="rocket")


def answers(folder: Path, framework: Framework, *turns: Sequence[Call]) -> list[str]:
    """Run the agent of the session that is here."""

    async def main() -> list[str]:
        async with worlds(folder) as world:
            return await framework.answers(world.calls, world.here, *turns)

    return asyncio.run(main())


@in_each_framework
@pytest.mark.requirement("TOOL-4", "AUTH-1", "AUTH-5")
def test_the_caller_is_the_one_of_the_run_context(framework: Framework, tmp_path: Path) -> None:
    """Each of two agents with the same tools finds the session of its own workspace alone."""

    async def main() -> None:
        async with worlds(tmp_path) as world:
            runs = [
                framework.answers(world.calls, session, [SEARCH])
                for session in (world.here, world.elsewhere)
            ]
            (here,), (elsewhere,) = await asyncio.gather(*runs)
            assert "earlier-here" in here
            assert "earlier-elsewhere" not in here
            assert "earlier-elsewhere" in elsewhere
            assert "earlier-here" not in elsewhere

    asyncio.run(main())


@in_each_framework
@pytest.mark.requirement("AUTH-1")
def test_a_run_without_a_session_is_told_so(framework: Framework, tmp_path: Path) -> None:
    """Where the host vouches for nobody, the tools answer nobody."""

    async def main() -> list[str]:
        async with worlds(tmp_path) as world:
            return await framework.answers(world.calls, None, [SEARCH])

    (answer,) = asyncio.run(main())
    assert answer.startswith(MISSING_AGENT)


NAMES = (
    *("session", "context", "ctx", "deps", "runtime", "run", "agent", "cwd", "workspace"),
    *("self", "config", "run_manager", "callbacks", "arguments", "limit", "cursor", "tool_call_id"),
)


@in_each_framework
@pytest.mark.requirement("TOOL-4", "INPUT-2")
def test_no_argument_changes_who_calls(framework: Framework, tmp_path: Path) -> None:
    """A name that could mean the caller, to a tool or its framework, is an unknown argument."""
    calls = [
        Call.of("session_search", query="rocket", **{name: {"session": "now-elsewhere"}})
        for name in NAMES
    ]
    got = answers(tmp_path, framework, calls)
    assert len(got) == len(NAMES)
    for name, answer in zip(NAMES, got, strict=True):
        assert answer.startswith(f"{INVALID_ARGUMENT}{name}: "), answer


@in_each_framework
@pytest.mark.requirement("TOOL-6", "INPUT-2", "AUTH-3")
def test_a_failure_is_an_answer_and_the_run_goes_on(framework: Framework, tmp_path: Path) -> None:
    """After each failure, the model gets its text and the next turn, many times over."""
    wrong = [
        [Call.of("session_search", query=[])],
        [Call.of("session_event_read", seq=-1)],
        [Call.of("session_trace", session_id="earlier-elsewhere")],
    ]
    *failed, found = answers(tmp_path, framework, *(3 * wrong), [SEARCH])
    expected = [f"{INVALID_ARGUMENT}query: ", f"{INVALID_ARGUMENT}seq: ", UNAUTHORIZED]
    for answer, start in zip(failed, 3 * expected, strict=True):
        assert answer.startswith(start)
    assert "earlier-here" in found


NO_OBJECTS = ["[1]", '"rocket"', "null", "3", '{"query": "rock', "{'query': 1}", "[" * 100]


@in_each_that_takes_text
@pytest.mark.requirement("INPUT-2")
def test_arguments_that_are_no_object_are_refused(framework: Framework, tmp_path: Path) -> None:
    """Text that is no JSON object gets the tools' own error, and the run goes on."""
    turns = [[Call("session_search", text)] for text in NO_OBJECTS]
    *failed, found = answers(tmp_path, framework, *turns, [SEARCH])
    assert len(failed) == len(NO_OBJECTS)
    for answer in failed:
        assert answer.startswith(f"{INVALID_ARGUMENT}expected arguments as a JSON object"), answer
    assert "earlier-here" in found


@pytest.mark.requirement("INPUT-2")
def test_arguments_nested_too_deep_to_parse_are_refused(tmp_path: Path) -> None:
    """Text that overflows the JSON parser is no object either."""
    (answer,) = answers(tmp_path, OnPydanticAI(), [Call("session_search", "[" * 100_000)])
    assert answer.startswith(f"{INVALID_ARGUMENT}expected arguments as a JSON object")


@in_each_framework
@pytest.mark.requirement("INPUT-1")
def test_no_arguments_at_all_mean_the_defaults(framework: Framework, tmp_path: Path) -> None:
    """A tool without required arguments may be called with `{}`, or with no text."""
    texts = ["{}", ""] if framework.takes_any_text else ["{}"]
    for answer in answers(tmp_path, framework, [Call("session_trace", text) for text in texts]):
        assert "now-here" in answer


@in_each_framework
@pytest.mark.requirement("TOOL-3")
def test_the_model_is_offered_each_schema_as_it_is(framework: Framework, tmp_path: Path) -> None:
    """All five tools are offered, and no framework has changed what their schemas say."""

    async def main() -> tuple[World, dict[str, object]]:
        async with worlds(tmp_path) as world:
            script = Script([])
            await framework.run(world.calls, Host(world.here), script)
            return world, script.offered

    world, offered = asyncio.run(main())
    assert offered == {tool.name: tool.parameters for tool in world.calls.toolset.tools}


@in_each_framework
@pytest.mark.requirement("TOOL-3")
def test_calls_of_one_turn_are_answered_in_their_order(
    framework: Framework, tmp_path: Path
) -> None:
    """Exclusive and parallel calls of one turn may be mixed: each call gets its own answer."""
    trace = Call.of("session_trace", session_id="earlier-here")
    read = Call.of("session_event_read", session_id="earlier-here", seq=0)
    first, second, third, fourth = answers(tmp_path, framework, [SEARCH, trace, read, SEARCH])
    assert first == fourth
    assert len({first, second, third}) == 3
    assert "The rocket launched here." in third


@pytest.mark.requirement("TOOL-3")
def test_pydantic_ai_runs_the_exclusive_tools_alone(tmp_path: Path) -> None:
    """Its own scheduler learns which tools are exclusive, so that other tools wait for them too."""

    async def main() -> dict[str, bool]:
        async with worlds(tmp_path) as world:
            tools = function_tools(world.calls, session_of)
            return {tool.name: tool.sequential for tool in tools}

    alone = {name for name, sequential in asyncio.run(main()).items() if sequential}
    assert alone == {"session_search", "session_event_search"}
