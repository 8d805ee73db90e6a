"""Starts any ACP agent as a subprocess, and sees it to its end (SNAP-1)."""

from acp_snapshot.launcher._agent import RunningAgent, running_agent
from acp_snapshot.launcher._client import RecordingClient
from acp_snapshot.launcher._launch import (
    Environment,
    Launch,
    LaunchRequest,
    LaunchTemplate,
    Limits,
)
from acp_snapshot.launcher._places import RunPlaces
from acp_snapshot.launcher._process import Ending

__all__ = [
    "Ending",
    "Environment",
    "Launch",
    "LaunchRequest",
    "LaunchTemplate",
    "Limits",
    "RecordingClient",
    "RunPlaces",
    "RunningAgent",
    "running_agent",
]
