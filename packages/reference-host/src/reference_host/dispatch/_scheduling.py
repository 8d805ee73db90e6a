"""Which sibling calls may overlap (HOST-4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reference_host._diagnostics import logger
from reference_host.tools import Concurrency, Tool

__all__ = ["PendingCall", "ToolCall", "concurrency_of", "grouped"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model made it; `arguments` is its raw text."""

    id: str
    name: str
    arguments: str

    def parsed(self) -> Any:
        """Return the arguments; no text at all means no arguments.

        Raises:
            ValueError: they are not JSON.
        """
        if not self.arguments.strip():
            return {}
        try:
            return json.loads(self.arguments)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call whose tool is known.

    Attributes:
        call: the call.
        tool: its tool; None if there is none of that name.
        arguments: what its text says, parsed.
        problem: why it can't be parsed, None if it can.
    """

    call: ToolCall
    tool: Tool | None
    arguments: Any
    problem: str | None


def concurrency_of(pending: PendingCall) -> Concurrency:
    """Tell whether a call may overlap its siblings; whatever is in doubt runs alone."""
    tool = pending.tool
    if tool is None or pending.problem is not None:
        return "parallel"  # answered without entering a tool
    try:
        told = tool.concurrency
        if callable(told):
            told = told(pending.arguments)
    except Exception as error:  # noqa: BLE001 - HOST-4: a classifier that raises means exclusive
        logger.warning(
            "tool %s: its classifier failed, so the call runs alone: %r",
            pending.call.name,
            error,
            extra={"session_id": None, "code": "TOOL_CLASSIFIER_FAILED"},
        )
        return "exclusive"
    return "parallel" if told == "parallel" else "exclusive"


def grouped(calls: Sequence[PendingCall]) -> Iterator[list[PendingCall]]:
    """Yield the calls in order, those that may overlap each other together."""
    group: list[PendingCall] = []
    for pending in calls:
        if concurrency_of(pending) == "parallel":
            group.append(pending)
            continue
        if group:
            yield group
        yield [pending]
        group = []
    if group:
        yield group
