"""What the shipped compositions put before a model (HOST-1)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from reference_host import Host
from reference_host.composition import SHIPPED, load_composition
from session_query import QUERY_TOOL_NAMES
from session_query_specs.loop import run
from tool_session_query import SECTION_NAME

from ..opening import CWD, opened, text
from ..scripted_model import ScriptedModel, calling
from ..scripted_tools import ScriptedTool, heeding
from ..valid_logs import results


def asked(name: str, state: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the request that a model gets in a composition, and the sections of its prompt."""
    model = ScriptedModel()

    async def main() -> tuple[str, ...]:
        async with Host.open(load_composition(name), state, model=model) as host:
            await host.prompt_session(host.sessions.create(CWD), text("Hi"))
            return host.prompt.names

    sections = asyncio.run(main())
    [request] = model.asked
    return json.loads(request), sections


@pytest.mark.requirement("HOST-1")
@pytest.mark.parametrize("name", ["acp", "headless"])
def test_the_default_compositions_tell_a_model_nothing_of_the_query_tools(
    name: str, tmp_path: Path
) -> None:
    """The request that is sent has neither the section nor any of the five schemas."""
    request, sections = asked(name, tmp_path)
    assert [tool["name"] for tool in request["tools"]] == ["read", "todo"]
    assert sections == ("base",)
    sent = json.dumps(request)
    assert not any(tool in sent for tool in QUERY_TOOL_NAMES)
    assert "session" not in request["system"]


@pytest.mark.requirement("HOST-1")
def test_opting_in_adds_one_section_and_five_schemas(tmp_path: Path) -> None:
    """Without those, the request of `acp-session-query` is that of `acp`, byte for byte."""
    without, _ = asked("acp", tmp_path / "without")
    with_them, sections = asked("acp-session-query", tmp_path / "with")
    assert sections == ("base", SECTION_NAME)
    added = [tool for tool in with_them["tools"] if tool not in without["tools"]]
    assert {tool["name"] for tool in added} == {*QUERY_TOOL_NAMES}
    assert len(added) == len(QUERY_TOOL_NAMES) == 5
    assert with_them["system"].startswith(without["system"] + "\n\n")
    with_them["tools"] = [tool for tool in with_them["tools"] if tool not in added]
    with_them["system"] = without["system"]
    assert json.dumps(with_them) == json.dumps(without)


@pytest.mark.requirement("HOST-1")
@pytest.mark.parametrize("name", SHIPPED)
def test_each_shipped_composition_mounts_deadline_and_spill(name: str, tmp_path: Path) -> None:
    """Their limits are set, and only those that search, or whose people do, keep an index."""
    made = load_composition(name)
    assert made.policies.deadline is not None
    assert made.policies.spill is not None
    assert made.policies.spill.max_inline_bytes is not None
    assert (made.index is None) == (name == "acp")
    assert (made.tools.session_query is None) == (name != "acp-session-query")
    asked(name, tmp_path)
    assert (tmp_path / "index.sqlite").exists() == (made.index is not None)


@pytest.mark.requirement("HOST-1", "HOST-5")
@pytest.mark.parametrize("name", ["acp", "headless"])
def test_a_tool_without_a_limit_has_that_of_the_shipped_policy(name: str) -> None:
    """A minute, after which it is ended."""

    async def main() -> None:
        model = ScriptedModel(calling(("c1", "dig", "{}")))
        tool = ScriptedTool("dig", heeding)
        async with opened(model, tool, composition=load_composition(name)) as made:
            session = made.host.sessions.create(CWD)
            await made.turn(session)
            assert asyncio.get_running_loop().time() == 60
            assert results(made.durable(session)) == {"c1": "TOOL_TIMEOUT"}

    run(main).result()


@pytest.mark.requirement("HOST-1", "SPILL-2")
@pytest.mark.parametrize("name", ["acp", "headless"])
def test_a_long_result_is_spilled_by_the_shipped_policy(name: str, tmp_path: Path) -> None:
    """What is over 32 KiB lies in a file, of which the log names the locator."""

    async def talk(arguments: Any, run: Any) -> str:
        del arguments, run
        return "x" * 40_000

    async def main() -> list[Any]:
        model = ScriptedModel(calling(("c1", "talk", "{}")))
        async with Host.open(load_composition(name), tmp_path, model=model) as host:
            host.tools.register(ScriptedTool("talk", talk))
            session = host.sessions.create(CWD)
            await host.prompt_session(session, text("Hi"))
            return [event.data for event in session.live.events if event.type == "tool/result"]

    [result] = asyncio.run(main())
    assert result["meta"]["spill"]["bytes"] == 40_000
    assert len(result["message"]["content"][0]["content"][0]["text"]) <= 32_768
    [kept] = [one for one in (tmp_path / "spill").rglob("*") if one.is_file()]
    assert kept.read_text("utf-8") == "x" * 40_000
