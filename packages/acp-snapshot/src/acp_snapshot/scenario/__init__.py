"""What is said to an agent, and in which surroundings (SNAP-2)."""

from acp_snapshot.scenario._materials import OpenStore, open_jsonl_store
from acp_snapshot.scenario._playing import ProcessRun, ScenarioRun, play
from acp_snapshot.scenario._reading import Scenario, load_scenarios

__all__ = [
    "OpenStore",
    "ProcessRun",
    "Scenario",
    "ScenarioRun",
    "load_scenarios",
    "open_jsonl_store",
    "play",
]
