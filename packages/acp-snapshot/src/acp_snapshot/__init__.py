"""Snapshot tests of an agent that speaks the Agent Client Protocol, over a real subprocess."""

from acp_snapshot.errors import (
    AcpSnapshotError,
    AgentEndedError,
    AgentError,
    AgentStartError,
    AgentTimeoutError,
    ScenarioError,
    ScenarioFileError,
    ScenarioStepError,
    StdoutError,
)
from acp_snapshot.launcher import (
    Ending,
    Environment,
    Launch,
    LaunchRequest,
    LaunchTemplate,
    Limits,
    RunningAgent,
    RunPlaces,
    running_agent,
)
from acp_snapshot.normalizing import Place, Rules, Volatile, normalize
from acp_snapshot.scenario import Scenario, ScenarioRun, load_scenarios, open_jsonl_store, play
from acp_snapshot.suite import define_acp_snapshot_suite
from acp_snapshot.surfaces import RequestHeader, Surfaces, surfaces_of

__all__ = [
    "AcpSnapshotError",
    "AgentEndedError",
    "AgentError",
    "AgentStartError",
    "AgentTimeoutError",
    "Ending",
    "Environment",
    "Launch",
    "LaunchRequest",
    "LaunchTemplate",
    "Limits",
    "Place",
    "RequestHeader",
    "Rules",
    "RunPlaces",
    "RunningAgent",
    "Scenario",
    "ScenarioError",
    "ScenarioFileError",
    "ScenarioRun",
    "ScenarioStepError",
    "StdoutError",
    "Surfaces",
    "Volatile",
    "define_acp_snapshot_suite",
    "load_scenarios",
    "normalize",
    "open_jsonl_store",
    "play",
    "running_agent",
    "surfaces_of",
]
