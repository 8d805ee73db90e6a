"""How an agent is started: its command, and the environment that it sees."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from acp_snapshot.launcher._places import RunPlaces

__all__ = ["Environment", "Launch", "LaunchRequest", "LaunchTemplate", "Limits"]


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What the command of one process is made from.

    Attributes:
        scenario: the folder of the scenario, whose name is the scenario's.
        composition: the composition class that the scenario names.
        places: the folders of the run.
        script: the model script of this process.
        record: the file that the agent may record its model requests in, one JSON object a line.
    """

    scenario: Path
    composition: str
    places: RunPlaces
    script: Path
    record: Path

    @property
    def workspace(self) -> Path:
        """The `cwd` of the sessions."""
        return self.places.workspace

    @property
    def state(self) -> Path:
        """Where the agent keeps what outlives a process."""
        return self.places.state


@dataclass(frozen=True, slots=True)
class Launch:
    """A command: its arguments, and variables beside those of `Environment`."""

    argv: Sequence[str | os.PathLike[str]]
    env: Mapping[str, str] = field(default_factory=dict)


LaunchTemplate: TypeAlias = Callable[[LaunchRequest], Launch]
"""Makes the command of each process."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that an agent sees: these, and none of the machine's own.

    Attributes:
        timezone: `TZ`.
        language: `LANG`.
        path: `PATH`; by default that of this process.
        temporary: `TMPDIR`; by default a folder of the run.
        variables: whatever else is to be set.
    """

    timezone: str = "UTC"
    language: str = "C.UTF-8"
    path: str = field(default_factory=lambda: os.environ.get("PATH", os.defpath))
    temporary: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def variables_for(self, places: RunPlaces) -> dict[str, str]:
        """Return all variables of a process that runs in these places."""
        return {
            "HOME": str(places.home),
            "LANG": self.language,
            "PATH": self.path,
            "TMPDIR": str(places.temporary),
            "TZ": self.timezone,
            **self.variables,
        }


@dataclass(frozen=True, slots=True)
class Limits:
    """How many seconds each thing may take; generous, as they only cut off what hangs.

    Attributes:
        answer: an answer, an update, or a turn that is to be on disk.
        eof: the end of the process after its stdin was closed.
        signal: the end of the process after SIGTERM, and again after SIGKILL.
        pipes: the end of its pipes once the process itself has ended.
    """

    answer: float = 60.0
    eof: float = 20.0
    signal: float = 5.0
    pipes: float = 5.0
