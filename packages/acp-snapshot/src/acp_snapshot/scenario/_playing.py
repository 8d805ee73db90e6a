"""Plays a scenario against real processes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp.schema import SessionNotification
from pydantic import ValidationError
from session_query import StoredSession

from acp_snapshot.errors import AcpSnapshotError, ScenarioStepError
from acp_snapshot.launcher import (
    Ending,
    Environment,
    LaunchRequest,
    LaunchTemplate,
    Limits,
    RunPlaces,
    running_agent,
)
from acp_snapshot.scenario._materials import OpenStore, lay_out, open_jsonl_store, write_script
from acp_snapshot.scenario._model import ProcessSteps
from acp_snapshot.scenario._reading import Scenario
from acp_snapshot.scenario._steps import Memory, StepPlayer

__all__ = ["ProcessRun", "ScenarioRun", "play"]


@dataclass(frozen=True, slots=True)
class ProcessRun:
    """What one process left.

    Attributes:
        stdout: its bytes.
        messages: the messages in them.
        stderr: its text.
        ending: how it ended.
        record: the file that it may have recorded its model requests in.
    """

    stdout: bytes
    messages: Sequence[Mapping[str, Any]]
    stderr: str
    ending: Ending
    record: Path


@dataclass(frozen=True, slots=True)
class ScenarioRun:
    """What a scenario left.

    Attributes:
        places: where it ran.
        processes: its processes, in order.
        sessions: the id of each session, by the name that the scenario gave it.
        logs: all session logs as they stand on disk.
        seeds: how many events each seed session had, by its id.
    """

    scenario: Scenario
    places: RunPlaces
    processes: tuple[ProcessRun, ...]
    sessions: Mapping[str, str]
    logs: tuple[StoredSession, ...]
    seeds: Mapping[str, int]


async def play(  # noqa: PLR0913 - each has its default but the three that differ
    scenario: Scenario,
    launch: LaunchTemplate,
    root: Path,
    *,
    environment: Environment | None = None,
    limits: Limits | None = None,
    open_store: OpenStore = open_jsonl_store,
) -> ScenarioRun:
    """Play a scenario in a folder of its own, and return what it left.

    Raises:
        AgentError: the agent failed as a process.
        ScenarioError: it did otherwise than the scenario says.
    """
    environment = environment or Environment()
    places = RunPlaces.under(root, temporary=environment.temporary)
    seeds = await lay_out(scenario, places, open_store(places.state))
    memory = Memory({}, {"<workspace>": str(places.workspace)})
    runs = []
    for number, steps in enumerate(scenario.file.process, 1):
        script = root / f"script-{number}.json"
        write_script(scenario.script_of(steps), script, memory.names)
        request = LaunchRequest(
            scenario.folder, scenario.composition, places, script, root / f"record-{number}.jsonl"
        )
        player = StepPlayer(places, memory, open_store, limits or Limits())
        try:
            runs.append(await _run(steps, launch, request, player, environment))
        except AcpSnapshotError as error:
            error.add_note(f"in process {number} of scenario {scenario.name}")
            raise
    store = open_store(places.state)
    logs = tuple([await store.inspect(header.id) for header in await store.list()])
    return ScenarioRun(scenario, places, tuple(runs), memory.sessions, logs, seeds)


async def _run(
    steps: ProcessSteps,
    launch: LaunchTemplate,
    request: LaunchRequest,
    player: StepPlayer,
    environment: Environment,
) -> ProcessRun:
    async with running_agent(
        launch(request),
        request.places,
        environment=environment,
        limits=player.limits,
        permissions=steps.permissions,
    ) as agent:
        async with player.talking_to(agent):
            for number, step in enumerate(steps.step, 1):
                try:
                    await player.play(step)
                except AcpSnapshotError as error:
                    error.add_note(f"at step {number}, {step.do},")
                    raise
        if steps.end == "kill":
            agent.kill()
        ending = await agent.close()
    run = ProcessRun(agent.stdout, agent.tee.messages, agent.stderr, ending, request.record)
    _check_updates(run)
    if steps.end != "kill":
        _check(ending, steps, run)
    return run


def _check_updates(run: ProcessRun) -> None:
    """Refuse updates that are not as the protocol says: the SDK's client only logs them."""
    for message in run.messages:
        if message.get("method") == "session/update":
            try:
                SessionNotification.model_validate(message.get("params"))
            except ValidationError as error:
                shown = json.dumps(message, ensure_ascii=False)
                raise ScenarioStepError(
                    f"an update is not as the protocol says: {shown}"
                ) from error


def _check(ending: Ending, steps: ProcessSteps, run: ProcessRun) -> None:
    problem = ending.problem
    if problem is None and ending.exit_code != steps.exit_code:
        problem = f"the agent ended with exit code {ending.exit_code}, not {steps.exit_code}"
    if problem is not None:
        told = run.stderr.strip()
        raise ScenarioStepError(f"{problem}\nstderr of the agent:\n{told}" if told else problem)
