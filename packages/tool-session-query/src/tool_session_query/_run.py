"""Who calls a tool, and what may end the call (TOOL-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from session_query import AbortSignal, LiveSession

__all__ = ["Agent", "Run", "ToolAgent", "ToolRun"]


class Agent(Protocol):
    """The agent that calls: all that a tool knows of it is its session."""

    @property
    def session(self) -> LiveSession:
        """The agent's own live session."""


class Run(Protocol):
    """One dispatch of a tool, as the host vouches for it; nothing in it comes from the model."""

    @property
    def signal(self) -> AbortSignal:
        """Ends the call: the tool raises its very reason."""

    @property
    def agent(self) -> Agent | None:
        """The calling agent, None where a host has none."""


@dataclass(frozen=True, slots=True)
class ToolAgent:
    """The simplest `Agent`: it holds a session."""

    session: LiveSession


@dataclass(frozen=True, slots=True)
class ToolRun:
    """The simplest `Run`: it holds a signal and an agent."""

    signal: AbortSignal
    agent: ToolAgent | None
