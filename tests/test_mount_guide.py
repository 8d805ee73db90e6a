"""Every block of the guide to the tools runs, shows what the guide says, and stays short."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import agents
import pytest
import session_query_sqlite
import tool_session_query
from session_query import JsonlPersistence, SessionSources, SessionStore
from tool_session_query import ToolCalls, session_query_toolset

from .scripted_models import LangChainModel, OpenAIAgentsModel, pydantic_ai_model

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "mount-the-tools.md").read_text("utf-8")
README = (ROOT / "packages" / "tool-session-query" / "README.md").read_text("utf-8")
PROGRAM = re.compile(r"<!-- ([\w-]+) -->\n```python\n([^`]*)```\n(?:\n```text\n([^`]*)```)?")
PROGRAMS = {mark: program for mark, program, _ in PROGRAM.findall(GUIDE + README)}
SHOWN = {mark: shown for mark, _, shown in PROGRAM.findall(GUIDE + README) if shown}
MODELS = {
    "openai-agents": OpenAIAgentsModel,
    "pydantic-ai": pydantic_ai_model,
    "langchain": LangChainModel,
}


def test_no_block_of_the_guide_is_left_out() -> None:
    """Each Python block has a mark, and each that prints something shows it."""
    assert list(PROGRAMS) == ["plain-host", "turn", "run-context", *MODELS, "judged-host", "use"]
    assert list(SHOWN) == ["plain-host", "turn", *MODELS, "use"]
    assert (GUIDE + README).count("```python\n") == len(PROGRAMS)
    assert (GUIDE + README).count("```text\n") == len(SHOWN)


@pytest.mark.requirement("TOOL-1", "TOOL-2")
def test_the_plain_host_prints_what_is_shown() -> None:
    """It runs as it stands, mounts the tools, and prints what stands below it."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", "-c", PROGRAMS["plain-host"]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == SHOWN["plain-host"].strip()


@pytest.mark.requirement("CONF-2")
def test_the_judged_host_holds(tmp_path: Path) -> None:
    """The class of the guide is judged by the command below it, and all holds."""
    (tmp_path / "agent_host.py").write_text(PROGRAMS["judged-host"], "utf-8")
    [(command, shown)] = re.findall(r"```console\n\$ ([^\n]+)\n([^`]*)```", GUIDE)
    done = subprocess.run(
        [str(Path(sys.executable).parent / command.split()[0]), *command.split()[1:]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    numbers = re.compile(r"\d+")
    assert numbers.sub("N", done.stdout) == numbers.sub("N", shown)


@pytest.fixture
def guide(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module for blocks that are no whole programs; frameworks look annotations up in it."""
    module = ModuleType("guide")
    monkeypatch.setitem(sys.modules, "guide", module)
    store = SessionStore()
    sources = SessionSources(store, JsonlPersistence(ROOT / "fixtures" / "sessions"))
    vars(module).update(vars(session_query_sqlite), **vars(tool_session_query))
    vars(module).update(store=store, sources=sources)
    return module


@pytest.mark.requirement("AUTH-7")
def test_the_turn_prints_what_is_shown(
    guide: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """The events of a turn are those that the guide says, and the user's words are found."""

    async def main() -> None:
        config = session_query_sqlite.SqliteConfig(":memory:")
        async with session_query_sqlite.SqliteSessionQueryEngine(guide.sources, config) as engine:
            session = guide.store.create("today", cwd="/srv/orbit/launch-api")
            vars(guide).update(calls=ToolCalls(session_query_toolset(engine)), session=session)
            await execute(PROGRAMS["turn"], guide)

    asyncio.run(main())
    assert capsys.readouterr().out == SHOWN["turn"]


@pytest.mark.parametrize("adapter", MODELS)
@pytest.mark.requirement("TOOL-4")
def test_each_adapter_prints_what_is_shown(
    adapter: str, guide: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the names that the guide explains, each block runs in its framework."""
    agents.set_tracing_disabled(disabled=True)  # it would reach for the network

    async def main() -> None:
        config = session_query_sqlite.SqliteConfig(":memory:")
        async with session_query_sqlite.SqliteSessionQueryEngine(guide.sources, config) as engine:
            toolset = session_query_toolset(engine)
            session = guide.store.create("today", cwd="/srv/orbit/launch-api")
            given = {"toolset": toolset, "calls": ToolCalls(toolset), "session": session}
            vars(guide).update(given, model=MODELS[adapter]())
            for mark in ("run-context", adapter):
                await execute(PROGRAMS[mark], guide)

    asyncio.run(main())
    assert capsys.readouterr().out == SHOWN[adapter]


@pytest.mark.requirement("TOOL-1")
def test_the_readme_of_the_package_prints_what_is_shown(
    guide: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the names of both packages and a store, its ten lines run."""
    asyncio.run(execute(PROGRAMS["use"], guide))
    assert capsys.readouterr().out == SHOWN["use"]


async def execute(program: str, module: ModuleType) -> None:
    """Run a program in which `await` may stand at the top, as the code of a module."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(program, module.__name__, "exec", flags=flags, dont_inherit=True)
    waiting = eval(code, vars(module))  # noqa: S307 - the guide is our own
    if inspect.isawaitable(waiting):
        await waiting


def test_the_blocks_are_as_short_as_promised() -> None:
    """A host takes less than 40 lines, each adapter less than 15, and its README takes ten."""
    lines = {mark: len(program.splitlines()) for mark, program in PROGRAMS.items()}
    assert lines.pop("plain-host") < 40
    assert lines.pop("use") <= 10
    assert lines.pop("judged-host", 0) < 40
    assert all(count < 15 for count in lines.values()), lines
