"""The launcher, against real processes that behave and that don't."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import acp
import pytest
from acp_snapshot import (
    AgentEndedError,
    AgentStartError,
    AgentTimeoutError,
    Environment,
    Launch,
    LaunchRequest,
    Limits,
    RunningAgent,
    RunPlaces,
    StdoutError,
    running_agent,
)

from ..tiny import AGENT, tiny

FAULTY = AGENT.with_name("faulty_agent.py")
IMPATIENT = Limits(eof=0.3, signal=1, pipes=0.3)
"""For agents that have to be ended: nobody waits long for what will not come."""
CHILDREN = Limits(signal=1, pipes=0.3)


def _talk(root: Path, turns: list[dict[str, Any]]) -> RunningAgent:
    """Run the tiny agent with one prompt for each turn, and return it once it has ended."""
    places = RunPlaces.under(root / "run")
    script = root / "script.json"
    script.write_text(json.dumps({"turns": turns}), "utf-8")
    launch = tiny()(LaunchRequest(root, "plain", places, script, root / "record.jsonl"))

    async def main() -> RunningAgent:
        async with running_agent(launch, places) as agent:
            connection = agent.connection
            await agent.ask(connection.initialize(acp.PROTOCOL_VERSION), "initialize")
            made = await agent.ask(connection.new_session(cwd=str(places.workspace)), "new")
            for _ in turns:
                prompt = connection.prompt(made.session_id, [acp.text_block("go on")])
                await agent.ask(prompt, "prompt")
        return agent

    return asyncio.run(main())


def _run(root: Path, fault: str, limits: Limits | None = None) -> RunningAgent:
    """Run the faulty agent, ask it one thing, and return it once it has ended."""
    places = RunPlaces.under(root)

    async def main() -> RunningAgent:
        launch = Launch([sys.executable, FAULTY, fault])
        async with running_agent(launch, places, limits=limits) as agent:
            await agent.ask(agent.connection.initialize(acp.PROTOCOL_VERSION), "initialize")
        return agent

    return asyncio.run(main())


@pytest.mark.requirement("SNAP-1")
def test_an_agent_that_behaves(tmp_path: Path) -> None:
    """The SDK's client talks to the agent; all bytes and updates are kept; EOF ends it."""
    agent = _talk(tmp_path, [{"say": "Hello."}])
    assert agent.ending is not None
    assert (agent.ending.after, agent.ending.exit_code) == ("eof", 0)
    assert agent.ending.problem is None
    lines = agent.stdout.splitlines()
    assert [json.loads(line) for line in lines] == agent.tee.messages
    assert [update.session_update for _, update in agent.client.updates] == ["agent_message_chunk"]


@pytest.mark.requirement("SNAP-1")
def test_permissions_are_denied(tmp_path: Path) -> None:
    """Whoever asks for a permission gets the rejection that is offered."""
    agent = _talk(tmp_path, [{"ask": True}])
    assert len(agent.client.permissions) == 1
    [(_, update)] = agent.client.updates
    assert update.content.text == "the answer is no"


@pytest.mark.requirement("SNAP-1")
def test_rubbish_on_stdout(tmp_path: Path) -> None:
    """A line that is no message fails the next answer, and the error shows line and number."""
    with pytest.raises(
        StdoutError, match=r"line 1 is not JSON: 'Loading weights\.\.\. done'"
    ) as found:
        _run(tmp_path, "rubbish")
    assert found.value.line == b"Loading weights... done"


@pytest.mark.requirement("SNAP-1")
def test_rubbish_of_an_agent_that_stays(tmp_path: Path) -> None:
    """An agent that has failed is killed at once: its end is not waited for."""
    with pytest.raises(StdoutError, match="line 1 is not JSON: 'Loading weights"):
        _run(tmp_path, "rubbish-for-ever", Limits(eof=600, signal=600))


@pytest.mark.requirement("SNAP-1")
def test_rubbish_at_the_very_end(tmp_path: Path) -> None:
    """What is printed after the last answer, and even without a newline, fails too."""
    with pytest.raises(StdoutError, match="ends without a newline: 'goodbye'"):
        _run(tmp_path, "prints-last")


@pytest.mark.requirement("SNAP-1")
def test_an_agent_that_dies_at_the_start(tmp_path: Path) -> None:
    """The error tells the exit code, what was waited for, and all of stderr."""
    with pytest.raises(AgentEndedError, match="exit code 3") as found:
        _run(tmp_path, "dies")
    assert str(found.value).startswith("initialize: ")
    assert found.value.stderr == "no model is configured\n"
    assert "no model is configured" in str(found.value)


@pytest.mark.requirement("SNAP-1")
def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    """A command that can't be started is named."""
    places = RunPlaces.under(tmp_path)

    async def main() -> None:
        async with running_agent(Launch(["no-such-agent"]), places):
            pytest.fail("there is no such command")

    with pytest.raises(AgentStartError, match="no-such-agent"):
        asyncio.run(main())


@pytest.mark.requirement("SNAP-1")
def test_a_flood_on_stderr(tmp_path: Path) -> None:
    """1 MB on stderr blocks nothing, and is kept."""
    agent = _run(tmp_path, "floods-stderr")
    assert len(agent.stderr) > 1_000_000


@pytest.mark.requirement("SNAP-1")
def test_a_line_that_never_ends(tmp_path: Path) -> None:
    """An agent that prints for ever without a newline is killed, and told of, at 64 MiB."""
    with pytest.raises(StdoutError, match=r"line 1 is longer than 67108864 bytes: 'xxx") as found:
        _run(tmp_path, "never-stops", Limits(eof=600))
    assert len(found.value.line) < 10_000


@pytest.mark.requirement("SNAP-1")
def test_a_stderr_that_never_ends(tmp_path: Path) -> None:
    """Of 16 MiB on stderr the last ones are kept, and it shows that something is missing."""
    agent = _run(tmp_path, "never-stops-telling")
    assert agent.stderr.startswith("… xxx")
    assert agent.stderr.endswith("xxxthe end")
    assert len(agent.stderr) == 4 * 2**20 + 2


@pytest.mark.requirement("SNAP-1")
def test_an_answer_whose_error_is_none(tmp_path: Path) -> None:
    """An error that no client can read fails at once, and not when the time is up."""
    with pytest.raises(StdoutError, match="line 1 has an error that is no object"):
        _run(tmp_path, "answers-no-error", Limits(answer=600))


@pytest.mark.requirement("SNAP-1")
@pytest.mark.parametrize(
    ("fault", "after", "exit_code"),
    [("ignores-eof", "SIGTERM", -15), ("ignores-sigterm", "SIGKILL", -9)],
)
def test_signals_end_what_eof_does_not(
    tmp_path: Path, fault: str, after: str, exit_code: int
) -> None:
    """An agent that goes on after EOF gets SIGTERM, then SIGKILL, and that is told."""
    ending = _run(tmp_path, fault, IMPATIENT).ending
    assert ending is not None
    assert (ending.after, ending.exit_code) == (after, exit_code)
    assert ending.problem is not None
    assert after in ending.problem


@pytest.mark.requirement("SNAP-1")
def test_children_are_found(tmp_path: Path) -> None:
    """A process that the agent left behind, and that holds its pipes, is killed and told of."""
    agent = _run(tmp_path, "leaves-child", CHILDREN)
    assert agent.ending is not None
    assert agent.ending.left_behind
    assert agent.ending.after == "eof"
    assert agent.stderr == "child\n"


@pytest.mark.requirement("SNAP-1")
def test_silent_children_are_found(tmp_path: Path) -> None:
    """A process that the agent left behind, and that holds no pipe, is killed and told of."""
    ending = _run(tmp_path, "leaves-silent-child").ending
    assert ending is not None
    assert ending.left_behind
    assert ending.problem == "the agent left processes of its own behind"


@pytest.mark.requirement("SNAP-1")
def test_a_child_in_a_session_of_its_own(tmp_path: Path) -> None:
    """What no signal reaches and still holds the pipes is an error, not a hang."""
    hold = RunPlaces.under(tmp_path).workspace / "hold"
    os.mkfifo(hold)
    release = os.open(hold, os.O_RDWR)
    try:
        with pytest.raises(AgentTimeoutError, match="in a session of its own still holds"):
            _run(tmp_path, "escapes", CHILDREN)
    finally:
        os.close(release)


@pytest.mark.requirement("SNAP-1")
def test_an_answer_that_does_not_come(tmp_path: Path) -> None:
    """A wait has a limit, and its error names what was waited for."""

    async def main() -> None:
        launch = Launch([sys.executable, FAULTY, "none"])
        limits = Limits(answer=0.1)
        async with running_agent(launch, RunPlaces.under(tmp_path), limits=limits) as agent:
            never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            await agent.ask(never, "session/prompt")

    with pytest.raises(AgentTimeoutError, match=r"^session/prompt: nothing within 0\.1 s"):
        asyncio.run(main())


@pytest.mark.requirement("SNAP-1")
def test_an_error_in_the_body_ends_the_agent(tmp_path: Path) -> None:
    """Whatever is raised while the agent runs, it's gone afterwards, and its pipes are closed."""
    before = len(list(Path("/dev/fd").iterdir()))
    running = []

    async def main() -> None:
        launch = Launch([sys.executable, FAULTY, "none"])
        async with running_agent(launch, RunPlaces.under(tmp_path)) as agent:
            running.append(agent)
            raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(main())
    assert running[0].ending is not None
    assert len(list(Path("/dev/fd").iterdir())) == before


@pytest.mark.requirement("SNAP-1")
def test_the_environment_is_the_launchers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent sees the variables that it was given, and none of this machine's own."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    places = RunPlaces.under(tmp_path / "run")
    given = Environment(timezone="Asia/Tokyo", language="C", variables={"MORE": "yes"})
    found = given.variables_for(places)
    script = "import os, sys; sys.stderr.write(' '.join(os.environ))"

    async def main() -> None:
        launch = Launch([sys.executable, "-c", script], {"OF_THE_HOST": "yes"})
        async with running_agent(launch, places) as agent:
            await agent.ask(agent.connection.initialize(acp.PROTOCOL_VERSION), "initialize")

    with pytest.raises(AgentEndedError) as seen:
        asyncio.run(main())
    assert {*found, "OF_THE_HOST"} - {"MORE"} <= {*seen.value.stderr.split()}
    assert "OPENAI_API_KEY" not in seen.value.stderr
    assert found == {
        "HOME": str(places.home),
        "LANG": "C",
        "MORE": "yes",
        "PATH": os.environ["PATH"],
        "TMPDIR": str(places.temporary),
        "TZ": "Asia/Tokyo",
    }
