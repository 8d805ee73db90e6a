"""Abort and cancel an operation before each of its steps (CONF-9)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Literal, TypeAlias

from session_query import AbortController, AbortSignal

from session_query_specs.loop._schedule import FIFO, Schedule
from session_query_specs.loop._virtual import Run, VirtualLoop, run

__all__ = ["ACTIONS", "Action", "Landing", "SweepReason", "sweep"]

Action: TypeAlias = Literal["abort", "cancel", "cancel twice"]
ACTIONS: Final[tuple[Action, ...]] = ("abort", "cancel", "cancel twice")


class SweepReason(Exception):  # noqa: N818 - it is a reason, and no error
    """What a sweep aborts with; each run has one of its own."""


@dataclass(frozen=True, slots=True)
class Landing:
    """One run in which the action landed: the operation had begun and not ended.

    Attributes:
        action: what was done.
        step: before which step.
        reason: what was aborted with.
        run: how the operation ended.
    """

    action: Action
    step: int
    reason: SweepReason
    run: Run[Any]

    def problem(self) -> str | None:
        """Return what is wrong with the end of the operation; None where all is well."""
        if self.action == "abort" and self.run.error is not self.reason:
            ended = "returned" if self.run.error is None else f"raised {self.run.error!r}"
            return f"it {ended}, and not the very reason of the abort"
        if self.action != "abort" and not isinstance(self.run.error, asyncio.CancelledError):
            ended = "returned" if self.run.error is None else f"raised {self.run.error!r}"
            return f"its task was cancelled, and it {ended}"
        if self.run.left:
            return f"it left running: {', '.join(self.run.left)}"
        return self.run.complaints[0] if self.run.complaints else None


def sweep(
    operation: Callable[[AbortSignal], Coroutine[Any, Any, Any]],
    action: Action,
    schedule: Schedule = FIFO,
    only: int | None = None,
) -> Iterator[Landing]:
    """Run an operation again and again, with the action before step 0, 1, 2, … while it lands.

    Args:
        operation: makes a new run of the operation, with the signal that it is to heed. What it
            needs is made inside, so that no run knows of another.
        action: what is done to it.
        schedule: who is next.
        only: the one step before which the action is to land; None for each in turn.
    """
    for step in count() if only is None else (only,):
        controller, reason = AbortController(), SweepReason()
        landed: list[int] = []

        def act(
            task: asyncio.Task[Any],
            controller: AbortController = controller,
            reason: SweepReason = reason,
            landed: list[int] = landed,
        ) -> None:
            if task.done():
                return
            landed.append(1)
            loop = task.get_loop()
            if isinstance(loop, VirtualLoop):
                loop.note(f"here: {action}")
            if action == "abort":
                controller.abort(reason)
            else:
                task.cancel()
                if action == "cancel twice":
                    task.cancel()

        ended = run(lambda signal=controller.signal: operation(signal), schedule, {step: act})  # type: ignore[misc]
        if not landed:
            return
        yield Landing(action, step, reason, ended)
