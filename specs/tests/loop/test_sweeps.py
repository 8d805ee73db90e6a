"""Sweeps: an action before each step of an operation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from session_query import AbortSignal, settle
from session_query_specs.loop import ACTIONS, Action, sweep


async def _store_call(signal: AbortSignal) -> str:
    for _ in range(4):
        await asyncio.sleep(0)
        if signal.aborted:
            break
    return "value"


async def _quiescent(signal: AbortSignal) -> str:
    """Wait for the end of what it started, whatever happens."""
    return await settle(_store_call, signal)


async def _leaking(signal: AbortSignal) -> str:
    """Leave behind what it started when its task is cancelled."""
    task = asyncio.create_task(_store_call(signal), name="store call")
    value = await asyncio.shield(task)
    signal.raise_if_aborted()
    return value


async def _deaf(signal: AbortSignal) -> str:
    """Answer as if nobody had aborted it."""
    return await _store_call(signal)


Operation = Callable[[AbortSignal], Coroutine[Any, Any, Any]]


@pytest.mark.requirement("CONF-9")
@pytest.mark.parametrize("action", ACTIONS)
def test_a_quiescent_operation_has_no_problem_at_any_step(action: Action) -> None:
    """The action lands before each step, and each time it ends as it should."""
    landings = list(sweep(_quiescent, action))
    assert [landing.step for landing in landings] == list(range(len(landings)))
    assert len(landings) >= 5
    assert [landing.problem() for landing in landings if landing.problem()] == []


@pytest.mark.requirement("CONF-9")
@pytest.mark.parametrize(
    ("operation", "action", "problem"),
    [
        (_leaking, "cancel", "it left running: store call"),
        (_leaking, "cancel twice", "it left running: store call"),
        (_deaf, "abort", "it returned, and not the very reason of the abort"),
    ],
)
def test_a_planted_fault_is_found(operation: Operation, action: Action, problem: str) -> None:
    """What a step of the sweep finds is told in words."""
    problems = [landing.problem() for landing in sweep(operation, action)]
    assert problem in problems
