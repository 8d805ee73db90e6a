"""The plan of the agent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reference_host.dispatch import ToolCall
from reference_host.tools import TodoTool
from session_query_specs.loop import run

from ..opening import world
from ..scripted_model import ScriptedModel, calling
from ..valid_logs import answers, check_log

PLAN = [{"content": "dig", "status": "completed"}, {"content": "fill", "status": "in_progress"}]


def planned(arguments: str) -> tuple[list[Any], list[tuple[str, str | None, str]]]:
    """Let an agent write a plan; return the plans of its log, and its results."""
    model = ScriptedModel(calling(("c1", "todo", arguments)))

    async def main() -> tuple[list[Any], list[tuple[str, str | None, str]]]:
        async with world(model, TodoTool()) as (made, session):
            await made.turn(session)
            log = made.durable(session)
            check_log(log)
            return [one.data for one in log if one.type == "todo/write"], answers(log)

    return run(main).result()


def test_a_plan_is_logged_and_answered() -> None:
    """`todo/write` has the whole plan; the model hears how much of it is done."""
    plans, results = planned(json.dumps({"todos": PLAN}))
    assert plans == [{"todos": PLAN}]
    assert results == [("c1", None, "Written down: 2 items, 1 of them completed.")]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "todos"),
        ({"todos": None}, "todos"),
        ({"todos": [{"content": "", "status": "pending"}]}, "todos.0.content"),
        ({"todos": [{"content": "x", "status": "done"}]}, "todos.0.status"),
        ({"todos": [{"content": "x", "status": "pending", "id": 1}]}, "todos.0.id"),
        ({"todos": [], "note": "x"}, "note"),
        ([], "arguments"),
        (5, "arguments"),
    ],
)
def test_what_is_no_plan_is_refused_by_name(arguments: Any, named: str) -> None:
    """The model is told what was wrong where, and nothing is logged as a plan."""
    plans, [(_, code, told)] = planned(json.dumps(arguments))
    assert (plans, code) == ([], "TOOL_INVALID_ARGUMENT")
    assert told.startswith(f"Error TOOL_INVALID_ARGUMENT: {named}: ")


def test_its_card_shows_any_arguments() -> None:
    """People see what was sent, however wrong."""
    card = TodoTool().present_call(ToolCall("c1", "todo", "{").arguments)
    assert (card.kind, card.title, card.raw_input) == ("think", "Update the plan", "{")
