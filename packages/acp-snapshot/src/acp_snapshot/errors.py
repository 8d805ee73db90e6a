"""Every exception that this package raises on purpose.

::

    AcpSnapshotError
    ├── AgentError              the agent failed as a process; carries its ``stderr``
    │   ├── AgentStartError     it could not be started
    │   ├── AgentEndedError     it ended while an answer of it was waited for
    │   ├── AgentTimeoutError   it did not do in time what was waited for
    │   └── StdoutError         it wrote something else than JSON-RPC to its stdout
    └── ScenarioError
        ├── ScenarioFileError   a scenario that can't be read
        └── ScenarioStepError   a step that went otherwise than the scenario says
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = [
    "AcpSnapshotError",
    "AgentEndedError",
    "AgentError",
    "AgentStartError",
    "AgentTimeoutError",
    "ScenarioError",
    "ScenarioFileError",
    "ScenarioStepError",
    "StdoutError",
]

_STDERR_SHOWN = 8_000


class AcpSnapshotError(Exception):
    """The base of all exceptions of this package."""


class AgentError(AcpSnapshotError):
    """Raised when the agent fails as a process; its message ends with what the agent told."""

    def __init__(self, message: str, stderr: str = "") -> None:
        told = stderr.strip()
        if len(told) > _STDERR_SHOWN:
            told = f"… {told[-_STDERR_SHOWN:]}"
        super().__init__(f"{message}\nstderr of the agent:\n{told}" if told else message)
        self.stderr = stderr


class AgentStartError(AgentError):
    """Raised when the agent's command can't be started at all."""


class AgentEndedError(AgentError):
    """Raised when the agent has ended, or closed its stdout, before it answered."""


class AgentTimeoutError(AgentError):
    """Raised when the agent takes longer than a limit allows."""


class StdoutError(AgentError):
    """Raised for a line on stdout that is no JSON-RPC message.

    Attributes:
        line: the line, byte for byte.
        number: which line it is, from 1.
        reason: what is wrong with it.
    """

    def __init__(self, line: bytes, number: int, reason: str, stderr: str = "") -> None:
        shown = repr(line[:400])[1:] + (" …" if len(line) > 400 else "")  # noqa: PLR2004 - fits a few lines of a terminal
        super().__init__(
            f"stdout carries something else than JSON-RPC: line {number} {reason}: {shown}", stderr
        )
        self.line = line
        self.number = number
        self.reason = reason


class ScenarioError(AcpSnapshotError):
    """The base of what can be wrong with a scenario."""


class ScenarioFileError(ScenarioError):
    """Raised for a scenario that can't be read.

    Attributes:
        path: the file.
        problems: what is wrong with it, each with the key.
    """

    def __init__(self, path: Path, problems: Sequence[str]) -> None:
        super().__init__("\n".join([f"{path}:", *(f"  {problem}" for problem in problems)]))
        self.path = path
        self.problems = tuple(problems)


class ScenarioStepError(ScenarioError):
    """Raised when a step goes otherwise than its scenario says."""
